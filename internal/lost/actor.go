package lost

import "slices"

// Actor identifies who performs an operation: an API client with its key, a person, or the service itself. It belongs
// to one account and cannot access any other.
type Actor struct {
	Account string
	Kind    ActorKind
	ID      string
	Name    string
	// Role is the role of a person or key. It is empty for guests, the public page and the service, because other
	// rules determine what they may do.
	Role     Role
	ReadOnly bool // only for API keys
	// Locations limits the actor to these locations; nil means all locations of the account.
	Locations []string
	// Origins are the websites that may use a publishable key; nil for everybody else.
	Origins []string
	// Address is the IP address from which a person or a client program sent the request; of an IPv6 address, its /64
	// network. It is empty for operator commands and the service. It is also empty for guests and the public page,
	// because the audit log must not contain data about guests, who have a right to have their data erased.
	Address string
}

// WithAddress returns the actor with the address of the client that sent the request.
func (a Actor) WithAddress(address string) Actor {
	a.Address = address
	return a
}

// ActorKind is a kind of actor.
type ActorKind string

// The kinds of actor.
const (
	ByKey     ActorKind = "key"
	ByUser    ActorKind = "user"
	ByCommand ActorKind = "command" // the operator, on the command line
	ByGuest   ActorKind = "guest"   // an owner or claimant who opened a link
	ByPublic  ActorKind = "public"  // somebody on a location's public page
	ByService ActorKind = "service" // the service itself
)

// ActorKinds lists all kinds of actor.
func ActorKinds() []ActorKind {
	return []ActorKind{ByKey, ByUser, ByCommand, ByGuest, ByPublic, ByService}
}

// CanAccess reports whether the actor may access the location.
func (a Actor) CanAccess(location string) bool {
	return a.Locations == nil || slices.Contains(a.Locations, location)
}

// MayWrite returns an error if the actor may not change anything.
func (a Actor) MayWrite() error {
	if a.ReadOnly {
		return E(Forbidden, "This API key is read-only. Use a key with write access.")
	}
	return nil
}

// May returns an error if the actor does not have the permission.
func (a Actor) May(right Permission) error {
	switch {
	case a.Role.Has(right):
		return nil
	case a.Kind == ByGuest || a.Kind == ByPublic || a.Kind == ByService: // their use cases check access
		return nil
	case a.Kind == ByKey:
		return E(Forbidden, "The role %q of this API key does not allow this. Use a key with another role.", a.Role)
	default:
		return E(Forbidden, "Your role %q does not allow this. Ask an owner or admin of the account.", a.Role)
	}
}

// MayManage returns an error if the actor is limited to some locations. Such an actor must not manage the account,
// because it could give itself access to the other locations.
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
