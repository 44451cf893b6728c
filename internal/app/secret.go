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

// knownSecret is the service's own secret: the setting, or the one that is kept in the data folder. None is made; nil says that there is none.
func (c *Config) knownSecret() ([]byte, error) {
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
	text, err := os.ReadFile(c.keptSecret())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("HOMEWARD_SECRET is not set and the file that keeps it cannot be read: %w", err)
	}
	return []byte(strings.TrimSpace(string(text))), nil
}

// keptSecret is the file that keeps the secret where none is set.
func (c *Config) keptSecret() string { return filepath.Join(c.Data, secretFile) }

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

// giveItBack is what to do about a secret that is not at hand.
const giveItBack = "set it to the secret that the service had, or put secret.key back into the data folder"

// useSecrets gives a database the secrets that the settings name, if they are its own. One is made for a database that was never used with any, and for
// one whose secret is given as a former one: that is how it is replaced.
func (c *Config) useSecrets(ctx context.Context, db *store.DB) (secret []byte, err error) {
	used, err := db.SecretPrints(ctx)
	if err != nil {
		return nil, err
	}
	secret, former, err := c.givenSecrets()
	if err != nil {
		return nil, err
	}
	if secret == nil {
		if len(used) > 0 && !anyPrint(used[0], former) {
			return nil, errors.New("HOMEWARD_SECRET: the database was used with a secret, and there is none here: " + giveItBack)
		}
		if secret, err = makeSecret(c.keptSecret()); err != nil {
			return nil, err
		}
	}
	return secret, giveSecrets(ctx, db, secret, former)
}

// givenSecrets are the present one, nil where there is none, and former ones.
func (c *Config) givenSecrets() (secret []byte, former [][]byte, err error) {
	if secret, err = c.knownSecret(); err != nil {
		return nil, nil, err
	}
	former, err = c.formerSecrets()
	return secret, former, err
}

func giveSecrets(ctx context.Context, db *store.DB, secret []byte, former [][]byte) error {
	if err := cmp.Or(db.UseSecret(secret, former...), db.CheckSecret(ctx)); err != nil {
		return fmt.Errorf("HOMEWARD_SECRET: %w", err)
	}
	return nil
}

// isPrint tells whether a fingerprint is that of a secret.
func isPrint(tells string, secret []byte) bool {
	of, err := store.SecretPrint(secret)
	return err == nil && of == tells
}

// anyPrint tells whether a fingerprint is that of one of some secrets.
func anyPrint(tells string, secrets [][]byte) bool {
	return slices.ContainsFunc(secrets, func(s []byte) bool { return isPrint(tells, s) })
}

type secretCommand struct {
	Rotate secretRotate `cmd:"" help:"Seal everything again with HOMEWARD_SECRET that former secrets (HOMEWARD_SECRET_OLD) have sealed, also while the service runs."`
}

type secretRotate struct {
	Offline bool `help:"It is true that no copy of the service runs: none needs to have been started with the new secret before."`
}

// Run seals everything again with the present secret.
func (c secretRotate) Run(ctx context.Context, cfg *Config, out io.Writer) error {
	db, err := openExisting(ctx, cfg)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Migrate(ctx); err != nil {
		return fmt.Errorf("HOMEWARD_DATABASE: %w", err)
	}
	if err := c.useSecrets(ctx, cfg, db); err != nil {
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
	_, err = fmt.Fprintln(out, "everything is sealed with HOMEWARD_SECRET: start every copy without HOMEWARD_SECRET_OLD now\n"+
		"keep the former secret for as long as you keep backups from before: they are restored with it in HOMEWARD_SECRET_OLD")
	return err
}

// useSecrets gives the database its secrets, and makes none. A service that runs with the former one alone could not open what is sealed again: the new
// one must be known to the database already, which it is when a copy was started with it.
func (c secretRotate) useSecrets(ctx context.Context, cfg *Config, db *store.DB) error {
	used, err := db.SecretPrints(ctx)
	if err != nil {
		return err
	}
	secret, former, err := cfg.givenSecrets()
	switch {
	case err != nil:
		return err
	case secret == nil:
		return errors.New("HOMEWARD_SECRET is not set, and there is no " + cfg.keptSecret() + ": start the service with the new secret first, and the former one in HOMEWARD_SECRET_OLD")
	case !c.Offline && len(used) > 0 && anyPrint(used[0], former) && !slices.ContainsFunc(used, func(p string) bool { return isPrint(p, secret) }):
		return errors.New("no copy of the service has been started with this HOMEWARD_SECRET: first start each with it, and with the former one in HOMEWARD_SECRET_OLD; where none runs, say so with --offline")
	}
	return giveSecrets(ctx, db, secret, former)
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
