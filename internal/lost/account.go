package lost

import "time"

// Account is a customer of the service. All other records belong to an account.
type Account struct {
	ID         string
	Name       string
	CreatedAt  time.Time
	DisabledAt time.Time // zero while the account is active
	GuestDays  int       // number of days for which guests' data is kept after an item is finished
	// Privacy is the privacy notice of the locations that have none of their own.
	Privacy PrivacyNotice
}

// NewAccount returns a new account. It returns an error if the name is not valid.
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

// PrivacyNotice tells guests what happens to their data. The controller of the data writes it, so it contains no data
// about guests. Both fields may be empty.
type PrivacyNotice struct {
	Text string // plain text, which may have line breaks
	URL  string // the page with the full text; always HTTPS
}

// Empty reports whether there is nothing to show.
func (n PrivacyNotice) Empty() bool { return n == PrivacyNotice{} }

// HasPrivacyNotice reports whether the location has a privacy notice of its own.
func (l Location) HasPrivacyNotice() bool { return l.PrivacyText != "" || l.PrivacyURL != "" }

// PrivacyNotice returns the notice that the location's guests see. If the location has a text or a URL of its own,
// only these are used. Otherwise the notice of the account is used. The two are never mixed, because a text and a URL
// belong together.
func (l Location) PrivacyNotice(a Account) PrivacyNotice {
	if l.HasPrivacyNotice() {
		return PrivacyNotice{Text: l.PrivacyText, URL: l.PrivacyURL}
	}
	return a.Privacy
}

// SetPrivacyNotice changes the account's privacy notice and reports whether it changed.
func (a *Account) SetPrivacyNotice(text, url Field[string]) (changed bool, err error) {
	var c check
	notice := a.Privacy
	c.prose(text, "privacyText", MaxPrivacyText, &notice.Text)
	c.httpsURL(url, "privacyUrl", &notice.URL)
	if err := c.Err(); err != nil {
		return false, err
	}
	changed = notice != a.Privacy
	a.Privacy = notice
	return changed, nil
}

// User is a person who can log in.
type User struct {
	Account      string
	ID           string
	Email        string
	Name         string
	Language     string // of the dashboard, a BCP 47 tag; empty for the language of the browser
	Role         Role
	Locations    []string // locations that the user is limited to; nil means all locations of the account
	PasswordHash string
	CreatedAt    time.Time
	DisabledAt   time.Time
	TwoStepAt    time.Time // when two-step log-in was set up; zero if it was not
	// VerifiedAt is when the e-mail address was accepted as the user's: proved with a link or an external login, or
	// entered by the operator without proof (see NewMember). It is zero if neither has happened.
	VerifiedAt time.Time
	SeenAt     time.Time // approximate time of the last activity; zero if there was none
}

// Actor returns the actor for operations that the user performs.
func (u User) Actor() Actor {
	return Actor{Account: u.Account, Kind: ByUser, ID: u.ID, Name: u.Name, Role: u.Role, Locations: u.Locations}
}

// Disable blocks the user, or unblocks them if off is false.
func (u *User) Disable(off bool, now time.Time) { disable(&u.DisabledAt, off, now) }

// disable sets *at to now, unless it is already set. If off is false, it clears *at instead.
func disable(at *time.Time, off bool, now time.Time) {
	switch {
	case !off:
		*at = time.Time{}
	case at.IsZero():
		*at = now
	}
}
