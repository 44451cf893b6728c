package api_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pages lists the paths of the pages for people.
var pages = []string{
	"/docs", "/docs/problems", "/docs/guides", "/docs/program", "/docs/api", "/docs/webhooks", "/docs/clients",
	"/docs/compatibility", "/docs/api-changelog", "/docs/roles", "/docs/matching", "/docs/shipping", "/docs/import",
	"/docs/privacy", "/docs/audit", "/docs/own-data", "/docs/bulk", "/docs/websites", "/docs/mcp",
}

// loaded matches the addresses that a page loads automatically, but not links.
var loaded = regexp.MustCompile(`<(?:link|script|img|iframe|source|object|embed)\b[^>]*\b(?:href|src|data)="([^"]*)"`)

func TestPagesLoadOnlyFilesOfTheService(t *testing.T) {
	for _, page := range pages {
		html := body(t, page)
		found := loaded.FindAllStringSubmatch(html, -1)
		if len(found) == 0 {
			t.Errorf("%s loads nothing at all", page)
		}
		for _, m := range found {
			if !strings.HasPrefix(m[1], "/docs/") {
				t.Errorf("%s loads %s", page, m[1])
				continue
			}
			body(t, m[1])
		}
	}
}

// link matches the address of a link.
var link = regexp.MustCompile(`<a\b[^>]*\bhref="([^"]*)"`)

func TestPagesHaveNoDeadLinks(t *testing.T) {
	followed := 0
	for _, page := range pages {
		for _, m := range link.FindAllStringSubmatch(body(t, page), -1) {
			address, fragment, _ := strings.Cut(m[1], "#")
			if strings.HasPrefix(address, "https://") {
				continue
			}
			if address == "" {
				address = page
			}
			followed++
			if text := body(t, address); fragment != "" && !strings.Contains(text, ` id="`+fragment+`"`) {
				t.Errorf("%s links to %s, which has no such heading", page, m[1])
			}
		}
	}
	if followed < 50 {
		t.Errorf("followed only %d links; does the pattern still match?", followed)
	}
}

func TestEveryGuideIsListedAndShown(t *testing.T) {
	list := body(t, "/docs/guides")
	for _, page := range pages[3:] {
		if !strings.Contains(list, `href="`+page+`"`) {
			t.Errorf("the list of guides does not have %s", page)
		}
		html := body(t, page)
		if strings.Count(html, "<h1") != 1 || strings.Contains(html, ".md") {
			t.Errorf("%s is not rendered:\n%s", page, html)
		}
	}
}

func TestPagesHaveNoInlineCode(t *testing.T) {
	inline := regexp.MustCompile(`(?i)<style|\sstyle=|\son\w+=|javascript:|<script(?:[^>]*)>[^<]`)
	for _, page := range pages {
		if m := inline.FindString(body(t, page)); m != "" {
			t.Errorf("%s has %q, which its policy forbids", page, m)
		}
	}
}

func TestStylesAndScriptsLoadNothingFromOtherSites(t *testing.T) {
	for _, css := range []string{"/docs/docs.css", "/docs/swagger-ui.css"} {
		loads := regexp.MustCompile(`(?:url\(\s*["']?|@import\s+["']?)([^"')]{0,40})`)
		for _, m := range loads.FindAllStringSubmatch(body(t, css), -1) {
			if !strings.HasPrefix(m[1], "data:") {
				t.Errorf("%s loads %s", css, m[1])
			}
		}
	}
	if js := body(t, "/docs/docs.js"); strings.Contains(js, "://") || strings.Contains(js, "localStorage") ||
		!strings.Contains(js, `url: "/openapi.json"`) ||
		!strings.Contains(js, `validatorUrl: "none"`) {
		t.Errorf("docs.js: %s", js)
	}
}

func TestPagesHaveSecurityHeaders(t *testing.T) {
	for _, path := range append([]string{
		"/openapi.json", "/openapi.yaml", "/docs/docs.css", "/docs/docs.js", "/docs/icon.svg", "/docs/swagger-ui.css",
		"/docs/swagger-ui-bundle.js",
	}, pages...) {
		h := get(t, path).Header()
		policy := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none';") || !strings.Contains(policy, "frame-ancestors 'none'") ||
			strings.Contains(policy, "unsafe") {
			t.Errorf("%s: got the content security policy %s", path, policy)
		}
		if strings.Contains(policy, "script-src") != (path == "/docs") {
			t.Errorf("%s: only /docs may allow scripts, but the policy is %s", path, policy)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" ||
			h.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: got the headers %v", path, h)
		}
	}
}

