// Package app builds the service from its packages and runs it. Config defines and checks all settings, which
// package cli reads. New builds an App from them, and Run serves until the context ends. The package also has the
// metrics, the secret from which the keys for encryption and links are derived, and the adapters that connect media and
// webhook to the use cases.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/mailbox"
	"homeward/internal/media"
	"homeward/internal/otlp"
	"homeward/internal/outbox"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/tlsconf"
	"homeward/internal/tracing"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

// App is the service, ready to run.
type App struct {
	cfg    Config
	log    *slog.Logger
	secret []byte
	db     *store.DB
	schema int64 // the schema version at startup
	files  meteredFiles
	// The monitors check the parts that only some requests need.
	filesMonitor, mailMonitor, replicaMonitor *monitor
	hooks                                     hooks
	services                                  *services.Services
	outbox                                    *outbox.Outbox
	texts                                     textReplies
	mailbox                                   *mailbox.Reader // nil if replies by e-mail are not read
	pictures                                  pictures
	demo                                      *demoFill           // fills a new demo; nil otherwise
	thumbnails                                *deferredThumbnails // the thumbnails of a new demo; nil otherwise
	assets                                    *respond.Assets
	handler                                   http.Handler
	metrics                                   *metrics
	ready                                     chan struct{} // closed when requests are handled
	stopping                                  atomic.Bool   // the service was told to stop

	migrating migrating // serves requests while the database is migrated

	mainListener    net.Listener
	metricsListener net.Listener // nil if metrics have no separate address
	debugListener   net.Listener // nil if profiles are not served
	plainListener   net.Listener // serves plain HTTP; nil unless HOMEWARD_HTTP_LISTEN is set
	redirect        http.Handler // the handler of plainListener

	exporter *otlp.Exporter  // nil if no collector is configured
	tracer   *tracing.Tracer // nil if no collector is configured
	acme     *tlsconf.ACME   // nil if ACME is not configured

	certificate *tlsconf.Files // nil unless the certificate is read from files
}

// New listens on the configured addresses, opens the configured database and file store, and migrates the database.
// While it migrates a database, requests get an error and health checks work.
// In an empty database it creates the first account and prints its credentials to out, once;
// if out is not a terminal, it writes them to a file instead.
func New(ctx context.Context, cfg Config, out io.Writer, log *slog.Logger) (_ *App, err error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	a := &App{cfg: cfg, log: log, metrics: newMetrics(), ready: make(chan struct{})}
	defer func() {
		if err != nil {
			a.close()
		}
	}()
	if a.assets, err = respond.NewAssets(); err != nil {
		return nil, err
	}
	steps := []func(context.Context) error{
		a.openExporter, a.listen, a.useCertificateFiles, a.openStores, a.useACME, a.wire,
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	a.warnOfSettings()
	if err := a.openDemo(ctx, out); err != nil {
		return nil, err
	}
	if a.demo == nil {
		err = a.createFirstAccount(ctx, out)
	}
	return a, err
}

// openStores opens the database and the file store.
func (a *App) openStores(ctx context.Context) (err error) {
	if a.db, err = a.cfg.AwaitDatabase(ctx, a.log); err != nil {
		return err
	}
	a.db.Observe(store.Observer{
		OnWrite: a.metrics.observeWrite, TraceQueries: a.tracer != nil, OnMigration: a.observeMigration,
	})
	if err := a.migrate(ctx); err != nil {
		return fmt.Errorf("HOMEWARD_DATABASE: %w", err)
	}
	if a.schema, err = a.db.SchemaVersion(ctx); err != nil {
		return fmt.Errorf("HOMEWARD_DATABASE: %w", err)
	}
	if a.cfg.Replica != "" {
		if err := a.db.UseReplica(ctx, a.cfg.Replica); err != nil {
			return fmt.Errorf("HOMEWARD_DATABASE_REPLICA: %w", err)
		}
	}
	if a.secret, err = a.cfg.useSecrets(ctx, a.db); err != nil {
		return err
	}
	files, err := media.Open(ctx, a.cfg.Files)
	if err != nil {
		return fmt.Errorf("HOMEWARD_FILES: %w", err)
	}
	// Set only after media.Open has succeeded, because App.close closes it.
	a.files = meteredFiles{files, a.metrics, func() { a.filesMonitor.suspect() }}
	return nil
}

// warnOfSettings logs a warning for each setting that has no effect or does not exist.
func (a *App) warnOfSettings() {
	for _, name := range a.cfg.Unused() {
		a.log.Warn("setting has no effect because of another setting", "setting", name, "payment", a.cfg.Payment,
			"carrier", a.cfg.Carrier)
	}
	for _, name := range UnknownSettings(os.Environ()) {
		a.log.Warn("unknown setting; check its spelling", "setting", name)
	}
}

// createFirstAccount creates an account with a user and an API key in an empty database, and prints or saves them.
func (a *App) createFirstAccount(ctx context.Context, out io.Writer) error {
	first, created, err := a.services.Accounts.CreateFirst(ctx,
		identity.FirstSettings{Email: a.cfg.AdminEmail, Password: a.cfg.AdminPassword, Key: a.cfg.APIKey})
	if err != nil {
		return fmt.Errorf("create the first account: %w", err)
	}
	if created {
		return a.printWelcome(out, first)
	}
	return nil
}

// OpenDatabase opens the configured database. It creates the data folder if necessary.
func OpenDatabase(ctx context.Context, cfg Config) (*store.DB, error) {
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, fmt.Errorf("HOMEWARD_DATA: %w", err)
	}
	db, err := store.Open(ctx, cfg.Database, cfg.now())
	if err != nil {
		return nil, openError{fmt.Errorf("HOMEWARD_DATABASE: %w", Cause(err)), lost.CodeOf(err) == lost.Unavailable}
	}
	return db, nil
}

