package lost

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Key is a stored API key, without the secret.
type Key struct {
	Account   string
	ID        string
	Name      string
	Hint      string // its first characters, to help people recognise it
	Role      Role
	ReadOnly  bool
	Locations []string // nil means all locations of the account
	// Origins are the websites that may use a publishable key, such as https://hotel.example; nil for a secret key.
	Origins    []string
	ExpiresAt  time.Time // zero if it does not expire
	RevokedAt  time.Time // zero if not revoked
	LastUsedAt time.Time // approximate, because it is not stored on every request; zero if it was never used
	CreatedAt  time.Time
}

// keyUseInterval is the interval at which the use of a key is recorded.
const keyUseInterval = 10 * time.Minute

// Touch records that the key was used, and reports whether that must be stored.
func (k *Key) Touch(now time.Time) bool {
	if now.Sub(k.LastUsedAt) < keyUseInterval {
		return false
	}
	k.LastUsedAt = now
	return true
}

// Rename sets the name of the key, and reports whether it changed.
func (k *Key) Rename(p KeyPatch) (changed bool, err error) {
	name := ""
	c := &check{slices.Clone(p.Problems)}
	c.keyName(p.Name, &name)
	if err := c.Err(); err != nil {
		return false, err
	}
	changed = k.Name != name
	k.Name = name
	return changed, nil
}

func (c *check) keyName(f Field[string], dst *string) {
	c.line(f, "name", MaxName, dst)
	if *dst == "" && !c.Has("name") {
		c.Add("name", "required", "is required, so that you can recognise the key")
	}
}

// Usable reports whether the key is valid at the time now.
func (k Key) Usable(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// Actor returns the actor for requests with the key.
func (k Key) Actor() Actor {
	return Actor{
		Account: k.Account, Kind: ByKey, ID: k.ID, Name: k.Name, Role: k.Role, ReadOnly: k.ReadOnly,
		Locations: k.Locations, Origins: k.Origins,
	}
}

// KeyPatch is a request to create an API key.
type KeyPatch struct {
	Name      Field[string]
	Role      Field[string]
	ReadOnly  Field[bool]
	Locations Field[[]string]
	Origins   Field[[]string]
	ExpiresAt Field[time.Time]
	DecodeResult
}

// KeyRoles lists the roles that a key may have. Keys cannot manage the account itself.
func KeyRoles() []Role { return []Role{AdminRole, DeskRole, LoggerRole, ViewerRole, PublishableRole} }

// MaxOrigins is the maximum number of websites that may use a publishable key.
const MaxOrigins = 20

// MaxKeyLocations is the maximum number of locations that a key can be limited to.
const MaxKeyLocations = 100

// NewKey returns a new key from a patch. The error lists all problems. The caller checks whether the locations exist.
func NewKey(account string, p KeyPatch, now time.Time) (Key, error) {
	k := Key{Account: account, ID: NewID(KeyID, now), Role: AdminRole, CreatedAt: now}
	c := &check{slices.Clone(p.Problems)}
	c.keyName(p.Name, &k.Name)
	if len(p.Origins.Value) > 0 {
		k.Role = PublishableRole
	}
	if !isEmpty(p.Role) {
		oneOf(c, p.Role, "role", KeyRoles(), &k.Role)
	}
	k.ReadOnly = p.ReadOnly.Value
	p.readOrigins(c, &k)
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

// readOrigins sets the websites of a publishable key. Only a publishable key has them, and it must have some.
func (p KeyPatch) readOrigins(c *check, k *Key) {
	const field = "origins"
	sent := p.Origins.Value
	switch {
	case c.Has(field) || c.Has("role"):
	case k.Role != PublishableRole && len(sent) > 0:
		c.Add(field, "not-with-role", "are only for a key with the role %s", PublishableRole)
	case k.Role != PublishableRole:
	case k.ReadOnly:
		c.Add("readOnly", "not-with-role", "is not for a publishable key, which only files requests")
	case len(sent) == 0 || len(sent) > MaxOrigins:
		c.Add(field, "out-of-range", "must list 1 to %d websites that use the publishable key", MaxOrigins)
	default:
		for n, text := range sent {
			origin, ok := ParseOrigin(text)
			if !ok {
				c.Add(fmt.Sprintf("%s[%d]", field, n), "invalid-origin",
					"must be the address of a website without a path, such as https://hotel.example")
				continue
			}
			k.Origins = append(k.Origins, origin)
		}
		slices.Sort(k.Origins)
		k.Origins = slices.Compact(k.Origins)
	}
}

// ParseOrigin accepts the origin of a website, such as https://hotel.example or http://localhost:3000, and returns it
// as browsers send it, with an international name in ASCII. It returns false for other input.
func ParseOrigin(s string) (string, bool) {
	s = strings.TrimSuffix(strings.TrimSpace(s), "/")
	u, err := url.Parse(s)
	if err != nil || u.Path != "" || u.User != nil || strings.ContainsAny(s, "?#*") || len(s) > MaxURL {
		return "", false
	}
	if _, ok := parseURL(s); !ok {
		return "", false
	}
	host := strings.ToLower(u.Host)
	if strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) {
		name, err := idna.Lookup.ToASCII(u.Hostname())
		if err != nil {
			return "", false
		}
		host = strings.TrimSuffix(name+":"+u.Port(), ":")
	}
	if u.Scheme == "https" {
		host = strings.TrimSuffix(host, ":443")
	} else {
		host = strings.TrimSuffix(host, ":80")
	}
	return u.Scheme + "://" + host, true
}

// IdempotencyKey makes it safe to repeat a create request: the same key with the same request returns the first
// response again. The zero value has no effect.
type IdempotencyKey struct {
	Key     string
	Request string // digest of the request
	Form    bool   // the key is from an HTML form, so the user does not know about it
}
