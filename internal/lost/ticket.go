package lost

import "time"

// Ticket is a link that lets one person do one thing, once. Its token is derived from the service's secret, and kept nowhere.
type Ticket struct {
	Account   string
	ID        string
	Kind      TicketKind
	UserID    string // whose it is; with an invitation, who invited
	Email     string // where it goes to
	Name      string // with an invitation, as the rest
	Role      Role
	Locations []string // nil: all of the account's
	Key       string   // which of the service's secrets the token is derived from; empty for the first
	ExpiresAt time.Time
	CreatedAt time.Time
}

// TicketKind says what a ticket is for.
type TicketKind string

// The kinds of ticket.
const (
	ResetTicket      TicketKind = "reset"      // choose a new password
	InvitationTicket TicketKind = "invitation" // join the team
	AddressTicket    TicketKind = "address"    // confirm a new e-mail address
)

// Path is where the page of a ticket is; its token follows.
func (k TicketKind) Path() string {
	switch k {
	case InvitationTicket:
		return "/invitation/"
	case AddressTicket:
		return "/confirm/"
	default:
		return "/reset/"
	}
}

// Life is how long a ticket of the kind is valid.
func (k TicketKind) Life() time.Duration {
	if k == InvitationTicket {
		return 7 * 24 * time.Hour
	}
	return time.Hour
}

// Opens is nil, or why the ticket lets nobody do anything any more.
func (t Ticket) Opens(now time.Time) error {
	if !now.Before(t.ExpiresAt) {
		return E(Gone, "This link has expired.")
	}
	return nil
}

// NewTicket makes a ticket of a user, which goes to an address.
func NewTicket(kind TicketKind, u User, email string, now time.Time) Ticket {
	return Ticket{
		Account: u.Account, ID: NewID(TicketID, now), Kind: kind, UserID: u.ID, Email: email,
		ExpiresAt: now.Add(kind.Life()), CreatedAt: now,
	}
}

// NewInvitation makes a ticket for somebody who is to join, or says everything that is wrong. Whether the locations exist is the
// caller's to check.
func NewInvitation(a Actor, m Membership, now time.Time) (Ticket, error) {
	t := NewTicket(InvitationTicket, User{Account: a.Account, ID: a.ID}, "", now)
	c := &check{Problems: m.Problems}
	m.person(c, &t.Email, &t.Name)
	m.place(c, a, &t.Role, &t.Locations)
	return t, c.Err()
}

// Renew makes a ticket that takes the place of one: as it was, and valid from now on.
func (t Ticket) Renew(now time.Time) Ticket {
	t.ID, t.CreatedAt, t.ExpiresAt = NewID(TicketID, now), now, now.Add(t.Kind.Life())
	return t
}

// Member is the user that an invitation makes.
func (t Ticket) Member(now time.Time) User {
	return User{Account: t.Account, ID: NewID(UserID, now), Email: t.Email, Name: t.Name, Role: t.Role, Locations: t.Locations, CreatedAt: now}
}
