package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/app"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/secretscan"
)

const (
	firstKey      = "hw_the-first-key-of-the-tests"
	adminPassword = "correct horse battery"
)

// service is the whole program, running in the test's process on a free port.
type service struct {
	t         testing.TB
	cfg       app.Config
	url       string
	key       string
	client    *http.Client
	unchecked *http.Client // the same client without the check against the OpenAPI document
	printed   string       // what the service printed when it started
	log       *secretscan.Log
	stop      func() error // stops the service and returns the error from Run
}

// newConfig returns settings for a test: a free port, a temporary folder and no rate limit.
func newConfig(t testing.TB, database string) app.Config {
	return app.Config{
		Listen: "127.0.0.1:0", Data: t.TempDir(), Database: database, APIKey: firstKey,
		AdminEmail: "admin@example.com", AdminPassword: adminPassword,
		MailFrom: "lost@example.com", RetryUnit: 15 * time.Second, Retention: 720 * time.Hour, Carrier: "tariff",
		Hashing: identity.Hashing{Memory: 8, Passes: 1},
	}
}

// startService runs the service until the test ends. Its client checks every response against the OpenAPI document
// that the service serves.
func startService(t testing.TB, cfg app.Config) *service {
	t.Helper()
	return startServiceWithLogger(t, cfg, slog.New) // not redacted, so that the tests find what is logged by mistake
}

func startServiceWithLogger(t testing.TB, cfg app.Config, newLogger func(slog.Handler) *slog.Logger) *service {
	t.Helper()
	s := &service{t: t, cfg: cfg, key: cfg.APIKey, log: secretscan.Watch(t)}
	var out bytes.Buffer
	a, err := app.New(t.Context(), cfg, &out, newLogger(slog.NewJSONHandler(s.log, nil)))
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	s.url = a.URL()
	hideSettings(s.log, cfg) // including the secret that the service generated
	if s.cfg.Files == "" {
		s.cfg.Files = filepath.Join(cfg.Data, "files")
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	select {
	case <-a.Ready():
	case err := <-ended:
		t.Fatalf("run: %v", err)
	}
	s.printed = out.String()
	s.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	plain := &http.Transport{MaxIdleConnsPerHost: 64}
	transport := s.log.Transport(plain)
	noRedirects := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s.client = &http.Client{Transport: newConformingTransport(t, s.url, transport), CheckRedirect: noRedirects}
	s.unchecked = &http.Client{Transport: transport, CheckRedirect: noRedirects}
	t.Cleanup(func() {
		plain.CloseIdleConnections()
		if err := s.stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return s
}

// firstStart returns the text that the first start wrote to a file for the operator.
func (s *service) firstStart() string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.cfg.Data, app.FirstStartFile))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// hideSettings registers the settings that must not appear in a log.
func hideSettings(log *secretscan.Log, cfg app.Config) {
	log.AddSecret("a setting", cfg.Secret, cfg.AdminPassword, cfg.APIKey, cfg.SMTP, cfg.IMAP, cfg.TwilioToken,
		cfg.StripeKey, cfg.StripeSecret, cfg.EasyPostKey, cfg.EasyPostSecret, cfg.OIDCSecret, cfg.VisionKey,
		cfg.EmbeddingsKey)
	for _, server := range []string{cfg.SMTP, cfg.IMAP} {
		if u, err := url.Parse(server); err == nil && u.User != nil {
			password, _ := u.User.Password()
			log.AddSecret("the mail server's password", password)
		}
	}
	if key, err := os.ReadFile(filepath.Join(cfg.Data, "secret.key")); err == nil {
		log.AddSecret("the service's own secret", strings.TrimSpace(string(key)))
	}
}

// response is an HTTP response with its whole body.
type response struct {
	status int
	header http.Header
	body   []byte
}

// json decodes the body into a value.
func (a response) json(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal(a.body, v); err != nil {
		t.Fatalf("the response is not JSON: %v\n%s", err, a.body)
	}
}

// record decodes the body as an object.
func (a response) record(t testing.TB) map[string]any {
	t.Helper()
	var m map[string]any
	a.json(t, &m)
	return m
}

// send sends a request and reads the response.
func (s *service) send(r *http.Request) (response, error) { return send(s.client, r) }

func send(client *http.Client, r *http.Request) (response, error) {
	res, err := client.Do(r)
	if err != nil {
		return response{}, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	return response{res.StatusCode, res.Header, body}, err
}

// request returns a request with the first key and a JSON body, which may be nil.
func (s *service) request(method, path string, body any) (*http.Request, error) {
	var r io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		r = strings.NewReader(b)
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			return nil, err
		}
		r = bytes.NewReader(encoded)
	}
	req, err := http.NewRequest(method, s.url+path, r)
	if err != nil {
		return nil, err
	}
	if r != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("svc-api-key", s.key)
	return req, nil
}

