package lost

import (
	"slices"
	"time"
)

// AuthProof is a way in which a user has authenticated.
type AuthProof string

// The proofs.
const (
	PasswordProof AuthProof = "password" // they know the password
	CodeProof     AuthProof = "code"     // they have the authenticator app
	RecoveryProof AuthProof = "recovery" // they have a recovery code
	PasskeyProof  AuthProof = "passkey"  // they have a passkey on a device that verified them
	ProviderProof AuthProof = "vouched"  // a trusted identity provider says who they are
)

// second reports whether a proof is enough as a second step. Everything but a password is, except a log-in at an
// identity provider, because it is not known how the provider authenticated the user.
func (p AuthProof) second() bool { return p != PasswordProof && p != ProviderProof }

// MayLogInWith reports whether the user may log in with what was proven: anything, or a second step if the user has set
// one up.
func (u User) MayLogInWith(proven []AuthProof) bool {
	return len(proven) > 0 && (u.TwoStepAt.IsZero() || slices.ContainsFunc(proven, AuthProof.second))
}

// TOTPSettings is the second step of a user's log-in: the seed of the one-time codes, and what was already used.
type TOTPSettings struct {
	Seed     string    // in base32; empty if there is no second step
	Since    time.Time // when it was confirmed with a code; zero during set-up
	Step     int64     // time step of the last code that was used
	Recovery []string  // hashes of the unused recovery codes
}

// UseStep accepts the code of a time step once, so that an observer cannot use it again.
func (t *TOTPSettings) UseStep(step int64) bool {
	if step <= t.Step {
		return false
	}
	t.Step = step
	return true
}

// UseRecovery accepts a recovery code once, by its hash.
func (t *TOTPSettings) UseRecovery(hash string) bool {
	n := slices.Index(t.Recovery, hash)
	if n < 0 {
		return false
	}
	t.Recovery = slices.Delete(slices.Clone(t.Recovery), n, n+1)
	return true
}

// RecoveryCodes is how many recovery codes are made at once.
const RecoveryCodes = 10
