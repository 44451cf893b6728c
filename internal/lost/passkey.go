package lost

import "time"

// Passkey is a key on somebody's device, with which they log in.
type Passkey struct {
	Account    string
	ID         string
	UserID     string
	Name       string
	Credential string    // what is known of it, as what checks answers writes it; nothing in it is secret
	UsedAt     time.Time // zero: never
	CreatedAt  time.Time
}

// MaxPasskeys is how many passkeys a person has at most.
const MaxPasskeys = 20

// CheckPasskeyName gives the name of a passkey, or says what is wrong with it.
func CheckPasskeyName(name string) (string, error) {
	var c check
	var read string
	c.line(Set(name), "name", maxPasskeyName, &read)
	if read == "" && !c.Has("name") {
		c.Add("name", "required", "is required, so that you know later which one it is")
	}
	return read, c.Err()
}

const maxPasskeyName = 60

// NewPasskey makes a passkey of a user.
func NewPasskey(u User, name, credential string, now time.Time) Passkey {
	return Passkey{Account: u.Account, ID: NewID(PasskeyID, now), UserID: u.ID, Name: name, Credential: credential, CreatedAt: now}
}

// TooManyPasskeys is the answer to one passkey more than a person may have.
func TooManyPasskeys() error {
	return E(Conflict, "You have %d passkeys, which is as many as can be kept. Remove one that you do not use.", MaxPasskeys)
}
