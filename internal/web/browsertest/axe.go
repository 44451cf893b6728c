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

// violation is an axe rule that a page violates.
type violation struct {
	ID, Impact, Help, HelpURL string
	Nodes                     []struct {
		Target         []any
		HTML           string
		FailureSummary string
	}
}

// CheckAccessibility fails the test if axe finds accessibility violations. Without npm, which installs axe, it logs
// that it checks nothing, except in CI, where no check may be skipped.
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

// axe returns the source of axe. It is read once.
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

// packageFolder returns the folder of this package. A test runs in the folder of its own package, in the same module.
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
			return "", errors.New("the test does not run inside the module")
		}
		folder = up
	}
}

// install installs the packages of the lock file, unless they are installed, and returns their folder. Tests of several
// packages may do this concurrently: each installs into a separate folder, and the first to finish wins.
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
