package users

import (
	"net/http"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

type profilePage struct {
	frame.Page
	Tabs          []frame.Link
	Name          *frame.Input
	Language      *frame.Input
	Role          frame.RolePhrase
	Where         string
	Recovery      int // the number of unused recovery codes
	Passkeys      passkeysPart
	ExternalLogin *frame.ExternalLogin
	Sessions      []sessionLine
	Zone          *time.Location
}

// StateElement encloses a state in a text.
func (profilePage) StateElement() i18n.Element {
	return i18n.Element{Open: `<span class="state">`, Close: "</span>"}
}

// sessionLine is a browser in which the user is logged in.
type sessionLine struct {
	lost.Session
	What string
	Here bool
}

func (c *call) profilePage(name, language string) (p profilePage, err error) {
	u := c.Session.User
	p = profilePage{
		Page: c.NewPage(c.Say("frame.profile")), Tabs: c.FormTabs(), Role: c.RoleText(u.Role),
		Where: c.LocationsOf(u.Role, u.Locations),
		Name: &frame.Input{
			Name: "name", Label: c.Say("users.name"), Type: "text", Value: name, Autocomplete: "name", Required: true,
		},
		Language: &frame.Input{
			Name: "language", Label: c.Say("frame.profile.language"), Type: "list", Value: language, Required: true,
			Narrow: true, Options: c.UserLanguages(),
		},
	}
	p.Zone = p.TimeZone()
	if p.Passkeys, err = c.passkeysPart(p.Zone); err != nil {
		return p, err
	}
	if p.ExternalLogin, err = c.linkedLogin(p.Zone); err != nil {
		return p, err
	}
	if !u.TwoStepAt.IsZero() {
		if p.Recovery, err = c.Services.TOTP.RecoveryLeft(c.Context(), c.Session); err != nil {
			return p, err
		}
	}
	sessions, err := c.Services.Sessions.List(c.Context(), c.Session)
	for _, s := range sessions {
		p.Sessions = append(p.Sessions, sessionLine{s, c.BrowserName(s.Agent), s.ID == c.Session.Session.ID})
	}
	return p, err
}

func (c *call) profile() error {
	p, err := c.profilePage(c.Session.User.Name, c.Session.User.Language)
	if err != nil {
		return err
	}
	return c.Render(http.StatusOK, "profile", p)
}

func (c *call) changeProfile() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	wrong := c.Services.Profile.Change(c.Context(), c.Session, values.Get("name"), values.Get("language"))
	if wrong == nil {
		c.SetCookie(frame.LanguageCookie, "", -1) // the profile decides
		c.Flash(c.Say("users.profile.saved"))
		return c.Redirect("/settings/profile")
	}
	p, err := c.profilePage(values.Get("name"), values.Get("language"))
	if err != nil {
		return err
	}
	if p.Problems, err = c.MarkErrors([]*frame.Input{p.Name, p.Language}, wrong); err != nil {
		return err
	}
	return c.Render(http.StatusUnprocessableEntity, "profile", p)
}

// profileAsk returns a page with one form that links back to the profile.
func (c *call) profileAsk(title, button string, inputs ...*frame.Input) *frame.FormPage {
	p := c.NewForm(title, button, inputs...)
	p.Username, p.Back = c.Session.User.Email, frame.Link{Href: "/settings/profile", Name: c.Say("frame.profile")}
	return p
}

func (c *call) emailPage(email string) *frame.FormPage {
	p := c.profileAsk(c.Say("users.email.title"), c.Say("users.email.send"),
		&frame.Input{
			Name: "email", Label: c.Say("users.email.new"), Type: "email", Value: email, Autocomplete: "email",
			Required: true,
		}, c.CurrentPasswordInput())
	p.Lead = []string{c.Say("users.email.lead", "email", c.Session.User.Email)}
	return p
}

func (c *call) askEmail() error {
	if !c.Services.Profile.SendsMail() {
		return c.ShowNote(http.StatusOK, c.Say("users.email.impossible"),
			[]frame.Link{{Href: "/settings/profile", Name: c.Say("users.profile.back")}},
			c.Say("users.email.impossible.why"))
	}
	return c.ShowForm(c.emailPage(""))
}

func (c *call) changeEmail() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	email := values.Get("email")
	if err := c.Services.Profile.ChangeEmail(c.Context(), c.Session, values.Get("current"), email); err != nil {
		return c.ShowFormAgain(c.emailPage(email), err)
	}
	c.Flash(c.Say("users.email.sent", "email", email))
	return c.Redirect("/settings/profile")
}

func (c *call) passwordPage() (*frame.FormPage, error) {
	p := c.profileAsk(c.Say("users.password.title"), c.Say("frame.save"), c.CurrentPasswordInput(),
		c.PasswordInput(c.Say("users.password.new")))
	p.Lead = []string{c.Say("users.password.lead")}
	return p, frame.AskAboutPasskeys(c.Call, p, c.Session.User.Account, c.Session.User.ID)
}

func (c *call) askPassword() error {
	p, err := c.passwordPage()
	if err != nil {
		return err
	}
	return c.ShowForm(p)
}

func (c *call) changePassword() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	in, wrong := c.Services.Profile.ChangePassword(c.Context(), c.Session, values.Get("current"),
		frame.PasswordChange(values), c.Client())
	if wrong != nil {
		p, err := c.passwordPage()
		if err != nil {
			return err
		}
		return c.ShowFormAgain(p, wrong)
	}
	c.Flash(c.Say("users.password.changed"))
	return c.StartSession(in, "/settings/profile")
}

func (c *call) endSession() error {
	if err := c.Services.Sessions.End(c.Context(), c.Session, c.Request.PathValue("session")); err != nil {
		return err
	}
	c.Flash(c.Say("users.profile.sessions.ended"))
	return c.Redirect("/settings/profile#sessions")
}

func (c *call) endOtherSessions() error {
	if err := c.Services.Sessions.EndOthers(c.Context(), c.Session); err != nil {
		return err
	}
	c.Flash(c.Say("users.profile.sessions.others-ended"))
	return c.Redirect("/settings/profile#sessions")
}
