package users

import (
	"net/http"
	"time"

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

// sessionLine is a browser in which the user is logged in.
type sessionLine struct {
	lost.Session
	What string
	Here bool
}

func (c *call) profilePage(name, language string) (p profilePage, err error) {
	u := c.Session.User
	p = profilePage{
		Page: c.NewPage("Your profile"), Tabs: c.FormTabs(), Role: c.RoleText(u.Role),
		Where: c.LocationsOf(u.Role, u.Locations),
		Name: &frame.Input{
			Name: "name", Label: "Name", Type: "text", Value: name, Autocomplete: "name", Required: true,
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
		c.Flash("Your profile was saved.")
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
	p.Username, p.Back = c.Session.User.Email, frame.Link{Href: "/settings/profile", Name: "Your profile"}
	return p
}

func (c *call) emailPage(email string) *frame.FormPage {
	p := c.profileAsk("Change your e-mail address", "Send a link to the new address",
		&frame.Input{
			Name: "email", Label: "New e-mail address", Type: "email", Value: email, Autocomplete: "email",
			Required: true,
		}, c.CurrentPasswordInput())
	p.Lead = []string{"You log in with " + c.Session.User.Email +
		". Your new address takes effect when you open the link that we send to it."}
	return p
}

func (c *call) askEmail() error {
	if !c.Services.Profile.SendsMail() {
		return c.ShowNote(http.StatusOK, "Your e-mail address cannot be changed here",
			[]frame.Link{{Href: "/settings/profile", Name: "Back to your profile"}},
			"E-mail is not set up, so a new address cannot be confirmed.")
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
	c.Flash("We sent an e-mail to " + email + ". Open the link in it within an hour.")
	return c.Redirect("/settings/profile")
}

func (c *call) passwordPage() (*frame.FormPage, error) {
	p := c.profileAsk("Change your password", "Save", c.CurrentPasswordInput(), c.PasswordInput("New password"))
	p.Lead = []string{"You will be logged out everywhere else."}
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
	c.Flash("Your password was changed. You were logged out everywhere else.")
	return c.StartSession(in, "/settings/profile")
}

func (c *call) endSession() error {
	if err := c.Services.Sessions.End(c.Context(), c.Session, c.Request.PathValue("session")); err != nil {
		return err
	}
	c.Flash("You were logged out in that browser.")
	return c.Redirect("/settings/profile#sessions")
}

func (c *call) endOtherSessions() error {
	if err := c.Services.Sessions.EndOthers(c.Context(), c.Session); err != nil {
		return err
	}
	c.Flash("You were logged out everywhere else.")
	return c.Redirect("/settings/profile#sessions")
}
