package app_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"homeward/internal/app"
	"homeward/internal/store/storetest"
)

func TestOnlyTheFirstStartSavesTheLogin(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		cfg := newConfig(t, setting)
		cfg.APIKey, cfg.AdminEmail, cfg.AdminPassword = "", "", ""
		s := startService(t, cfg)
		for _, want := range []string{
			s.url + "/", "admin@homeward.example", "password", "curl -H \"svc-api-key: hw_", s.url + "/v1/locations",
			s.url + "/docs",
		} {
			if text := s.firstStart(); !strings.Contains(text, want) {
				t.Errorf("the first start does not save %q:\n%s", want, text)
			}
		}
		file := filepath.Join(cfg.Data, app.FirstStartFile)
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file's mode is not 600: %v, %v", info, err)
		}
		if !strings.Contains(s.printed, file) || strings.Contains(s.printed, "hw_") ||
			!strings.Contains(s.log.String(), file) || strings.Contains(s.log.String(), "hw_") {
			t.Errorf("the output or the log lacks the file's name, or contains the key:\n%s\n%s", s.printed, s.log)
		}
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		if again := startService(t, cfg); again.printed != "" {
			t.Errorf("a restart prints:\n%s", again.printed)
		}
	})
}

func TestGeneratedCredentialsArePrintedOnATerminal(t *testing.T) {
	t.Parallel()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	defer func() { _ = terminal.Close() }()
	cfg := newConfig(t, "")
	cfg.APIKey, cfg.AdminEmail, cfg.AdminPassword = "", "", ""
	a, err := app.New(t.Context(), cfg, terminal, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := a.Run(stopped); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(cfg.Data, app.FirstStartFile)); !os.IsNotExist(err) {
		t.Errorf("the credentials were written to a file although they were printed: %v", err)
	}
	echo := make([]byte, 4096) // the terminal echoes what is written to it
	n, err := terminal.Read(echo)
	if err != nil || !strings.Contains(string(echo[:n]), "Homeward is ready") {
		t.Errorf("printed %q, %v", echo[:n], err)
	}
}

func TestConfiguredSecretsAreNotPrinted(t *testing.T) {
	t.Parallel()
	cfg := newConfig(t, "")
	s := startService(t, cfg)
	if strings.Contains(s.printed, adminPassword) || strings.Contains(s.printed, cfg.APIKey) ||
		strings.Count(s.printed, "as set") != 2 {
		t.Errorf("the output contains a configured secret:\n%s", s.printed)
	}
}

func TestTheServiceIsNotReadyWithoutItsDatabase(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newConfig(t, setting))
		if a := s.do("", "GET", "/readyz", nil); a.status != http.StatusOK {
			t.Fatalf("the service is not ready although its database is available: %d %s", a.status, a.body)
		}
		disconnect := loseDatabase(t, setting)
		waitUntil(t, "the service is not ready", func() bool {
			disconnect() // a connection that was being opened is not known the first time
			return s.do("", "GET", "/readyz", nil).status == http.StatusServiceUnavailable
		})
		a := s.do("", "GET", "/readyz", nil)
		if a.header.Get("Retry-After") == "" || a.record(t)["code"] != "unavailable" {
			t.Errorf("returned %v %s", a.header, a.body)
		}
		if strings.Contains(string(a.body), setting) {
			t.Errorf("the response reveals the database's address: %s", a.body)
		}
		if a := s.do("", "GET", "/healthz", nil); a.status != http.StatusOK {
			t.Errorf("not alive: %d %s", a.status, a.body)
		}
	})
}

