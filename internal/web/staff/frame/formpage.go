package frame

import (
	"net/http"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

func CodeInput(hint string) *Input {
	return &Input{Name: "code", Label: "Code", Hint: hint, Type: "text", Autocomplete: "one-time-code", Required: true, Narrow: true, Focus: true}
}

// PasskeyForm is a form that a device with a passkey answers, by a script. Without the script it is not shown.
type PasskeyForm struct {
	Action  string
	From    string // where the script asks for what the device is to be asked
	Next    string
	Button  string
	Suggest bool // the browser offers passkeys where the e-mail address is typed, too
}

// PasskeyAnswer reads what a device has answered.
func (c *Call) PasskeyAnswer() (answer []byte, next string, stay bool, err error) {
	values, err := c.ReadForm()
	if err != nil {
		return nil, "", false, err
	}
	return []byte(values.Get("answer")), values.Get("next"), values.Get("stay") != "", nil
}

// WritePasskeyOptions answers the script with what the device is to be asked.
func (c *Call) WritePasskeyOptions(options []byte, err error) error {
	if err != nil {
		return err
	}
	c.Writer.Header().Set("Content-Type", "application/json")
	c.Writer.WriteHeader(http.StatusOK)
	_, _ = c.Writer.Write(options) // a browser that left is no error of ours
	return nil
}

// notePage says something, and leads on.
type notePage struct {
	Page
	Lead  []string
	After []Link
}

func (c *Call) ShowNote(status int, title string, after []Link, lead ...string) error {
	return c.Render(status, "note", notePage{Page: c.NewPage(title), Lead: lead, After: after})
}

// FormPage is a page with one form on it.
type FormPage struct {
	Page
	Tabs     []Link
	Lead     []string
	Action   string
	Next     string // where the person wants to go after it
	Username string // whose password it is, for what keeps passwords
	Inputs   []*Input
	Button   string
	Danger   bool
	Back     Link         // to the page that led here, and where nothing was done; empty for those who are not logged in
	Passkey  *PasskeyForm // which does as well
	After    []Link       // other ways on
}

// NewForm begins a page with one form, which is sent to the page's own address.
func (c *Call) NewForm(title, button string, inputs ...*Input) *FormPage {
	return &FormPage{Page: c.NewPage(title), Tabs: c.FormTabs(), Action: c.Request.URL.Path, Inputs: inputs, Button: button}
}

// ShowForm shows a form.
func (c *Call) ShowForm(p *FormPage) error { return c.Render(http.StatusOK, "ask", p) }

// ShowFormAgain shows a form once more, with what is wrong beside its fields. Whoever has to wait reads how long; any other error comes back.
func (c *Call) ShowFormAgain(p *FormPage, err error) error {
	problems, other := MarkErrors(p.Inputs, err)
	if other != nil && lost.CodeOf(err) != lost.TooMany && lost.CodeOf(err) != lost.Conflict {
		return err
	}
	if other != nil {
		problems = []Problem{{Text: lost.Detail(err)}}
	}
	p.Problems = problems
	return c.Render(respond.Failed(c.Writer, err), "ask", p)
}

// FormTabs are the parts of the settings, for those who are logged in: some of these pages are for others too.
func (c *Call) FormTabs() []Link {
	if c.Session.User.ID == "" {
		return nil
	}
	return c.SettingsTabs()
}

// PasswordInput asks for a password that is chosen now.
func PasswordInput(label string) *Input {
	return &Input{
		Name: "password", Label: label, Type: "password", Autocomplete: "new-password", Required: true,
		Hint: "At least 10 characters. Three words that have nothing to do with each other are good.",
	}
}

// CurrentPasswordInput asks once more for the password that somebody has.
func CurrentPasswordInput() *Input {
	return &Input{Name: "current", Label: "Your password", Type: "password", Autocomplete: "current-password", Required: true}
}
