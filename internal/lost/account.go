package lost

import "time"

// Account is a client of the service. It owns everything below it.
type Account struct {
	ID         string
	Name       string
	CreatedAt  time.Time
	DisabledAt time.Time // zero while it is active
	GuestDays  int       // for how long guests' data is kept after an item has ended
}

// NewAccount makes an account, or says what is wrong with its name.
func NewAccount(name string, now time.Time) (Account, error) {
	a := Account{ID: NewID(AccountID, now), CreatedAt: now, GuestDays: DefaultGuestDays}
	return a, a.Rename(name)
}

// Rename gives the account another name, or says what is wrong with it.
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
	TwoStepAt    time.Time // since when a second step is asked for at log-in; zero: it is not
	SeenAt       time.Time // when they were last in, about; zero: never
}

// Actor is who acts when the user does.
func (u User) Actor() Actor {
	return Actor{Account: u.Account, Kind: ByUser, ID: u.ID, Name: u.Name, Role: u.Role, Locations: u.Locations}
}

// Disable keeps the user out, or lets them in again.
func (u *User) Disable(off bool, now time.Time) { disable(&u.DisabledAt, off, now) }

// disable notes when something was switched off, the first time it was.
func disable(at *time.Time, off bool, now time.Time) {
	switch {
	case !off:
		*at = time.Time{}
	case at.IsZero():
		*at = now
	}
}
