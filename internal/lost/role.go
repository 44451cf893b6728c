package lost

import "slices"

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
