package lost

import "slices"

// Actor is who does something: a client program with its key, a person, or the service itself. It belongs to one
// account and can access no other.
type Actor struct {
	Account string
	Kind    ActorKind
	ID      string
	Name    string
	// of a person or a key; empty for guests, the public page and the service, which have rules of their own
	Role     Role
	ReadOnly bool // of a key
	// Locations limits the actor to these locations; nil means all of the account's.
	Locations []string
}

// ActorKind says what sort of actor it is.
type ActorKind string

// The kinds of actor.
const (
	ByKey     ActorKind = "key"
	ByUser    ActorKind = "user"
	ByCommand ActorKind = "command" // the operator, at a terminal
	ByGuest   ActorKind = "guest"   // an owner or claimant, by a link
	ByPublic  ActorKind = "public"  // somebody on a location's public page
	ByService ActorKind = "service" // the service by itself
)

// ActorKinds lists them.
func ActorKinds() []ActorKind {
	return []ActorKind{ByKey, ByUser, ByCommand, ByGuest, ByPublic, ByService}
}

// CanAccess reports whether the actor may access the location.
func (a Actor) CanAccess(location string) bool {
	return a.Locations == nil || slices.Contains(a.Locations, location)
}

// MayWrite returns nil, or why the actor may not change anything.
func (a Actor) MayWrite() error {
	if a.ReadOnly {
		return E(Forbidden, "This API key is read-only. Use a key that may write.")
	}
	return nil
}

// May returns nil, or why the actor may not do something.
func (a Actor) May(right Permission) error {
	switch {
	case a.Role.Has(right):
		return nil
	case a.Kind == ByGuest || a.Kind == ByPublic || a.Kind == ByService: // only their own methods admit them
		return nil
	case a.Kind == ByKey:
		return E(Forbidden, "The role %q of this API key does not allow this. Use a key with another role.", a.Role)
	default:
		return E(Forbidden, "Your role %q does not allow this. Ask an owner or admin of the account.", a.Role)
	}
}

// MayManage returns nil, or why the actor may not act on the account as a whole: an
// actor that is limited to some locations could otherwise give itself the rest.
func (a Actor) MayManage() error {
	switch {
	case a.Locations == nil:
		return nil
	case a.Kind == ByKey:
		return E(Forbidden, "This API key is limited to some locations. Use a key for the whole account.")
	default:
		return E(Forbidden, "Your access is limited to some locations. Ask an owner or admin of the account.")
	}
}
