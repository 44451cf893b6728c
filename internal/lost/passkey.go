package lost

import "time"

// Passkey is a key on a user's device that they use to log in.
type Passkey struct {
	Account    string
	ID         string
	UserID     string
	Name       string
	Credential string    // public data in the format of the WebAuthn library; it contains no secrets
	UsedAt     time.Time // zero if never used
	CreatedAt  time.Time
}

// recentPasskey is how long a passkey counts as recently added.
const recentPasskey = 7 * 24 * time.Hour

// Recent reports whether the passkey was added in the last days. The user confirms recent passkeys when they choose a
// new password.
func (p Passkey) Recent(now time.Time) bool { return now.Sub(p.CreatedAt) < recentPasskey }

// MaxPasskeys is the maximum number of passkeys that a person can have.
const MaxPasskeys = 20

// CheckPasskeyName returns the normalized name of a passkey, or an error if it is not valid.
func CheckPasskeyName(name string) (string, error) {
	var c check
	var read string
	c.line(Set(name), "name", maxPasskeyName, &read)
	if read == "" && !c.Has("name") {
		c.Add("name", "required", "is required, so that you can recognise it later")
	}
	return read, c.Err()
}

const maxPasskeyName = 60

// NewPasskey returns a new passkey for a user.
func NewPasskey(u User, name, credential string, now time.Time) Passkey {
	return Passkey{
		Account: u.Account, ID: NewID(PasskeyID, now), UserID: u.ID, Name: name, Credential: credential, CreatedAt: now,
	}
}

// TooManyPasskeysError returns the error for adding a passkey beyond the limit.
func TooManyPasskeysError() error {
	return E(Conflict, "You already have the maximum of %d passkeys. Remove one that you do not use.", MaxPasskeys)
}
