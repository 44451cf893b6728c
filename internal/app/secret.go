package app

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// secretFile keeps the secret in the data folder where none is set.
const secretFile = "secret.key"

// secret is the service's own secret: the setting, or one made once and kept in the data folder.
func (c *Config) secret() ([]byte, error) {
	if c.Secret != "" {
		return []byte(c.Secret), nil
	}
	file := filepath.Join(c.Data, secretFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return makeSecret(file)
	}
	if err != nil {
		return nil, fmt.Errorf("HOMEWARD_SECRET is not set and the file that keeps it cannot be read: %w", err)
	}
	return []byte(strings.TrimSpace(string(text))), nil
}

// makeSecret writes a new secret so that of two programs that start together, both end up with the same.
func makeSecret(file string) ([]byte, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("HOMEWARD_DATA: %w", err)
	}
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	temp, err := os.CreateTemp(filepath.Dir(file), "secret-*")
	if err != nil {
		return nil, fmt.Errorf("HOMEWARD_DATA: keep a secret: %w", err)
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	_, err = temp.WriteString(base64.StdEncoding.EncodeToString(raw) + "\n")
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return nil, fmt.Errorf("HOMEWARD_DATA: keep a secret: %w", err)
	}
	if err := os.Link(temp.Name(), file); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("HOMEWARD_DATA: keep a secret: %w", err)
	}
	text, err := os.ReadFile(file)
	return []byte(strings.TrimSpace(string(text))), err
}
