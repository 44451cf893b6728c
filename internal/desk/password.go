package desk

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"homeward/internal/lost"
)

// argon2id with 19 MiB and two passes, as OWASP recommends for interactive logins.
const (
	hashMemory  = 19 * 1024
	hashPasses  = 2
	hashThreads = 1
	hashBytes   = 32
)

// NewPassword makes one up, of 80 bits.
func NewPassword() string { return strings.ToLower(rand.Text()[:16]) }

// hasher makes password hashes, a few at a time: each takes hashMemory KiB.
type hasher struct{ turns chan struct{} }

func newHasher() hasher { return hasher{make(chan struct{}, 2)} }

// hash gives the form in which a password is kept.
func (h hasher) hash(ctx context.Context, password string) (string, error) {
	if n := utf8.RuneCountInString(password); n < lost.MinPassword || n > lost.MaxPassword {
		var p lost.Problems
		p.Add("password", "out-of-range", "must have %d to %d characters", lost.MinPassword, lost.MaxPassword)
		return "", p.Err()
	}
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	sum, err := h.sum(ctx, password, salt)
	if err != nil {
		return "", err
	}
	enc := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, hashMemory, hashPasses, hashThreads, enc(salt), enc(sum)), nil
}

// matches compares a password with what is kept of it.
func (h hasher) matches(ctx context.Context, kept, password string) (bool, error) {
	parts := strings.Split(kept, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, errors.New("read a password hash: it is not of a kind that is made here")
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	want, wantErr := base64.RawStdEncoding.DecodeString(parts[5])
	if err := errors.Join(saltErr, wantErr); err != nil {
		return false, fmt.Errorf("read a password hash: %w", err)
	}
	sum, err := h.sum(ctx, password, salt)
	return err == nil && subtle.ConstantTimeCompare(sum, want) == 1, err
}

func (h hasher) sum(ctx context.Context, password string, salt []byte) ([]byte, error) {
	select {
	case h.turns <- struct{}{}:
		defer func() { <-h.turns }()
		return argon2.IDKey([]byte(password), salt, hashPasses, hashMemory, hashThreads, hashBytes), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