// openError is the error of a database that cannot be opened.
type openError struct {
	error
	temporary bool // the database cannot be reached, so trying again may help
}

func (e openError) Unwrap() error { return e.error }

// AwaitDatabase is OpenDatabase, but waits up to HOMEWARD_DATABASE_WAIT for a database that cannot be reached. It logs
// when it begins to wait and when the database is there.
func (c *Config) AwaitDatabase(ctx context.Context, log *slog.Logger) (*store.DB, error) {
	const pause = 500 * time.Millisecond
	began, waiting := time.Now(), false
	for {
		db, err := OpenDatabase(ctx, *c)
		if err == nil && waiting {
			log.Info("the database is available", "after", time.Since(began).Round(time.Millisecond).String())
		}
		failed, ok := errors.AsType[openError](err)
		if !ok || !failed.temporary || time.Since(began) >= c.DatabaseWait {
			return db, err
		}
		if !waiting {
			waiting = true
			log.Warn("the database cannot be reached; waiting for it", "atMost", c.DatabaseWait.String(), "error", err)
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(pause):
		}
	}
}

// Cause returns the error that a lost.Error wraps, or err itself. The text of a lost.Error is for users, and the text
// of its cause is for the operator.
func Cause(err error) error {
	if e, ok := errors.AsType[*lost.Error](err); ok && e.Unwrap() != nil {
		return e.Unwrap()
	}
	return err
}

// EngineName returns the name of the database engine that the setting selects.
func EngineName(setting string) string {
	if store.IsPostgres(setting) {
		return "postgres"
	}
	return "sqlite"
}

// OpenOperator opens the database and returns the use cases for commands, and a function that closes the database.
// The use cases work whether or not the service is running.
func OpenOperator(ctx context.Context, cfg Config) (_ *services.Operator, done func(), err error) {
	if err := cfg.Validate(); err != nil {
		return nil, nil, err
	}
	db, err := OpenDatabase(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	if _, err := db.Migrate(ctx); err != nil {
		db.Close()
		return nil, nil, fmt.Errorf("HOMEWARD_DATABASE: %w", err)
	}
	// The database is not given a secret, because commands read no encrypted data.
	operator := services.NewOperator(services.OperatorOptions{
		DB: db, Wire: v1.Encoder{Base: cfg.PublicURL(cfg.Listen), Now: time.Now}, Now: time.Now, Hashing: cfg.Hashing,
	})
	return operator, db.Close, nil
}

func (a *App) close() {
	a.migrating.close()
	a.closeListeners()
	if a.hooks.sender != nil {
		a.hooks.sender.Close()
	}
	_ = a.files.Close() // an error cannot lose data, because all files are already closed
	if a.services != nil {
		a.services.Close()
	}
	if a.db != nil {
		a.db.Close()
	}
	if a.exporter != nil {
		_ = a.exporter.Close() // lost spans are counted, and log lines were also written to the local log
	}
}
