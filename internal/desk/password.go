package desk

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
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

	minPassword = 10
	maxPassword = 200
)

// hashing bounds how many hashes are made at once: each takes hashMemory KiB.
var hashing = make(chan struct{}, 2)

// hashPassword gives the form in which a password is kept.
func hashPassword(ctx context.Context, password string) (string, error) {
	if n := utf8.RuneCountInString(password); n < minPassword || n > maxPassword {
		var p lost.Problems
		p.Add("password", "out-of-range", "must have %d to %d characters", minPassword, maxPassword)
		return "", p.Err()
	}
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	sum, err := argon(ctx, password, salt)
	if err != nil {
		return "", err
	}
	enc := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, hashMemory, hashPasses, hashThreads, enc(salt), enc(sum)), nil
}

// PasswordMatches compares a password with what is kept of it.
func PasswordMatches(ctx context.Context, kept, password string) (bool, error) {
	parts := strings.Split(kept, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, nil
	}
	salt, err1 := base64.RawStdEncoding.DecodeString(parts[4])
	want, err2 := base64.RawStdEncoding.DecodeString(parts[5])
	if err1 != nil || err2 != nil {
		return false, nil
	}
	sum, err := argon(ctx, password, salt)
	return err == nil && subtle.ConstantTimeCompare(sum, want) == 1, err
}

func argon(ctx context.Context, password string, salt []byte) ([]byte, error) {
	select {
	case hashing <- struct{}{}:
		defer func() { <-hashing }()
		return argon2.IDKey([]byte(password), salt, hashPasses, hashMemory, hashThreads, hashBytes), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
