package lost

import "time"

// Account is a client of the service. All other records belong to an account.
type Account struct {
	ID         string
	Name       string
	CreatedAt  time.Time
	DisabledAt time.Time // zero while it is active
	GuestDays  int       // days to keep guests' data after an item has ended
}

// NewAccount makes an account. It returns an error if the name is not valid.
func NewAccount(name string, now time.Time) (Account, error) {
	a := Account{ID: NewID(AccountID, now), CreatedAt: now, GuestDays: DefaultGuestDays}
	return a, a.Rename(name)
}

// Rename changes the name of the account. It returns an error if the name is not valid.
func (a *Account) Rename(name string) error {
	var c check
	c.line(Set(name), "name", MaxName, &a.Name)
	if a.Name == "" && !c.Has("name") {
		c.Add("name", "required", "is required")
	}
	return c.Err()
}

// Disable disables the account, or enables it again if off is false.
func (a *Account) Disable(off bool, now time.Time) { disable(&a.DisabledAt, off, now) }

// User is a person who logs in.
type User struct {
	Account      string
	ID           string
	Email        string
	Name         string
	Role         Role
	Locations    []string // locations that the role is limited to; nil means all of the account's
	PasswordHash string
	CreatedAt    time.Time
	DisabledAt   time.Time
	TwoStepAt    time.Time // when two-step log-in was set up; zero if it is not
	SeenAt       time.Time // approximate time of the last activity; zero if there was none
}

// Actor returns the user as an actor.
func (u User) Actor() Actor {
	return Actor{Account: u.Account, Kind: ByUser, ID: u.ID, Name: u.Name, Role: u.Role, Locations: u.Locations}
}

// Disable blocks the user, or unblocks them if off is false.
func (u *User) Disable(off bool, now time.Time) { disable(&u.DisabledAt, off, now) }

// disable sets the time at which something was disabled, unless it is set already, or clears it.
func disable(at *time.Time, off bool, now time.Time) {
	switch {
	case !off:
		*at = time.Time{}
	case at.IsZero():
		*at = now
	}
}
