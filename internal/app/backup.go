package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"homeward/internal/backup"
	"homeward/internal/media"
	"homeward/internal/store"
	"homeward/internal/store/transfer"
)

// sidelines is where a command says how far it has come: not where its answer goes.
type sidelines struct{ io.Writer }

func (s sidelines) say(format string, args ...any) { _, _ = fmt.Fprintf(s, format+"\n", args...) }

// progress tells how far something long has come, every few seconds.
func (s sidelines) progress(what string) backup.Progress {
	const often = 2 * time.Second
	last := time.Now()
	return func(doing string, done int64) {
		if now := time.Now(); now.Sub(last) >= often {
			last = now
			s.say("%s: %s, %d", what, doing, done)
		}
	}
}

type backupCommand struct {
	Make   backupMake   `cmd:"" default:"withargs" help:"Write the whole service into FILE, while it runs."`
	Verify backupVerify `cmd:"" help:"Check a backup without restoring it."`
}

type backupMake struct {
	NoFiles bool   `help:"Leave photos and papers out: the rows alone."`
	File    string `arg:"" help:"File to write. It has everything but the service's secret, which must be kept apart."`
}

// Run takes a backup.
func (c *backupMake) Run(ctx context.Context, cfg *Config, out io.Writer, side sidelines) error {
	db, err := openExisting(ctx, cfg)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := backup.Replaces(ctx, c.File); err != nil {
		return err
	}
	undo, err := cfg.useTempFolder()
	if err != nil {
		return err
	}
	defer undo()
	source := backup.Source{DB: db, Database: engineName(cfg.Database), Now: time.Now, Progress: side.progress("backup")}
	if !c.NoFiles {
		files, done, err := openFiles(ctx, "HOMEWARD_FILES", cfg.Files)
		if err != nil {
			return err
		}
		defer done()
		source.Files = files
	}
	var m backup.Manifest
	err = replaceFile(c.File, func(w io.Writer) (err error) {
		m, err = backup.Write(ctx, w, source)
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range m.Names {
		side.say("backup: file %s was deleted meanwhile, and is not in it", name)
	}
	_, _ = fmt.Fprintf(out, "%s: %d rows of %d tables, %d files of %d bytes\n", c.File, m.Rows(), len(m.Tables), m.Files, m.Bytes)
	side.say("backup: THE SECRET IS NOT IN IT. Keep HOMEWARD_SECRET, or %s, at another place: without it, guests' links and what is sealed are lost.", cfg.keptSecret())
	return tellSecretFits(ctx, cfg, db, side)
}

// tellSecretFits warns who would keep a secret beside a backup that it does not open.
func tellSecretFits(ctx context.Context, cfg *Config, db *store.DB, side sidelines) error {
	used, err := db.SecretPrints(ctx)
	if err != nil || len(used) == 0 {
		return err
	}
	secret, _, err := cfg.givenSecrets()
	switch {
	case err != nil:
		side.say("backup: WARNING: whether the secret fits cannot be told: %v", err)
	case secret == nil:
		side.say("backup: WARNING: there is no secret here: this backup needs the one that the service has")
	case !isPrint(used[0], secret):
		side.say("backup: WARNING: the secret that is set here is not the one that the database is used with: it does not open this backup")
	}
	return nil
}

// openExisting opens a database that must be there, and changes nothing of it.
func openExisting(ctx context.Context, cfg *Config) (*store.DB, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if _, err := os.Stat(cfg.Database); !store.IsPostgres(cfg.Database) && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no database at %s: is HOMEWARD_DATA right?", cfg.Database)
	}
	return OpenDatabase(ctx, *cfg)
}

// openFiles opens the place of files that a setting says, by whose name what is wrong with it is told.
func openFiles(ctx context.Context, setting, says string) (media.Store, func(), error) {
	files, err := media.Open(ctx, says)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", setting, err)
	}
	return files, func() {
		if c, ok := files.(io.Closer); ok {
			_ = c.Close() // nothing is open in it any more
		}
	}, nil
}

type backupVerify struct {
	output
	File string `arg:"" help:"The backup."`
}

// Run checks a backup.
func (c *backupVerify) Run(ctx context.Context, out io.Writer, side sidelines) error {
	f, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	h, m, err := backup.Verify(ctx, f, side.progress("verify"))
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if c.JSON {
		return c.print(out, row{
			{"made", h.Made}, {"database", h.Database}, {"schema", h.Schema}, {"rows", m.Rows()}, {"tables", len(m.Tables)},
			{"files", m.Files}, {"bytes", m.Bytes}, {"missing", m.Missing}, {"withFiles", h.Files}, {"sha256", m.SHA256},
		})
	}
	_, err = fmt.Fprintf(out, "%s is whole: made %s from %s, schema version %d, %d rows of %d tables, %s\n",
		c.File, h.Made.Format(time.RFC3339), h.Database, h.Schema, m.Rows(), len(m.Tables), filesIn(h, m))
	return err
}

func filesIn(h backup.Head, m backup.Manifest) string {
	if !h.Files {
		return "without files"
	}
	return fmt.Sprintf("%d files of %d bytes, %d were missing", m.Files, m.Bytes, m.Missing)
}

type restoreCommand struct {
	Force     bool   `help:"Replace what the database holds."`
	Offline   bool   `help:"It is true that no service runs on the PostgreSQL database, although others are connected to it."`
	AnySecret bool   `help:"Restore although the secret that is set is not the one of the backup. The service will not start with it."`
	NoFiles   bool   `help:"Leave photos and papers out."`
	File      string `arg:"" help:"The backup."`
}

