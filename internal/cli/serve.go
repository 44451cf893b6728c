package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"homeward/internal/app"
	"homeward/internal/memory"
)

type serveCommand struct{}

// Run runs the service until the context ends.
func (serveCommand) Run(ctx context.Context, cfg *app.Config, out io.Writer, settings reloader) error {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP) // from now on, SIGHUP does not end the process
	defer signal.Stop(hangups)
	if err := cfg.Validate(); err != nil {
		return err
	}
	memory.Limit()
	restore, err := cfg.UseTempFolder()
	if err != nil {
		return err
	}
	defer restore()
	level := newLevel(cfg)
	log := cfg.Logger(os.Stderr, level)
	service, err := app.New(ctx, *cfg, out, log)
	if err != nil {
		return err
	}
	notifySupervisor(ctx, stateReady, log) // by now the service is listening and the database is migrated
	ctx, cancel := context.WithCancel(ctx)
	var background sync.WaitGroup
	background.Go(func() {
		<-ctx.Done()
		notifySupervisor(context.WithoutCancel(ctx), stateStopping, log)
	})
	background.Go(func() { memory.Adapt(ctx) })
	background.Go(func() { memory.ReleaseStart(ctx) })
	background.Go(func() { settings.reloadOn(ctx, hangups, service, level, log) })
	defer background.Wait()
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
	db, err := cfg.AwaitDatabase(ctx, cfg.Logger(os.Stderr, newLevel(cfg)))
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
