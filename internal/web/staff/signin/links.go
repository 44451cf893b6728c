package signin

import (
	"net/http"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

func (c *call) forgotPage(email string) *frame.FormPage {
	p := c.NewForm("Choose a new password", "Send me a link",
		&frame.Input{
			Name: "email", Label: "E-mail address", Type: "email", Value: email, Autocomplete: "username",
			Required: true, Focus: true,
		})
	p.Lead = []string{"Enter the e-mail address you log in with. We will send you a link to choose a new password."}
	p.After = []frame.Link{{Href: "/login", Name: "Back to login"}}
	return p
}

func (c *call) askForgot() error {
	if !c.Services.Profile.SendsMail() {
		return c.showNoMail()
	}
	return c.ShowForm(c.forgotPage(c.Request.URL.Query().Get("email")))
}

func (c *call) showNoMail() error {
	return c.ShowNote(http.StatusOK, "Ask your administrator", []frame.Link{{Href: "/login", Name: "Back to login"}},
		"E-mail is not set up, so we cannot send you a link.",
		"Your administrator can create one with the command homeward user reset.")
}

func (c *call) forgot() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	email := values.Get("email")
	if err := c.Services.Profile.ForgotPassword(c.Context(), email, c.Client()); err != nil {
		return c.ShowFormAgain(c.forgotPage(email), err)
	}
	return c.ShowNote(http.StatusOK, "Check your e-mail", []frame.Link{{Href: "/login", Name: "Back to login"}},
		"If there is a user with the address "+email+", we sent an e-mail with a link. It works once, within an hour.",
		"No e-mail? Check your spam folder and the address.")
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
	return c.ShowNote(http.StatusGone, "This link no longer works", []frame.Link{after},
		"It was already used or has expired.", instead)
}

// linkExpired reports whether err means that a link no longer works. This includes a link that was used while its form
// was open.
func linkExpired(err error) bool {
	code := lost.CodeOf(err)
	return code == lost.NotFound || code == lost.Gone
}

func (c *call) expiredReset(err error) error {
	return c.showExpiredLink(err, frame.Link{Href: "/forgot", Name: "Send me a new link"},
		"Ask for a new link. It works for an hour.")
}

func (c *call) resetPage(t lost.EmailLink) (*frame.FormPage, error) {
	p := c.NewForm("Choose a new password", "Save and log in", c.PasswordInput("New password"))
	p.Lead, p.Username = []string{"For " + t.Email + ". You will be logged out everywhere else."}, t.Email
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
	c.Flash("Your password was changed.")
	return c.StartSession(in, "/")
}

func (c *call) expiredInvitation(err error) error {
	return c.showExpiredLink(err, frame.Link{Href: "/login", Name: "Log in"},
		"Log in if you have already joined, or ask for a new invitation.")
}

func (c *call) joinPage(t lost.EmailLink, name string) *frame.FormPage {
	p := c.NewForm("Welcome to Homeward", "Join",
		&frame.Input{Name: "name", Label: "Your name", Type: "text", Value: name, Autocomplete: "name", Required: true},
		c.PasswordInput("Password"))
	role := c.RoleText(t.Role)
	p.Lead, p.Username = []string{"Your role is " + role.Name + ": " + role.Description +
		". You log in with " + t.Email + " and the password you choose here."}, t.Email
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
	c.Flash("Welcome, " + in.User.Name + ".")
	return c.StartSession(in, "/")
}

func (c *call) expiredEmailChange(err error) error {
	return c.showExpiredLink(err, frame.Link{Href: "/settings/profile/email", Name: "Go to your e-mail settings"},
		"Ask for a new link in your profile. It works for an hour.")
}

func (c *call) askConfirm() error {
	t, err := c.ticket(lost.AddressLink)
	if err != nil {
		return c.expiredEmailChange(err)
	}
	p := c.NewForm("Confirm your new e-mail address", "Confirm")
	p.Lead = []string{"From now on you will log in with " + t.Email + "."}
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
	c.Flash("You now log in with " + u.Email + ".")
	return c.Redirect("/")
}
