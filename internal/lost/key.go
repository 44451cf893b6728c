package lost

import (
	"slices"
	"time"
)

// Key is a stored API key, without the secret.
type Key struct {
	Account   string
	ID        string
	Name      string
	Hint      string // its first characters, to help people recognise it
	Role      Role
	ReadOnly  bool
	Locations []string  // nil means all locations of the account
	ExpiresAt time.Time // zero if it does not expire
	RevokedAt time.Time // zero if not revoked
	CreatedAt time.Time
}

// Usable reports whether the key is valid at the time now.
func (k Key) Usable(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// Actor returns the actor for requests with the key.
func (k Key) Actor() Actor {
	return Actor{
		Account: k.Account, Kind: ByKey, ID: k.ID, Name: k.Name, Role: k.Role, ReadOnly: k.ReadOnly,
		Locations: k.Locations,
	}
}

// KeyPatch is a request to create an API key.
type KeyPatch struct {
	Name      Field[string]
	Role      Field[string]
	ReadOnly  Field[bool]
	Locations Field[[]string]
	ExpiresAt Field[time.Time]
	DecodeResult
}

// KeyRoles lists the roles that a key may have. Keys cannot manage the account itself.
func KeyRoles() []Role { return []Role{AdminRole, DeskRole, LoggerRole, ViewerRole} }

// MaxKeyLocations is the maximum number of locations that a key can be limited to.
const MaxKeyLocations = 100

// NewKey returns a new key from a patch. The error lists all problems. The caller checks whether the locations exist.
func NewKey(account string, p KeyPatch, now time.Time) (Key, error) {
	k := Key{Account: account, ID: NewID(KeyID, now), Role: AdminRole, CreatedAt: now}
	c := &check{slices.Clone(p.Problems)}
	c.line(p.Name, "name", MaxName, &k.Name)
	if k.Name == "" && !c.Has("name") {
		c.Add("name", "required", "is required, so that you can recognise the key")
	}
	if !isEmpty(p.Role) {
		oneOf(c, p.Role, "role", KeyRoles(), &k.Role)
	}
	k.ReadOnly = p.ReadOnly.Value
	if p.Locations.Sent && !p.Locations.Null && !c.Has("locations") {
		k.Locations = slices.Clone(p.Locations.Value)
		slices.Sort(k.Locations)
		k.Locations = slices.Compact(k.Locations)
		if n := len(k.Locations); n == 0 || n > MaxKeyLocations {
			c.Add("locations", "out-of-range", "must list 1 to %d locations; omit it to allow all locations",
				MaxKeyLocations)
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

// IdempotencyKey makes it safe to repeat a create request: the same key with the same request returns the first
// response again. The zero value has no effect.
type IdempotencyKey struct {
	Key     string
	Request string // digest of the request
	Form    bool   // the key is from an HTML form, so the user does not know about it
}
