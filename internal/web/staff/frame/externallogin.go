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
	Linked lost.Identity // the connection of the logged-in user
	Zone   *time.Location
}

// ExternalLogin returns how to log in with the external provider; nil if there is none.
func (c *Call) ExternalLogin(next string) *ExternalLogin {
	name, down := c.Services.ExternalLogin.Provider()
	if name == "" {
		return nil
	}
	return &ExternalLogin{Name: name, Down: down, Href: withNext("/login/with", next)}
}