// loseDatabase makes a database unavailable to the service.
func loseDatabase(t *testing.T, setting string) (disconnect func()) {
	t.Helper()
	if !strings.Contains(setting, "://") {
		for _, file := range []string{setting, setting + "-wal", setting + "-shm"} {
			if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
		return func() {}
	}
	address, err := url.Parse(setting)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(address.Path, "/")
	address.Path = "/postgres"
	conn, err := pgx.Connect(t.Context(), address.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	run := func(sql string) {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	run("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false")
	return func() { run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'") }
}

// Without its files or its mail server an instance is still ready, because most requests need neither. It says in
// /readyz?verbose, in the metrics and in the log what fails.
func TestTheServiceIsReadyWithoutFilesAndMail(t *testing.T) {
	t.Parallel()
	cfg := newConfig(t, "")
	cfg.Files = t.TempDir() + "/files"
	cfg.SMTP = "smtp://user:a-password@127.0.0.1:1"
	s := startService(t, cfg)
	verbose := func(parts string) func() bool {
		return func() bool {
			a := s.do("", "GET", "/readyz?verbose", nil)
			return a.status == http.StatusOK && strings.Contains(string(a.body), parts)
		}
	}
	waitUntil(t, "files are ok and mail fails",
		verbose(`{"database":"ok","files":"ok","mail":"failing","replica":"off"}`))
	logo := "/v1/locations/" + s.newLocation(`{"name": "Hotel"}`) + "/upload-logo"
	if err := os.RemoveAll(cfg.Files); err != nil {
		t.Fatal(err)
	}
	if a, err := s.upload(logo, "logo", picture("png")); err != nil || a.status < http.StatusInternalServerError {
		t.Errorf("an upload without files returned %d: %v", a.status, err)
	}
	waitUntil(t, "files and mail fail", verbose(`{"database":"ok","files":"failing","mail":"failing","replica":"off"}`))
	if a := s.do("", "GET", "/readyz", nil); a.status != http.StatusOK {
		t.Errorf("/readyz returned %d %s", a.status, a.body)
	}
	metrics := s.metrics()
	for _, want := range []string{"\nhomeward_files_up 0\n", "\nhomeward_mail_up 0\n"} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %q", want)
		}
	}
	for _, want := range []string{"file storage", "mail server"} {
		if n := strings.Count(s.log.String(), `"msg":"a part of the service failed","part":"`+want+`"`); n != 1 {
			t.Errorf("the log contains %q %d times, want once:\n%s", want, n, s.log)
		}
	}
}

func TestMetricsCountRequestsByRoute(t *testing.T) {
	t.Parallel()
	s := startService(t, newConfig(t, ""))
	hotel := s.newLocation(`{"name": "Hotel"}`)
	s.do(s.key, "GET", "/v1/locations/"+hotel, nil)
	s.do(s.key, "GET", "/v1/locations/loc_none", nil)
	metrics := string(s.do("", "GET", "/metrics", nil).body)
	const count = "homeward_http_request_duration_seconds_count"
	for _, want := range []string{
		count + `{door="api",method="GET",route="/v1/locations/{id}",status="200"} 1`,
		count + `{door="api",method="GET",route="/v1/locations/{id}",status="404"} 1`,
		"go_goroutines", "process_resident_memory_bytes",
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if strings.Contains(metrics, hotel) {
		t.Error("the metrics contain an id")
	}
}

// Guests and attackers reach the service through a proxy. For them there is no /metrics.
func TestMetricsAreHiddenBehindAProxy(t *testing.T) {
	t.Parallel()
	s := startService(t, newConfig(t, ""))
	for _, name := range []string{"X-Forwarded-For", "Forwarded"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(name, "for=127.0.0.1")
		res, err := s.unchecked.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != http.StatusNotFound || bytes.Contains(body, []byte("go_goroutines")) {
			t.Errorf("with %s, /metrics returned %d: %.200s", name, res.StatusCode, body)
		}
	}
}

func TestMetricsOnTheirOwnAddress(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	cfg := newConfig(t, "")
	cfg.MetricsListen = address
	s := startService(t, cfg)
	if a := s.do("", "GET", "/metrics", nil); a.status != http.StatusNotFound {
		t.Errorf("/metrics on the main address returned %d, want 404", a.status)
	}
	waitUntil(t, "/metrics responds on its own address", func() bool {
		res, err := http.Get("http://" + address + "/metrics")
		if err != nil {
			return false
		}
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(res.Body)
		return err == nil && res.StatusCode == http.StatusOK && bytes.Contains(body, []byte("go_goroutines"))
	})
	if res, err := http.Get("http://" + address + "/v1/account"); err == nil {
		defer func() { _ = res.Body.Close() }()
		if res.StatusCode != http.StatusNotFound {
			t.Errorf("the API responds on the address for metrics: %d", res.StatusCode)
		}
	}
}

func TestARequestHasOneLogLineWithoutSecrets(t *testing.T) {
	t.Parallel()
	s := startService(t, newConfig(t, ""))
	hotel := s.newLocation(`{"name": "Hotel"}`)
	s.newItem(hotel, `{"description": "Umbrella", "owner": {"email": "anna@example.com"}}`)
	_, secret := s.newKey(map[string]any{"name": "A key"})
	s.do("hw_a-key-that-is-not-one", "GET", "/v1/locations?term=secret-term", nil)
	waitUntil(t, "the last request is logged", func() bool { return strings.Contains(s.log.String(), `"status":401`) })
	log := s.log.String()
	if n := strings.Count(log, `"msg":"request"`) - strings.Count(log, "openapi.json"); n != 4 {
		t.Errorf("got %d log lines for 4 requests:\n%s", n, log)
	}
	for _, hidden := range []string{
		s.key, secret, "hw_a-key-that-is-not-one", "anna@example.com", "secret-term", adminPassword,
	} {
		if strings.Contains(log, hidden) {
			t.Errorf("the log contains %q:\n%s", hidden, log)
		}
	}
	if !strings.Contains(log, `"account":"acc_`) || !strings.Contains(log, `"route":"POST /v1/locations/{lid}/items"`) {
		t.Errorf("the log lacks the account or the route:\n%s", log)
	}
}

// The log line for a page identifies the user by id and contains no personal data.
func TestPageLogLinesContainOnlyTheUsersID(t *testing.T) {
	t.Parallel()
	s := startService(t, newConfig(t, ""))
	in, err := s.unchecked.PostForm(s.url+"/login",
		url.Values{"email": {"admin@example.com"}, "password": {adminPassword}})
	if err != nil || len(in.Cookies()) == 0 {
		t.Fatalf("%v, %v", in, err)
	}
	_ = in.Body.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/settings/profile", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range in.Cookies() {
		request.AddCookie(c)
	}
	page, err := s.unchecked.Do(request)
	if err != nil || page.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", page, err)
	}
	_ = page.Body.Close()
	line := func() string {
		for _, line := range strings.Split(s.log.String(), "\n") {
			if strings.Contains(line, "GET /settings/profile") {
				return line
			}
		}
		return ""
	}
	waitUntil(t, "the page is logged", func() bool { return line() != "" })
	if l := line(); !strings.Contains(l, `"account":"acc_`) || !strings.Contains(l, `"user":"usr_`) ||
		strings.Contains(l, "admin@example.com") || strings.Contains(l, "Administrator") {
		t.Errorf("the log line is %s", l)
	}
}

func TestAddressInUseIsReported(t *testing.T) {
	t.Parallel()
	s := startService(t, newConfig(t, ""))
	cfg := newConfig(t, "")
	cfg.Listen = strings.TrimPrefix(s.url, "http://")
	_, err := app.New(t.Context(), cfg, io.Discard, slog.New(slog.DiscardHandler))
	if err == nil || !strings.HasPrefix(err.Error(), "HOMEWARD_LISTEN: cannot listen on "+cfg.Listen) {
		t.Errorf("error %v", err)
	}
}
