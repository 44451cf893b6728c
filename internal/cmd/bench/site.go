package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"homeward/internal/app"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// apiKey is the service's API key. It is valid only for databases created by bench.
const apiKey = "hw_benchmark_key_of_no_value"

// email and password are the credentials of the user who visits the pages.
const email, password = "bench@example.com", "a password for a benchmark"

// serviceSecret encrypts webhook secrets.
const serviceSecret = "a secret for benchmarks only"

// listenAddress lets the system choose a port.
const listenAddress = "127.0.0.1:0"

const maxIndexTime = 2 * time.Hour // how long the service may take to check and index a million new items

const stopTime = time.Minute // how long the service may take to finish its work in progress

// site is a loaded database, served by the service and the baseline handler.
type site struct {
	engine, setting string
	size            int
	account         string
	location        string
	items           []string                         // item IDs
	full, bare      string                           // addresses of the service and the baseline handler
	bareProcess     *child                           // the baseline handler
	queries         bareDatabase                     // the baseline handler's queries, in this process
	vary            func(*mathrand.Rand, *lost.Item) // see loader
	stop            func() error                     // stops the service
	closers         []func() error
}

func (s *site) onClose(f func() error) { s.closers = append(s.closers, f) }

// close releases all resources in reverse order of their creation.
func (s *site) close() error {
	var errs []error
	for n := len(s.closers) - 1; n >= 0; n-- {
		errs = append(errs, s.closers[n]())
	}
	return errors.Join(errs...)
}

// open creates a database, loads it and serves it. The caller must close the returned site even if there is an error.
func (b *bench) open(ctx context.Context, engine string, size int) (*site, error) {
	s := &site{engine: engine, size: size}
	data := filepath.Join(b.folder, fmt.Sprintf("%s-%d", engine, size))
	s.setting = filepath.Join(data, "homeward.db")
	if engine == "postgres" {
		if err := s.makeDatabase(ctx); err != nil {
			return s, err
		}
	}
	program, err := s.service(ctx, data)
	if err != nil {
		return s, err
	}
	b.logf("%s: loading %d items", engine, size)
	if err := s.load(ctx); err != nil {
		return s, err
	}
	s.stop = s.start(ctx, program)
	s.full = strings.TrimPrefix(program.URL(), "http://")
	if err := s.startBare(ctx, data); err != nil {
		return s, err
	}
	b.logf("%s: checking and indexing the items", engine) // what the service does with them must not run beside a load
	if err := s.finishJobs(ctx, maxIndexTime); err != nil || engine != "postgres" {
		return s, err
	}
	// The checks have changed most items, and the text index does not have these changes yet.
	return s, s.runStatements(ctx, nil)
}

// makeDatabase creates a database on the PostgreSQL server. Closing s drops the database.
func (s *site) makeDatabase(ctx context.Context) error {
	const variable = "HOMEWARD_TEST_POSTGRES"
	server, err := url.Parse(os.Getenv(variable))
	if err != nil || server.Host == "" {
		return fmt.Errorf("%s is not a server URL; run make bench, which starts a server", variable)
	}
	name := "bench_" + strings.ToLower(rand.Text())
	if err := onPostgres(ctx, server.String(), "CREATE DATABASE "+name); err != nil {
		return err
	}
	s.onClose(func() error {
		return onPostgres(context.Background(), os.Getenv(variable), "DROP DATABASE "+name+" WITH (FORCE)")
	})
	server.Path = "/" + name
	s.setting = server.String()
	return nil
}

func onPostgres(ctx context.Context, address, sql string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sql)
	return errors.Join(err, conn.Close(ctx))
}

// service creates the service in the same way as main, except that it writes its log to a file, as it would under most
// supervisors.
func (s *site) service(ctx context.Context, data string) (*app.App, error) {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(data, "log"))
	if err != nil {
		return nil, err
	}
	s.onClose(log.Close)
	cfg := app.Config{
		Listen: listenAddress, Data: data, Database: s.setting, APIKey: apiKey, Secret: serviceSecret,
		AdminEmail: email, AdminPassword: password,
		RetryUnit: time.Second, Retention: 30 * 24 * time.Hour, AllowPrivate: true, MailFrom: "bench@example.com",
		Carrier: "tariff",
	}
	return app.New(ctx, cfg, io.Discard, slog.New(slog.NewJSONHandler(log, nil)))
}

// start runs the service until stop is called or s is closed.
func (s *site) start(ctx context.Context, program *app.App) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	stopped := make(chan error, 1)
	go func() { stopped <- program.Run(ctx) }()
	stop = sync.OnceValue(func() error {
		cancel()
		select {
		case err := <-stopped:
			return err
		case <-time.After(stopTime):
			return fmt.Errorf("the service did not stop within %s", stopTime)
		}
	})
	s.onClose(stop)
	return stop
}

// load fills the database and runs database maintenance.
func (s *site) load(ctx context.Context) error {
	db, err := store.OpenUnsynced(ctx, s.setting, time.Now)
	if err != nil {
		return err
	}
	defer db.Close()
	key, err := db.KeyByHash(ctx, store.DirectoryHash(apiKey))
	if err != nil {
		return err
	}
	s.account = key.Account
	l := &loader{
		db: db, actor: key.Actor(), r: mathrand.New(mathrand.NewPCG(1, 2)), references: map[string]bool{}, vary: s.vary,
	}
	if _, _, err := l.location(ctx, "Elsewhere", otherItems); err != nil {
		return err
	}
	if s.location, s.items, err = l.location(ctx, "Adler", s.size); err != nil {
		return err
	}
	return s.runStatements(ctx, []statement{{"DELETE FROM jobs", nil}}) // matching is measured separately
}

// startBare starts the baseline handler on the same database. It stores files in the folder data.
func (s *site) startBare(ctx context.Context, data string) (err error) {
	if s.queries, err = openBare(ctx, s.engine, s.setting); err != nil {
		return err
	}
	s.onClose(s.queries.close)
	if s.bareProcess, err = startChild(ctx, bareCommand); err != nil {
		return err
	}
	s.onClose(s.bareProcess.close)
	start := bareStart{
		Engine: s.engine, Database: s.setting, Account: s.account, Base: "http://" + s.full, Folder: data,
	}
	if err := s.bareProcess.call(start, &s.bare); err != nil {
		return fmt.Errorf("the baseline handler did not start: %w", err)
	}
	return nil
}

// path returns the URL path of the location's items.
func (s *site) path() string { return "/v1/locations/" + s.location + "/items" }

// sample returns the URL paths of up to limit random items, each followed by suffix.
func (s *site) sample(limit int, suffix string) []string {
	r := mathrand.New(mathrand.NewPCG(3, 4))
	paths := make([]string, 0, limit)
	for _, n := range r.Perm(len(s.items))[:min(limit, len(s.items))] {
		paths = append(paths, s.path()+"/"+s.items[n]+suffix)
	}
	return paths
}

// statuses returns the statuses that items are moved to in turn.
func statuses() []lost.Status {
	return []lost.Status{lost.InfoCompleted, lost.FeePaid, lost.Shipped, lost.Delivered}
}
