package lost

import (
	"maps"
	"net/url"
	"reflect"
	"slices"
	"time"
)

// Endpoint is a webhook endpoint of an API client.
type Endpoint struct {
	Account     string
	ID          string
	URL         string
	Events      []EventType // nil means DefaultEventTypes; may contain AllEvents
	Locations   []string    // only events of these locations; nil means all
	Enabled     bool
	Description string
	Headers     map[string]string // sent with each delivery; not shown after they are set
	// Secret signs deliveries. After a rotation, the previous secret also signs deliveries until it expires.
	Secret     string
	OldSecrets []OldSecret // newest first
	// FailingSince is the time of the first failure since the last success; zero if the last delivery succeeded.
	FailingSince time.Time
	FailedAt     time.Time // the last failure
	DeliveredAt  time.Time // the last success, with a precision of one minute
	// Reason says why the service disabled the endpoint; empty if a person did.
	Reason               string
	CreatedAt, UpdatedAt time.Time
}

// OldSecret is a replaced secret that is still used for signing.
type OldSecret struct {
	Secret string
	Until  time.Time
}

// Limits on an account's endpoints.
const (
	MaxEndpoints         = 50
	MaxOldSecrets        = 5
	MaxEndpointLocations = 100
	// SecretOverlap is how long both the old and the new secret are used for signing.
	SecretOverlap = 24 * time.Hour
	// SwitchOffAfter is how long every delivery must have failed before an endpoint is disabled.
	SwitchOffAfter = 5 * 24 * time.Hour
)

// Receives reports whether the endpoint receives the events of a type at a location. The store selects endpoints with a
// condition of its own; a test compares the two.
func (e Endpoint) Receives(t EventType, location string) bool {
	chosen := e.Events
	if chosen == nil {
		chosen = DefaultEventTypes()
	}
	return e.Enabled && (slices.Contains(chosen, t) || slices.Contains(chosen, AllEvents)) &&
		(e.Locations == nil || slices.Contains(e.Locations, location))
}

// Secrets returns the secrets that are valid at a time, newest first.
func (e Endpoint) Secrets(now time.Time) []string {
	out := []string{e.Secret}
	for _, old := range e.OldSecrets {
		if now.Before(old.Until) {
			out = append(out, old.Secret)
		}
	}
	return out
}

// Rotate sets a new secret. The previous one stays valid for SecretOverlap, even if the secret is rotated again in
// the meantime.
func (e *Endpoint) Rotate(secret string, now time.Time) {
	old := append([]OldSecret{{Secret: e.Secret, Until: now.Add(SecretOverlap)}}, e.OldSecrets...)
	e.OldSecrets = old[:min(len(old), MaxOldSecrets)]
	e.ForgetOldSecrets(now)
	e.Secret, e.UpdatedAt = secret, now
}

// ForgetOldSecrets removes expired secrets.
func (e *Endpoint) ForgetOldSecrets(now time.Time) {
	e.OldSecrets = slices.DeleteFunc(slices.Clone(e.OldSecrets), func(old OldSecret) bool {
		return !now.Before(old.Until)
	})
}

// SwitchOff disables the endpoint if every delivery has failed for at least SwitchOffAfter, and reports whether it
// did. This time is measured from the first failure to the last.
func (e *Endpoint) SwitchOff(now time.Time) bool {
	if !e.Enabled || e.FailingSince.IsZero() || e.FailedAt.Sub(e.FailingSince) < SwitchOffAfter {
		return false
	}
	e.Enabled, e.UpdatedAt = false, now
	e.Reason = "Every delivery has failed for five days. Fix the receiver, switch the webhook on again, and " +
		"replay the failed deliveries."
	return true
}

// EndpointPatch is a partial endpoint, for creating and updating endpoints.
type EndpointPatch struct {
	URL         Field[string]
	Events      Field[[]string]
	Locations   Field[[]string]
	Enabled     Field[bool]
	Description Field[string]
	Headers     Field[map[string]string]
	DecodeResult
}

