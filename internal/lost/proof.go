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
