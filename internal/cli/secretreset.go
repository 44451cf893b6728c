package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"homeward/internal/app"
	"homeward/internal/identity"
	"homeward/internal/store"
	"homeward/internal/webhook"
)

type secretReset struct {
	Confirmed bool `name:"i-have-lost-it" help:"${i_have_lost_it_help}"`
}

// Run replaces a lost secret and prints what is lost with it. No instance of the service may be running.
func (c secretReset) Run(ctx context.Context, cfg *app.Config, out io.Writer) error {
	db, err := openExisting(ctx, cfg)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Migrate(ctx); err != nil {
		return fmt.Errorf("HOMEWARD_DATABASE: %w", err)
	}
	secret, err := lostSecret(ctx, cfg, db)
	if err != nil {
		return err
	}
	lost, err := db.CountSecretLoss(ctx)
	if err != nil {
		return err
	}
	if !c.Confirmed {
		printLoss(out, "would be lost:", lost)
		_, err := fmt.Fprintln(out, "nothing was changed: if the secret is really lost, stop every instance of the "+
			"service and add --i-have-lost-it")
		return err
	}
	if secret == nil {
		if secret, err = cfg.CreateSecret(); err != nil {
			return err
		}
	}
	if err := db.UseSecret(secret); err != nil {
		return fmt.Errorf("HOMEWARD_SECRET: %w", err)
	}
	if err := identity.ResetSecret(ctx, db, webhook.NewSecret); err != nil {
		return fmt.Errorf("%w (run the command again to continue)", err)
	}
	printLoss(out, "lost:", lost)
	_, err = fmt.Fprintf(out, "the database now uses the secret in %s: copy it to a safe place, "+
		"then start the service\n", secretLocation(cfg))
	return err
}

// lostSecret returns the configured secret, or nil if there is none. It returns an error if no secret is lost.
func lostSecret(ctx context.Context, cfg *app.Config, db *store.DB) ([]byte, error) {
	fingerprints, err := db.SecretFingerprints(ctx)
	if err != nil {
		return nil, err
	}
	if len(fingerprints) == 0 {
		return nil, errors.New("the database has not been used with a secret yet: start the service")
	}
	secret, former, err := cfg.Secrets()
	if err != nil {
		return nil, err
	}
	configured := former
	if secret != nil {
		configured = append(configured, secret)
	}
	for _, fingerprint := range fingerprints {
		if !app.AnyFingerprint(fingerprint, configured) {
			return secret, nil
		}
	}
	return nil, errors.New("HOMEWARD_SECRET: no secret is lost: the configured secrets match the database; " +
		"to replace a known secret, use homeward secret rotate")
}

// printLoss prints what a reset of the secret removes, and what it keeps.
func printLoss(out io.Writer, heading string, l store.SecretLoss) {
	_, _ = fmt.Fprintln(out, heading)
	for _, line := range []struct {
		n                int
		one, many, after string
	}{
		{l.Endpoints, "webhook secret", "webhook secrets",
			"each webhook gets a new one, shown under Settings › Webhooks"},
		{l.Headers, "webhook with custom headers", "webhooks with custom headers", "enter the headers again"},
		{l.SecondSteps, "two-step login", "two-step logins",
			"these users log in with their password and set it up again"},
		{l.Passkeys, "passkey", "passkeys", "their users add them again"},
		{l.Responses, "stored response", "stored responses", "only repeated API requests need them"},
		{l.Connections, "connection to a hotel system", "connections to hotel systems",
			"enter their credentials again"},
		{l.Challenges, "log-in in progress or TLS certificate", "log-ins in progress and TLS certificates",
			"certificates are requested again"},
	} {
		name := line.many
		if line.n == 1 {
			name = line.one
		}
		_, _ = fmt.Fprintf(out, "%6d  %s: %s\n", line.n, name, line.after)
	}
	_, _ = fmt.Fprintf(out, "kept:\n%6d  guest links: links already sent keep working\n"+
		"        carrier, payment, mail and log-in provider keys: they are settings, not in the database\n", l.Links)
}
