package lost

import (
	"slices"
	"time"
)

// Role determines the permissions of a person or key.
type Role string

// The roles. A user or key with a list of locations is limited to those locations.
const (
	OwnerRole  Role = "owner"  // everything, including the account itself
	AdminRole  Role = "admin"  // everything but the account itself and its owners
	DeskRole   Role = "desk"   // daily work at some or all locations
	LoggerRole Role = "logger" // records found items and sees nothing else
	ViewerRole Role = "viewer" // sees everything and changes nothing
)

// PublishableRole is the role of a publishable key, which everybody can read in the source of a website. It has no
// permissions: such a key only reads a location's public facts and files requests like the location's public page.
const PublishableRole Role = "publishable"

// PublishablePrefix begins publishable keys.
const PublishablePrefix = "hwp_"

// Roles lists all roles, the one with the most permissions first.
func Roles() []Role { return []Role{OwnerRole, AdminRole, DeskRole, LoggerRole, ViewerRole} }

// Permission is a permission that only some roles have.
type Permission string

// The permissions. The map rights lists the permissions of each role.
const (
	ViewItems   Permission = "look"   // see items, requests, guests, messages and statistics
	RecordItems Permission = "record" // record found items, with photos
	// HandleItems allows changing items, messaging owners, answering requests, handing over items and clearing
	// storage.
	HandleItems        Permission = "handle"
	DeleteItems        Permission = "remove"    // delete items for good
	ManageLocations    Permission = "arrange"   // create, change and delete locations
	ManageIntegrations Permission = "integrate" // API keys, webhooks and events
	ManageStaff        Permission = "staff"     // invite people, set roles, read the audit log
	ManageAccount      Permission = "govern"    // the account itself: its name, owners, privacy notice, retention
)

// Permissions lists all permissions.
func Permissions() []Permission {
	return []Permission{
		ViewItems, RecordItems, HandleItems, DeleteItems, ManageLocations, ManageIntegrations, ManageStaff,
		ManageAccount,
	}
}

// rights lists the permissions of each role.
var rights = map[Role][]Permission{
	OwnerRole:  Permissions(),
	AdminRole:  {ViewItems, RecordItems, HandleItems, DeleteItems, ManageLocations, ManageIntegrations, ManageStaff},
	DeskRole:   {ViewItems, RecordItems, HandleItems},
	LoggerRole: {RecordItems},
	ViewerRole: {ViewItems},
}

// Has reports whether a role has a permission.
func (r Role) Has(right Permission) bool { return slices.Contains(rights[r], right) }

// Limited reports whether people with the role may be limited to some locations. Roles that manage the whole account
// cannot be limited.
func (r Role) Limited() bool { return !r.Has(ManageLocations) }

// Membership is the input for adding a person to the team or changing their role.
type Membership struct {
	Email     string
	Name      string
	Role      Role
	Locations []string // locations that the person is limited to; nil means all locations of the account
	Problems  Problems // problems from decoding
	// Same reports whether the user is unchanged since the page was loaded. If nil, nothing is checked.
	Same func(User) bool
}

// MaxMemberLocations is the maximum number of locations that a person can be limited to.
const MaxMemberLocations = 100

// person validates the name and e-mail address.
func (m Membership) person(c *check, email, name *string) {
	c.email(Set(m.Email), "email", email)
	c.line(Set(m.Name), "name", MaxName, name)
	if *name == "" && !c.Has("name") {
		c.Add("name", "required", "is required, so that colleagues know who this is")
	}
}

// place validates and sets the role and locations.
func (m Membership) place(c *check, a Actor, role *Role, locations *[]string) {
	switch {
	case !slices.Contains(Roles(), m.Role):
		c.Add("role", "not-allowed", "must be one of %s", Quoted(Roles()))
	case m.Role == OwnerRole && !a.Role.Has(ManageAccount):
		c.Add("role", "not-allowed", "cannot be owner: only an owner can add owners")
	default:
		*role = m.Role
	}
	*locations = nil
	if !m.Role.Limited() || m.Locations == nil || c.Has("locations") {
		return
	}
	if n := len(m.Locations); n == 0 || n > MaxMemberLocations {
		c.Add("locations", "out-of-range", "must be 1 to %d locations, or all locations", MaxMemberLocations)
		return
	}
	*locations = slices.Compact(slices.Sorted(slices.Values(m.Locations)))
}

// NewMember returns a new user who is added by an actor. The error lists all problems. The caller checks whether the
// locations exist. The e-mail address counts as verified, because the operator has entered it.
func NewMember(a Actor, m Membership, now time.Time) (User, error) {
	u := User{Account: a.Account, ID: NewID(UserID, now), CreatedAt: now, VerifiedAt: now}
	c := &check{Problems: m.Problems}
	c.email(Set(m.Email), "email", &u.Email)
	c.line(Set(m.Name), "name", MaxName, &u.Name)
	m.place(c, a, &u.Role, &u.Locations)
	return u, c.Err()
}

// Assign sets the role and locations of the user. The error lists all problems. The caller checks whether the
// locations exist.
func (u *User) Assign(a Actor, m Membership) error {
	c := &check{Problems: m.Problems}
	m.place(c, a, &u.Role, &u.Locations)
	return c.Err()
}

// Rename changes the name of the user.
func (u *User) Rename(name string) error {
	var c check
	c.line(Set(name), "name", MaxName, &u.Name)
	if u.Name == "" && !c.Has("name") {
		c.Add("name", "required", "is required, so that colleagues know who you are")
	}
	return c.Err()
}

// SetLanguage changes the language in which the user sees the dashboard. An empty language is that of the browser.
func (u *User) SetLanguage(tag string) error {
	var c check
	c.language(Set(tag), "language", &u.Language)
	return c.Err()
}

// MayChange returns an error if the actor may not change the role of a user.
func (a Actor) MayChange(u User) error {
	switch {
	case a.Kind == ByUser && a.ID == u.ID:
		return E(Forbidden, "You cannot change your own role. Ask another owner or admin.")
	case u.Role == OwnerRole && !a.Role.Has(ManageAccount):
		return E(Forbidden, "Only an owner can change an owner.")
	default:
		return nil
	}
}

// Active reports whether the user may log in.
func (u User) Active() bool { return u.ID != "" && u.DisabledAt.IsZero() }

// LastOwnerError returns the error for a change that would leave the account without an owner.
func LastOwnerError() error {
	return E(Conflict, "This is the last owner of the account. Make somebody else an owner first.")
}
