package browsertest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// violation is an accessibility rule of axe that a page violates.
type violation struct {
	ID, Impact, Help, HelpURL string
	Nodes                     []struct {
		Target         []any
		HTML           string
		FailureSummary string
	}
}

// CheckAccessibility fails the test if axe finds accessibility violations. If npm, which installs axe, is missing, it
// logs a message and skips the check; in CI it fails the test instead.
func (v *Visitor) CheckAccessibility() {
	v.t.Helper()
	script, err := axe()
	if errors.Is(err, exec.ErrNotFound) && os.Getenv("CI") == "" {
		v.t.Logf("accessibility check skipped because npm is not installed: %v", err)
		return
	}
	v.must(err)
	var found []violation
	v.withScripts(func() error {
		if err := v.eval(script+"\n;0", nil); err != nil {
			return err
		}
		return v.eval("axe.run(document, {resultTypes: ['violations'], preload: false, iframes: false}).then(r => "+
			"r.violations)", &found)
	})
	for _, f := range found {
		v.t.Errorf("%s: %s: %s", v.options, v.Location(), f)
	}
}

func (f violation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s\n%s", f.ID, f.Impact, f.Help, f.HelpURL)
	for _, n := range f.Nodes {
		fmt.Fprintf(&b, "\n  %v  %.200s\n    %s", n.Target, n.HTML,
			strings.ReplaceAll(n.FailureSummary, "\n", "\n    "))
	}
	return b.String()
}

// axe returns the source code of axe. It installs and reads axe only once.
var axe = sync.OnceValues(func() (string, error) {
	home, err := packageFolder()
	if err != nil {
		return "", err
	}
	folder, err := install(filepath.Join(home, "axe"))
	if err != nil {
		return "", err
	}
	script, err := os.ReadFile(filepath.Join(folder, "node_modules", "axe-core", "axe.min.js"))
	return string(script), err
})

// packageFolder returns the source folder of this package. It searches upwards for go.mod, because a test runs in the
// folder of the package that it tests.
func packageFolder() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return filepath.Join(folder, "internal", "web", "browsertest"), nil
		}
		up := filepath.Dir(folder)
		if up == folder {
			return "", errors.New("no go.mod found; run the test inside the module")
		}
		folder = up
	}
}

// install installs the npm packages listed in the lock file, unless they are already installed, and returns their
// folder. Several test binaries may do this at the same time: each installs into a temporary folder, and all use the
// result of the first to finish.
func install(from string) (string, error) {
	lock, err := os.ReadFile(filepath.Join(from, "package-lock.json"))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(lock)
	packages := filepath.Join(from, "node_modules")
	done := filepath.Join(packages, hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(done); err == nil {
		return done, nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(packages, 0o755); err != nil {
		return "", err
	}
	temporary, err := os.MkdirTemp(packages, "installing-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(temporary, name), text, 0o600)
		}
		if err != nil {
			return "", err
		}
	}
	cmd := exec.Command(npm, "ci", "--ignore-scripts", "--prefer-offline")
	cmd.Dir = temporary
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	if err := os.Rename(temporary, done); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return done, nil
}
