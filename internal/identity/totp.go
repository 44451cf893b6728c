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

// TOTP is the second step of a log-in, by codes of an app.
type TOTP struct {
	db       *store.DB
	sessions *Sessions
}

// TOTPOptions are the dependencies of TOTP.
type TOTPOptions struct {
	DB       *store.DB
	Sessions *Sessions
}

// NewTOTP makes TOTP.
func NewTOTP(o TOTPOptions) *TOTP {
	return &TOTP{
		db: o.DB, sessions: o.Sessions,
	}
}

// Verify finishes a log-in with a code of the person's app, or with a recovery code. The waiting session ends,
// and the new one has another token.
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
	if err := s.db.Write(ctx, func(tx *store.Tx) error { // somebody knows the password
		return access.Audit(tx, half.Actor(), lost.LogInFailed, half.Session.ID, "a wrong code")
	}); err != nil {
		return in, err
	}
	return in, err
}

// useCode uses a code or a recovery code of a user. Each works once.
func useCode(tx *store.Tx, u lost.User, code string) (lost.AuthProof, error) {
	if _, err := tx.LockUser(u.Account, u.ID); err != nil {
		return "", err
	}
	t, err := tx.TOTP(tx.Context(), u)
	if err != nil {
		return "", err
	}
	proof, right := useOnce(&t, u, code, tx.Now())
	if !right {
		return "", wrongCode()
	}
	return proof, tx.SaveTOTP(u, t)
}

// useOnce marks a code as used.
func useOnce(t *lost.TOTPSettings, u lost.User, code string, now time.Time) (lost.AuthProof, bool) {
	code = normalizeCode(code)
	if step, right := stepOf(t.Seed, code, now); right {
		return lost.CodeProof, t.UseStep(step)
	}
	return lost.RecoveryProof, t.UseRecovery(recoveryHash(u, code))
}

func wrongCode() error {
	var p lost.Problems
	p.Add("code", "not-right", "this code is wrong or was already used. Wait for the next code")
	return p.Err()
}

// normalizeCode is a code without spaces and hyphens.
func normalizeCode(code string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r == '\u00a0' {
			return -1
		}
		return r
	}, strings.ToLower(strings.TrimSpace(code)))
}

// period is how long one code is valid.
const period = 30 * time.Second

// stepOf finds the time step that a code belongs to. Clocks may differ by one step.
func stepOf(seed, code string, now time.Time) (step int64, right bool) {
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

// PendingTOTP is a second step that is being set up.
type PendingTOTP struct {
	Seed string // in groups, for typing
	URL  string // for a QR code
}

// Begin makes the seed of a second step. The step is off until a code confirms that the person's app has the
// seed.
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

// Pending gives the second step that a person is setting up; NotFound if there is none.
func (s *TOTP) Pending(ctx context.Context, in Session) (n PendingTOTP, err error) {
	t, err := s.db.TOTP(ctx, in.User)
	if err != nil {
		return n, err
	}
	if t.Seed == "" || !t.Since.IsZero() {
		return n, lost.Missing("second step that is being set up")
	}
	raw, err := seedText.DecodeString(t.Seed)
	if err != nil {
		return n, fmt.Errorf("read the seed of a second step: %w", err)
	}
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "Homeward", AccountName: in.User.Email, Secret: raw})
	if err != nil {
		return n, fmt.Errorf("describe a second step: %w", err)
	}
	const group = 4
	return PendingTOTP{Seed: grouped(strings.ToLower(t.Seed), group, " "), URL: key.URL()}, nil
}

// grouped inserts a separator after every few characters.
func grouped(text string, size int, between string) string {
	var parts []string
	for ; len(text) > size; text = text[size:] {
		parts = append(parts, text[:size])
	}
	return strings.Join(append(parts, text), between)
}

// Confirm switches the second step on with a code of the new app. The person confirms it with their password,
// because an intruder's second step would lock them out. It gives the recovery codes, which are shown once.
func (s *TOTP) Confirm(ctx context.Context, in Session, password, code string) (recovery []string, err error) {
	err = s.sessions.withPassword(ctx, in, password, func(tx *store.Tx, u lost.User) error {
		t, err := tx.TOTP(tx.Context(), u)
		if err != nil {
			return err
		}
		if t.Seed == "" || !t.Since.IsZero() {
			return lost.E(lost.Conflict, "Two-step login is not being set up.")
		}
		step, right := stepOf(t.Seed, normalizeCode(code), tx.Now())
		if !right {
			return wrongCode()
		}
		recovery, t.Recovery = newRecovery(u)
		t.Since, t.Step = tx.Now(), step
		if err := tx.SaveTOTP(u, t); err != nil {
			return err
		}
		if err := notifyUser(tx, u, TwoStepOn, u.Email); err != nil {
			return err
		}
		return access.Audit(tx, u.Actor(), lost.PersonChanged, u.ID, auditNote(u, "second step switched on"))
	})
	return recovery, err
}

// newRecovery makes recovery codes, as they are shown and as they are stored.
func newRecovery(u lost.User) (shown, kept []string) {
	const length, group = 15, 5
	for range lost.RecoveryCodes {
		code := strings.ToLower(rand.Text()[:length])
		shown, kept = append(shown, grouped(code, group, "-")), append(kept, recoveryHash(u, code))
	}
	return shown, kept
}

// recoveryHash is the stored form of a recovery code: 75 random bits need no slow hash.
func recoveryHash(u lost.User, code string) string { return store.DirectoryHash(u.ID + " " + code) }

// RenewRecovery makes new recovery codes; the old ones stop working.
func (s *TOTP) RenewRecovery(ctx context.Context, in Session, password string) (recovery []string, err error) {
	err = s.sessions.withPassword(ctx, in, password, func(tx *store.Tx, u lost.User) error {
		t, err := tx.TOTP(tx.Context(), u)
		if err != nil {
			return err
		}
		if t.Since.IsZero() {
			return lost.E(lost.Conflict, "Two-step login is off, so it needs no recovery codes.")
		}
		recovery, t.Recovery = newRecovery(u)
		if err := tx.SaveTOTP(u, t); err != nil {
			return err
		}
		return access.Audit(tx, u.Actor(), lost.PersonChanged, u.ID, auditNote(u, "new recovery codes"))
	})
	return recovery, err
}

// Disable switches the second step off.
func (s *TOTP) Disable(ctx context.Context, in Session, password string) error {
	return s.sessions.withPassword(ctx, in, password, func(tx *store.Tx, u lost.User) error {
		if u.TwoStepAt.IsZero() {
			return nil
		}
		if err := tx.DeleteTOTP(u); err != nil {
			return err
		}
		if err := notifyUser(tx, u, TwoStepOff, u.Email); err != nil {
			return err
		}
		return access.Audit(tx, u.Actor(), lost.PersonChanged, u.ID, auditNote(u, "second step switched off"))
	})
}

// RecoveryLeft tells how many recovery codes a person has left.
func (s *TOTP) RecoveryLeft(ctx context.Context, in Session) (int, error) {
	t, err := s.db.TOTP(ctx, in.User)
	return len(t.Recovery), err
}
