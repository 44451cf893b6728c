package archtest_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestEveryPackageHasAComment(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range sources(t) {
		documented[s.pkg] = documented[s.pkg] || (s.doc && !s.test)
	}
	for pkg, ok := range documented {
		if !ok {
			t.Errorf("package %s has no package comment", pkg)
		}
	}
}

func TestNoFileIsLarge(t *testing.T) {
	const limit = 4 << 20 // a program that somebody built in its folder has tens of megabytes
	for _, name := range files(t) {
		info, err := os.Stat(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > limit {
			t.Errorf("%s has %d bytes, want at most %d; remove it if it is a program", name, info.Size(), limit)
		}
	}
}

// homePath matches a path that exists only on somebody's own machine.
var homePath = regexp.MustCompile(`(^|[^\w./~-])/(home|Users|root|work)/[\w.]`)

func TestNoFileContainsALocalPath(t *testing.T) {
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files(t) {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.IndexByte(text, 0) >= 0 {
			continue // a binary file
		}
		for i, line := range strings.Split(string(text), "\n") {
			if homePath.MatchString(line) || strings.Contains(line, here+"/") {
				t.Errorf("%s:%d contains a local path: %s", name, i+1, strings.TrimSpace(line))
			}
		}
	}
}

// TestSQLiteHasTheVersionOfItsCLibrary checks the version of the C library used by the SQLite driver. The driver is C
// code translated for one version of the library. With another version it may build but fail at run time, and no
// other check notices when a dependency raises the version.
func TestSQLiteHasTheVersionOfItsCLibrary(t *testing.T) {
	// The go command reads this file. The test reads it too, so that the test cache notices changes.
	if _, err := os.ReadFile(filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	const driver, library = "modernc.org/sqlite", "modernc.org/libc"
	text, err := os.ReadFile(goModule(t, driver).GoMod)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^(?:require)?\s*` + regexp.QuoteMeta(library) + `\s+(\S+)`).FindSubmatch(text)
	if line == nil {
		t.Fatalf("%s's go.mod does not require %s", driver, library)
	}
	if got, want := goModule(t, library).Version, string(line[1]); got != want {
		t.Errorf("%s is %s, but %s requires %s: go get %s@%s", library, got, driver, want, library, want)
	}
}

// goMod is the go command's output for a module.
type goMod struct {
	Version string
	GoMod   string // the path of the module's go.mod
}

func goModule(t *testing.T, name string) goMod {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-m", "-json", name)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %s: %v\n%s", name, err, &stderr)
	}
	var m goMod
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatal(err)
	}
	return m
}
