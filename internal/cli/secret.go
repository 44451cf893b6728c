package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"homeward/internal/app"
	"homeward/internal/store"
)

type secretCommand struct {
	Rotate secretRotate `cmd:"" help:"Re-encrypt everything with HOMEWARD_SECRET; the service may be running."`
	Reset  secretReset  `cmd:"" help:"Start again with a new secret after the former one was lost."`
}

type secretRotate struct {
	Offline bool `help:"Confirm that no instance is running, and skip the check that one has run with this secret."`
}

// Run re-encrypts everything with the current secret. The service may be running.
func (c secretRotate) Run(ctx context.Context, cfg *app.Config, out io.Writer) error {
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
	err = db.RotateSecret(ctx, func(r store.RotationProgress) {
		printRotated(out, r)
		done = max(done, r.Encrypted)
	})
	if err != nil {
		return err
	}
	if done == 0 {
		_, _ = fmt.Fprintln(out, "nothing left to re-encrypt")
	}
	_, err = fmt.Fprintln(out, "everything is encrypted with HOMEWARD_SECRET: "+
		"now restart every instance without HOMEWARD_SECRET_OLD\n"+
		"keep the former secret as long as you keep older backups: a restore needs it in HOMEWARD_SECRET_OLD")
	return err
}

func printRotated(out io.Writer, r store.RotationProgress) {
	if r.Encrypted == 0 && r.Unreadable == 0 {
		return
	}
	_, _ = fmt.Fprintf(out, "%s: %d re-encrypted", r.Column, r.Encrypted)
	if r.Unreadable > 0 {
		_, _ = fmt.Fprintf(out, ", %d cannot be decrypted", r.Unreadable)
	}
	_, _ = fmt.Fprintln(out)
}

// useSecrets sets the database's secrets, and returns an error if there is no current secret. An instance that has
// only the former secret could not decrypt data encrypted with the new one. The database must therefore already
// contain the new secret's fingerprint, which is stored when an instance starts with that secret.
func (c secretRotate) useSecrets(ctx context.Context, cfg *app.Config, db *store.DB) error {
	fingerprints, err := db.SecretFingerprints(ctx)
	if err != nil {
		return err
	}
	secret, former, err := cfg.Secrets()
	if err != nil {
		return err
	}
	if secret == nil {
		return errors.New("HOMEWARD_SECRET is not set, and there is no " + cfg.SecretPath() +
			": first start the service with the new secret, and the former one in HOMEWARD_SECRET_OLD")
	}
	isCurrent := func(p string) bool { return app.IsFingerprint(p, secret) }
	replaced := len(fingerprints) > 0 && app.AnyFingerprint(fingerprints[0], former)
	if !c.Offline && replaced && !slices.ContainsFunc(fingerprints, isCurrent) {
		return errors.New("no instance of the service has been started with this HOMEWARD_SECRET: " +
			"first start each instance with it, and with the former one in HOMEWARD_SECRET_OLD; " +
			"if no instance is running, add --offline")
	}
	return app.SetSecrets(ctx, db, secret, former)
}
