package stripetest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// build builds the stripe-mock binary once per process, and returns its path. The go command caches the build.
var build = sync.OnceValues(func() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	module, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	cmd := exec.CommandContext(ctx, "go", "tool", "-modfile=tools/go.mod", "-n", "stripe-mock")
	cmd.Dir = filepath.Dir(strings.TrimSpace(string(module)))
	var output strings.Builder
	cmd.Stderr = &output
	path, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("build stripe-mock: %w: %s", err, output.String())
	}
	return strings.TrimSpace(string(path)), nil
})

// Mock runs Stripe's official mock until the test ends, and returns its URL. The mock rejects requests that do not
// match Stripe's OpenAPI description, and responds to all others with examples. It is stateless, accepts any key that
// starts with sk_test_, and all its checkout pages have expired.
func Mock(t testing.TB) (url string) {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	// Without the HTTPS address, the mock would listen on all interfaces.
	cmd := exec.CommandContext(ctx, binary, "-http-addr", "127.0.0.1:0", "-https-addr", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		t.Fatalf("start stripe-mock: %v", err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // the mock was killed, so an error is expected
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if address, found := strings.CutPrefix(lines.Text(), "Listening for HTTP at address: "); found {
			go func() { _, _ = io.Copy(io.Discard, out) }() // so that the mock never blocks on its output
			return "http://" + address
		}
	}
	t.Fatal("stripe-mock exited before it was listening")
	return ""
}
