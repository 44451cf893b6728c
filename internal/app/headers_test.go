package app_test

import (
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"homeward/internal/store/storetest"
	"homeward/internal/web/guest"
	"homeward/internal/web/staff"
)

// unroutedPaths lists requests that are not in any route table.
var unroutedPaths = []string{
	"GET /openapi.json", "GET /openapi.yaml",
	"GET /docs", "GET /docs/", "GET /docs/problems", "GET /docs/docs.css", "GET /docs/docs.js",
	"GET /docs/icon.svg", "GET /docs/swagger-ui.css", "GET /docs/swagger-ui-bundle.js", "GET /docs/none",
	"GET /files/none", "POST /files/none", "GET /files/", "GET /healthz", "GET /readyz", "GET /metrics",
	"POST /hooks/stripe", "POST /hooks/easypost", "GET /hooks/stripe", "GET /hooks/none",
	"GET /v1", "GET /v1/none", "PATCH /v1/locations", "GET /g", "GET /g/none", "GET /l/none", "GET /assets/none",
	"GET /none", "GET //none", "GET /v1//locations", "DELETE /", "TRACE /login", "OPTIONS /",
}

// Every response from every handler has the security headers, with and without a session.
func TestEveryResponseHasSecurityHeaders(t *testing.T) {
	t.Parallel()
	cfg := newConfig(t, storetest.SQLite(t))
	cfg.BaseURL = "https://lost.example.com"
	s := startService(t, cfg)
	hotel := s.newLocation(`{"name": "Hotel Adler"}`)
	permalink := path.Base(text(s.must(http.StatusOK, "GET", "/v1/locations/"+hotel, nil)["permalink"]))
	item := s.newItem(hotel, `{"description": "Umbrella", "owner": {"email": "anna@example.com"}}`)
	messages, _ := s.listAll("/v1/locations/" + hotel + "/items/" + item + "/messages")
	token := regexp.MustCompile(`/g/([a-z0-9]+)`).FindStringSubmatch(text(messages[0]["text"]))[1]
	session := s.session("admin@example.com", adminPassword)

	patterns := slices.Concat(unroutedPaths, guest.Routes())
	for _, r := range staff.Routes() {
		patterns = append(patterns, r.Method+" "+r.Path)
	}
	for _, op := range s.operations() {
		patterns = append(patterns, op.method+" "+op.path)
	}
	known := strings.NewReplacer("{token}", token, "{permalink}", permalink, "{lid}", hotel, "{location}", hotel,
		"{iid}", item, "{item}", item, "{$}", "", "{id}", item, "...}", "}")
	filled := regexp.MustCompile(`\{[^}]+\}`)
	pages := 0
	for _, pattern := range patterns {
		method, at, _ := strings.Cut(pattern, " ")
		at = filled.ReplaceAllString(known.Replace(at), "none")
		for _, as := range []string{"nobody", "the owner", "a program"} {
			r, err := http.NewRequest(method, s.url, strings.NewReader(""))
			if err != nil {
				t.Fatal(err)
			}
			r.URL.Opaque = at
			switch {
			case as == "the owner" && at != "/logout":
				r.Header.Set("Cookie", session)
			case as == "a program":
				r.Header.Set("svc-api-key", s.key)
			}
			a, err := send(s.unchecked, r)
			if err != nil {
				t.Errorf("%s: %v", pattern, err)
				continue
			}
			for _, fault := range missingHeaders(at, a) {
				t.Errorf("%s as %s (%d): %s", pattern, as, a.status, fault)
			}
			if a.status == http.StatusOK && strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
				pages++
			}
		}
	}
	t.Logf("%d paths, %d pages", len(patterns), pages)
	if len(patterns) < 150 || pages < 40 {
		t.Errorf("only %d paths and %d pages were checked", len(patterns), pages)
	}
}

// session logs a user in and returns the session cookies.
func (s *service) session(email, password string) string {
	s.t.Helper()
	in, err := s.unchecked.PostForm(s.url+"/login", url.Values{"email": {email}, "password": {password}})
	if err != nil || len(in.Cookies()) == 0 {
		s.t.Fatalf("%v, %v", in, err)
	}
	_ = in.Body.Close()
	var pairs []string
	for _, c := range in.Cookies() {
		pairs = append(pairs, c.Name+"="+c.Value)
	}
	return strings.Join(pairs, "; ")
}

// missingHeaders returns a description of each problem with a response's security headers.
func missingHeaders(at string, a response) (faults []string) {
	h := a.header
	wanted := map[string][]string{
		"X-Content-Type-Options":    {"nosniff"},
		"Strict-Transport-Security": {"max-age=31536000"},
	}
	forPrograms := at == "/v1" || strings.HasPrefix(at, "/v1/") ||
		slices.Contains([]string{"/healthz", "/readyz", "/metrics"}, at)
	if !forPrograms || strings.HasPrefix(h.Get("Content-Type"), "text/html") {
		wanted["Referrer-Policy"] = []string{"no-referrer", "same-origin"}
		wanted["Cross-Origin-Opener-Policy"] = []string{"same-origin"}
	}
	for name, allowed := range wanted {
		if got := h.Values(name); len(got) != 1 || !slices.Contains(allowed, got[0]) {
			faults = append(faults, name+" is "+strings.Join(got, " and "))
		}
	}
	if !forPrograms && !strings.Contains(h.Get("Permissions-Policy"), "geolocation=()") {
		faults = append(faults, "Permissions-Policy is "+h.Get("Permissions-Policy"))
	}
	if h.Get("Server")+h.Get("X-Powered-By") != "" {
		faults = append(faults, "a header reveals the software")
	}
	policy := map[string]string{}
	for directive := range strings.SplitSeq(h.Get("Content-Security-Policy"), ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), " ")
		policy[name] = value
	}
	if policy["default-src"] != "'none'" {
		faults = append(faults, "anything may be loaded: "+h.Get("Content-Security-Policy"))
	}
	if framed := policy["frame-ancestors"]; framed != "'none'" && !(framed == "*" && strings.HasPrefix(at, "/l/")) {
		faults = append(faults, "it may be framed by: "+framed)
	}
	for name, value := range policy {
		printed := h.Get("Content-Type") == "application/pdf" // the browser's PDF viewer applies its own styles
		if strings.Contains(value, "unsafe-") && !printed || strings.Contains(value, "*") && name != "frame-ancestors" {
			faults = append(faults, name+" allows "+value)
		}
	}
	return faults
}