// NewEndpoint returns a new endpoint from a patch. The error lists all problems. The caller checks whether the URL
// and the headers are allowed.
func NewEndpoint(account string, p EndpointPatch, now time.Time) (Endpoint, error) {
	e := Endpoint{Account: account, ID: NewID(EndpointID, now), Enabled: true, CreatedAt: now, UpdatedAt: now}
	if p.Enabled.Null {
		p.Enabled.Drop() // the default applies
	}
	problems := p.apply(&e)
	problems = append(problems, p.refuseEcho()...)
	return e, problems.Err()
}

// Update applies a patch. UpdatedAt changes only if another field does. If the host changes, the headers are removed
// unless the patch sets them: they may contain a secret that is meant for the old host.
func (e *Endpoint) Update(p EndpointPatch, now time.Time) error {
	before := *e
	if err := p.apply(e).Err(); err != nil {
		return err
	}
	if !p.Headers.Sent && e.origin() != before.origin() {
		e.Headers = nil
	}
	if !reflect.DeepEqual(*e, before) {
		e.UpdatedAt = now
	}
	return nil
}

func (p EndpointPatch) apply(e *Endpoint) Problems {
	c := &check{slices.Clone(p.Problems)}
	c.mandatory(p.URL.Sent, p.URL.Null, "url")
	c.mandatory(p.Enabled.Sent, p.Enabled.Null, "enabled")
	c.line(p.URL, "url", MaxURL, &e.URL)
	if e.URL == "" && !c.Has("url") {
		c.Add("url", "required", "is required")
	}
	c.prose(p.Description, "description", MaxDescription, &e.Description)
	p.applyEvents(c, e)
	p.applyLocations(c, e)
	if f := p.Enabled; f.Sent && !c.Has("enabled") {
		if f.Value && !e.Enabled { // enabling the endpoint resets its failures
			e.FailingSince, e.Reason = time.Time{}, ""
		}
		e.Enabled = f.Value
	}
	if f := p.Headers; f.Sent && !c.Has("headers") {
		e.Headers = nil
		if len(f.Value) > 0 {
			e.Headers = f.Value
		}
	}
	return c.Problems
}

func (p EndpointPatch) applyEvents(c *check, e *Endpoint) {
	if !p.Events.Sent || c.Has("events") {
		return
	}
	if p.Events.Null {
		e.Events = nil
		return
	}
	wanted := []EventType{}
	for _, s := range p.Events.Value {
		if t := EventType(s); t == AllEvents || slices.Contains(EventTypes(), t) {
			wanted = append(wanted, t)
			continue
		}
		c.Add("events", "not-allowed", "must contain only %s; or \"*\" to receive all events", Quoted(EventTypes()))
		return
	}
	if len(wanted) == 0 {
		c.Add("events", "out-of-range", "must list at least one event; omit it to receive %s",
			Quoted(DefaultEventTypes()))
		return
	}
	slices.Sort(wanted)
	e.Events = slices.Compact(wanted)
}

// applyLocations sets the locations. The caller checks whether they exist.
func (p EndpointPatch) applyLocations(c *check, e *Endpoint) {
	f := p.Locations
	switch {
	case !f.Sent || c.Has("locations"):
	case f.Null:
		e.Locations = nil
	case len(f.Value) == 0 || len(f.Value) > MaxEndpointLocations:
		c.Add("locations", "out-of-range", "must list 1 to %d locations; omit it for all locations",
			MaxEndpointLocations)
	default:
		e.Locations = slices.Compact(slices.Sorted(slices.Values(f.Value)))
	}
}

// Host returns the host of the endpoint's URL. The rest of the URL may contain a secret.
func (e Endpoint) Host() string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// origin returns the scheme and host of the endpoint's URL.
func (e Endpoint) origin() string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return e.URL
	}
	return lowerASCII(u.Scheme + "://" + u.Host)
}

// Changes lists the API names of the fields that differ from an earlier state.
func (e Endpoint) Changes(before Endpoint) (names []string) {
	for _, f := range []struct {
		name string
		same bool
	}{
		{"url", e.URL == before.URL},
		{"events", slices.Equal(e.Events, before.Events)},
		{"locations", slices.Equal(e.Locations, before.Locations)},
		{"enabled", e.Enabled == before.Enabled},
		{"description", e.Description == before.Description},
		{"headers", maps.Equal(e.Headers, before.Headers)},
	} {
		if !f.same {
			names = append(names, f.name)
		}
	}
	return names
}
