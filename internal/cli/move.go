package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"homeward/internal/app"
	"homeward/internal/backup"
	"homeward/internal/store"
	"homeward/internal/store/transfer"
)

type moveCommand struct {
	To      string `required:"" placeholder:"DB" help:"The PostgreSQL database to move to, postgres://…"`
	Account string `placeholder:"ID" help:"Move only this account, acc_…; delete the original. Default: everything."`
	Files   string `name:"copy-files" placeholder:"DIR" help:"${move_files_help}"`
	Offline bool   `help:"${offline_help}"`
	GiveUp  bool   `help:"${give_up_help}"`
}

// Run moves the data. The service must not be running on either database.
func (c *moveCommand) Run(ctx context.Context, cfg *app.Config, out io.Writer, status statusWriter) error {
	if err := c.check(cfg); err != nil {
		return err
	}
	restore, err := cfg.UseTempFolder()
	if err != nil {
		return err
	}
	defer restore()
	progress, finish := status.progress("move")
	defer finish()
	m := transfer.Move{
		From: cfg.Database, To: c.To, Account: c.Account, Offline: c.Offline, Clock: time.Now, Progress: progress,
	}
	if c.GiveUp {
		if err := m.Abort(ctx); err != nil {
			return app.Cause(err)
		}
		_, err := fmt.Fprintln(out, "the move was abandoned; this database can be used again")
		return err
	}
	if c.Files != "" {
		m.BeforeFinish = func(s *store.Snapshot) error { return c.copyFiles(ctx, cfg, s, out, progress) }
	}
	tables, err := m.Run(ctx)
	finish()
	if err != nil {
		return app.Cause(err)
	}
	rows := int64(0)
	for _, t := range tables {
		rows += t.Rows
	}
	_, _ = fmt.Fprintf(out, "moved and verified %d rows in %d tables\n", rows, len(tables))
	c.printNextSteps(cfg, status)
	return nil
}

func (c *moveCommand) check(cfg *app.Config) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	if store.IsPostgres(cfg.Database) {
		return errors.New("HOMEWARD_DATABASE is already PostgreSQL: only a SQLite database can be moved")
	}
	if !store.IsPostgres(c.To) {
		return errors.New("--to must be postgres://user:password@host:5432/name")
	}
	return nil
}

// printNextSteps prints the settings that the operator has to change.
func (c *moveCommand) printNextSteps(cfg *app.Config, status statusWriter) {
	files := "leave HOMEWARD_FILES unchanged"
	if c.Files != "" {
		files = "set HOMEWARD_FILES to the location of the copied files"
	}
	if c.Account != "" && c.Files != "" {
		status.printf("move: the original copies of the account's files are not removed automatically: %s", cfg.Files)
	}
	status.printf("move: set HOMEWARD_DATABASE to the PostgreSQL database, %s, and keep the same HOMEWARD_SECRET (or "+
		"the file %s)",
		files, cfg.SecretPath())
}

func (c *moveCommand) copyFiles(
	ctx context.Context, cfg *app.Config, s *store.Snapshot, out io.Writer, progress backup.Progress,
) error {
	from, closeFrom, err := openFiles(ctx, "HOMEWARD_FILES", cfg.Files)
	if err != nil {
		return err
	}
	defer closeFrom()
	to, closeTo, err := openFiles(ctx, "--copy-files", c.Files)
	if err != nil {
		return err
	}
	defer closeTo()
	copied, missing, err := backup.CopyFiles(ctx, s, c.Account, from, to, progress)
	_, _ = fmt.Fprintf(out, "copied %d files; %d were missing\n", copied, missing)
	return err
}
