package signin

import (
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

func (c *call) codePage(next string) *frame.FormPage {
	p := c.NewForm(c.Say("signin.code.title"), c.Say("signin.log-in"), c.CodeInput(c.Say("signin.code.hint")))
	p.Lead = []string{c.Say("signin.code.lead")}
	p.Next, p.After = frame.SafePath(next), []frame.Link{{Href: "/login", Name: c.Say("signin.code.other")}}
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
		c.Flash(c.Say("signin.code.recovery"))
	}
	return c.StartSession(in, values.Get("next"))
}
