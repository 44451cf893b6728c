package app_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"homeward/internal/store/storetest"
)

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// post sends a message to /mcp. The functions change the request.
func (s *service) post(message string, change ...func(*http.Request)) response {
	s.t.Helper()
	r, err := http.NewRequest(http.MethodPost, s.url+"/mcp", strings.NewReader(message))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, fn := range change {
		fn(r)
	}
	a, err := send(s.unchecked, r)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func TestTheMCPAddressRefusesBadRequests(t *testing.T) {
	t.Parallel()
	cfg := newConfig(t, storetest.SQLite(t))
	cfg.BaseURL = "https://lost.example.com"
	s := startService(t, cfg)
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	nothing := func(*http.Request) {}
	otherHeader := func(r *http.Request) { r.Header.Del("Authorization"); r.Header.Set("svc-api-key", s.key) }
	method := func(name string) func(*http.Request) { return func(r *http.Request) { r.Method = name } }
	nested := strings.Repeat("[", 500_000) + strings.Repeat("]", 500_000)
	for _, c := range []struct {
		name    string
		message string
		change  func(*http.Request)
		status  int
		text    string
	}{
		{"a good one", listTools, nothing, 200, "search_items"},
		{"no key", listTools, header("Authorization", ""), 401, "Bearer KEY"},
		{"a key in the other header", listTools, otherHeader, 200, "search_items"},
		{"another scheme", listTools, header("Authorization", "Basic abc"), 401, "Bearer KEY"},
		{"a wrong key", listTools, header("Authorization", "Bearer hw_wrong"), 401, "API key"},
		{"a publishable key", listTools, header("Authorization", "Bearer hwp_abc"), 403, "publishable"},
		{"GET", listTools, method(http.MethodGet), 405, "POST"},
		{"DELETE", listTools, method(http.MethodDelete), 405, "POST"},
		{"the service's own page", listTools, header("Origin", "https://lost.example.com"), 200, "search_items"},
		{"another site's page", listTools, header("Origin", "https://evil.example"), 403, "other sites"},
		{"a page without an origin", listTools, header("Origin", "null"), 403, "other sites"},
		{"a name that leads to this machine", listTools, host("evil.example:8080"), 403, "Host"},
		{"a proxy that keeps the host", listTools, host("lost.example.com"), 200, "search_items"},
		{"this machine", listTools, host("localhost:8080"), 200, "search_items"},
		{"a batch", "[" + listTools + "]", nothing, 400, "one message"},
		{"a large body", strings.Repeat(" ", 1<<20+1), nothing, 413, "1 MiB"},
		{"no JSON", "hello", nothing, 400, "not a JSON-RPC message"},
		{"deeply nested JSON", `{"method":"ping","params":` + nested + "}", nothing, 400, "not a JSON-RPC message"},
		{"a form", listTools, header("Content-Type", "text/plain"), 415, "application/json"},
	} {
		a := s.post(c.message, c.change)
		if a.status != c.status || !strings.Contains(string(a.body), c.text) {
			t.Errorf("%s: %d %s, want %d and %q", c.name, a.status, a.body, c.status, c.text)
		}
		if challenge := a.header.Get("WWW-Authenticate"); (challenge != "") != (c.status == http.StatusUnauthorized) {
			t.Errorf("%s: WWW-Authenticate is %q", c.name, challenge)
		}
		if a.header.Get("Mcp-Session-Id") != "" || a.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: the headers are %v", c.name, a.header)
		}
	}
}

func TestARequestOfAnAgentIsLoggedWithItsCalls(t *testing.T) {
	t.Parallel()
	s := startService(t, newConfig(t, storetest.SQLite(t)))
	s.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_locations","arguments":{}}}`,
		header("X-Request-Id", "agent-7"))
	var routes []string
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, `"request":"agent-7"`) && strings.Contains(line, `"key":"key_`) &&
			strings.Contains(line, `"client":"127.0.0.1"`) {
			_, route, _ := strings.Cut(line, `"route":"`)
			route, _, _ = strings.Cut(route, `"`)
			routes = append(routes, route)
		}
	}
	if got := strings.Join(routes, ", "); got != "GET /v1/account, GET /v1/locations, /mcp" {
		t.Errorf("the log has the routes %s\n%s", got, s.log)
	}
}

func TestAgentsShareTheRateLimitOfTheirKey(t *testing.T) {
	t.Parallel()
	cfg := newConfig(t, storetest.SQLite(t))
	cfg.RateLimit = 0.001
	s := startService(t, cfg)
	if a := s.post(listTools); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	a := s.post(listTools)
	if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" ||
		!strings.Contains(string(a.body), `"code":"rate-limited"`) {
		t.Errorf("%d %v %s", a.status, a.header, a.body)
	}
}

func TestALargePhotoComesAsItsThumbnail(t *testing.T) {
	t.Parallel()
	d := newDesktop(t, storetest.SQLite(t))
	d.connect = d.http
	path := "/v1/locations/" + d.zoo + "/items/" + d.bear
	res, err := d.upload(path+"/upload-image", "image", noisyPhoto())
	if err != nil || res.status != http.StatusOK {
		t.Fatalf("%v, %d %s", err, res.status, res.body)
	}
	a := d.agent(d.key)
	found, err := a.CallTool(t.Context(), &sdk.CallToolParams{
		Name: "get_item", Arguments: args{"locationId": d.zoo, "itemId": d.bear},
	})
	if err != nil {
		t.Fatal(err)
	}
	link := found.Content[1].(*sdk.ResourceLink)
	if *link.Size <= 4<<20 {
		t.Fatalf("the photo has only %d bytes", *link.Size)
	}
	photo, err := a.read(link.URI)
	if err != nil {
		t.Fatal(err)
	}
	if len(photo.Blob) == 0 || len(photo.Blob) > 1<<20 || !strings.HasPrefix(photo.MIMEType, "image/") {
		t.Errorf("the photo has %d bytes of type %s", len(photo.Blob), photo.MIMEType)
	}
}

// noisyPhoto returns a JPEG of several megabytes.
func noisyPhoto() []byte {
	m := image.NewRGBA(image.Rect(0, 0, 1800, 1200))
	random := rand.New(rand.NewPCG(1, 2))
	for n := range m.Pix {
		m.Pix[n] = uint8(random.Uint32())
	}
	var b bytes.Buffer
	_ = jpeg.Encode(&b, m, &jpeg.Options{Quality: 100}) // writing to memory cannot fail
	return b.Bytes()
}
