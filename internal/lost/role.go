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

// Permission is a permission that only some roles have.
type Permission string

// The permissions. The table below says which role has which.
const (
	ViewItems   Permission = "look"   // see items, requests, guests, messages and statistics
	RecordItems Permission = "record" // record found items, with photos
	// change items, message owners, answer requests, hand over, clear storage
	HandleItems        Permission = "handle"
	DeleteItems        Permission = "remove"    // delete items for good
	ManageLocations    Permission = "arrange"   // create, change and delete locations
	ManageIntegrations Permission = "integrate" // API keys, webhooks and events
	ManageStaff        Permission = "staff"     // invite people, set roles, read the audit log
	ManageAccount      Permission = "govern"    // the account itself: its name, its owners, how long data is kept
)

// Permissions lists them.
func Permissions() []Permission {
	return []Permission{
		ViewItems, RecordItems, HandleItems, DeleteItems, ManageLocations, ManageIntegrations, ManageStaff,
		ManageAccount,
	}
}

// rights says what each role may do.
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
// cannot be.
func (r Role) Limited() bool { return !r.Has(ManageLocations) }
