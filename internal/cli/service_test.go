package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"homeward/internal/app"
	"homeward/internal/identity"
)

// newConfig returns settings for a test: a free port, a temporary folder and no rate limit.
func newConfig(t testing.TB, database string) app.Config {
	return app.Config{
		Listen: "127.0.0.1:0", Data: t.TempDir(), Database: database, APIKey: firstKey,
		AdminEmail: "admin@example.com", AdminPassword: "correct horse battery",
		MailFrom: "lost@example.com", RetryUnit: 15 * time.Second, Retention: 720 * time.Hour, Carrier: "tariff",
		Hashing: identity.Hashing{Memory: 8, Passes: 1},
	}
}

// firstKey is the API key of every service.
const firstKey = "hw_the-first-key-of-the-tests"

// service is the whole program, running in the test's process.
type service struct {
	*app.App
	log  *syncBuffer
	stop func() error // stops the service and returns the error of Run
}

// startService runs the service until the test ends.
func startService(t testing.TB, cfg app.Config) *service {
	t.Helper()
	s := &service{log: &syncBuffer{}}
	var err error
	s.App, err = app.New(t.Context(), cfg, io.Discard, slog.New(slog.NewJSONHandler(s.log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	s.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return s
}

// initService starts the service once and stops it, so that its data folder and database exist.
func initService(t testing.TB, cfg app.Config) {
	t.Helper()
	if err := startService(t, cfg).stop(); err != nil {
		t.Fatal(err)
	}
}

// create posts a body to the API and returns the created resource.
func (s *service) create(t testing.TB, path string, body any) map[string]any {
	t.Helper()
	return s.createWith(t, firstKey, path, body)
}

// createWith is create with another API key.
func (s *service) createWith(t testing.TB, key, path string, body any) map[string]any {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	if body == nil {
		raw = nil
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+path, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Svc-Api-Key", key)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var created map[string]any
	if err := json.NewDecoder(res.Body).Decode(&created); err != nil || res.StatusCode != http.StatusCreated {
		t.Fatalf("POST %s: %d %v %v", path, res.StatusCode, created, err)
	}
	return created
}

// waitUntil fails the test if the condition does not become true within 30 seconds.
func waitUntil(t testing.TB, what string, condition func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(30 * time.Second)
	for !condition() {
		select {
		case <-tick.C:
		case <-timeout:
			if condition() {
				return
			}
			t.Fatalf("timed out waiting until %s", what)
		}
	}
}

// syncBuffer is a bytes.Buffer for concurrent use.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
