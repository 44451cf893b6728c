package lost

import "slices"

// Actor is who does something: a client program by its key, a person, or the
// service itself. It belongs to one account and reaches no other.
type Actor struct {
	Account  string
	Kind     ActorKind
	ID       string
	Name     string
	Role     Role // of a person or a key; empty for those whom a rule of their own lets do what they do
	ReadOnly bool // of a key
	// Locations limits the actor to these; nil means all of the account's.
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

// Reaches tells whether the location is within the actor's reach.
func (a Actor) Reaches(location string) bool {
	return a.Locations == nil || slices.Contains(a.Locations, location)
}

// MayWrite is nil, or why the actor may not change anything.
func (a Actor) MayWrite() error {
	if a.ReadOnly {
		return E(Forbidden, "This key is read-only. Use one that may write.")
	}
	return nil
}

// May is nil, or why the actor may not do something.
func (a Actor) May(right Right) error {
	switch {
	case a.Role.Has(right):
		return nil
	case a.Kind == ByGuest || a.Kind == ByPublic || a.Kind == ByService: // whom only methods of their own let in
		return nil
	case a.Kind == ByKey:
		return E(Forbidden, "This key has the role %q, which may not do this. Use one with another role.", a.Role)
	default:
		return E(Forbidden, "Your role, %q, may not do this. Ask an owner or admin of the account.", a.Role)
	}
}

// MayManage is nil, or why the actor may not act on the account as a whole: an
// actor that is limited to some locations could otherwise give itself the rest.
func (a Actor) MayManage() error {
	switch {
	case a.Locations == nil:
		return nil
	case a.Kind == ByKey:
		return E(Forbidden, "This key is limited to some locations. Use one for the whole account.")
	default:
		return E(Forbidden, "You work for some locations only. Ask an owner or admin of the account.")
	}
}
