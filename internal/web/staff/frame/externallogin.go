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