// do sends a request with a key. It fails the test if there is no response.
func (s *service) do(key, method, path string, body any) response {
	s.t.Helper()
	r, err := s.request(method, path, body)
	if err != nil {
		s.t.Error(err)
		return response{}
	}
	r.Header.Set("svc-api-key", key)
	a, err := s.send(r)
	if err != nil {
		s.t.Errorf("%s %s: %v", method, path, err)
	}
	return a
}

func escape(s string) string { return url.QueryEscape(s) }

// must sends a request with the first key and returns the response's record. It fails the test if the response does
// not have the expected status.
func (s *service) must(status int, method, path string, body any) map[string]any {
	s.t.Helper()
	a := s.do(s.key, method, path, body)
	if a.status != status {
		s.t.Fatalf("%s %s returned %d, want %d: %s", method, path, a.status, status, a.body)
	}
	if len(a.body) == 0 {
		return nil
	}
	return a.record(s.t)
}

// newLocation creates a location and returns its id.
func (s *service) newLocation(body any) string {
	s.t.Helper()
	return s.must(http.StatusCreated, "POST", "/v1/locations", body)["id"].(string)
}

func (s *service) newItem(location string, body any) string {
	s.t.Helper()
	return s.must(http.StatusCreated, "POST", "/v1/locations/"+location+"/items", body)["id"].(string)
}

func (s *service) newRequest(location string, body any) string {
	s.t.Helper()
	return s.must(http.StatusCreated, "POST", "/v1/locations/"+location+"/requests", body)["id"].(string)
}

// listAll reads every page of a list.
func (s *service) listAll(path string) (records []map[string]any, total int) {
	s.t.Helper()
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	for next := path + sep + "limit=100"; next != ""; {
		a := s.do(s.key, "GET", next, nil)
		if a.status != http.StatusOK {
			s.t.Fatalf("GET %s returned %d: %s", next, a.status, a.body)
		}
		var page struct {
			Data  []map[string]any
			Total int
		}
		a.json(s.t, &page)
		records, total = append(records, page.Data...), page.Total
		next = linkTo("next", a.header.Get("Link"))
	}
	return records, total
}

// linkTo returns the URL with the given relation in a Link header.
func linkTo(rel, header string) string {
	for link := range strings.SplitSeq(header, ", ") {
		if address, ok := strings.CutSuffix(link, `; rel="`+rel+`"`); ok {
			return strings.Trim(address, "<>")
		}
	}
	return ""
}

// newKey creates an API key.
func (s *service) newKey(body map[string]any) (id, secret string) {
	s.t.Helper()
	k := s.must(http.StatusCreated, "POST", "/v1/keys", body)
	return k["id"].(string), k["key"].(string)
}

// newAccount creates another account, as the operator would, and returns an API key for it.
func (s *service) newAccount() (key string) {
	s.t.Helper()
	d, done, err := app.OpenOperator(s.t.Context(), s.cfg)
	if err != nil {
		s.t.Fatal(err)
	}
	defer done()
	a, err := d.Accounts.Create(s.t.Context(), "Another account")
	if err != nil {
		s.t.Fatal(err)
	}
	k, err := d.Keys.Create(s.t.Context(), identity.Operator(a.ID), lost.KeyPatch{Name: lost.Set("Their key")},
		lost.IdempotencyKey{})
	if err != nil {
		s.t.Fatal(err)
	}
	return k.Secret
}

// listFiles lists every file in the service's files folder, including incomplete ones.
func (s *service) listFiles() []string {
	s.t.Helper()
	return listFiles(s.t, s.cfg.Files)
}

func listFiles(t testing.TB, folder string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case os.IsNotExist(err): // the file has just been deleted
			return nil
		case err == nil && d.Type().IsRegular() && !strings.HasPrefix(d.Name(), "check-"): // not that of Store.Check
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// waitUntil fails the test if the condition does not become true within a minute.
func waitUntil(t testing.TB, what string, condition func() bool) {
	t.Helper()
	if !pollFor(time.Minute, condition) {
		t.Fatalf("timed out waiting until %s", what)
	}
}

// pollFor polls a condition until it is true or the timeout has passed.
func pollFor(timeout time.Duration, condition func() bool) bool {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(timeout)
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline:
			return condition()
		}
	}
	return true
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
