package main_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/cli"
	"homeward/internal/store/storetest"
)

const backupSecret = "a secret that is stored separately"

// runCommand runs a command in this process with the given settings and without a time limit.
func runCommand(t *testing.T, settings []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		t.Setenv(name, value)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var out, diag bytes.Buffer
	code = cli.Run(ctx, args, &out, &diag)
	return out.String(), diag.String(), code
}

func mustRun(t *testing.T, settings []string, args ...string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, code := runCommand(t, settings, args...)
	if code != 0 {
		t.Fatalf("homeward %s: exit code %d: %s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout, stderr
}

// newEmptySettings returns settings for a service that has never been started.
func newEmptySettings(t *testing.T, database string) []string {
	return newSettings(t, database, "HOMEWARD_SECRET="+backupSecret)
}

// readBackup reads a backup without using the program. It returns the table checksums in the manifest, a checksum of
// each file, and the number of rows in each table.
func readBackup(t *testing.T, file string) (tables map[string]any, files map[string][32]byte, rows map[string]int) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files, rows = map[string][32]byte{}, map[string]int{}
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return tables, files, rows
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		switch folder, name, _ := strings.Cut(h.Name, "/"); folder {
		case "files":
			files[name] = sha256.Sum256(content)
		case "tables":
			table, _, _ := strings.Cut(name, "/")
			rows[table] += bytes.Count(content, []byte{'\n'})
		case "manifest.json":
			var m struct{ Tables map[string]any }
			if err := json.Unmarshal(content, &m); err != nil {
				t.Fatal(err)
			}
			tables = m.Tables
		}
	}
}

// startBusyService starts a service, creates an item with photos, and then keeps creating more items until halt is
// called. halt also kills the service.
func startBusyService(t *testing.T, settings []string) (hotel, item string, halt func()) {
	t.Helper()
	p := startService(t, settings...)
	hotel = p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
	items := "/v1/locations/" + hotel + "/items"
	item = p.must(http.StatusCreated, "POST", items, `{"description": "The first umbrella"}`)["id"].(string)
	for range 3 {
		k := &savedItem{path: items + "/" + item}
		if err := (&writer{t: t}).upload(p.url, k); err != nil {
			t.Fatal(err)
		}
	}
	var writing sync.WaitGroup
	stop := make(chan struct{})
	started := make(chan struct{}, 2)
	for n := range 2 {
		writing.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				a, err := sendRequest("POST", p.url+items, fmt.Sprintf(`{"description": "Umbrella %d of %d"}`, i, n))
				if err != nil || a.status != http.StatusCreated {
					t.Errorf("a write returned %d: %v", a.status, err)
					return
				}
				if i == 5 {
					started <- struct{}{}
				}
			}
		})
	}
	<-started
	<-started
	return hotel, item, func() {
		close(stop)
		writing.Wait()
		p.kill()
	}
}

// A backup made during writes is restored into empty databases of both kinds. Every table and file is complete.
func TestBackupDuringWritesIsRestoredIntoBothDatabases(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		settings := newEmptySettings(t, setting)
		file := filepath.Join(t.TempDir(), "backup.tar.gz")
		hotel, item, halt := startBusyService(t, settings)
		_, stderr := mustRun(t, settings, "backup", file)
		halt()
		if !strings.Contains(stderr, "THE BACKUP DOES NOT CONTAIN THE SECRET") {
			t.Errorf("the output does not mention the secret: %s", stderr)
		}
		if text, _ := os.ReadFile(file); bytes.Contains(text, []byte(backupSecret)) {
			t.Error("the backup contains the secret")
		}
		if printed, _ := mustRun(t, settings, "backup", "verify", file); !strings.Contains(printed, "is complete") {
			t.Errorf("verify prints %s", printed)
		}
		tables, files, rows := readBackup(t, file)
		if len(files) < 3 || rows["items"] < 12 || rows["item_history"] < rows["items"] {
			t.Errorf("%d files, %v rows", len(files), rows)
		}
		storetest.EachUnmigrated(t, func(t *testing.T, target string) {
			place := newEmptySettings(t, target)
			mustRun(t, place, "restore", file)
			again := filepath.Join(t.TempDir(), "again.tar.gz")
			mustRun(t, place, "backup", again)
			tables2, files2, _ := readBackup(t, again)
			if d := cmp.Diff(tables, tables2); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(files, files2); d != "" {
				t.Error(d)
			}
			p := startService(t, place...)
			list := p.must(http.StatusOK, "GET", "/v1/locations/"+hotel+"/items?limit=10", "")
			if int(list["total"].(float64)) != rows["items"] { // the total is stored in another table
				t.Errorf("the total is %v, want %d", list["total"], rows["items"])
			}
			found := p.must(http.StatusOK, "GET", "/v1/locations/"+hotel+"/items/"+item, "")
			if images := found["images"].([]any); len(images) != 3 {
				t.Errorf("the item is %v", found)
			}
			if found := p.must(http.StatusOK, "GET", "/v1/locations/"+hotel+"/items?term=first",
				""); found["total"] != 1.0 {
				t.Errorf("the search finds %v items, want 1", found["total"])
			}
			p.kill()
			if _, stderr, code := runCommand(t, place, "restore", file); code != 1 ||
				!strings.Contains(stderr, "not empty") && !strings.Contains(stderr, "connected") {
				t.Errorf("a second restore: exit code %d: %s", code, stderr)
			}
			// PostgreSQL takes a moment to notice that a process was killed.
			waitUntil(t, "the database is replaced with --force", func() bool {
				_, _, code := runCommand(t, place, "restore", "--force", file)
				return code == 0
			})
		})
	})
}

