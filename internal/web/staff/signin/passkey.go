package signin

import (
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// showLoginFailure explains why the login failed and links back to the login page.
func (c *call) showLoginFailure(err error) error {
	return c.ShowNote(respond.RecordError(c.Writer, err), c.Say("signin.failed"),
		c.backToLogin(), c.ErrorText(err))
}

// passkeyForm returns the form to log in with a passkey, or nil if passkeys are not supported.
func (c *call) passkeyForm(next string) *frame.PasskeyForm {
	if !c.Services.Passkeys.Available() {
		return nil
	}
	return &frame.PasskeyForm{
		Action: "/login/passkey", From: "/login/passkey/options", Next: frame.SafePath(next),
		Button:  c.Say("signin.passkey"),
		Suggest: true,
	}
}

func (c *call) passkeyOptions() error {
	return c.WritePasskeyOptions(c.Services.Passkeys.BeginLogin(c.Context(), c.Client()))
}

func (c *call) loginWithPasskey() error {
	response, next, stay, err := c.PasskeyResponse()
	if err != nil {
		return err
	}
	in, err := c.Services.Passkeys.SignIn(c.Context(), response, stay, c.Client())
	if err != nil && HasUserMessage(err) {
		return c.showLoginFailure(err)
	}
	if err != nil {
		return err
	}
	return c.StartSession(in, next)
}

// offerPasskey adds a passkey to the form as an alternative to the code of the second login step.
func (c *call) offerPasskey(p *frame.FormPage) error {
	pending, err := c.Services.Sessions.WaitingByToken(c.Context(), c.SessionToken(), c.Client())
	if err != nil || !c.Services.Passkeys.Available() {
		return err
	}
	passkeys, err := c.Services.Passkeys.List(c.Context(), pending)
	if len(passkeys) > 0 {
		p.Passkey, p.Scripts = &frame.PasskeyForm{
			Action: "/login/code/passkey", From: "/login/code/passkey/options", Next: p.Next,
			Button: c.Say("signin.passkey"),
		}, []string{c.Assets.Path("passkey.js")}
	}
	return err
}

func (c *call) secondStepOptions() error {
	pending, err := c.Services.Sessions.WaitingByToken(c.Context(), c.SessionToken(), c.Client())
	if err != nil {
		return err
	}
	return c.WritePasskeyOptions(c.Services.Passkeys.BeginSecondStep(c.Context(), pending))
}

func (c *call) secondStepWithPasskey() error {
	response, next, _, err := c.PasskeyResponse()
	if err != nil {
		return err
	}
	pending, err := c.Services.Sessions.WaitingByToken(c.Context(), c.SessionToken(), c.Client())
	if err != nil {
		return err
	}
	in, err := c.Services.Passkeys.SecondStepByPasskey(c.Context(), pending, response, c.Client())
	if err != nil && HasUserMessage(err) {
		return c.showLoginFailure(err)
	}
	if err != nil {
		return err
	}
	return c.StartSession(in, next)
}