func TestAnUnchangedDocumentIsNotSentAgain(t *testing.T) {
	first := get(t, "/openapi.json")
	tag := first.Header().Get("ETag")
	a := newService(t)
	req, _ := http.NewRequest(http.MethodGet, a.url+"/openapi.json", nil)
	req.Header.Set("If-None-Match", tag)
	req.Header.Set("Accept-Encoding", "identity") // the compressed document has another tag
	if resp := a.do(req); tag == "" || resp.status != http.StatusNotModified {
		t.Errorf("with the tag %q got status %d, want 304", tag, resp.status)
	}
}

func TestOtherAddressesAndMethodsOfTheDocumentationAreRefused(t *testing.T) {
	if rec := get(t, "/docs/nothing"); rec.Code != http.StatusNotFound {
		t.Errorf("/docs/nothing: got status %d, want 404", rec.Code)
	}
	if rec := get(t, "/docs/"); rec.Code != http.StatusMovedPermanently || rec.Header().Get("Location") != "/docs" {
		t.Errorf("/docs/: got status %d %v", rec.Code, rec.Header())
	}
	a := newService(t)
	req, _ := http.NewRequest(http.MethodPost, a.url+"/openapi.json", nil)
	if resp := a.do(req); resp.status != http.StatusMethodNotAllowed || resp.header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: got status %d %v", resp.status, resp.header)
	}
}

func TestEveryErrorCodeIsExplained(t *testing.T) {
	html := body(t, "/docs/problems")
	kinds := regexp.MustCompile(`Code = "([a-z-]+)"`).FindAllStringSubmatch(source(t, "lost", "error.go"), -1)
	if len(kinds) == 0 {
		t.Fatal("found no error codes; does the test read the right files?")
	}
	for _, m := range kinds {
		if !strings.Contains(html, `<section id="`+m[1]+`">`) {
			t.Errorf("%s is not explained", m[1])
		}
	}
}

// The codes of field errors are string literals in the validation code, so the test searches the source for them.
func TestEveryFieldCodeIsExplained(t *testing.T) {
	html := body(t, "/docs/problems")
	codePattern := regexp.MustCompile(`\b(?:Add|bad|invalid|formatted)\((?:[^"\n]|"[^"\n]*"(?:, n\)|\+\w+))*` +
		`(?:"[\w.]+",\s+)?"([a-z-]+)",\s`)
	n := 0
	for _, folder := range []string{
		"lost", "v1", "access", "change", "desk", "endpoint", "stays", "identity", "shipping", "matching",
		"privacy", "media", "web/api",
	} {
		for _, m := range codePattern.FindAllStringSubmatch(source(t, folder, "*.go"), -1) {
			n++
			if !strings.Contains(html, "<code>"+m[1]+"</code>") {
				t.Errorf("%s uses the code %s, which is not explained", folder, m[1])
			}
		}
	}
	if n < 30 {
		t.Errorf("found only %d codes; does the pattern still match the source?", n)
	}
	n = 0
	ofWebhooks := regexp.MustCompile(`(?:&urlProblem\{|\.Add\((?:"headers"|field), )"([a-z-]+)",\s`)
	for _, m := range ofWebhooks.FindAllStringSubmatch(source(t, "webhook", "*.go"), -1) {
		n++
		if !strings.Contains(html, "<code>"+m[1]+"</code>") {
			t.Errorf("webhook uses the code %s, which is not explained", m[1])
		}
	}
	if n < 10 {
		t.Errorf("found only %d codes of webhooks; does the pattern still match the source?", n)
	}
}

func body(t *testing.T, path string) string {
	t.Helper()
	rec := get(t, path)
	if rec.Code != http.StatusOK || rec.Body.Len() == 0 {
		t.Fatalf("%s: got status %d with %d bytes", path, rec.Code, rec.Body.Len())
	}
	return rec.Body.String()
}

// source reads the Go files of a package, without tests.
func source(t *testing.T, folder, pattern string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", folder, pattern))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// Scripts on every website may read the document, because it is not secret.
func TestTheDocumentIsForEveryWebsite(t *testing.T) {
	for path, kind := range map[string]string{
		"/openapi.json": "application/json", "/openapi.yaml": "application/yaml",
	} {
		h := get(t, path).Header()
		if h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Content-Type") != kind {
			t.Errorf("%s: got %v", path, h)
		}
	}
	if h := get(t, "/docs").Header(); h.Get("Access-Control-Allow-Origin") != "" {
		t.Error("a page may be read by scripts on other websites")
	}
}
