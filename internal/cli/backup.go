package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"homeward/internal/app"
	"homeward/internal/backup"
	"homeward/internal/media"
	"homeward/internal/store"
)

type backupCommand struct {
	Make   backupMake   `cmd:"" default:"withargs" help:"Back up the whole service to FILE while it runs."`
	Verify backupVerify `cmd:"" help:"Verify a backup without restoring it."`
}

type backupMake struct {
	NoFiles bool   `help:"Leave photos and documents out: back up the database only."`
	File    string `arg:"" help:"File to write. It does not contain the secret, which must be stored separately."`
}

// Run makes a backup.
func (c *backupMake) Run(ctx context.Context, cfg *app.Config, out io.Writer, status statusWriter) error {
	db, err := openExisting(ctx, cfg)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := backup.CheckOverwrite(ctx, c.File); err != nil {
		return err
	}
	restore, err := cfg.UseTempFolder()
	if err != nil {
		return err
	}
	defer restore()
	began := time.Now()
	m, err := c.write(ctx, cfg, db, status)
	if err != nil {
		return err
	}
	c.record(ctx, db, store.LastBackup{Made: began, Finished: time.Now(), Files: !c.NoFiles}, status)
	for _, name := range m.Names {
		status.printf("backup: WARNING: the file %s is missing in %s", name, cfg.Files)
	}
	if m.Deleted > 0 {
		status.printf("backup: %d files were deleted while the backup ran and are not included", m.Deleted)
	}
	_, _ = fmt.Fprintf(out, "%s: %d rows in %d tables, %d files (%d bytes)\n",
		c.File, m.Rows(), len(m.Tables), m.Files, m.Bytes)
	status.printf("backup: THE BACKUP DOES NOT CONTAIN THE SECRET, which is in %s. Store it separately: "+
		"without it, webhook secrets, two-step logins and passkeys are lost.", secretLocation(cfg))
	return warnAboutSecret(ctx, cfg, db, status)
}

// write writes the backup to the file, which exists only if the backup is complete.
func (c *backupMake) write(
	ctx context.Context, cfg *app.Config, db *store.DB, status statusWriter,
) (m backup.Manifest, err error) {
	progress, finish := status.progress("backup")
	defer finish()
	source := backup.Source{DB: db, Database: app.EngineName(cfg.Database), Now: time.Now, Progress: progress}
	if !c.NoFiles {
		files, done, err := openFiles(ctx, "HOMEWARD_FILES", cfg.Files)
		if err != nil {
			return m, err
		}
		defer done()
		source.Files = files
	}
	return m, replaceFile(c.File, func(w io.Writer) (err error) {
		m, err = backup.Write(ctx, w, source)
		return err
	})
}

// record stores in the database that the backup is complete. A failure is only a warning, because the backup can be
// used.
func (c *backupMake) record(ctx context.Context, db *store.DB, made store.LastBackup, status statusWriter) {
	if err := backup.Record(ctx, db, made); err != nil {
		status.printf("backup: WARNING: the backup is complete, but its time could not be recorded, so that "+
			"homeward doctor and the metrics do not know it: %v", app.Cause(err))
	}
}

// secretLocation returns where the service's secret is: the name of a setting or the path of a file.
func secretLocation(cfg *app.Config) string {
	switch {
	case cfg.Secret != "":
		return "the setting HOMEWARD_SECRET"
	case cfg.SecretFile != "":
		return cfg.SecretFile
	default:
		return cfg.SecretPath()
	}
}

// warnAboutSecret warns if the configured secret does not match the database. Without the warning, the operator might
// keep the wrong secret for the backup.
func warnAboutSecret(ctx context.Context, cfg *app.Config, db *store.DB, status statusWriter) error {
	fingerprints, err := db.SecretFingerprints(ctx)
	if err != nil || len(fingerprints) == 0 {
		return err
	}
	secret, _, err := cfg.Secrets()
	switch {
	case err != nil:
		status.printf("backup: WARNING: the secret could not be checked: %v", err)
	case secret == nil:
		status.printf("backup: WARNING: no secret is set: restoring this backup requires the service's secret")
	case !app.IsFingerprint(fingerprints[0], secret):
		status.printf("backup: WARNING: the configured secret does not match the database: " +
			"it cannot decrypt this backup")
	}
	return nil
}

// openExisting opens a database that must exist, and does not migrate it.
func openExisting(ctx context.Context, cfg *app.Config) (*store.DB, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if err := checkDatabaseExists(cfg); err != nil {
		return nil, err
	}
	return app.OpenDatabase(ctx, *cfg)
}

// openFiles opens the file store at a location. Errors begin with the name of the setting.
func openFiles(ctx context.Context, setting, location string) (media.Store, func(), error) {
	files, err := media.Open(ctx, location)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", setting, err)
	}
	return files, func() {
		if c, ok := files.(io.Closer); ok {
			_ = c.Close() // all of its files are already closed
		}
	}, nil
}

type backupVerify struct {
	output
	File string `arg:"" help:"The backup."`
}

// Run verifies a backup.
func (c *backupVerify) Run(ctx context.Context, out io.Writer, status statusWriter) error {
	f, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	progress, finish := status.progress("verify")
	h, m, err := backup.Verify(ctx, f, progress)
	finish()
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if c.JSON {
		return c.print(out, row{
			{"made", h.Made}, {"database", h.Database}, {"schema", h.Schema}, {"rows", m.Rows()},
			{"tables", len(m.Tables)},
			{"files", m.Files}, {"bytes", m.Bytes}, {"missing", m.Missing}, {"withFiles", h.Files},
			{"sha256", m.SHA256},
		})
	}
	_, err = fmt.Fprintf(out, "%s is complete: made %s from %s, schema version %d, %d rows in %d tables, %s\n",
		c.File, h.Made.Format(time.RFC3339), h.Database, h.Schema, m.Rows(), len(m.Tables), describeFiles(h, m))
	return err
}

func describeFiles(h backup.Header, m backup.Manifest) string {
	if !h.Files {
		return "without files"
	}
	return fmt.Sprintf("%d files (%d bytes), %d missing", m.Files, m.Bytes, m.Missing)
}
