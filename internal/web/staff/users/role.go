package users

import (
	"homeward/internal/lost"
)

// LocationsOf returns the names of the locations that a user with this role can access.
func (c *call) LocationsOf(r lost.Role, ids []string) string {
	if !r.Limited() {
		ids = nil
	}
	return c.LocationNames(ids)
}