func TestInvalidBackupsAreRejectedWithoutChanges(t *testing.T) {
	settings := newEmptySettings(t, filepath.Join(t.TempDir(), "a", "homeward.db"))
	mustRun(t, settings, "account", "create", "--name", "First")
	p := startService(t, settings...) // stores the secret's fingerprint
	p.kill()
	file := filepath.Join(t.TempDir(), "backup.tar.gz")
	mustRun(t, settings, "backup", "--no-files", file)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "b", "homeward.db")
	place := newEmptySettings(t, target)
	try := func(name string, content []byte, want string) {
		t.Helper()
		broken := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(broken, content, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"backup", "verify", broken}, {"restore", broken}} {
			if _, stderr, code := runCommand(t, place, args...); code != 1 || !strings.Contains(stderr, want) ||
				strings.Count(stderr, "\n") != 1 {
				t.Errorf("%s of a backup that is %s: exit code %d: %s", args[0], name, code, stderr)
			}
		}
	}
	flipped := bytes.Clone(whole)
	for n := range 8 { // gzip ignores single bits between two blocks
		flipped[len(flipped)/2+n] ^= 0xff
	}
	try("flipped", flipped, "damaged")
	try("truncated", whole[:len(whole)*2/3], "damaged")
	try("truncated near its end", whole[:len(whole)-4], "damaged")
	try("empty", nil, "damaged")
	try("another file", []byte("something else altogether"), "damaged")
	if _, err := os.Stat(target); !errors.Is(err, os.ErrNotExist) {
		t.Error("a database was created")
	}
	other := append(place, "HOMEWARD_SECRET=another secret altogether")
	if _, stderr, code := runCommand(t, other, "restore", file); code != 1 ||
		!strings.Contains(stderr, "HOMEWARD_SECRET") {
		t.Errorf("restore with another secret: exit code %d: %s", code, stderr)
	}
	inFile := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(inFile, []byte("another secret altogether\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := runCommand(t, append(place, "HOMEWARD_SECRET=", "HOMEWARD_SECRET_FILE="+inFile), "restore",
		file); code != 1 || !strings.Contains(stderr, "does not match the backup") {
		t.Errorf("restore with another secret in a file: exit code %d: %s", code, stderr)
	}
	t.Setenv("HOMEWARD_SECRET_FILE", "")
	mustRun(t, other, "restore", "--any-secret", file)
	mustRun(t, newEmptySettings(t, filepath.Join(t.TempDir(), "c.db")), "restore", file)
}

// newHangingFiles returns the setting for a file store that never responds, and a channel that receives a value when
// a file arrives.
func newHangingFiles(t *testing.T) (setting string, arrived chan struct{}) {
	arrived = make(chan struct{}, 100)
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-done
	}))
	t.Cleanup(func() {
		close(done)
		server.Close()
	})
	return "s3://held?access_key=a&secret_key=b&path_style=true&endpoint=" + server.URL, arrived
}

