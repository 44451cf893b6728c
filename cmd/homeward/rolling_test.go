package main_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"homeward/internal/store/storetest"
)

const migrationsFolder = "internal/store/migrations"

// buildPreviousVersion builds the newest version in the repository's history that lacks a migration. If there is none,
// the test is skipped, except in CI, where no test may be skipped.
func buildPreviousVersion(t *testing.T) (program, source string) {
	t.Helper()
	skipOrFail := t.Skipf
	if os.Getenv("CI") != "" {
		skipOrFail = t.Fatalf
	}
	git := func(args ...string) string {
		out, err := exec.Command("git", append([]string{"-C", "../.."}, args...)...).CombinedOutput()
		if err != nil {
			skipOrFail("the previous version is not available from git: git "+
				"%s: %v %s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := git("rev-parse", "--verify", "HEAD")
	// If the schema has uncommitted changes, the committed version is the previous one.
	if git("status", "--porcelain", "--", migrationsFolder) == "" {
		added := git("log", "-1", "--first-parent", "-m", "--diff-filter=A", "--format=%H", "--", migrationsFolder)
		commit = git("rev-parse", "--verify", added+"^")
	}
	source = t.TempDir()
	archive := filepath.Join(t.TempDir(), "before.tar")
	git("archive", "--format=tar", "--output="+archive, commit)
	if out, err := exec.Command("tar", "-xf", archive, "-C", source).CombinedOutput(); err != nil {
		t.Fatalf("tar: %v %s", err, out)
	}
	program = filepath.Join(source, "homeward-before")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", program, "./cmd/homeward")
	build.Dir = source
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v %s", commit, err, out)
	}
	t.Logf("the previous version is %s", commit)
	return program, source
}

// While instances are upgraded one by one, the previous version and this one use the same database. The previous
// version must still work after this version has migrated the schema.
func TestPreviousVersionRunsOnTheNewSchema(t *testing.T) {
	t.Parallel()
	database := storetest.UnmigratedPostgres(t)
	before, source := buildPreviousVersion(t)
	settings := func() []string {
		return newWebhookSettings(t, database, "HOMEWARD_SECRET=the same secret on every instance")
	}
	older := startProgram(t, before, settings()...)
	receiver := newWebhookReceiver(t, older, nil)
	load := newLoadGenerator(t, older, 3)
	end := load.start(older.url)
	changes := func(n int) func() bool {
		enough := load.count() + n
		return func() bool { return load.count() >= enough }
	}
	waitWithin(t, time.Minute, "the previous version is busy", changes(20))

	migrate := exec.Command(self(t), "migrate")
	migrate.Env = environment(settings()...)
	out, err := migrate.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "applied") {
		t.Fatalf("migrate: %v %s", err, out)
	}
	waitWithin(t, time.Minute, "the previous version continues", changes(20))
	newer := startService(t, settings()...)
	stopNew := load.start(newer.url)
	waitWithin(t, time.Minute, "both are busy", changes(40))
	checkSharedDatabase(t, older, newer)

	end()
	if code := older.terminate(); code != 0 {
		t.Errorf("the previous version: exit code %d: %s", code, older.stderr)
	}
	again := tryStart(t, before, settings())
	_, err = os.Stat(filepath.Join(source, migrationsFolder, "0040_serves.sql"))
	switch isCompatible := err == nil; {
	case isCompatible && again == nil:
		t.Error("the previous version does not start on the new schema")
	case !isCompatible && again != nil:
		t.Error("a version without compatibility information started on a newer schema")
	case isCompatible:
		checkSharedDatabase(t, again, newer)
	}
	stopNew()
	audit(t, newer, load, []*webhookReceiver{receiver}, 0)
}

// checkSharedDatabase checks that two instances can read and change each other's records.
func checkSharedDatabase(t *testing.T, a, b *process) {
	t.Helper()
	for _, pair := range [][2]*process{{a, b}, {b, a}} {
		creator, reader := pair[0], pair[1]
		hotel := "/v1/locations/" +
			creator.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
		created := creator.must(http.StatusCreated, "POST", hotel+"/items", `{"description": "Umbrella, green"}`)
		item := hotel + "/items/" + created["id"].(string)
		if found := reader.must(http.StatusOK, "GET", hotel+"/items?term=green", "")["data"].([]any); len(found) != 1 {
			t.Errorf("the other instance finds %v", found)
		}
		reader.must(http.StatusOK, "PUT", item, `{"notes": "seen"}`)
		reader.must(http.StatusOK, "PUT", item+"/update-status", `{"status": "DONATE"}`)
		if i := creator.must(http.StatusOK, "GET", item, ""); i["notes"] != "seen" || i["status"] != "DONATE" {
			t.Errorf("the creating instance sees %v", i)
		}
	}
}

// tryStart starts a program. It returns nil if the program ends with a one-line error because the schema is too new.
func tryStart(t *testing.T, program string, settings []string) *process {
	t.Helper()
	check := exec.Command(program, "migrate")
	check.Env = environment(settings...)
	out, err := check.CombinedOutput()
	if err == nil {
		return startProgram(t, program, settings...)
	}
	if !strings.Contains(string(out), "use a newer version of homeward") {
		t.Errorf("the error is %q", out)
	}
	return nil
}
