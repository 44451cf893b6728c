package main_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"homeward/internal/store/storetest"
)

// lines returns the log lines that contain all texts.
func (o *processLog) lines(texts ...string) (found []string) {
	for line := range strings.Lines(o.String()) {
		contains := true
		for _, text := range texts {
			contains = contains && strings.Contains(line, text)
		}
		if contains {
			found = append(found, line)
		}
	}
	return found
}

func TestLogNamesEveryMigration(t *testing.T) {
	p := startService(t, newSettings(t, filepath.Join(t.TempDir(), "new.db"))...)
	if n := len(p.stderr.lines(`"msg":"migration applied"`, `"migration":"0001_`, `"ms":`)); n != 1 {
		t.Errorf("the first migration has %d lines:\n%s", n, p.stderr)
	}
}

// The log names the version and the schema at startup. The line of a request names the item and the
// client's address. Health checks are not logged at the level info.
func TestLogSaysWhatHappens(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		p := startService(t, newSettings(t, setting)...)
		if len(p.stderr.lines(`"msg":"listening"`, `"version":"`, `"schema":`)) != 1 {
			t.Errorf("the start line lacks the version or the schema:\n%s", p.stderr)
		}
		hotel := "/v1/locations/" +
			p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
		item := p.must(http.StatusCreated, "POST", hotel+"/items", `{"description": "Umbrella"}`)["id"].(string)
		probed := []string{"/healthz", "/readyz", "/metrics"}
		for _, path := range probed {
			if a := (probe{"GET", path, "", 200, 200}).send(p.url, nil); a.status != http.StatusOK {
				t.Errorf("%s returned %d", path, a.status)
			}
		}
		p.must(http.StatusOK, "GET", hotel+"/items/"+item, "")
		waitUntil(t, "the item's line is logged", func() bool {
			return len(p.stderr.lines(`"msg":"request"`, `"item":"`+item+`"`, `"client":"127.0.0.1"`)) == 1
		})
		for _, path := range probed {
			if lines := p.stderr.lines(`"msg":"request"`, "GET "+path); len(lines) > 0 {
				t.Errorf("requests to %s are logged: %s", path, lines)
			}
		}
	})
}

// SIGHUP reads the log level from the settings file again. It never ends the process, even if the file is invalid.
func TestSIGHUPReloadsTheLogLevel(t *testing.T) {
	file := filepath.Join(t.TempDir(), "homeward.conf")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("HOMEWARD_LOG_LEVEL=info\n")
	p := launchWithFlags(t, self(t), []string{"--config", file}, newSettings(t, storetest.SQLite(t))...)
	p.awaitListening()
	probes := func() int {
		if a := (probe{"GET", "/healthz", "", 200, 200}).send(p.url, nil); a.status != http.StatusOK {
			t.Fatalf("/healthz returned %d: %v", a.status, a.err)
		}
		return len(p.stderr.lines(`"msg":"request"`, "GET /healthz"))
	}
	if n := probes(); n != 0 {
		t.Errorf("%d health checks are logged at the level info", n)
	}
	hangUp := func(want string) {
		t.Helper()
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		waitUntil(t, want, func() bool { return len(p.stderr.lines(want)) > 0 })
	}
	write("HOMEWARD_LOG_LEVEL=debug\n")
	hangUp("the log level was reloaded")
	if lines := p.stderr.lines("certificate"); len(lines) > 0 {
		t.Errorf("the service has no certificate, but logged %s", lines)
	}
	waitUntil(t, "health checks are logged", func() bool { return probes() > 0 })
	write("HOMEWARD_LOG_LEVEL=loud\n")
	hangUp("the settings were not reloaded")
	waitUntil(t, "health checks are still logged", func() bool {
		before := len(p.stderr.lines(`"msg":"request"`, "GET /healthz"))
		return probes() > before
	})
	if code := p.terminate(); code != 0 {
		t.Errorf("exit code %d: %s", code, p.stderr)
	}
}
