package app

import (
	"cmp"
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

// secretFile keeps the secret in the data folder where none is set.
const secretFile = "secret.key"

const minSecret = 16 // characters

// secret is the service's own secret: the setting, or one made once and kept in the data folder.
func (c *Config) secret() ([]byte, error) {
	if c.Secret != "" {
		return []byte(c.Secret), nil
	}
	if c.SecretFile != "" {
		lines, err := secretLines("HOMEWARD_SECRET_FILE", c.SecretFile)
		if err == nil && len(lines) != 1 {
			err = wrong("HOMEWARD_SECRET_FILE", "a file with one line, the secret")
		}
		if err != nil {
			return nil, err
		}
		return lines[0], nil
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

// formerSecrets are those that something may still be sealed with.
func (c *Config) formerSecrets() (secrets [][]byte, err error) {
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
	if slices.ContainsFunc(secrets, func(s []byte) bool { return len(s) < minSecret }) {
		return nil, wrong("HOMEWARD_SECRET_OLD", "secrets of at least 16 characters each, separated by commas")
	}
	return secrets, nil
}

// secretLines reads a file of secrets, one a line.
func secretLines(setting, file string) (lines [][]byte, err error) {
	const most = 64 << 10
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	if info.Size() > most {
		return nil, wrong(setting, "a file of secrets, which is never so large")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, []byte(line))
		}
	}
	if slices.ContainsFunc(lines, func(s []byte) bool { return len(s) < minSecret }) {
		return nil, wrong(setting, "lines of at least 16 characters")
	}
	return lines, nil
}

// useSecrets gives a database the secrets that the settings name, if they are its own.
func (c *Config) useSecrets(ctx context.Context, db *store.DB) (secret []byte, err error) {
	if secret, err = c.secret(); err != nil {
		return nil, err
	}
	former, err := c.formerSecrets()
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(db.UseSecret(secret, former...), db.CheckSecret(ctx)); err != nil {
		return nil, fmt.Errorf("HOMEWARD_SECRET: %w", err)
	}
	return secret, nil
}

type secretCommand struct {
	Rotate secretRotate `cmd:"" help:"Seal everything again with HOMEWARD_SECRET that former secrets (HOMEWARD_SECRET_OLD) have sealed, also while the service runs."`
}

type secretRotate struct{}

// Run seals everything again with the present secret.
func (secretRotate) Run(ctx context.Context, cfg *Config, out io.Writer) error {
	db, err := openExisting(ctx, cfg)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Migrate(ctx); err != nil {
		return fmt.Errorf("HOMEWARD_DATABASE: %w", err)
	}
	if _, err := cfg.useSecrets(ctx, db); err != nil {
		return err
	}
	done := 0
	err = db.RotateSecret(ctx, func(r store.Resealed) {
		if r.Done > 0 || r.Stuck > 0 {
			_, _ = fmt.Fprintf(out, "%s: %d sealed again", r.What, r.Done)
			if r.Stuck > 0 {
				_, _ = fmt.Fprintf(out, ", %d cannot be opened", r.Stuck)
			}
			_, _ = fmt.Fprintln(out)
		}
		done = max(done, r.Done)
	})
	if err != nil {
		return err
	}
	if done == 0 {
		_, _ = fmt.Fprintln(out, "nothing was left to seal again")
	}
	_, err = fmt.Fprintln(out, "everything is sealed with HOMEWARD_SECRET: start every copy without HOMEWARD_SECRET_OLD now")
	return err
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
