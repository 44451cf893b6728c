package app

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"homeward/internal/store"
)

// SecretFileName is the file in the data folder that contains the secret if no setting provides it.
const SecretFileName = "secret.key"

const minSecret = 16 // characters

// SecretAdvice tells the operator what to do about a missing or wrong secret.
const SecretAdvice = "set it to the secret that the service used before, or put secret.key back into the data " +
	"folder; if it is lost, run homeward secret reset"

// SecretPath returns the path of the file that contains the secret if no setting provides it.
func (c *Config) SecretPath() string { return filepath.Join(c.Data, SecretFileName) }

// CurrentSecret returns the service's secret from the settings or from the data folder. It returns nil if there is
// none, and does not create one.
func (c *Config) CurrentSecret() ([]byte, error) {
	if c.Secret != "" {
		return []byte(c.Secret), nil
	}
	if c.SecretFile != "" {
		lines, err := secretLines("HOMEWARD_SECRET_FILE", c.SecretFile)
		if err != nil {
			return nil, err
		}
		if len(lines) != 1 {
			return nil, InvalidSetting("HOMEWARD_SECRET_FILE", "a file that contains only the secret, on one line")
		}
		if isGuessable(string(lines[0])) {
			return nil, InvalidSetting("HOMEWARD_SECRET_FILE", "a file whose secret is "+guessableAdvice)
		}
		return lines[0], nil
	}
	text, err := os.ReadFile(c.SecretPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("HOMEWARD_SECRET is not set, and the secret file cannot be read: %w", err)
	}
	return []byte(strings.TrimSpace(string(text))), nil
}

// FormerSecrets returns the configured former secrets. Data may still be encrypted with them.
func (c *Config) FormerSecrets() (secrets [][]byte, err error) {
	for one := range strings.SplitSeq(c.SecretOld, ",") {
		if one = strings.TrimSpace(one); one != "" {
			secrets = append(secrets, []byte(one))
		}
	}
	if c.SecretOldFile != "" {
		lines, err := secretLines("HOMEWARD_SECRET_OLD_FILE", c.SecretOldFile)
		if err != nil {
			return nil, err
		}
		secrets = append(secrets, lines...)
	}
	if slices.ContainsFunc(secrets, isShortSecret) {
		return nil, InvalidSetting("HOMEWARD_SECRET_OLD", "secrets of at least 16 characters each, separated by commas")
	}
	return secrets, nil
}

func isShortSecret(secret []byte) bool { return len(secret) < minSecret }

// ReadSecretFile returns the content of a file that contains the value of a setting on one line. Errors begin with the
// given name of the setting and never contain the content.
func ReadSecretFile(setting, file string) (string, error) {
	text, err := readSmallFile(setting, file)
	if err != nil {
		return "", err
	}
	value := strings.TrimRight(text, "\r\n")
	switch {
	case strings.TrimSpace(value) == "": // the default may be wrong: without a database URL it is a new database
		return "", fmt.Errorf("%s: the file %s is empty", setting, file)
	case strings.ContainsAny(value, "\r\n\x00"):
		return "", InvalidSetting(setting, "a file that contains only the value, on one line")
	}
	return value, nil
}

// readSmallFile returns the content of a file that a setting names.
func readSmallFile(setting, file string) (string, error) {
	const maxSize = 64 << 10
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", setting, err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return "", fmt.Errorf("%s: %w", setting, err)
	}
	if len(text) > maxSize {
		return "", InvalidSetting(setting, "a file of at most 64 KB")
	}
	return string(text), nil
}

// secretLines reads a file that contains one secret per line. Blank lines are ignored.
func secretLines(setting, file string) (lines [][]byte, err error) {
	text, err := readSmallFile(setting, file)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, []byte(line))
		}
	}
	if slices.ContainsFunc(lines, isShortSecret) {
		return nil, InvalidSetting(setting, "a file in which every secret has at least 16 characters")
	}
	return lines, nil
}

// Secrets returns the current secret, which is nil if there is none, and the former secrets.
func (c *Config) Secrets() (current []byte, former [][]byte, err error) {
	if current, err = c.CurrentSecret(); err != nil {
		return nil, nil, err
	}
	former, err = c.FormerSecrets()
	return current, former, err
}

// useSecrets sets the secrets that a database encrypts and decrypts with. It returns an error if they do not match
// the database. If no current secret is configured, it creates one, but only if the database has never been used with
// a secret or if the database's secret is among the former ones, because it is being replaced.
func (c *Config) useSecrets(ctx context.Context, db *store.DB) (secret []byte, err error) {
	fingerprints, err := db.SecretFingerprints(ctx)
	if err != nil {
		return nil, err
	}
	secret, former, err := c.Secrets()
	if err != nil {
		return nil, err
	}
	if secret == nil {
		if len(fingerprints) > 0 && !AnyFingerprint(fingerprints[0], former) {
			return nil, errors.New("HOMEWARD_SECRET: the database was used with a secret, " +
				"but none is set: " + SecretAdvice)
		}
		if secret, err = createSecret(c.SecretPath()); err != nil {
			return nil, err
		}
	}
	return secret, SetSecrets(ctx, db, secret, former)
}

// SetSecrets sets the secrets that a database encrypts and decrypts with. It returns an error if they do not match
// the database.
func SetSecrets(ctx context.Context, db *store.DB, secret []byte, former [][]byte) error {
	if err := db.UseSecret(secret, former...); err != nil {
		return fmt.Errorf("HOMEWARD_SECRET: %w", err)
	}
	if err := db.CheckSecret(ctx); err != nil {
		return fmt.Errorf("HOMEWARD_SECRET: %w", err)
	}
	return nil
}

// IsFingerprint reports whether a fingerprint belongs to a secret.
func IsFingerprint(fingerprint string, secret []byte) bool {
	of, err := store.SecretFingerprint(secret)
	return err == nil && of == fingerprint
}

// AnyFingerprint reports whether a fingerprint belongs to one of the secrets.
func AnyFingerprint(fingerprint string, secrets [][]byte) bool {
	return slices.ContainsFunc(secrets, func(s []byte) bool { return IsFingerprint(fingerprint, s) })
}

// CreateSecret writes a new secret to the data folder and returns it. If the folder already has one, it returns that.
func (c *Config) CreateSecret() ([]byte, error) { return createSecret(c.SecretPath()) }

// createSecret writes a new secret to a file and returns it. If two processes do so at the same time, both return the
// same secret.
func createSecret(file string) ([]byte, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("HOMEWARD_DATA: %w", err)
	}
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	temp, err := os.CreateTemp(filepath.Dir(file), "secret-*")
	if err != nil {
		return nil, fmt.Errorf("HOMEWARD_DATA: save the secret: %w", err)
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	_, err = temp.WriteString(base64.StdEncoding.EncodeToString(raw) + "\n")
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return nil, fmt.Errorf("HOMEWARD_DATA: save the secret: %w", err)
	}
	if err := os.Link(temp.Name(), file); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("HOMEWARD_DATA: save the secret: %w", err)
	}
	text, err := os.ReadFile(file)
	return []byte(strings.TrimSpace(string(text))), err
}
