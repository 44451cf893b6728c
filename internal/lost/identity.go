package lost

import "time"

// Vouched is what a provider says of a person who has logged in there.
type Vouched struct {
	Issuer   string // who says it
	Subject  string // what they call the person; it never changes, and nobody else gets it
	Email    string
	Verified bool // they know that the address is the person's
}

// Identity is a person at a provider who is known to be a user.
type Identity struct {
	Account   string
	ID        string
	UserID    string
	Issuer    string
	Subject   string
	UsedAt    time.Time
	CreatedAt time.Time
}

// NewIdentity links what a provider calls a person to a user.
func NewIdentity(u User, v Vouched, now time.Time) Identity {
	return Identity{Account: u.Account, ID: NewID(IdentityID, now), UserID: u.ID, Issuer: v.Issuer, Subject: v.Subject, UsedAt: now, CreatedAt: now}
}
