package frame

import (
	"time"

	"homeward/internal/lost"
)

// ExternalLogin is the external login provider as shown on a page.
type ExternalLogin struct {
	Name   string
	Down   bool
	Href   string
	Linked lost.Identity // the logged-in user's connection to the provider
	Zone   *time.Location
}

// ExternalLogin returns how to log in with the external login provider, or nil if there is none.
func (c *Call) ExternalLogin(next string) *ExternalLogin {
	name, down := c.Services.ExternalLogin.Provider()
	if name == "" {
		return nil
	}
	return &ExternalLogin{Name: name, Down: down, Href: withNext("/login/with", next)}
}

// stateCookie ties a login with the external provider to the browser in which it was started.
const stateCookie = "state"

// OpenProvider redirects to the external login provider and remembers the state of the login in a cookie.
func OpenProvider(c *Call, state, address string) error {
	c.SetCookie(stateCookie, state, int(lost.ExternalLoginChallenge.Life().Seconds()))
	return c.Redirect(address)
}

// ProviderState returns the state of the login with the provider and deletes its cookie.
func ProviderState(c *Call) string {
	state := c.Cookie(stateCookie)
	c.SetCookie(stateCookie, "", -1)
	return state
}
