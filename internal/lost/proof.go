package lost

import (
	"slices"
	"time"
)

// Proof is a way in which somebody has shown who they are.
type Proof string

// The proofs.
const (
	PasswordProof Proof = "password" // they know the password
	CodeProof     Proof = "code"     // they have the app that makes codes
	RecoveryProof Proof = "recovery" // they have one of the codes that were shown once
)

// second tells whether a proof is enough beside a password, or without one. Whatever is more than something to know is.
func (p Proof) second() bool { return p != PasswordProof }

// Enough tells whether what was proven lets the user in: anything, and where a second step is asked for, that one.
func (u User) Enough(proven []Proof) bool {
	return len(proven) > 0 && (u.TwoStepAt.IsZero() || slices.ContainsFunc(proven, Proof.second))
}

// TwoStep is the second step of a person's log-in: the seed of the app's codes, and what was used already.
type TwoStep struct {
	Seed     string    // in base32; empty where there is no second step
	Since    time.Time // when it was confirmed by a code; zero while it is being set up
	Step     int64     // of the last code that was used, in steps of time
	Recovery []string  // hashes of the recovery codes that are left
}

// UseStep takes the code of a step of time, once: whoever looked over a shoulder cannot use it again.
func (t *TwoStep) UseStep(step int64) bool {
	if step <= t.Step {
		return false
	}
	t.Step = step
	return true
}

// UseRecovery takes a recovery code by its hash, once.
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