// runAndKill runs a command as a separate process and kills it when the channel receives a value.
func runAndKill(t *testing.T, settings []string, at <-chan struct{}, args ...string) {
	t.Helper()
	cmd := exec.Command(self(t), args...)
	cmd.Env = environment(settings...)
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is killed
		close(ended)
	}()
	select {
	case <-at:
	case <-ended:
		t.Fatalf("homeward %s ended by itself: %s", args[0], &printed)
	}
	_ = cmd.Process.Kill()
	<-ended
}

func TestKilledRestoreIsDetectedAndCanBeRepeated(t *testing.T) {
	settings := newEmptySettings(t, filepath.Join(t.TempDir(), "source.db"))
	file := filepath.Join(t.TempDir(), "backup.tar.gz")
	_, _, halt := startBusyService(t, settings)
	halt()
	mustRun(t, settings, "backup", file)
	storetest.EachUnmigrated(t, func(t *testing.T, target string) {
		place := newEmptySettings(t, target)
		files, arrived := newHangingFiles(t)
		runAndKill(t, append(place, "HOMEWARD_FILES="+files), arrived, "restore", file)
		for _, args := range [][]string{{"migrate"}, {"account", "create", "--name", "x"}} {
			if _, stderr, code := runCommand(t, place, args...); code != 1 ||
				!strings.Contains(stderr, "homeward restore again") {
				t.Errorf("%v: exit code %d: %s", args, code, stderr)
			}
		}
		if printed, _, code := runCommand(t, place, "doctor"); code != 1 ||
			!strings.Contains(printed, "homeward restore again") {
			t.Errorf("doctor: exit code %d: %s", code, printed)
		}
		// PostgreSQL takes a moment to notice that a process was killed.
		waitUntil(t, "the database is restored again", func() bool {
			_, stderr, code := runCommand(t, place, "restore", file)
			if code != 0 && !strings.Contains(stderr, "connected") {
				t.Fatal(stderr)
			}
			return code == 0
		})
		again := filepath.Join(t.TempDir(), "again.tar.gz")
		mustRun(t, place, "backup", again)
		tables, files1, _ := readBackup(t, file)
		tables2, files2, _ := readBackup(t, again)
		if d := cmp.Diff(tables, tables2) + cmp.Diff(files1, files2); d != "" {
			t.Error(d)
		}
	})
}

func TestKilledMoveContinues(t *testing.T) {
	target := storetest.UnmigratedPostgres(t)
	settings := newEmptySettings(t, filepath.Join(t.TempDir(), "source.db"))
	hotel, item, halt := startBusyService(t, settings)
	if _, stderr, code := runCommand(t, settings, "move", "--to", target); code != 1 ||
		!strings.Contains(stderr, "stop the service first") {
		t.Errorf("move while the service is running: exit code %d: %s", code, stderr)
	}
	halt()
	files, arrived := newHangingFiles(t)
	runAndKill(t, settings, arrived, "move", "--to", target, "--copy-files", files)
	if _, stderr, code := runCommand(t, settings, "migrate"); code != 1 ||
		!strings.Contains(stderr, "homeward move again") {
		t.Errorf("migrate on the source during the move: exit code %d: %s", code, stderr)
	}
	copies := filepath.Join(t.TempDir(), "copies")
	if printed, _ := mustRun(t, settings, "move", "--to", target, "--copy-files", copies); !strings.Contains(printed,
		"moved and verified ") || !strings.Contains(printed, "copied ") {
		t.Errorf("printed %s", printed)
	}
	if _, stderr, code := runCommand(t, settings, "account", "list"); code != 1 ||
		!strings.Contains(stderr, "was moved to PostgreSQL") {
		t.Errorf("account list on the source after the move: exit code %d: %s", code, stderr)
	}
	p := startService(t, append(settings, "HOMEWARD_DATABASE="+target, "HOMEWARD_FILES="+copies)...)
	found := p.must(http.StatusOK, "GET", "/v1/locations/"+hotel+"/items/"+item, "")
	image := found["images"].([]any)[0].(map[string]any)["url"].(string)
	_, path, _ := strings.Cut(image, "/files/")
	if a, err := sendRequest("GET", p.url+"/files/"+path, ""); err != nil || a.status != http.StatusOK {
		t.Errorf("the photo: %d %v", a.status, err)
	}
}
