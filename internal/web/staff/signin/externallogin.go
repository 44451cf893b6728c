package signin

import (
	"crypto/subtle"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

func (c *call) startExternalLogin() error {
	next := frame.SafePath(c.Request.URL.Query().Get("next"))
	if c.Session.User.ID != "" {
		return c.Redirect(next)
	}
	state, address, err := c.Services.ExternalLogin.Begin(c.Context(), c.Session, next, c.Client())
	if code := lost.CodeOf(err); err != nil && (code == lost.Unavailable || code == lost.TooMany) {
		p := c.signInPage(c.Request.URL.Query())
		p.Problems = []frame.Problem{{Text: c.ErrorText(err)}}
		return c.Render(respond.RecordError(c.Writer, err), "login", p)
	}
	if err != nil {
		return err
	}
	return frame.OpenProvider(c.Call, state, address)
}

// finishExternalLogin logs in the user whom the provider has redirected back. The page never shows text from the URL.
func (c *call) finishExternalLogin() error {
	name, _ := c.Services.ExternalLogin.Provider()
	if name == "" {
		return frame.NotFound(c.Call)
	}
	query, state := c.Request.URL.Query(), frame.ProviderState(c.Call)
	if state == "" || subtle.ConstantTimeCompare([]byte(state), []byte(query.Get("state"))) != 1 {
		return c.showLoginFailure(c.NewError(lost.Conflict, "signin.external.elsewhere"))
	}
	if refusal := query.Get("error"); refusal != "" {
		return c.showLoginFailure(c.loginRefused(name, refusal))
	}
	in, next, err := c.Services.ExternalLogin.Finish(c.Context(), c.Session, state, query.Get("code"), c.Client())
	if err != nil && HasUserMessage(err) {
		return c.showLoginFailure(err)
	}
	if err != nil {
		return err
	}
	if in.Token == "" {
		c.Flash(c.Say("signin.external.connected", "name", name))
		return c.Redirect(next)
	}
	return c.StartSession(in, next)
}

// loginRefused returns an error that explains why the provider rejected the login.
func (c *call) loginRefused(name, why string) error {
	switch why {
	case "access_denied", "login_required", "interaction_required", "consent_required", "account_selection_required":
		return c.NewError(lost.Forbidden, "signin.external.canceled", "name", name)
	case "server_error", "temporarily_unavailable":
		return c.NewError(lost.Unavailable, "signin.external.down", "name", name)
	default:
		return c.NewError(lost.Forbidden, "signin.external.setup", "name", name)
	}
}
