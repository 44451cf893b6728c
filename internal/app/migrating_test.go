package app_test

import (
	"context"
	"crypto/x509"
	"database/sql"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"homeward/internal/app"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

const migratingLine = "migrating the database; requests get status 503 until it has finished"

// started is the result of app.New.
type started struct {
	app *app.App
	err error
}

// startMigrating starts the service on a database that lacks the newest migration, and that another transaction keeps
// from being migrated until release is called. It returns when the service serves requests during the migration.
func startMigrating(ctx context.Context, t *testing.T, cfg app.Config) (address string, release func(),
	ended <-chan started) {
	t.Helper()
	withoutNewestMigration(t, cfg.Database)
	release = blockMigrations(t, cfg.Database)
	lines, log := io.Pipe()
	const limit = time.Minute
	guard := time.AfterFunc(limit, func() { _ = log.CloseWithError(errors.New("the service does not serve yet")) })
	defer guard.Stop()
	t.Cleanup(func() { _ = log.Close() })
	result := make(chan started, 1)
	go func() {
		a, err := app.New(ctx, cfg, io.Discard, slog.New(slog.NewJSONHandler(log, nil)))
		result <- started{a, err}
	}()
	dec := json.NewDecoder(lines)
	for {
		var line struct {
			Msg, URL   string
			Migrations int
		}
		if err := dec.Decode(&line); err != nil {
			release()
			t.Fatalf("read the log: %v", err)
		}
		if line.Msg == migratingLine {
			if line.Migrations != 1 {
				t.Errorf("the log tells of %d migrations, want 1", line.Migrations)
			}
			go func() { _, _ = io.Copy(io.Discard, io.MultiReader(dec.Buffered(), lines)) }()
			return line.URL, release, result
		}
	}
}

// withoutNewestMigration creates the schema of the previous migration.
func withoutNewestMigration(t *testing.T, setting string) {
	t.Helper()
	db, err := store.Open(t.Context(), setting, storetest.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	newest, err := db.NewestSchema()
	if err != nil {
		t.Fatal(err)
	}
	if err := db.MigrateTo(t.Context(), newest-1); err != nil {
		t.Fatal(err)
	}
}

// blockMigrations makes migrations wait until release is called: on PostgreSQL as if another instance was migrating,
// and on SQLite with a write of another process.
func blockMigrations(t *testing.T, setting string) (release func()) {
	t.Helper()
	if store.IsPostgres(setting) {
		conn, err := pgx.Connect(t.Context(), setting)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), "SELECT pg_advisory_lock(7061626)"); err != nil {
			t.Fatal(err)
		}
		return func() { _ = conn.Close(context.Background()) }
	}
	db, err := sql.Open("sqlite", setting)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	return func() { _ = db.Close() }
}

func getDuringMigration(t *testing.T, address string, header ...string) (status int, h http.Header, body string) {
	t.Helper()
	return getWith(t, http.DefaultClient, address, header...)
}

func getWith(t *testing.T, client *http.Client, address string, header ...string) (status int, h http.Header,
	body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n+1 < len(header); n += 2 {
		r.Header.Set(header[n], header[n+1])
	}
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(text)
}

