package identity

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

// Hashing is the cost of hashing a password.
type Hashing struct {
	Memory uint32 // in KiB
	Passes uint32
}

// FullHashing is the cost that OWASP recommends for interactive logins: argon2id with 19 MiB and two passes. It is
// the default. Only tests use a lower cost, because they log in thousands of times.
var FullHashing = Hashing{Memory: 19 * 1024, Passes: 2}

const (
	hashThreads = 1
	hashBytes   = 32
	saltBytes   = 16

	maxConcurrent = 2
)

// NewPassword returns a random password with 80 bits of entropy.
func NewPassword() string { return strings.ToLower(rand.Text()[:16]) }

// Hasher hashes passwords. It limits concurrency, because each hash needs a lot of memory.
type Hasher struct {
	cost   Hashing
	nobody string        // a hash that matches no password, but takes as long to compare as any other
	slots  chan struct{} // limits how many hashes are computed concurrently
}

// NewHasher creates a Hasher.
func NewHasher(cost Hashing) *Hasher {
	if cost == (Hashing{}) {
		cost = FullHashing
	}
	nobody := encodeHash(cost, make([]byte, saltBytes), make([]byte, hashBytes))
	return &Hasher{cost: cost, nobody: nobody, slots: make(chan struct{}, maxConcurrent)}
}

// encodeHash returns the text in which a password hash is stored. It includes the cost, so that existing hashes stay
// valid when the cost changes.
func encodeHash(cost Hashing, salt, sum []byte) string {
	enc := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, cost.Memory, cost.Passes, hashThreads,
		enc(salt), enc(sum))
}

// decodeHash parses a stored password hash.
func decodeHash(stored string) (cost Hashing, salt, sum []byte, err error) {
	parts := strings.Split(stored, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return cost, nil, nil, errors.New("read a password hash: unknown format")
	}
	_, costErr := fmt.Sscanf(parts[3], "m=%d,t=%d,p=1", &cost.Memory, &cost.Passes)
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	sum, sumErr := base64.RawStdEncoding.DecodeString(parts[5])
	if err := errors.Join(costErr, saltErr, sumErr); err != nil {
		return cost, nil, nil, fmt.Errorf("read a password hash: %w", err)
	}
	if cost.Passes < 1 {
		return cost, nil, nil, errors.New("read a password hash: number of passes is 0")
	}
	return cost, salt, sum, nil
}

// hash returns the hash of a password to store. It returns an error if the password is too short or too long.
func (h *Hasher) hash(ctx context.Context, password string) (string, error) {
	if n := utf8.RuneCountInString(password); n < lost.MinPassword || n > lost.MaxPassword {
		var p lost.Problems
		p.Add("password", "out-of-range", "must have %d to %d characters", lost.MinPassword, lost.MaxPassword)
		return "", p.Err()
	}
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // never fails
	sum, err := h.sum(ctx, h.cost, password, salt)
	if err != nil {
		return "", err
	}
	return encodeHash(h.cost, salt, sum), nil
}

// matches reports whether a password matches a stored hash.
func (h *Hasher) matches(ctx context.Context, stored, password string) (bool, error) {
	cost, salt, want, err := decodeHash(stored)
	if err != nil {
		return false, err
	}
	sum, err := h.sum(ctx, cost, password, salt)
	return err == nil && subtle.ConstantTimeCompare(sum, want) == 1, err
}

func (h *Hasher) sum(ctx context.Context, cost Hashing, password string, salt []byte) ([]byte, error) {
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
		return argon2.IDKey([]byte(password), salt, cost.Passes, cost.Memory, hashThreads, hashBytes), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
