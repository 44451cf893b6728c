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

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	said := map[string]bool{}
	for _, s := range sources(t) {
		said[s.pkg] = said[s.pkg] || (s.doc && !s.test)
	}
	for pkg, ok := range said {
		if !ok {
			t.Errorf("package %s has no package comment", pkg)
		}
	}
}

// ownPath finds a path that exists on one person's machine only.
var ownPath = regexp.MustCompile(`(^|[^\w./~-])/(home|Users|root|work)/[\w.]`)

func TestNoFileNamesAPathOfSomebodysMachine(t *testing.T) {
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
			continue // a picture or the like
		}
		for i, line := range strings.Split(string(text), "\n") {
			if ownPath.MatchString(line) || strings.Contains(line, here+"/") {
				t.Errorf("%s:%d names a path of one machine: %s", name, i+1, strings.TrimSpace(line))
			}
		}
	}
}

// The SQLite driver is C translated for one version of its C library: with another
// it may build, and fail later. Nothing else notices when a dependency lifts it.
func TestSQLiteHasTheCLibraryItWasMadeFor(t *testing.T) {
	// Read, although the go command does the work: the test cache watches it.
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
		t.Fatalf("the go.mod of %s does not ask for %s", driver, library)
	}
	if have, want := goModule(t, library).Version, string(line[1]); have != want {
		t.Errorf("%s is %s, but %s is made for %s: go get %s@%s", library, have, driver, want, library, want)
	}
}

// goMod is what the go command tells of a module in our build.
type goMod struct {
	Version string
	GoMod   string // the file
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
