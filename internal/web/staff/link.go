package staff

import (
	"net/http"

	"homeward/internal/lost"
)

// linkRoutes are those of what people do by a link from a mail. Opening one changes nothing: programs that look into mails open them too.
func linkRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/forgot", Open: true, serve: (*call).askForgot},
		{Method: http.MethodPost, Path: "/forgot", Open: true, serve: (*call).forgot},
		{Method: http.MethodGet, Path: "/reset/{token}", Open: true, serve: (*call).askReset},
		{Method: http.MethodPost, Path: "/reset/{token}", Open: true, serve: (*call).reset},
		{Method: http.MethodGet, Path: "/invitation/{token}", Open: true, serve: (*call).askJoin},
		{Method: http.MethodPost, Path: "/invitation/{token}", Open: true, serve: (*call).join},
		{Method: http.MethodGet, Path: "/confirm/{token}", Open: true, serve: (*call).askConfirm},
		{Method: http.MethodPost, Path: "/confirm/{token}", Open: true, serve: (*call).confirm},
	}
}

func (c *call) forgotPage(email string) *askPage {
	p := c.ask("Choose a new password", "Send me a link",
		&input{Name: "email", Label: "E-mail address", Type: "email", Value: email, Autocomplete: "username", Required: true, Focus: true})
	p.Lead = []string{"Tell us the address that you log in with. We send a link to it, with which you choose a new password."}
	p.After = []link{{Href: "/login", Name: "Back to log in"}}
	return p
}

func (c *call) askForgot() error {
	if !c.desk.SendsMail() {
		return c.noMail()
	}
	return c.asks(c.forgotPage(c.r.URL.Query().Get("email")))
}

// notePage says something, and leads on.
type notePage struct {
	page
	Lead  []string
	After []link
}

func (c *call) note(status int, title string, after []link, lead ...string) error {
	return c.write(status, "note", notePage{page: c.page(title), Lead: lead, After: after})
}

func (c *call) noMail() error {
	return c.note(http.StatusOK, "Ask whoever runs this service", []link{{Href: "/login", Name: "Back to log in"}},
		"This service sends no mail, so it cannot send you a link.", "Whoever runs it can make one for you, with the command homeward user reset.")
}

func (c *call) forgot() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	email := values.Get("email")
	if err := c.desk.ForgotPassword(c.ctx(), email, c.client()); err != nil {
		return c.again(c.forgotPage(email), err)
	}
	return c.note(http.StatusOK, "Look into your mail", []link{{Href: "/login", Name: "Back to log in"}},
		"If somebody logs in with "+email+", a mail with a link is on its way there. The link works once, for an hour.",
		"Nothing came? Look into the folder for spam, and check the address.")
}

// ticket finds what the link in the address is good for.
func (c *call) ticket(kind lost.TicketKind) (lost.Ticket, error) {
	return c.desk.Ticket(c.ctx(), kind, c.r.PathValue("token"), c.client())
}

// dead says that a link leads nowhere any more, and what to do instead. Any other error comes back.
func (c *call) dead(err error, after link, instead string) error {
	if !spent(err) {
		return err
	}
	return c.note(http.StatusGone, "This link does not work any more", []link{after}, "It was used already, or its time is over.", instead)
}

// spent tells whether a link leads nowhere any more: also one that somebody used between being shown and being sent.
func spent(err error) bool {
	code := lost.CodeOf(err)
	return code == lost.NotFound || code == lost.Gone
}

func (c *call) deadReset(err error) error {
	return c.dead(err, link{Href: "/forgot", Name: "Send me a new link"}, "Ask for a new one: it works for an hour.")
}

func (c *call) resetPage(t lost.Ticket) *askPage {
	p := c.ask("Choose a new password", "Save and log in", passwordInput("New password"))
	p.Lead, p.Username = []string{"For " + t.Email + ". You are logged out everywhere else."}, t.Email
	return p
}

func (c *call) askReset() error {
	t, err := c.ticket(lost.ResetTicket)
	if err != nil {
		return c.deadReset(err)
	}
	return c.asks(c.resetPage(t))
}

func (c *call) reset() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	t, err := c.ticket(lost.ResetTicket)
	if err != nil {
		return c.deadReset(err)
	}
	in, err := c.desk.ResetPassword(c.ctx(), c.r.PathValue("token"), values.Get("password"), c.client())
	if spent(err) {
		return c.deadReset(err)
	}
	if err != nil {
		return c.again(c.resetPage(t), err)
	}
	c.tell("Your new password is saved.")
	return c.letIn(in, "/")
}

func (c *call) deadInvitation(err error) error {
	return c.dead(err, link{Href: "/login", Name: "Log in"}, "Log in if you have joined already, or ask whoever invited you for a new one.")
}

func (c *call) joinPage(t lost.Ticket, name string) *askPage {
	p := c.ask("Welcome to Homeward", "Join",
		&input{Name: "name", Label: "Your name", Type: "text", Value: name, Autocomplete: "name", Required: true}, passwordInput("Password"))
	p.Lead, p.Username = []string{"Your role is " + roleWords(t.Role).Name + ": " + roleWords(t.Role).Says + ". You log in with " + t.Email + " and the password that you choose here."}, t.Email
	return p
}

func (c *call) askJoin() error {
	t, err := c.ticket(lost.InvitationTicket)
	if err != nil {
		return c.deadInvitation(err)
	}
	return c.asks(c.joinPage(t, t.Name))
}

func (c *call) join() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	t, err := c.ticket(lost.InvitationTicket)
	if err != nil {
		return c.deadInvitation(err)
	}
	in, err := c.desk.AcceptInvitation(c.ctx(), c.r.PathValue("token"), values.Get("name"), values.Get("password"), c.client())
	if spent(err) {
		return c.deadInvitation(err)
	}
	if err != nil {
		return c.again(c.joinPage(t, values.Get("name")), err)
	}
	c.tell("Welcome, " + in.User.Name + ".")
	return c.letIn(in, "/")
}

func (c *call) deadAddress(err error) error {
	return c.dead(err, link{Href: "/settings/profile/email", Name: "To your e-mail address"}, "Ask for a new one in your profile: it works for an hour.")
}

func (c *call) askConfirm() error {
	t, err := c.ticket(lost.AddressTicket)
	if err != nil {
		return c.deadAddress(err)
	}
	p := c.ask("Confirm your new e-mail address", "Confirm")
	p.Lead = []string{"From now on you log in with " + t.Email + "."}
	return c.asks(p)
}

func (c *call) confirm() error {
	u, err := c.desk.ConfirmEmail(c.ctx(), c.r.PathValue("token"), c.client())
	if lost.CodeOf(err) == lost.Conflict {
		return err
	}
	if err != nil {
		return c.deadAddress(err)
	}
	c.tell("You log in with " + u.Email + " now.")
	return c.see("/")
}
