// Package npmtest installs npm packages for tests. Each set of packages is a folder with a package.json and a lock
// file, and is installed once per version of the lock file.
package npmtest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Need skips the test if Node.js or npm is missing. In CI it fails the test instead.
func Need(t testing.TB) {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%s is missing, and CI must not skip tests: %v", program, err)
			}
			t.Skipf("needs Node.js 20 or later with npm: %v", err)
		}
	}
}

// Root returns the root folder of the module. It searches upwards for go.mod, because a test runs in the folder of the
// package that it tests.
func Root() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		up := filepath.Dir(folder)
		if up == folder {
			return "", errors.New("no go.mod found; run the test inside the module")
		}
		folder = up
	}
}

// Install installs the packages in the lock file of a folder, which is a path from the root of the module, unless they
// are already installed. It returns the folder that contains their node_modules. Several test binaries may do this at
// the same time: each installs into a temporary folder, and all use the result of the first to finish.
func Install(folder string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	from := filepath.Join(root, filepath.FromSlash(folder))
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
