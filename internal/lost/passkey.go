package lost

import "time"

// Passkey is a key on a user's device with which they log in.
type Passkey struct {
	Account    string
	ID         string
	UserID     string
	Name       string
	Credential string    // public data, as the WebAuthn library writes it; nothing in it is secret
	UsedAt     time.Time // zero: never
	CreatedAt  time.Time
}

// MaxPasskeys is the most passkeys that a person can have.
const MaxPasskeys = 20

// CheckPasskeyName returns the cleaned name of a passkey, or what is wrong with it.
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

// NewPasskey makes a passkey of a user.
func NewPasskey(u User, name, credential string, now time.Time) Passkey {
	return Passkey{
		Account: u.Account, ID: NewID(PasskeyID, now), UserID: u.ID, Name: name, Credential: credential, CreatedAt: now,
	}
}

// TooManyPasskeysError is the error for one passkey too many.
func TooManyPasskeysError() error {
	return E(Conflict, "You have %d passkeys, the maximum. Remove one that you do not use.", MaxPasskeys)
}
