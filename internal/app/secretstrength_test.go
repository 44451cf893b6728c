package app_test

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"homeward/internal/app"
)

func TestGuessableSecretsAreRefused(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{
		strings.Repeat("a", 64), strings.Repeat("ab", 20), "passwordpassword", "PasswordPassword1", "changemechangeme",
		"change-me-please-now", "my-homeward-secret-1", "1234567890123456", "abcdefghijklmnopqrstuvwxyz",
		"secretsecretsecretsecret", "qwertyqwertyqwerty", "0000000000000001", "00000000-0000-0000-0000-000000000000",
		"hotel-secret-2026",
	} {
		cfg := newConfig(t, "")
		cfg.Secret = secret
		err := cfg.Validate()
		if err == nil || !strings.Contains(err.Error(), "HOMEWARD_SECRET must be harder to guess") ||
			strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", secret, err)
		}
		cfg.Secret, cfg.SecretFile = "", filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(cfg.SecretFile, []byte(secret+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := cfg.CurrentSecret(); err == nil || !strings.Contains(err.Error(), "HOMEWARD_SECRET_FILE") {
			t.Errorf("%q in a file: %v", secret, err)
		}
		cfg.SecretFile, cfg.SecretOld = "", secret // otherwise such a secret could not be replaced
		if _, err := cfg.FormerSecrets(); err != nil {
			t.Errorf("%q as a former secret: %v", secret, err)
		}
	}
}

func TestRandomSecretsAreAccepted(t *testing.T) {
	t.Parallel()
	const letters = "abcdefghijklmnopqrstuvwxyz"
	for range 2000 {
		raw := make([]byte, 32)
		_, _ = rand.Read(raw)
		lower := make([]byte, 32)
		for i, b := range raw {
			lower[i] = letters[int(b)%len(letters)]
		}
		for _, secret := range []string{
			base64.StdEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw[:24]),
			hex.EncodeToString(raw), hex.EncodeToString(raw[:16]), rand.Text() + rand.Text()[:6], string(lower),
		} {
			cfg := app.Config{Secret: secret}
			if err := cfg.CheckSecret(); err != nil {
				t.Fatalf("%q: %v", secret, err)
			}
		}
	}
}
