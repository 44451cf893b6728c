package lost

import (
	"slices"
	"time"
)

// AuthProof is a method with which a user has authenticated.
type AuthProof string

// The proofs.
const (
	PasswordProof AuthProof = "password" // they know the password
	CodeProof     AuthProof = "code"     // they have the authenticator app
	RecoveryProof AuthProof = "recovery" // they have a recovery code
	PasskeyProof  AuthProof = "passkey"  // they have a passkey on a device that verified them
	ProviderProof AuthProof = "vouched"  // a trusted identity provider has authenticated them
)

// second reports whether a proof is valid as a second step. A password is not. A log-in at an identity provider is
// not either, because it is not known how the provider authenticated the user.
func (p AuthProof) second() bool { return p != PasswordProof && p != ProviderProof }

// MayLogInWith reports whether the proofs are sufficient for the user to log in. A user with two-step log-in needs a
// second step.
func (u User) MayLogInWith(proven []AuthProof) bool {
	return len(proven) > 0 && (u.TwoStepAt.IsZero() || slices.ContainsFunc(proven, AuthProof.second))
}

// TOTPSettings contains the data for a user's two-step log-in: the seed of the one-time codes, the last code that was
// used, and the recovery codes.
type TOTPSettings struct {
	Seed     string    // in base32; empty if there is no second step
	Since    time.Time // when it was confirmed with a code; zero during set-up
	Step     int64     // time step of the last code that was used
	Recovery []string  // hashes of the unused recovery codes
}

// UseStep accepts the code of a time step. It returns false if this code or a later one was already used, so that an
// observer cannot reuse a code.
func (t *TOTPSettings) UseStep(step int64) bool {
	if step <= t.Step {
		return false
	}
	t.Step = step
	return true
}

// UseRecovery accepts a recovery code with this hash. It returns false if there is none or it was already used.
func (t *TOTPSettings) UseRecovery(hash string) bool {
	n := slices.Index(t.Recovery, hash)
	if n < 0 {
		return false
	}
	t.Recovery = slices.Delete(slices.Clone(t.Recovery), n, n+1)
	return true
}

// RecoveryCodes is the number of recovery codes that a user gets.
const RecoveryCodes = 10

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

// Challenge is a log-in step that waits for the response from a passkey or an identity provider. It can be used once.
type Challenge struct {
	Kind      ChallengeKind
	Account   string // the user's account; empty if the user is not known yet
	UserID    string
	Data      string // data that is needed to verify the response
	ExpiresAt time.Time
}

// ChallengeKind is the operation that a challenge belongs to. A response to one kind is not valid for another.
type ChallengeKind string

// The kinds of challenge.
const (
	PasskeyAdding          ChallengeKind = "passkey-adding"
	PasskeyLoginChallenge  ChallengeKind = "passkey-entering"
	PasskeySecondStep      ChallengeKind = "passkey-second-step"
	PasskeyConfirming      ChallengeKind = "passkey-confirming"
	ExternalLoginChallenge ChallengeKind = "vouching"
)

// Life returns how long a challenge is valid. It is longer for identity providers, because the user may need their
// phone to log in there.
func (k ChallengeKind) Life() time.Duration {
	if k == ExternalLoginChallenge {
		return 15 * time.Minute
	}
	return 5 * time.Minute
}

// NewChallenge returns a new challenge for a user. If the user is not known yet, u is the zero value.
func NewChallenge(kind ChallengeKind, u User, data string, now time.Time) Challenge {
	return Challenge{Kind: kind, Account: u.Account, UserID: u.ID, Data: data, ExpiresAt: now.Add(kind.Life())}
}
