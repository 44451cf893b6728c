package signin

import (
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

type signInPage struct {
	frame.Page
	Email, Password frame.Input
	Stay            bool
	Next            string
	Passkey         *frame.PasskeyForm
	ExternalLogin   *frame.ExternalLogin
}

func (c *call) signInPage(values url.Values) signInPage {
	p := signInPage{
		Page: c.NewPage(c.Say("signin.log-in")), Passkey: c.passkeyForm(values.Get("next")),
		ExternalLogin: c.ExternalLogin(values.Get("next")), Stay: values.Get("stay") != "",
		Next: frame.SafePath(values.Get("next")),
		Email: frame.Input{
			Name: "email", Label: c.Say("signin.email"), Type: "email", Value: values.Get("email"),
			Autocomplete: "username", Required: true, Focus: values.Get("email") == "",
		},
		Password: frame.Input{
			Name: "password", Label: c.Say("signin.password"), Type: "password", Autocomplete: "current-password",
			Required: true, Focus: values.Get("email") != "",
		},
	}
	if p.Passkey != nil {
		p.Email.Autocomplete = "username webauthn"
		p.Scripts = append(p.Scripts, c.Assets.Path("passkey.js"))
	}
	return p
}

func (c *call) askSignIn() error {
	values := c.Request.URL.Query()
	if c.Session.User.ID != "" {
		return c.Redirect(frame.SafePath(values.Get("next")))
	}
	return c.Render(http.StatusOK, "login", c.signInPage(values))
}

func (c *call) signIn() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	in, err := c.Services.Sessions.SignIn(c.Context(), values.Get("email"), values.Get("password"),
		values.Get("stay") != "",
		c.Client())
	if code := lost.CodeOf(err); err != nil && (code == lost.Unauthorized || code == lost.TooMany) {
		p := c.signInPage(values)
		p.Problems = []frame.Problem{{Text: c.ErrorText(err)}}
		return c.Render(respond.RecordError(c.Writer, err), "login", p)
	}
	if err != nil {
		return err
	}
	return c.StartSession(in, values.Get("next"))
}

func (c *call) signOut() error {
	if err := c.Services.Sessions.SignOut(c.Context(), c.Session); err != nil {
		return err
	}
	c.SetCookie(frame.SessionCookie, "", -1)
	return c.Redirect("/login")
}
