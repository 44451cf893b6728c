package account

import (
	"homeward/internal/lost"
)

// LocationsOf names the locations that somebody with a role can access.
func (c *call) LocationsOf(r lost.Role, ids []string) string {
	if !r.Limited() {
		ids = nil
	}
	return c.LocationNames(ids)
}
