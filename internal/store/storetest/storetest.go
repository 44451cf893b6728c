// Package storetest runs a test on every database: Each provides a new SQLite file and a new PostgreSQL database,
// migrated and empty. A test program that imports it panics on SQL that is neither restricted to an account nor
// marked with a scope.
package storetest

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"homeward/internal/store"
)

// PostgresVar names the environment variable with the URL of the server on which tests create
// databases.
const PostgresVar = "HOMEWARD_TEST_POSTGRES"

// Clock is a clock that tests can advance. It starts at a fixed time.
type Clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

// Now returns the clock's current time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC).Add(c.ahead)
}

// Advance moves the clock forward by d.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}

// Now is a clock for tests in which the time does not matter.
func Now() time.Time { return time.Now() }

// Each runs fn as a subtest on every kind of database.
func Each(t *testing.T, fn func(t *testing.T, db *store.DB)) {
	t.Helper()
	EachClock(t, Now, fn)
}

// EachClock is like Each, but with a custom clock.
func EachClock(t *testing.T, clock func() time.Time, fn func(t *testing.T, db *store.DB)) {
	t.Helper()
	EachSetting(t, func(t *testing.T, setting string) { fn(t, Open(t, setting, clock)) })
}

// EachSetting runs fn as a subtest for every kind of database, passing it the setting of a
// migrated, empty database.
func EachSetting(t *testing.T, fn func(t *testing.T, setting string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { fn(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { fn(t, Postgres(t)) })
}

// EachUnmigrated is like EachSetting, but with a new database that has no schema.
func EachUnmigrated(t *testing.T, fn func(t *testing.T, setting string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { fn(t, filepath.Join(t.TempDir(), "homeward.db")) })
	t.Run("postgres", func(t *testing.T) { fn(t, UnmigratedPostgres(t)) })
}

// Open opens a database and closes it when the test ends.
func Open(t testing.TB, setting string, clock func() time.Time) *store.DB {
	t.Helper()
	db, _ := open(t, setting, clock)
	return db
}

// Reopen opens a database that Open has opened a second time, as another instance of the service would. The instance
// crashes when crash is called.
func Reopen(t testing.TB, db *store.DB, clock func() time.Time) (again *store.DB, crash func()) {
	t.Helper()
	setting, _ := opened.Load(db)
	return open(t, setting.(string), clock)
}

func open(t testing.TB, setting string, clock func() time.Time) (db *store.DB, closeOnce func()) {
	t.Helper()
	db, err := store.Open(t.Context(), setting, clock)
	if err != nil {
		t.Fatalf("open %s: %v", setting, err)
	}
	opened.Store(db, setting)
	closeOnce = sync.OnceFunc(func() {
		opened.Delete(db)
		db.Close()
	})
	t.Cleanup(closeOnce)
	if err := db.UseSecret([]byte("a secret for tests only")); err != nil {
		t.Fatal(err)
	}
	return db, closeOnce
}

// Postgres creates a migrated, empty database on the test server and returns its URL. Without a
// server it skips the test, or fails it in CI.
func Postgres(t testing.TB) string {
	t.Helper()
	return postgres(t, func(server string) string { return " TEMPLATE " + template(t, server) })
}

// UnmigratedPostgres is like Postgres, but the database has no schema.
func UnmigratedPostgres(t testing.TB) string {
	t.Helper()
	return postgres(t, func(string) string { return "" })
}

func postgres(t testing.TB, template func(server string) string) string {
	t.Helper()
	server := os.Getenv(PostgresVar)
	if server == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not set: run the tests with make test, which starts PostgreSQL", PostgresVar)
		}
		t.Skipf("%s is not set: run the tests with make test, which starts PostgreSQL", PostgresVar)
	}
	name := "test_" + strings.ToLower(rand.Text())
	nodes := strings.Fields(os.Getenv(CitusVar))
	if len(nodes) > 0 {
		run(t, server, "CREATE DATABASE "+name)
	} else {
		run(t, server, "CREATE DATABASE "+name+template(server))
	}
	t.Cleanup(func() { run(t, server, "DROP DATABASE "+name+" WITH (FORCE)") })
	address := databaseURL(t, server, name)
	if len(nodes) > 0 {
		distribute(t, name, address, nodes)
	}
	return address
}

// databaseURL returns the URL of a database on a server.
func databaseURL(t testing.TB, server, name string) string {
	t.Helper()
	address, err := url.Parse(server)
	if err != nil {
		t.Fatalf("%s is not a URL: %v", PostgresVar, err)
	}
	address.Path = "/" + name
	return address.String()
}

func run(t testing.TB, server, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn := connect(t, server)
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func connect(t testing.TB, server string) *pgx.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Fatalf("connect to the test server: %v", err)
	}
	return conn
}