// Run restores a backup.
func (c *restoreCommand) Run(ctx context.Context, cfg *Config, out io.Writer, side sidelines) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	f, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	h, m, err := backup.Verify(ctx, f, side.progress("check"))
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := c.checkSecret(cfg, h, side); err != nil {
		return err
	}
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil { // before the place of files makes it, for more to read
		return fmt.Errorf("HOMEWARD_DATA: %w", err)
	}
	target := backup.Target{Database: cfg.Database, Force: c.Force, Offline: c.Offline, Now: time.Now, Progress: side.progress("restore")}
	if !c.NoFiles && h.Files {
		files, done, err := openFiles(ctx, "HOMEWARD_FILES", cfg.Files)
		if err != nil {
			return err
		}
		defer done()
		target.Files = files
	}
	if err := backup.Restore(ctx, f, h, m, target); err != nil {
		return forOperators(err)
	}
	if target.Files == nil {
		m.Files = 0
	}
	if isOthers(cfg.Data) {
		side.say("restore: WARNING: %s belongs to another user than the one that this ran as: give that user what was written, or the service cannot use it (chown -R --reference=%s %s)", cfg.Data, cfg.Data, cfg.Data)
	}
	_, err = fmt.Fprintf(out, "restored %d rows of %d tables and %d files, as they were on %s\n", m.Rows(), len(m.Tables), m.Files, h.Made.Format(time.RFC3339))
	return err
}

// checkSecret tells whether the secret, or a former one, fits what will be restored.
func (c *restoreCommand) checkSecret(cfg *Config, h backup.Head, side sidelines) error {
	secret, former, err := cfg.givenSecrets()
	switch {
	case err != nil:
		return err
	case h.Secret == "" || isPrint(h.Secret, secret):
		return nil
	case anyPrint(h.Secret, former):
		side.say("restore: the backup is sealed with a former secret: start the service with the same HOMEWARD_SECRET and HOMEWARD_SECRET_OLD, then run homeward secret rotate")
		return nil
	case secret == nil:
		side.say("restore: THE SECRET IS NOT IN A BACKUP. Before the service starts, set HOMEWARD_SECRET to the former one, or put its file back as %s.", cfg.keptSecret())
		return nil
	case c.AnySecret:
		side.say("restore: the secret that is set is not the one of the backup: the service will not start before HOMEWARD_SECRET is the former one")
		return nil
	default:
		return fmt.Errorf("HOMEWARD_SECRET, or %s, is not the secret that the backup's service had: set the former one, also in HOMEWARD_SECRET_OLD where it was replaced (or restore without it, with --any-secret)", cfg.keptSecret())
	}
}

type moveCommand struct {
	To      string `required:"" placeholder:"DB" help:"The PostgreSQL database to move to, postgres://…"`
	Account string `placeholder:"ID" help:"Move this account alone, acc_…; it is gone from here then. Default: everything."`
	Files   string `name:"copy-files" placeholder:"DIR" help:"Copy photos and papers there: s3://bucket?… or a folder. Default: they stay where they are."`
	Offline bool   `help:"It is true that no service runs on the PostgreSQL database, although others are connected to it."`
	GiveUp  bool   `help:"Give up a move that was begun: what has arrived of it is removed from the PostgreSQL database, and nothing else."`
}

// Run moves. The service must not run: neither here nor there.
func (c *moveCommand) Run(ctx context.Context, cfg *Config, out io.Writer, side sidelines) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	if store.IsPostgres(cfg.Database) {
		return errors.New("HOMEWARD_DATABASE is PostgreSQL already: a move goes from a SQLite file to postgres://…")
	}
	if !store.IsPostgres(c.To) {
		return errors.New("--to takes postgres://user:password@host:5432/name")
	}
	undo, err := cfg.useTempFolder()
	if err != nil {
		return err
	}
	defer undo()
	progress := side.progress("move")
	m := transfer.Move{From: cfg.Database, To: c.To, Account: c.Account, Offline: c.Offline, Clock: time.Now, Progress: progress}
	if c.GiveUp {
		if err := m.Abort(ctx); err != nil {
			return forOperators(err)
		}
		_, err := fmt.Fprintln(out, "the move is given up: this database may be used again")
		return err
	}
	if c.Files != "" {
		m.BeforeFinish = func(s *store.Snapshot) error { return c.copyFiles(ctx, cfg, s, out, progress) }
	}
	all, err := m.Run(ctx)
	if err != nil {
		return forOperators(err)
	}
	rows := int64(0)
	for _, t := range all {
		rows += t.Rows
	}
	_, _ = fmt.Fprintf(out, "moved %d rows of %d tables, and compared them\n", rows, len(all))
	rest := "HOMEWARD_FILES as it is"
	if c.Files != "" {
		rest = "HOMEWARD_FILES to where they were copied"
	}
	if c.Account != "" && c.Files != "" {
		side.say("move: the account's files are still here too, where nothing will remove them: %s", cfg.Files)
	}
	side.say("move: set HOMEWARD_DATABASE to the PostgreSQL database, %s, and keep the same HOMEWARD_SECRET (or %s)", rest, cfg.keptSecret())
	return nil
}

func (c *moveCommand) copyFiles(ctx context.Context, cfg *Config, s *store.Snapshot, out io.Writer, progress backup.Progress) error {
	from, done, err := openFiles(ctx, "HOMEWARD_FILES", cfg.Files)
	if err != nil {
		return err
	}
	defer done()
	to, done2, err := openFiles(ctx, "--copy-files", c.Files)
	if err != nil {
		return err
	}
	defer done2()
	copied, missing, err := backup.CopyFiles(ctx, s, c.Account, from, to, progress)
	_, _ = fmt.Fprintf(out, "copied %d files; %d that are named were not there\n", copied, missing)
	return err
}
