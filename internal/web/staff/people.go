package staff

import (
	"net/http"
	"slices"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

func peopleRoutes() []Route {
	return slices.Concat(codeRoutes(), linkRoutes(), profileRoutes(), twoStepRoutes(), teamRoutes())
}

// markCookie tells a browser again with which somebody has logged in: see desk.Insider.
const markCookie = "browser"

// client is what is known of the browser.
func (c *call) client() lost.Client {
	return lost.Client{Address: respond.ClientOf(c.r), Agent: c.r.UserAgent(), Mark: c.cookie(markCookie)}
}

// letIn gives the browser the session that was begun, and sends it on: to where the person wanted to go, or to their second step.
func (c *call) letIn(in desk.Insider, next string) error {
	seconds := 0
	if in.Session.Lasting {
		seconds = int(in.Session.ExpiresAt.Sub(in.Session.CreatedAt).Seconds())
	}
	c.keep(sessionCookie, in.Token, seconds)
	if in.Session.Waits {
		return c.see(withNext("/login/code", next))
	}
	c.keep(markCookie, in.Mark, year)
	return c.see(back(next))
}

// askPage is a page with one form on it.
type askPage struct {
	page
	Tabs     []link
	Lead     []string
	Action   string
	Next     string // where the person wants to go after it
	Username string // whose password it is, for what keeps passwords
	Inputs   []*input
	Button   string
	Danger   bool
	Back     link        // to the page that led here, and where nothing was done; empty for those who are not logged in
	Passkey  *passkeyAsk // which does as well
	After    []link      // other ways on
}

// ask begins a page with one form, which is sent to the page's own address.
func (c *call) ask(title, button string, inputs ...*input) *askPage {
	return &askPage{page: c.page(title), Tabs: c.peopleTabs(), Action: c.r.URL.Path, Inputs: inputs, Button: button}
}

// asks shows a form.
func (c *call) asks(p *askPage) error { return c.write(http.StatusOK, "ask", p) }

// again shows a form once more, with what is wrong beside its fields. Whoever has to wait reads how long; any other error comes back.
func (c *call) again(p *askPage, err error) error {
	problems, other := judge(p.Inputs, err)
	if other != nil && lost.CodeOf(err) != lost.TooMany && lost.CodeOf(err) != lost.Conflict {
		return err
	}
	if other != nil {
		problems = []problem{{Text: lost.Detail(err)}}
	}
	p.Problems = problems
	return c.write(respond.Failed(c.w, err), "ask", p)
}

// peopleTabs are the parts of the settings, for those who are logged in: some of these pages are for others too.
func (c *call) peopleTabs() []link {
	if c.in.User.ID == "" {
		return nil
	}
	return c.settingsTabs()
}

// zone is the clock that a page's times are by.
func (p page) zone() *time.Location {
	if p.Here.ID == "" {
		return time.UTC
	}
	return p.Here.Zone()
}

// passwordInput asks for a password that is chosen now.
func passwordInput(label string) *input {
	return &input{
		Name: "password", Label: label, Type: "password", Autocomplete: "new-password", Required: true,
		Hint: "At least 10 characters. Three words that have nothing to do with each other are good.",
	}
}

// currentInput asks once more for the password that somebody has.
func currentInput() *input {
	return &input{Name: "current", Label: "Your password", Type: "password", Autocomplete: "current-password", Required: true}
}
