package lost

import "slices"

// Role says what a person, or a key, may do.
type Role string

// The roles. A role that has locations of its own is limited to them.
const (
	OwnerRole  Role = "owner"  // everything, the account itself included
	AdminRole  Role = "admin"  // everything but the account itself and its owners
	DeskRole   Role = "desk"   // what happens at a desk, at chosen locations
	LoggerRole Role = "logger" // records finds, and sees nothing else
	ViewerRole Role = "viewer" // sees, and changes nothing
)

// Roles lists them, from the one that may do most.
func Roles() []Role { return []Role{OwnerRole, AdminRole, DeskRole, LoggerRole, ViewerRole} }

// Right is something that only some roles may do.
type Right string

// The rights. Which role has which is in one table, below.
const (
	Look      Right = "look"      // see items, requests, their people, messages and numbers
	Record    Right = "record"    // record what was found, with photos
	Handle    Right = "handle"    // change items, write to owners, answer requests, hand over, clear the shelves
	Remove    Right = "remove"    // delete items for good
	Arrange   Right = "arrange"   // make, change and delete locations
	Integrate Right = "integrate" // API keys, webhooks and events
	Staff     Right = "staff"     // invite people, say what they may do; see who did what
	Govern    Right = "govern"    // the account itself: its name, its owners, how long data is kept
)

// Rights lists them.
func Rights() []Right {
	return []Right{Look, Record, Handle, Remove, Arrange, Integrate, Staff, Govern}
}

// rights is the table of what each role may do.
var rights = map[Role][]Right{
	OwnerRole:  Rights(),
	AdminRole:  {Look, Record, Handle, Remove, Arrange, Integrate, Staff},
	DeskRole:   {Look, Record, Handle},
	LoggerRole: {Record},
	ViewerRole: {Look},
}

// Has tells whether a role may do something.
func (r Role) Has(right Right) bool { return slices.Contains(rights[r], right) }

// Limited tells whether people with the role may be limited to some locations. Whoever acts on the account as a whole is not.
func (r Role) Limited() bool { return !r.Has(Arrange) }
