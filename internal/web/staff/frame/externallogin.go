package frame

import (
	"time"

	"homeward/internal/lost"
)

// ExternalLogin is what a page shows of the provider.
type ExternalLogin struct {
	Name   string
	Down   bool
	Href   string
	Linked lost.Identity // of the person who is in
	Zone   *time.Location
}

// ExternalLogin is how somebody logs in with the provider; nil where there is none.
func (c *Call) ExternalLogin(next string) *ExternalLogin {
	name, down := c.Desk.VouchedBy()
	if name == "" {
		return nil
	}
	return &ExternalLogin{Name: name, Down: down, Href: withNext("/login/with", next)}
}
