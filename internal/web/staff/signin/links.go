package signin

import (
	"net/http"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

func (c *call) forgotPage(email string) *frame.FormPage {
	p := c.NewForm(c.Say("signin.password.title"), c.Say("signin.forgot.send"),
		&frame.Input{
			Name: "email", Label: c.Say("signin.email"), Type: "email", Value: email, Autocomplete: "username",
			Required: true, Focus: true,
		})
	p.Lead = []string{c.Say("signin.forgot.lead")}
	p.After = c.backToLogin()
	return p
}

// backToLogin links to the login page.
func (c *call) backToLogin() []frame.Link {
	return []frame.Link{{Href: "/login", Name: c.Say("signin.back")}}
}

func (c *call) askForgot() error {
	if !c.Services.Profile.SendsMail() {
		return c.showNoMail()
	}
	return c.ShowForm(c.forgotPage(c.Request.URL.Query().Get("email")))
}

func (c *call) showNoMail() error {
	return c.ShowNote(http.StatusOK, c.Say("signin.no-mail.title"), c.backToLogin(),
		c.Say("signin.no-mail.lead"),
		c.Say("signin.no-mail.command"))
}

func (c *call) forgot() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	if !c.Services.Profile.SendsMail() { // the same for known and unknown addresses
		return c.showNoMail()
	}
	email := values.Get("email")
	if err := c.Services.Profile.ForgotPassword(c.Context(), email, c.Client()); err != nil {
		return c.ShowFormAgain(c.forgotPage(email), err)
	}
	return c.ShowNote(http.StatusOK, c.Say("signin.sent.title"), c.backToLogin(),
		c.Say("signin.sent.lead", "email", email),
		c.Say("signin.sent.none"))
}

// ticket returns the record of the e-mail link in the URL. It returns an error if the link does not work.
func (c *call) ticket(kind lost.EmailLinkKind) (lost.EmailLink, error) {
	return c.Services.Profile.EmailLink(c.Context(), kind, c.Request.PathValue("token"), c.Client())
}

// showExpiredLink shows that a link no longer works and what to do instead. It returns any other error unchanged.
func (c *call) showExpiredLink(err error, after frame.Link, instead string) error {
	if !linkExpired(err) {
		return err
	}
	return c.ShowNote(http.StatusGone, c.Say("signin.expired.title"), []frame.Link{after},
		c.Say("signin.expired.lead"), instead)
}

// linkExpired reports whether err means that a link no longer works. This includes a link that was used while its form
// was open.
func linkExpired(err error) bool {
	code := lost.CodeOf(err)
	return code == lost.NotFound || code == lost.Gone
}

func (c *call) expiredReset(err error) error {
	return c.showExpiredLink(err, frame.Link{Href: "/forgot", Name: c.Say("signin.expired.reset")},
		c.Say("signin.expired.reset.lead"))
}

func (c *call) resetPage(t lost.EmailLink) (*frame.FormPage, error) {
	p := c.NewForm(c.Say("signin.password.title"), c.Say("signin.reset.save"),
		c.PasswordInput(c.Say("signin.reset.password")))
	p.Lead, p.Username = []string{c.Say("signin.reset.lead", "email", t.Email)}, t.Email
	return p, frame.AskAboutPasskeys(c.Call, p, t.Account, t.UserID)
}

func (c *call) askReset() error {
	t, err := c.ticket(lost.ResetLink)
	if err != nil {
		return c.expiredReset(err)
	}
	p, err := c.resetPage(t)
	if err != nil {
		return err
	}
	return c.ShowForm(p)
}

func (c *call) reset() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	t, err := c.ticket(lost.ResetLink)
	if err != nil {
		return c.expiredReset(err)
	}
	in, wrong := c.Services.Profile.ResetPassword(c.Context(), c.Request.PathValue("token"),
		frame.PasswordChange(values), c.Client())
	if linkExpired(wrong) {
		return c.expiredReset(wrong)
	}
	if wrong != nil {
		p, err := c.resetPage(t)
		if err != nil {
			return err
		}
		return c.ShowFormAgain(p, wrong)
	}
	c.Flash(c.Say("signin.reset.done"))
	return c.StartSession(in, "/")
}

func (c *call) expiredInvitation(err error) error {
	return c.showExpiredLink(err, frame.Link{Href: "/login", Name: c.Say("signin.log-in")},
		c.Say("signin.expired.invitation"))
}

func (c *call) joinPage(t lost.EmailLink, name string) *frame.FormPage {
	p := c.NewForm(c.Say("signin.join.title"), c.Say("signin.join.button"),
		&frame.Input{Name: "name", Label: c.Say("signin.join.name"), Type: "text", Value: name, Autocomplete: "name",
			Required: true},
		c.PasswordInput(c.Say("signin.password")))
	role := c.RoleText(t.Role)
	p.Username = t.Email
	p.Lead = []string{
		c.Say("signin.join.lead", "role", role.Name, "may", role.Description, "email", t.Email),
	}
	return p
}

func (c *call) askJoin() error {
	t, err := c.ticket(lost.InvitationLink)
	if err != nil {
		return c.expiredInvitation(err)
	}
	return c.ShowForm(c.joinPage(t, t.Name))
}

func (c *call) join() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	t, err := c.ticket(lost.InvitationLink)
	if err != nil {
		return c.expiredInvitation(err)
	}
	in, err := c.Services.Team.AcceptInvitation(c.Context(), c.Request.PathValue("token"), values.Get("name"),
		values.Get("password"), c.Client())
	if linkExpired(err) {
		return c.expiredInvitation(err)
	}
	if err != nil {
		return c.ShowFormAgain(c.joinPage(t, values.Get("name")), err)
	}
	c.Flash(c.Say("signin.join.done", "name", in.User.Name))
	return c.StartSession(in, "/")
}

func (c *call) expiredEmailChange(err error) error {
	return c.showExpiredLink(err, frame.Link{Href: "/settings/profile/email", Name: c.Say("signin.confirm.settings")},
		c.Say("signin.confirm.expired"))
}

func (c *call) askConfirm() error {
	t, err := c.ticket(lost.AddressLink)
	if err != nil {
		return c.expiredEmailChange(err)
	}
	p := c.NewForm(c.Say("signin.confirm.title"), c.Say("signin.confirm.button"))
	p.Lead = []string{c.Say("signin.confirm.lead", "email", t.Email)}
	return c.ShowForm(p)
}

func (c *call) confirm() error {
	u, err := c.Services.Profile.ConfirmEmail(c.Context(), c.Request.PathValue("token"), c.Client())
	if lost.CodeOf(err) == lost.Conflict {
		return err
	}
	if err != nil {
		return c.expiredEmailChange(err)
	}
	c.Flash(c.Say("signin.confirm.done", "email", u.Email))
	return c.Redirect("/")
}
