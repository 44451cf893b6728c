package lost

import (
	"slices"
	"time"
)

// Key is an API key as it is kept: everything but the key itself.
type Key struct {
	Account   string
	ID        string
	Name      string
	Hint      string // its first characters, to tell keys apart
	Role      Role
	ReadOnly  bool
	Locations []string  // nil: all of the account's
	ExpiresAt time.Time // zero: never
	RevokedAt time.Time // zero: not revoked
	CreatedAt time.Time
}

// Usable tells whether the key opens anything at a time.
func (k Key) Usable(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// Actor is who acts with the key.
func (k Key) Actor() Actor {
	return Actor{Account: k.Account, Kind: ByKey, ID: k.ID, Name: k.Name, Role: k.Role, ReadOnly: k.ReadOnly, Locations: k.Locations}
}

// KeyPatch is a key to be made, as it was sent.
type KeyPatch struct {
	Name      Field[string]
	Role      Field[string]
	ReadOnly  Field[bool]
	Locations Field[[]string]
	ExpiresAt Field[time.Time]
	Received
}

// KeyRoles lists the roles that a key may have. No key acts on the account itself.
func KeyRoles() []Role { return []Role{AdminRole, DeskRole, LoggerRole, ViewerRole} }

// MaxKeyLocations bounds the list of locations that a key is limited to.
const MaxKeyLocations = 100

// NewKey makes a key from what was sent, or says everything that is wrong with it. Whether
// its locations exist is the caller's to check.
func NewKey(account string, p KeyPatch, now time.Time) (Key, error) {
	k := Key{Account: account, ID: NewID(KeyID, now), Role: AdminRole, CreatedAt: now}
	c := &check{slices.Clone(p.Problems)}
	c.line(p.Name, "name", MaxName, &k.Name)
	if k.Name == "" && !c.Has("name") {
		c.Add("name", "required", "is required, so that the key can be told from others")
	}
	if !p.Role.Null {
		oneOf(c, p.Role, "role", KeyRoles(), &k.Role)
	}
	k.ReadOnly = p.ReadOnly.Value
	if p.Locations.Sent && !p.Locations.Null && !c.Has("locations") {
		k.Locations = slices.Clone(p.Locations.Value)
		slices.Sort(k.Locations)
		k.Locations = slices.Compact(k.Locations)
		if n := len(k.Locations); n == 0 || n > MaxKeyLocations {
			c.Add("locations", "out-of-range", "must name 1 to %d locations; leave it out to reach all", MaxKeyLocations)
		}
	}
	if p.ExpiresAt.Sent && !p.ExpiresAt.Null && !c.Has("expiresAt") {
		k.ExpiresAt = p.ExpiresAt.Value
		if !k.ExpiresAt.After(now) {
			c.Add("expiresAt", "out-of-range", "must be in the future")
		}
	}
	problems := append(c.Problems, p.refuseEcho()...)
	return k, problems.Err()
}

// IdempotencyKey makes a create repeatable: the same key with the same request answers as
// the first time. The zero value asks for nothing of the kind.
type IdempotencyKey struct {
	Key     string
	Request string // digest of what was asked
	Form    bool   // it came with a form, whose sender knows of no key
}
