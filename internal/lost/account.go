package lost

import "time"

// Account is a client of the service. It owns everything below it.
type Account struct {
	ID         string
	Name       string
	CreatedAt  time.Time
	DisabledAt time.Time // zero while it is active
	GuestDays  int       // days for which guests' data is kept after an item has ended
}

// NewAccount makes an account, or returns what is wrong with its name.
func NewAccount(name string, now time.Time) (Account, error) {
	a := Account{ID: NewID(AccountID, now), CreatedAt: now, GuestDays: DefaultGuestDays}
	return a, a.Rename(name)
}

// Rename returns the account another name, or returns what is wrong with the name.
func (a *Account) Rename(name string) error {
	var c check
	c.line(Set(name), "name", MaxName, &a.Name)
	if a.Name == "" && !c.Has("name") {
		c.Add("name", "required", "is required")
	}
	return c.Err()
}

// Disable switches the account off, or on again.
func (a *Account) Disable(off bool, now time.Time) { disable(&a.DisabledAt, off, now) }

// User is a person who logs in.
type User struct {
	Account      string
	ID           string
	Email        string
	Name         string
	Role         Role
	Locations    []string // that the role is limited to; nil: all of the account's
	PasswordHash string
	CreatedAt    time.Time
	DisabledAt   time.Time
	TwoStepAt    time.Time // since when log-in needs a second step; zero: it does not
	SeenAt       time.Time // about when they were last active; zero: never
}

// Actor returns the actor for what the user does.
func (u User) Actor() Actor {
	return Actor{Account: u.Account, Kind: ByUser, ID: u.ID, Name: u.Name, Role: u.Role, Locations: u.Locations}
}

// Disable blocks the user, or unblocks them.
func (u *User) Disable(off bool, now time.Time) { disable(&u.DisabledAt, off, now) }

// disable records when something was first switched off.
func disable(at *time.Time, off bool, now time.Time) {
	switch {
	case !off:
		*at = time.Time{}
	case at.IsZero():
		*at = now
	}
}