func TestTheServiceAnswersWhileTheDatabaseIsMigrated(t *testing.T) {
	t.Parallel()
	storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
		cfg := newConfig(t, setting)
		address, release, ended := startMigrating(t.Context(), t, cfg)
		defer release()
		const progress = "0 of 1 steps"
		for _, c := range []struct {
			path, accept string
			status       int
			want         string
		}{
			{"/healthz", "", 200, "alive"},
			{"/metrics", "", 200, "go_goroutines"},
			{"/readyz", "", 503, progress},
			{"/readyz?verbose", "", 503, progress},
			{"/v1/locations", "", 503, progress},
			{"/files/photo.jpg", "", 503, progress},
			{"/g/token", "text/html", 503, progress},
			{"/", "text/html", 503, "<h1>Updating the database</h1>"},
		} {
			status, h, body := getDuringMigration(t, address+c.path, "Accept", c.accept, "svc-api-key", firstKey)
			if status != c.status || !strings.Contains(body, c.want) {
				t.Errorf("%s: got %d, want %d with %q: %s", c.path, status, c.status, c.want, body)
			}
			if c.status == 503 && h.Get("Retry-After") != "5" {
				t.Errorf("%s: Retry-After is %q, want 5", c.path, h.Get("Retry-After"))
			}
		}
		_, _, page := getDuringMigration(t, address+"/", "Accept", "text/html")
		for _, asset := range regexp.MustCompile(`/assets/[^"]+`).FindAllString(page, -1) {
			if status, _, _ := getDuringMigration(t, address+asset); status != 200 {
				t.Errorf("%s: got %d", asset, status)
			}
		}
		release()
		a := <-ended
		if a.err != nil {
			t.Fatal(a.err)
		}
		ctx, stop := context.WithCancel(t.Context())
		stopped := make(chan error, 1)
		go func() { stopped <- a.app.Run(ctx) }()
		<-a.app.Ready()
		for _, path := range []string{"/readyz", "/v1/locations"} {
			if status, _, body := getDuringMigration(t, address+path, "svc-api-key", firstKey); status != 200 {
				t.Errorf("%s after the migration: got %d: %s", path, status, body)
			}
		}
		http.DefaultClient.CloseIdleConnections()
		stop()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
}

func TestMetricsAreServedOnTheirAddressWhileTheDatabaseIsMigrated(t *testing.T) {
	t.Parallel()
	cfg := newConfig(t, filepath.Join(t.TempDir(), "homeward.db"))
	cfg.MetricsListen = net.JoinHostPort("127.0.0.1", strconv.Itoa(testkit.FreePort(t)))
	_, release, ended := startMigrating(t.Context(), t, cfg)
	defer release()
	status, _, body := getDuringMigration(t, "http://"+cfg.MetricsListen+"/metrics")
	if status != 200 || !strings.Contains(body, "go_goroutines") {
		t.Errorf("got %d: %s", status, body)
	}
	http.DefaultClient.CloseIdleConnections()
	release()
	stopStarted(t, <-ended)
}

// stopStarted runs the service just long enough to stop it.
func stopStarted(t *testing.T, s started) {
	t.Helper()
	if s.err != nil {
		t.Fatal(s.err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := s.app.Run(ctx); err != nil {
		t.Error(err)
	}
}

func TestHealthIsServedWithTLSWhileTheDatabaseIsMigrated(t *testing.T) {
	t.Parallel()
	cfg := newConfig(t, filepath.Join(t.TempDir(), "homeward.db"))
	client := useTestCertificate(t, &cfg)
	address, release, ended := startMigrating(t.Context(), t, cfg)
	defer release()
	if status, _, body := getWith(t, client, address+"/healthz"); status != 200 {
		t.Errorf("got %d: %s", status, body)
	}
	client.CloseIdleConnections()
	release()
	stopStarted(t, <-ended)
}

// useTestCertificate makes the service use the certificate of package httptest, and returns a client that trusts it.
func useTestCertificate(t *testing.T, cfg *app.Config) *http.Client {
	t.Helper()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	certificate := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	cfg.TLSCert, cfg.TLSKey = filepath.Join(folder, "certificate.pem"), filepath.Join(folder, "key.pem")
	for file, block := range map[string]*pem.Block{
		cfg.TLSCert: {Type: "CERTIFICATE", Bytes: certificate.Certificate[0]},
		cfg.TLSKey:  {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return server.Client()
}

func TestAMigrationThatIsStoppedClosesTheListener(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	address, release, ended := startMigrating(ctx, t, newConfig(t, storetest.UnmigratedPostgres(t)))
	defer release()
	cancel()
	if a := <-ended; a.err == nil {
		t.Fatal("the service started although it was stopped")
	}
	http.DefaultClient.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := http.DefaultClient.Do(r); err == nil {
		_ = res.Body.Close()
		t.Errorf("the service still answers: %s", res.Status)
	}
}
