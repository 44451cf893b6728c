package signin

import (
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

func (c *call) codePage(next string) *frame.FormPage {
	p := c.NewForm("One more step", "Log in", frame.CodeInput("Or one of your recovery codes, if you do not have your phone."))
	p.Lead = []string{"Open the app that you have set up, and type the code that it shows for Homeward."}
	p.Next, p.After = frame.SafePath(next), []frame.Link{{Href: "/login", Name: "Log in as somebody else"}}
	return p
}

// askCode asks for the second step of a log-in.
func (c *call) askCode() error {
	if _, err := c.Desk.Halfway(c.Context(), c.SessionToken()); err != nil {
		return err
	}
	p := c.codePage(c.Request.URL.Query().Get("next"))
	if err := c.offerPasskey(p); err != nil {
		return err
	}
	return c.ShowForm(p)
}

func (c *call) takeCode() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	half, err := c.Desk.Halfway(c.Context(), c.SessionToken())
	if err != nil {
		return err
	}
	in, err := c.Desk.SecondStep(c.Context(), half, values.Get("code"), c.Client())
	if lost.CodeOf(err) == lost.Unauthorized && err != nil {
		return err
	}
	if err != nil {
		return c.ShowFormAgain(c.codePage(values.Get("next")), err)
	}
	if in.Session.Proven[len(in.Session.Proven)-1] == lost.RecoveryProof {
		c.Flash("You used a recovery code. It works no more; your profile shows how many are left.")
	}
	return c.StartSession(in, values.Get("next"))
}
