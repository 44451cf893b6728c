package webhook_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"homeward/internal/webhook"
)

// receiverLine is a line of output from the receiver in nodetest.
type receiverLine struct {
	Port             int
	ID               string
	StandardWebhooks string
	Stripe           string
}

func TestNodeLibrariesAcceptTheSignatures(t *testing.T) {
	needNode(t)
	installPackages(t)
	older, newer := webhook.NewSecret(), webhook.NewSecret()
	lines := startNode(t, older)
	url := fmt.Sprintf("http://127.0.0.1:%d/hooks", read(t, lines).Port)
	s := newSender(t, webhook.Options{})
	for i, tt := range []struct {
		name    string
		secrets []string
		at      time.Time
		ok      bool
	}{
		{"signed", []string{older}, time.Now(), true},
		{"rotating", []string{newer, older}, time.Now(), true},
		{"another secret", []string{newer}, time.Now(), false},
		{"an old request", []string{older}, time.Now().Add(-6 * time.Minute), false},
	} {
		id := fmt.Sprint("dlv_", i)
		o := s.Send(t.Context(), webhook.Request{URL: url, ID: id, Secrets: tt.secrets, Body: body, At: tt.at})
		if o.Status == 0 {
			t.Fatalf("%s: %+v", tt.name, o)
		}
		found := read(t, lines)
		if o.OK() != tt.ok || found.ID != id || (found.StandardWebhooks == "ok") != tt.ok ||
			(found.Stripe == "ok") != tt.ok {
			t.Errorf("%s: status %d, verification %+v", tt.name, o.Status, found)
		}
	}
}

// needNode skips the test if Node.js is missing. In CI it fails the test instead.
func needNode(t *testing.T) {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%s is missing, and CI must not skip tests: %v", program, err)
			}
			t.Skipf("needs Node.js 20 or later with npm to check signatures with npm's libraries: %v", err)
		}
	}
}

// installPackages installs the packages in the lock file, unless they are already installed.
func installPackages(t *testing.T) {
	t.Helper()
	lock, err := os.ReadFile("nodetest/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(lock)
	want, marker := hex.EncodeToString(sum[:]), filepath.Join("nodetest", "node_modules", ".installed")
	if installed, err := os.ReadFile(marker); err == nil && string(installed) == want {
		return
	}
	cmd := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--prefer-offline")
	cmd.Dir = "nodetest"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	if err := os.WriteFile(marker, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
}

// startNode starts the receiver and returns its output. It stops the receiver when the test ends.
func startNode(t *testing.T, secret string) *bufio.Scanner {
	t.Helper()
	if _, err := os.Stat("nodetest/receiver.mjs"); err != nil { // makes the test cache depend on this file
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "receiver.mjs")
	cmd.Dir, cmd.Stderr = "nodetest", os.Stderr
	cmd.Env = append(os.Environ(), "SECRET="+secret)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // stops the receiver
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
	})
	return bufio.NewScanner(out)
}

func read(t *testing.T, lines *bufio.Scanner) (f receiverLine) {
	t.Helper()
	if !lines.Scan() {
		t.Fatalf("the receiver stopped: %v", lines.Err())
	}
	if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
		t.Fatalf("%s: %v", lines.Bytes(), err)
	}
	return f
}
