package main_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// runHealth runs homeward health for a service that listens on the given address.
func runHealth(t *testing.T, listen string, args ...string) (printed string, code int) {
	t.Helper()
	t.Setenv("HOMEWARD_LISTEN", listen)
	stdout, stderr, code := runInProcess(t, append([]string{"health"}, args...)...)
	return stdout + stderr, code
}

func TestHealthUsesTheListenAddress(t *testing.T) {
	p := startService(t, newSettings(t, filepath.Join(t.TempDir(), "homeward.db"))...)
	listen := strings.TrimPrefix(p.url, "http://")
	_, port, err := net.SplitHostPort(listen)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{listen, "0.0.0.0:" + port, ":" + port, "[::]:" + port} {
		if printed, code := runHealth(t, at); code != 0 || printed != "ready\n" {
			t.Errorf("listening on %s: exit code %d: %s", at, code, printed)
		}
	}
	if printed, code := runHealth(t, "127.0.0.1:1", "--url", p.url+"/"); code != 0 {
		t.Errorf("by --url: exit code %d: %s", code, printed)
	}
	p.terminate()
	if printed, code := runHealth(t, listen); code != 1 || !strings.HasPrefix(printed, "homeward: not ready: ") ||
		strings.Count(printed, "\n") != 1 {
		t.Errorf("after the service has stopped: exit code %d: %s", code, printed)
	}
}

func TestHealthFailsIfNotReadyAndFollowsNoRedirects(t *testing.T) {
	ready := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer ready.Close()
	for _, status := range []int{http.StatusServiceUnavailable, http.StatusFound, http.StatusNotFound} {
		unready := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, ready.URL, status)
		}))
		if printed, code := runHealth(t, strings.TrimPrefix(unready.URL, "http://")); code != 1 ||
			!strings.Contains(printed, "not ready") {
			t.Errorf("status %d: exit code %d: %s", status, code, printed)
		}
		unready.Close()
	}
}

func TestHealthAcceptsTheWholeURLAndSuggestsTLS(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer service.Close()
	if printed, code := runHealth(t, "127.0.0.1:8080", "--url", service.URL+"/readyz"); code != 0 {
		t.Errorf("exit code %d: %s", code, printed)
	}
	encrypted := httptest.NewTLSServer(http.NotFoundHandler())
	defer encrypted.Close()
	if printed, code := runHealth(t, "127.0.0.1:8080", "--url",
		strings.Replace(encrypted.URL, "https", "http", 1)); code != 1 || !strings.Contains(printed, "TLS") {
		t.Errorf("exit code %d: %s", code, printed)
	}
}

func TestHealthNamesTheInvalidSetting(t *testing.T) {
	for listen, names := range map[string]string{"127.0.0.1:0": "--url", "8080": "HOMEWARD_LISTEN"} {
		if printed, code := runHealth(t, listen); code != 1 || !strings.Contains(printed, names) {
			t.Errorf("%s: exit code %d: %s", listen, code, printed)
		}
	}
	if printed, code := runHealth(t, "127.0.0.1:8080", "--url", "localhost"); code != 1 ||
		!strings.Contains(printed, "--url must be") {
		t.Errorf("exit code %d: %s", code, printed)
	}
}

func TestSupervisorIsNotifiedOfReadyAndStopping(t *testing.T) {
	folder, err := os.MkdirTemp("", "hw") //nolint:usetesting // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	socket := filepath.Join(folder, "s")
	listener, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	next := func() string {
		t.Helper()
		_ = listener.SetReadDeadline(time.Now().Add(time.Minute)) // this socket supports deadlines
		word := make([]byte, 100)
		n, err := listener.Read(word)
		if err != nil {
			t.Fatal(err)
		}
		return string(word[:n])
	}
	p := startService(t, newSettings(t, filepath.Join(t.TempDir(), "homeward.db"), "NOTIFY_SOCKET="+socket)...)
	if got := next(); got != "READY=1" {
		t.Errorf("at the start the supervisor received %q", got)
	}
	p.must(http.StatusOK, "GET", "/v1/account", "")
	if code := p.terminate(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if got := next(); got != "STOPPING=1" {
		t.Errorf("at the end the supervisor received %q", got)
	}
}
