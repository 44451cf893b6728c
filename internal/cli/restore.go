package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"homeward/internal/app"
	"homeward/internal/backup"
)

type restoreCommand struct {
	Force     bool   `help:"Replace the content of the database."`
	Offline   bool   `help:"${offline_help}"`
	AnySecret bool   `help:"${any_secret_help}"`
	NoFiles   bool   `help:"Leave photos and documents out."`
	File      string `arg:"" help:"The backup."`
}

// Run restores a backup.
func (c *restoreCommand) Run(ctx context.Context, cfg *app.Config, out io.Writer, status statusWriter) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	f, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	progress, finish := status.progress("restore")
	defer finish()
	const checked = 0.2 // the share of the time that checking the backup takes
	h, m, err := backup.Verify(ctx, f, progress.Between(0, checked))
	finish()
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	advice, err := c.checkSecret(cfg, h)
	if err != nil {
		return err
	}
	// The folder is created here because the file store would create it with wider permissions.
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return fmt.Errorf("HOMEWARD_DATA: %w", err)
	}
	target := backup.Target{
		Database: cfg.Database, Force: c.Force, Offline: c.Offline, Now: time.Now,
		Progress: progress.Between(checked, 1),
	}
	if !c.NoFiles && h.Files {
		files, done, err := openFiles(ctx, "HOMEWARD_FILES", cfg.Files)
		if err != nil {
			return err
		}
		defer done()
		target.Files = files
	}
	if err := backup.Restore(ctx, f, h, m, target); err != nil {
		return app.Cause(err)
	}
	finish()
	if target.Files == nil {
		m.Files = 0
	}
	if advice != "" {
		status.printf("restore: %s", advice)
	}
	if ownedByAnother(cfg.Data) {
		status.printf("restore: WARNING: %s does not belong to the user who ran this command: "+
			"give the restored files the same owner as the folder; otherwise the service cannot use them "+
			"(chown -R --reference=%s %s)",
			cfg.Data, cfg.Data, cfg.Data)
	}
	_, err = fmt.Fprintf(out, "restored %d rows in %d tables and %d files, as they were on %s\n",
		m.Rows(), len(m.Tables), m.Files, h.Made.Format(time.RFC3339))
	return err
}

// checkSecret checks whether the configured secret or a former one matches the backup. It returns what the operator
// must do before the service can be started.
func (c *restoreCommand) checkSecret(cfg *app.Config, h backup.Header) (advice string, err error) {
	secret, former, err := cfg.Secrets()
	switch {
	case err != nil:
		return "", err
	case h.Secret == "" || app.IsFingerprint(h.Secret, secret):
		return "", nil
	case app.AnyFingerprint(h.Secret, former):
		return "the backup is encrypted with a former secret: start the service with the same " +
			"HOMEWARD_SECRET and HOMEWARD_SECRET_OLD, then run homeward secret rotate", nil
	case secret == nil:
		return fmt.Sprintf("A BACKUP DOES NOT CONTAIN THE SECRET. Before you start the service, "+
			"set HOMEWARD_SECRET to the former secret, or restore its file as %s. "+
			"If it is lost, run homeward secret reset.", cfg.SecretPath()), nil
	case c.AnySecret:
		return "the configured secret does not match the backup. Before you start the service, set HOMEWARD_SECRET " +
			"to the former secret. If it is lost, run homeward secret reset.", nil
	default:
		return "", fmt.Errorf("HOMEWARD_SECRET, or %s, does not match the backup: set the former secret, "+
			"or add it to HOMEWARD_SECRET_OLD if it was replaced; if it is lost, use --any-secret and then "+
			"homeward secret reset", cfg.SecretPath())
	}
}
