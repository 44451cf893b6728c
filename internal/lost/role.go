package lost

import "slices"

// Role says what a person, or a key, may do.
type Role string

// The roles. A role that has locations of its own is limited to them.
const (
	OwnerRole  Role = "owner"  // everything, including the account itself
	AdminRole  Role = "admin"  // everything but the account itself and its owners
	DeskRole   Role = "desk"   // the work at a desk, at some locations
	LoggerRole Role = "logger" // records found items and sees nothing else
	ViewerRole Role = "viewer" // sees everything and changes nothing
)

// Roles lists them, from the one that may do most.
func Roles() []Role { return []Role{OwnerRole, AdminRole, DeskRole, LoggerRole, ViewerRole} }

// Right is a permission that only some roles have.
type Right string

// The permissions. The table below says which role has which.
const (
	Look      Right = "look"      // see items, requests, guests, messages and statistics
	Record    Right = "record"    // record found items, with photos
	Handle    Right = "handle"    // change items, message owners, answer requests, hand over, clear storage
	Remove    Right = "remove"    // delete items for good
	Arrange   Right = "arrange"   // create, change and delete locations
	Integrate Right = "integrate" // API keys, webhooks and events
	Staff     Right = "staff"     // invite people, set roles, read the audit log
	Govern    Right = "govern"    // the account itself: its name, its owners, how long data is kept
)

// Rights lists them.
func Rights() []Right {
	return []Right{Look, Record, Handle, Remove, Arrange, Integrate, Staff, Govern}
}

// rights says what each role may do.
var rights = map[Role][]Right{
	OwnerRole:  Rights(),
	AdminRole:  {Look, Record, Handle, Remove, Arrange, Integrate, Staff},
	DeskRole:   {Look, Record, Handle},
	LoggerRole: {Record},
	ViewerRole: {Look},
}

// Has reports whether a role has a permission.
func (r Role) Has(right Right) bool { return slices.Contains(rights[r], right) }

// Limited reports whether people with the role may be limited to some locations. Roles that manage the whole account
// cannot be.
func (r Role) Limited() bool { return !r.Has(Arrange) }
