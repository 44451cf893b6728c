package signin

import (
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

func (c *call) codePage(next string) *frame.FormPage {
	p := c.NewForm("Two-step login", "Log in", c.CodeInput("If you do not have your phone, use a recovery code."))
	p.Lead = []string{"Open your authenticator app and enter the code for Homeward."}
	p.Next, p.After = frame.SafePath(next), []frame.Link{{Href: "/login", Name: "Log in as a different user"}}
	return p
}

// askCode asks for the second step of a login.
func (c *call) askCode() error {
	if _, err := c.Services.Sessions.WaitingByToken(c.Context(), c.SessionToken(), c.Client()); err != nil {
		return err
	}
	p := c.codePage(c.Request.URL.Query().Get("next"))
	if err := c.offerPasskey(p); err != nil {
		return err
	}
	return c.ShowForm(p)
}

func (c *call) verifyCode() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	pending, err := c.Services.Sessions.WaitingByToken(c.Context(), c.SessionToken(), c.Client())
	if err != nil {
		return err
	}
	in, err := c.Services.TOTP.Verify(c.Context(), pending, values.Get("code"), c.Client())
	if lost.CodeOf(err) == lost.Unauthorized && err != nil {
		return err
	}
	if err != nil {
		return c.ShowFormAgain(c.codePage(values.Get("next")), err)
	}
	if in.Session.Proofs[len(in.Session.Proofs)-1] == lost.RecoveryProof {
		c.Flash("You used a recovery code, which now no longer works. Your profile shows how many are left.")
	}
	return c.StartSession(in, values.Get("next"))
}
