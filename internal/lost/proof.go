package lost

import (
	"slices"
	"time"
)

// Proof is a way in which a user has authenticated.
type Proof string

// The proofs.
const (
	PasswordProof Proof = "password" // they know the password
	CodeProof     Proof = "code"     // they have the authenticator app
	RecoveryProof Proof = "recovery" // they have a recovery code
	PasskeyProof  Proof = "passkey"  // they have a passkey on a device that verified them
	VouchedProof  Proof = "vouched"  // a trusted identity provider says who they are
)

// second reports whether a proof is enough as a second step. Everything but a password is, except a log-in at an
// identity provider, because it is not known how the provider authenticated the user.
func (p Proof) second() bool { return p != PasswordProof && p != VouchedProof }

// Enough reports whether the user may log in with what was proven: anything, or a second step if the user has set one
// up.
func (u User) Enough(proven []Proof) bool {
	return len(proven) > 0 && (u.TwoStepAt.IsZero() || slices.ContainsFunc(proven, Proof.second))
}

// TwoStep is the second step of a user's log-in: the seed of the one-time codes, and what was already used.
type TwoStep struct {
	Seed     string    // in base32; empty if there is no second step
	Since    time.Time // when it was confirmed with a code; zero during set-up
	Step     int64     // time step of the last code that was used
	Recovery []string  // hashes of the unused recovery codes
}

// UseStep accepts the code of a time step once, so that an observer cannot use it again.
func (t *TwoStep) UseStep(step int64) bool {
	if step <= t.Step {
		return false
	}
	t.Step = step
	return true
}

// UseRecovery accepts a recovery code once, by its hash.
func (t *TwoStep) UseRecovery(hash string) bool {
	n := slices.Index(t.Recovery, hash)
	if n < 0 {
		return false
	}
	t.Recovery = slices.Delete(slices.Clone(t.Recovery), n, n+1)
	return true
}

// RecoveryCodes is how many recovery codes are made at once.
const RecoveryCodes = 10
