package lost

import (
	"slices"
	"time"
)

// Membership is what is asked for when somebody is to join the team, or to do something else in it.
type Membership struct {
	Email     string
	Name      string
	Role      Role
	Locations []string // that the role is limited to; nil: all of the account's
	Problems  Problems // what is known to be wrong already
	// Same tells whether somebody still is who they were when the membership was thought of; nil where that does not matter.
	Same func(User) bool
}

// MaxMemberLocations bounds the list of locations that a person is limited to.
const MaxMemberLocations = 100

// person reads who it is.
func (m Membership) person(c *check, email, name *string) {
	c.email(Set(m.Email), "email", email)
	c.line(Set(m.Name), "name", MaxName, name)
	if *name == "" && !c.Has("name") {
		c.Add("name", "required", "is required, so that colleagues know who it is")
	}
}

// place reads what they may do, and where.
func (m Membership) place(c *check, a Actor, role *Role, locations *[]string) {
	switch {
	case !slices.Contains(Roles(), m.Role):
		c.Add("role", "not-allowed", "must be one of %s", Quoted(Roles()))
	case m.Role == OwnerRole && !a.Role.Has(Govern):
		c.Add("role", "not-allowed", "cannot be owner: only an owner makes owners")
	default:
		*role = m.Role
	}
	*locations = nil
	if !m.Role.Limited() || m.Locations == nil || c.Has("locations") {
		return
	}
	if n := len(m.Locations); n == 0 || n > MaxMemberLocations {
		c.Add("locations", "out-of-range", "must name 1 to %d locations, or be all", MaxMemberLocations)
		return
	}
	*locations = slices.Compact(slices.Sorted(slices.Values(m.Locations)))
}

// NewMember makes a user by the word of somebody who may, or says everything that is wrong. Whether the locations exist is the
// caller's to check.
func NewMember(a Actor, m Membership, now time.Time) (User, error) {
	u := User{Account: a.Account, ID: NewID(UserID, now), CreatedAt: now}
	c := &check{Problems: m.Problems}
	c.email(Set(m.Email), "email", &u.Email)
	c.line(Set(m.Name), "name", MaxName, &u.Name)
	m.place(c, a, &u.Role, &u.Locations)
	return u, c.Err()
}

// Place gives the user another role and locations, or says everything that is wrong. Whether the locations exist is the caller's
// to check.
func (u *User) Place(a Actor, m Membership) error {
	c := &check{Problems: m.Problems}
	m.place(c, a, &u.Role, &u.Locations)
	return c.Err()
}

// Rename gives the user another name.
func (u *User) Rename(name string) error {
	var c check
	c.line(Set(name), "name", MaxName, &u.Name)
	if u.Name == "" && !c.Has("name") {
		c.Add("name", "required", "is required, so that colleagues know who you are")
	}
	return c.Err()
}

// MayChange is nil, or why the actor may not change what a user may do.
func (a Actor) MayChange(u User) error {
	switch {
	case a.Kind == ByUser && a.ID == u.ID:
		return E(Forbidden, "You cannot change what you may do yourself. Ask another owner or admin.")
	case u.Role == OwnerRole && !a.Role.Has(Govern):
		return E(Forbidden, "Only an owner can change an owner.")
	default:
		return nil
	}
}

// Active tells whether the user may log in.
func (u User) Active() bool { return u.ID != "" && u.DisabledAt.IsZero() }

// LastOwner is the answer to a change after which nobody would own the account.
func LastOwner() error {
	return E(Conflict, "This is the last owner of the account. Make somebody else an owner first.")
}
