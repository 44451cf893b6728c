package lost

import "time"

// EmailLink is a link that lets one person do one thing, once. Its token is derived from the service's secret and never
// stored.
type EmailLink struct {
	Account   string
	ID        string
	Kind      TicketKind
	UserID    string // the user; with an invitation, who invited
	Email     string // to which it is sent
	Name      string // only with an invitation, like the following fields
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

// Path is the path of the ticket's page; the token follows it.
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

// CheckValid returns nil, or why the ticket is no longer valid.
func (t EmailLink) CheckValid(now time.Time) error {
	if !now.Before(t.ExpiresAt) {
		return E(Gone, "This link has expired.")
	}
	return nil
}

// NewTicket makes a ticket of a user, which is sent to an address.
func NewTicket(kind TicketKind, u User, email string, now time.Time) EmailLink {
	return EmailLink{
		Account: u.Account, ID: NewID(TicketID, now), Kind: kind, UserID: u.ID, Email: email,
		ExpiresAt: now.Add(kind.Life()), CreatedAt: now,
	}
}

// NewInvitation makes a ticket for a new member of the team, or returns everything that is wrong. The caller checks
// whether the locations exist.
func NewInvitation(a Actor, m Membership, now time.Time) (EmailLink, error) {
	t := NewTicket(InvitationTicket, User{Account: a.Account, ID: a.ID}, "", now)
	c := &check{Problems: m.Problems}
	m.person(c, &t.Email, &t.Name)
	m.place(c, a, &t.Role, &t.Locations)
	return t, c.Err()
}

// Renew makes a ticket that replaces this one, valid from now on.
func (t EmailLink) Renew(now time.Time) EmailLink {
	t.ID, t.CreatedAt, t.ExpiresAt = NewID(TicketID, now), now, now.Add(t.Kind.Life())
	return t
}

// Member returns the user that an invitation creates.
func (t EmailLink) Member(now time.Time) User {
	return User{
		Account: t.Account, ID: NewID(UserID, now), Email: t.Email, Name: t.Name, Role: t.Role, Locations: t.Locations,
		CreatedAt: now,
	}
}
