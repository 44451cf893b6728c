package identity

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"fmt"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// TOTP manages two-step login with codes from an authenticator app.
type TOTP struct {
	db       *store.DB
	sessions *Sessions
}

// TOTPOptions are the dependencies of TOTP.
type TOTPOptions struct {
	DB       *store.DB
	Sessions *Sessions
}

// NewTOTP creates TOTP.
func NewTOTP(o TOTPOptions) *TOTP {
	return &TOTP{
		db: o.DB, sessions: o.Sessions,
	}
}

// Verify completes a login with a code from the person's app, or with a recovery code. It replaces the waiting
// session with a full session that has a new token.
func (s *TOTP) Verify(ctx context.Context, half Session, code string, from lost.Client) (in Session, err error) {
	tried := s.sessions.codeAttempt(half.User, from)
	if err := access.ThrottleNow(ctx, s.db, tried); err != nil {
		return in, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		proof, err := useCode(tx, half.User, code)
		if err != nil {
			return err
		}
		if err := access.Forgive(tx, tried); err != nil {
			return err
		}
		in, err = s.sessions.completeSignIn(tx, half, from, proof)
		return err
	})
	if lost.CodeOf(err) != lost.Invalid {
		return in, err
	}
	if err := s.db.Write(ctx, func(tx *store.Tx) error { // audited because the password was correct
		return access.Audit(tx, half.Actor(), lost.LogInFailed, half.Session.ID, "wrong code")
	}); err != nil {
		return in, err
	}
	return in, err
}

// useCode checks a user's app code or recovery code. Each code works only once.
func useCode(tx *store.Tx, u lost.User, code string) (lost.AuthProof, error) {
	if _, err := tx.LockUser(u.Account, u.ID); err != nil {
		return "", err
	}
	t, err := tx.TOTP(tx.Context(), u)
	if err != nil {
		return "", err
	}
	proof, valid := useOnce(&t, u, code, tx.Now())
	if !valid {
		return "", wrongCode()
	}
	return proof, tx.SaveTOTP(u, t)
}

// useOnce marks an app code or recovery code as used, and reports whether it was valid and unused.
func useOnce(t *lost.TOTPSettings, u lost.User, code string, now time.Time) (lost.AuthProof, bool) {
	code = normalizeCode(code)
	if step, valid := stepOf(t.Seed, code, now); valid {
		return lost.CodeProof, t.UseStep(step)
	}
	return lost.RecoveryProof, t.UseRecovery(recoveryHash(u, code))
}

func wrongCode() error {
	var p lost.Problems
	p.Add("code", "not-right", "this code is wrong or was already used. Wait for the next code")
	return p.Err()
}

// normalizeCode returns a code in lower case, without spaces and hyphens.
func normalizeCode(code string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r == '\u00a0' {
			return -1
		}
		return r
	}, strings.ToLower(strings.TrimSpace(code)))
}

// period is how long the app shows a code.
const period = 30 * time.Second

// stepOf returns the time step for which a code is valid: the current one, the previous or the next, because the
// clocks of the app and the server may differ. valid is false if there is none.
func stepOf(seed, code string, now time.Time) (step int64, valid bool) {
	if seed == "" || len(code) != int(otp.DigitsSix) {
		return 0, false
	}
	at := now.Unix() / int64(period/time.Second)
	for _, step := range []int64{at, at - 1, at + 1} {
		want, err := totp.GenerateCode(seed, time.Unix(step*int64(period/time.Second), 0))
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			return step, true
		}
	}
	return 0, false
}

var seedText = base32.StdEncoding.WithPadding(base32.NoPadding)

// PendingTOTP is the data for setting up two-step login in an app.
type PendingTOTP struct {
	Seed string // in groups of characters, for typing
	URL  string // the content of the QR code
}

// Begin creates a seed for two-step login. Two-step login stays off until Confirm is called with a code from the
// person's app.
func (s *TOTP) Begin(ctx context.Context, in Session) error {
	const seedBytes = 20
	return s.db.Write(ctx, func(tx *store.Tx) error {
		u, err := tx.LockUser(in.User.Account, in.User.ID)
		if err != nil {
			return err
		}
		if !u.TwoStepAt.IsZero() {
			return lost.E(lost.Conflict, "Two-step login is already on. Turn it off first to set up another app.")
		}
		seed := make([]byte, seedBytes)
		_, _ = rand.Read(seed) // never fails
		return tx.SaveTOTP(u, lost.TOTPSettings{Seed: seedText.EncodeToString(seed)})
	})
}

