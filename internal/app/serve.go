package app

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
)

type serveCommand struct{}

// Run serves until the context ends.
func (serveCommand) Run(ctx context.Context, cfg *Config, out io.Writer) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	keepWithinMemory()
	undo, err := cfg.useTempFolder()
	if err != nil {
		return err
	}
	defer undo()
	log := cfg.Logger(os.Stderr)
	a, err := New(ctx, *cfg, out, log)
	if err != nil {
		return err
	}
	tellSupervisor(ctx, nowReady, log) // it listens, and has migrated
	ctx, cancel := context.WithCancel(ctx)
	var telling sync.WaitGroup
	telling.Go(func() {
		<-ctx.Done()
		tellSupervisor(context.WithoutCancel(ctx), nowStopping, log)
	})
	defer telling.Wait()
	defer cancel()
	return a.Run(ctx)
}

type migrateCommand struct {
	Citus bool `help:"Spread the tables over the machines of a Citus (an extension of PostgreSQL), by account. Needed once; later steps spread what is new by themselves."`
}

// Run migrates the database.
func (c migrateCommand) Run(ctx context.Context, cfg *Config, out io.Writer) error {
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
	if !c.Citus {
		return nil
	}
	spread, err := db.Distribute(ctx)
	if err != nil {
		return fmt.Errorf("HOMEWARD_DATABASE: %w", err)
	}
	for _, table := range spread {
		_, _ = fmt.Fprintln(out, "spread", table)
	}
	if len(spread) == 0 {
		_, _ = fmt.Fprintln(out, "nothing to spread: every table is")
	}
	return nil
}
