package app

import (
	"context"
	"fmt"
	"io"
	"os"
)

type serveCommand struct{}

// Run serves until the context ends.
func (serveCommand) Run(ctx context.Context, cfg *Config, out io.Writer) error {
	keepWithinMemory()
	a, err := New(ctx, *cfg, out, cfg.Logger(os.Stderr))
	if err != nil {
		return err
	}
	return a.Run(ctx)
}

type migrateCommand struct{}

// Run migrates the database.
func (migrateCommand) Run(ctx context.Context, cfg *Config, out io.Writer) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	db, err := OpenDatabase(ctx, *cfg)
	if err != nil {
		return err
	}
	defer db.Close()
	applied, err := db.Migrate(ctx)
	for _, name := range applied {
		_, _ = fmt.Fprintln(out, "applied", name)
	}
	if err != nil {
		return fmt.Errorf("HOMEWARD_DATABASE: %w", err)
	}
	if len(applied) == 0 {
		_, _ = fmt.Fprintln(out, "nothing to do: the database is up to date")
	}
	return nil
}
