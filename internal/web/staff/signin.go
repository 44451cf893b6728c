package staff

import (
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

func signInRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/login", Open: true, serve: (*call).askSignIn},
		{Method: http.MethodPost, Path: "/login", Open: true, serve: (*call).signIn},
		{Method: http.MethodPost, Path: "/logout", serve: (*call).signOut},
	}
}

type signInPage struct {
	page
	Email, Password input
	Stay            bool
	Next            string
	Passkey         *passkeyAsk
	Voucher         *voucherPart
}

// leadIn sends somebody who is not logged in to the page where they do so, and remembers where they wanted to go.
func (c *call) leadIn() {
	to := "/login"
	if next := c.r.URL.RequestURI(); c.r.Method == http.MethodGet && next != "/" {
		to += "?next=" + url.QueryEscape(next)
	}
	respond.See(c.w, to)
}

func (c *call) signInPage(values url.Values) signInPage {
	p := signInPage{
		page: c.page("Log in"), Passkey: c.passkeyAsk(values.Get("next")), Voucher: c.voucherPart(values.Get("next")), Stay: values.Get("stay") != "", Next: back(values.Get("next")),
		Email:    input{Name: "email", Label: "E-mail address", Type: "email", Value: values.Get("email"), Autocomplete: "username", Required: true, Focus: values.Get("email") == ""},
		Password: input{Name: "password", Label: "Password", Type: "password", Autocomplete: "current-password", Required: true, Focus: values.Get("email") != ""},
	}
	if p.Passkey != nil {
		p.Email.Autocomplete = "username webauthn"
		p.Scripts = append(p.Scripts, c.assets.Path("passkey.js"))
	}
	return p
}

func (c *call) askSignIn() error {
	values := c.r.URL.Query()
	if c.in.User.ID != "" {
		return c.see(back(values.Get("next")))
	}
	return c.write(http.StatusOK, "login", c.signInPage(values))
}

func (c *call) signIn() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	in, err := c.desk.SignIn(c.ctx(), values.Get("email"), values.Get("password"), values.Get("stay") != "", c.client())
	if code := lost.CodeOf(err); err != nil && (code == lost.Unauthorized || code == lost.TooMany) {
		p := c.signInPage(values)
		p.Problems = []problem{{Text: lost.Detail(err)}}
		return c.write(respond.Failed(c.w, err), "login", p)
	}
	if err != nil {
		return err
	}
	return c.letIn(in, values.Get("next"))
}

func (c *call) signOut() error {
	if err := c.desk.SignOut(c.ctx(), c.in); err != nil {
		return err
	}
	c.keep(sessionCookie, "", -1)
	c.keep(whereCookie, "", -1)
	return c.see("/login")
}
