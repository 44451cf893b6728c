package lost

import "time"

// ProviderIdentity is the data from an identity provider about a person who has logged in there.
type ProviderIdentity struct {
	Issuer   string // URL of the provider
	Subject  string // the provider's id for the person; it never changes and is never reused
	Email    string
	Verified bool // the provider has verified the e-mail address
}

// Identity links a person at an identity provider to a user.
type Identity struct {
	Account   string
	ID        string
	UserID    string
	Issuer    string
	Subject   string
	UsedAt    time.Time
	CreatedAt time.Time
}

// NewIdentity returns an Identity that links a person at an identity provider to a user.
func NewIdentity(u User, v ProviderIdentity, now time.Time) Identity {
	return Identity{
		Account: u.Account, ID: NewID(IdentityID, now), UserID: u.ID, Issuer: v.Issuer, Subject: v.Subject, UsedAt: now,
		CreatedAt: now,
	}
}
