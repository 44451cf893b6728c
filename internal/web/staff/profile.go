package staff

import (
	"net/http"
	"time"

	"homeward/internal/lost"
)

func profileRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/settings/profile", serve: (*call).profile},
		{Method: http.MethodPost, Path: "/settings/profile", serve: (*call).rename},
		{Method: http.MethodGet, Path: "/settings/profile/email", serve: (*call).askEmail},
		{Method: http.MethodPost, Path: "/settings/profile/email", serve: (*call).changeEmail},
		{Method: http.MethodGet, Path: "/settings/profile/password", serve: (*call).askPassword},
		{Method: http.MethodPost, Path: "/settings/profile/password", serve: (*call).changePassword},
		{Method: http.MethodPost, Path: "/settings/profile/sessions/{session}/end", serve: (*call).endSession},
		{Method: http.MethodPost, Path: "/settings/profile/sessions/end", serve: (*call).endOtherSessions},
	}
}

type profilePage struct {
	page
	Tabs     []link
	Name     *input
	Role     rolePhrase
	Where    string
	Recovery int // codes that are left
	Passkeys passkeysPart
	Voucher  *voucherPart
	Sessions []sessionLine
	Zone     *time.Location
}

// sessionLine is a browser in which the person is logged in.
type sessionLine struct {
	lost.Session
	What string
	Here bool
}

func (c *call) profilePage(name string) (p profilePage, err error) {
	u := c.in.User
	p = profilePage{
		page: c.page("Your profile"), Tabs: c.peopleTabs(), Role: roleWords(u.Role), Where: c.placesOf(u.Role, u.Locations),
		Name: &input{Name: "name", Label: "Name", Type: "text", Value: name, Autocomplete: "name", Required: true},
	}
	p.Zone = p.zone()
	if p.Passkeys, err = c.passkeysPart(p.Zone); err != nil {
		return p, err
	}
	if p.Voucher, err = c.linkedPart(p.Zone); err != nil {
		return p, err
	}
	if !u.TwoStepAt.IsZero() {
		if p.Recovery, err = c.desk.RecoveryLeft(c.ctx(), c.in); err != nil {
			return p, err
		}
	}
	sessions, err := c.desk.Sessions(c.ctx(), c.in)
	for _, s := range sessions {
		p.Sessions = append(p.Sessions, sessionLine{s, agentWords(s.Agent), s.ID == c.in.Session.ID})
	}
	return p, err
}

func (c *call) profile() error {
	p, err := c.profilePage(c.in.User.Name)
	if err != nil {
		return err
	}
	return c.write(http.StatusOK, "profile", p)
}

func (c *call) rename() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	wrong := c.desk.Rename(c.ctx(), c.in, values.Get("name"))
	if wrong == nil {
		c.tell("Your name is saved.")
		return c.see("/settings/profile")
	}
	p, err := c.profilePage(values.Get("name"))
	if err != nil {
		return err
	}
	if p.Problems, err = judge([]*input{p.Name}, wrong); err != nil {
		return err
	}
	return c.write(http.StatusUnprocessableEntity, "profile", p)
}

// profileAsk begins a page of the profile with one form.
func (c *call) profileAsk(title, button string, inputs ...*input) *askPage {
	p := c.ask(title, button, inputs...)
	p.Username, p.Back = c.in.User.Email, link{Href: "/settings/profile", Name: "Your profile"}
	return p
}

func (c *call) emailPage(email string) *askPage {
	p := c.profileAsk("Change your e-mail address", "Send a link to the new address",
		&input{Name: "email", Label: "New e-mail address", Type: "email", Value: email, Autocomplete: "email", Required: true}, currentInput())
	p.Lead = []string{"You log in with " + c.in.User.Email + ". It stays so until you open the link that we send to the new one."}
	return p
}

func (c *call) askEmail() error {
	if !c.desk.SendsMail() {
		return c.note(http.StatusOK, "Your e-mail address cannot be changed here", []link{{Href: "/settings/profile", Name: "Back to your profile"}},
			"This service sends no mail, so a new address cannot be confirmed.")
	}
	return c.asks(c.emailPage(""))
}

func (c *call) changeEmail() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	email := values.Get("email")
	if err := c.desk.ChangeEmail(c.ctx(), c.in, values.Get("current"), email); err != nil {
		return c.again(c.emailPage(email), err)
	}
	c.tell("A mail is on its way to " + email + ". Open the link in it within an hour.")
	return c.see("/settings/profile")
}

func (c *call) passwordPage() *askPage {
	p := c.profileAsk("Change your password", "Save", currentInput(), passwordInput("New password"))
	p.Lead = []string{"You are then logged out everywhere else."}
	return p
}

func (c *call) askPassword() error { return c.asks(c.passwordPage()) }

func (c *call) changePassword() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	if err := c.desk.ChangePassword(c.ctx(), c.in, values.Get("current"), values.Get("password")); err != nil {
		return c.again(c.passwordPage(), err)
	}
	c.tell("Your new password is saved. You are logged out everywhere else.")
	return c.see("/settings/profile")
}

func (c *call) endSession() error {
	if err := c.desk.EndSession(c.ctx(), c.in, c.r.PathValue("session")); err != nil {
		return err
	}
	c.tell("You are logged out there.")
	return c.see("/settings/profile#sessions")
}

func (c *call) endOtherSessions() error {
	if err := c.desk.EndOtherSessions(c.ctx(), c.in); err != nil {
		return err
	}
	c.tell("You are logged out everywhere else.")
	return c.see("/settings/profile#sessions")
}
