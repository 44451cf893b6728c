package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"homeward/internal/app"
)

type serveCommand struct{}

// Run runs the service until the context ends.
func (serveCommand) Run(ctx context.Context, cfg *app.Config, out io.Writer) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	limitMemory()
	restore, err := cfg.UseTempFolder()
	if err != nil {
		return err
	}
	defer restore()
	log := cfg.Logger(os.Stderr)
	service, err := app.New(ctx, *cfg, out, log)
	if err != nil {
		return err
	}
	notifySupervisor(ctx, stateReady, log) // by now the service is listening and the database is migrated
	ctx, cancel := context.WithCancel(ctx)
	var notifying sync.WaitGroup
	notifying.Go(func() {
		<-ctx.Done()
		notifySupervisor(context.WithoutCancel(ctx), stateStopping, log)
	})
	defer notifying.Wait()
	defer cancel()
	return service.Run(ctx)
}

type migrateCommand struct {
	Citus bool `help:"${citus_help}"`
}

// Run migrates the database.
func (c migrateCommand) Run(ctx context.Context, cfg *app.Config, out io.Writer) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	db, err := cfg.AwaitDatabase(ctx, cfg.Logger(os.Stderr))
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
	distributed, err := db.Distribute(ctx)
	if err != nil {
		return fmt.Errorf("HOMEWARD_DATABASE: %w", err)
	}
	for _, table := range distributed {
		_, _ = fmt.Fprintln(out, "distributed", table)
	}
	if len(distributed) == 0 {
		_, _ = fmt.Fprintln(out, "nothing to distribute: every table is already distributed")
	}
	return nil
}
