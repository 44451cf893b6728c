package frame

import (
	"net/http"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// CodeInput returns the input for a two-step login code.
func (l Locale) CodeInput(hint string) *Input {
	return &Input{
		Name: "code", Label: l.Say("frame.code"), Hint: hint, Type: "text", Autocomplete: "one-time-code",
		Required: true, Narrow: true, Focus: true,
	}
}

// PasskeyForm is a form that a script fills in with a passkey. It is hidden if scripts are disabled.
type PasskeyForm struct {
	Action  string
	From    string // the path from which the script gets the options for the device
	Next    string
	Button  string
	Suggest bool // the browser also suggests passkeys in the e-mail field
}

// PasskeyResponse reads the device's response from a form.
func (c *Call) PasskeyResponse() (response []byte, next string, stay bool, err error) {
	values, err := c.ReadForm()
	if err != nil {
		return nil, "", false, err
	}
	return []byte(values.Get("answer")), values.Get("next"), values.Get("stay") != "", nil
}

// WritePasskeyOptions sends the options for the device to the script.
func (c *Call) WritePasskeyOptions(options []byte, err error) error {
	if err != nil {
		return err
	}
	c.Writer.Header().Set("Content-Type", "application/json")
	c.Writer.WriteHeader(http.StatusOK)
	_, _ = c.Writer.Write(options) // the client may have disconnected
	return nil
}

// notePage shows a short text with links.
type notePage struct {
	Page
	Lead  []string
	After []Link
}

// ShowNote shows a page with a short text and links to other pages.
func (c *Call) ShowNote(status int, title string, after []Link, lead ...string) error {
	return c.Render(status, "note", notePage{Page: c.NewPage(title), Lead: lead, After: after})
}

// FormPage is a page with a single form.
type FormPage struct {
	Page
	Tabs     []Link
	Lead     []string
	Action   string
	Next     string // the page to open afterwards
	Username string // the user whose password it is, for password managers
	Inputs   []*Input
	Button   string
	Danger   bool
	Back     Link         // a link to the previous page; empty for visitors who are not logged in
	Passkey  *PasskeyForm // an alternative to the form
	After    []Link       // more links
}

// NewForm creates a page with one form that is sent to the page's own address.
func (c *Call) NewForm(title, button string, inputs ...*Input) *FormPage {
	return &FormPage{
		Page: c.NewPage(title), Tabs: c.FormTabs(), Action: c.Request.URL.Path, Inputs: inputs, Button: button,
	}
}

// ShowForm renders a form page.
func (c *Call) ShowForm(p *FormPage) error { return c.Render(http.StatusOK, "ask", p) }

// ShowFormAgain renders a rejected form with the errors next to its fields. Errors about rate limits and conflicts
// are shown above the form; other errors are returned.
func (c *Call) ShowFormAgain(p *FormPage, err error) error {
	problems, other := c.MarkErrors(p.Inputs, err)
	if other != nil && lost.CodeOf(err) != lost.TooMany && lost.CodeOf(err) != lost.Conflict {
		return err
	}
	if other != nil {
		problems = []Problem{{Text: c.ErrorText(err)}}
	}
	p.Problems = problems
	return c.Render(respond.RecordError(c.Writer, err), "ask", p)
}

// FormTabs returns the settings tabs for a logged-in user, and nil for other visitors.
func (c *Call) FormTabs() []Link {
	if c.Session.User.ID == "" {
		return nil
	}
	return c.SettingsTabs()
}

// PasswordInput returns the input for a new password.
func (l Locale) PasswordInput(label string) *Input {
	return &Input{
		Name: "password", Label: label, Type: "password", Autocomplete: "new-password", Required: true,
		Hint: l.Say("frame.password.hint"),
	}
}

// CurrentPasswordInput returns the input for the user's current password.
func (l Locale) CurrentPasswordInput() *Input {
	return &Input{
		Name: "current", Label: l.Say("frame.password.current"), Type: "password",
		Autocomplete: "current-password", Required: true,
	}
}