// Pending returns the data of the two-step login that a person is setting up. The error is NotFound if there is none.
func (s *TOTP) Pending(ctx context.Context, in Session) (n PendingTOTP, err error) {
	t, err := s.db.TOTP(ctx, in.User)
	if err != nil {
		return n, err
	}
	if t.Seed == "" || !t.Since.IsZero() {
		return n, lost.Missing("two-step login that is being set up")
	}
	raw, err := seedText.DecodeString(t.Seed)
	if err != nil {
		return n, fmt.Errorf("decode a TOTP seed: %w", err)
	}
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "Homeward", AccountName: in.User.Email, Secret: raw})
	if err != nil {
		return n, fmt.Errorf("create a TOTP URL: %w", err)
	}
	const group = 4
	return PendingTOTP{Seed: grouped(strings.ToLower(t.Seed), group, " "), URL: key.URL()}, nil
}

// grouped inserts a separator between groups of size characters.
func grouped(text string, size int, separator string) string {
	var parts []string
	for ; len(text) > size; text = text[size:] {
		parts = append(parts, text[:size])
	}
	return strings.Join(append(parts, text), separator)
}

// Confirm enables two-step login with a code from the new app, and ends the person's other sessions. It requires the
// person's password, because otherwise an intruder could lock the person out. It returns the recovery codes, which are
// shown only once.
func (s *TOTP) Confirm(ctx context.Context, in Session, password, code string) (recovery []string, err error) {
	err = s.sessions.withPassword(ctx, in, password, func(tx *store.Tx, u lost.User) error {
		t, err := tx.TOTP(tx.Context(), u)
		if err != nil {
			return err
		}
		if t.Seed == "" || !t.Since.IsZero() {
			return lost.E(lost.Conflict, "Two-step login is not being set up.")
		}
		step, valid := stepOf(t.Seed, normalizeCode(code), tx.Now())
		if !valid {
			return wrongCode()
		}
		recovery, t.Recovery = newRecovery(u)
		t.Since, t.Step = tx.Now(), step
		if err := tx.SaveTOTP(u, t); err != nil {
			return err
		}
		if err := notifyUser(tx, u, TOTPEnabled, u.Email); err != nil {
			return err
		}
		return in.endOthers(tx, u, "two-step login switched on")
	})
	return recovery, err
}

// newRecovery returns new recovery codes, and their hashes to store.
func newRecovery(u lost.User) (shown, hashes []string) {
	const length, group = 15, 5
	for range lost.RecoveryCodes {
		code := strings.ToLower(rand.Text()[:length])
		shown, hashes = append(shown, grouped(code, group, "-")), append(hashes, recoveryHash(u, code))
	}
	return shown, hashes
}

// recoveryHash returns the hash of a recovery code to store. A code has 75 bits of entropy, so it needs no slow hash.
func recoveryHash(u lost.User, code string) string { return store.DirectoryHash(u.ID + " " + code) }

// RenewRecovery creates new recovery codes. The old ones stop working.
func (s *TOTP) RenewRecovery(ctx context.Context, in Session, password string) (recovery []string, err error) {
	err = s.sessions.withPassword(ctx, in, password, func(tx *store.Tx, u lost.User) error {
		t, err := tx.TOTP(tx.Context(), u)
		if err != nil {
			return err
		}
		if t.Since.IsZero() {
			return lost.E(lost.Conflict, "Two-step login is off. Turn it on to get recovery codes.")
		}
		recovery, t.Recovery = newRecovery(u)
		if err := tx.SaveTOTP(u, t); err != nil {
			return err
		}
		if err := notifyUser(tx, u, RecoveryRenewed, u.Email); err != nil {
			return err
		}
		return access.Audit(tx, in.actorFor(u), lost.PersonChanged, u.ID, auditNote(u, "new recovery codes"))
	})
	return recovery, err
}

// Disable disables a person's two-step login. It returns an error if the password is wrong.
func (s *TOTP) Disable(ctx context.Context, in Session, password string) error {
	return s.sessions.withPassword(ctx, in, password, func(tx *store.Tx, u lost.User) error {
		if u.TwoStepAt.IsZero() {
			return nil
		}
		if err := tx.DeleteTOTP(u); err != nil {
			return err
		}
		if err := notifyUser(tx, u, TOTPDisabled, u.Email); err != nil {
			return err
		}
		return access.Audit(tx, in.actorFor(u), lost.PersonChanged, u.ID, auditNote(u, "two-step login switched off"))
	})
}

// RecoveryLeft returns how many recovery codes a person has left.
func (s *TOTP) RecoveryLeft(ctx context.Context, in Session) (int, error) {
	t, err := s.db.TOTP(ctx, in.User)
	return len(t.Recovery), err
}
