package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// visitor requests pages as a logged-in user, with a client that does not follow redirects.
type visitor struct {
	base   string
	client *http.Client
	filled *filler
	known  map[string]string // values for the placeholders in URL paths
	assets map[string]int    // the size of each asset, in bytes
}

func newVisitor(base string, f *filler) *visitor {
	jar, _ := cookiejar.New(nil) // never returns an error
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	now := time.Now()
	return &visitor{base: base, client: client, filled: f, assets: map[string]int{}, known: map[string]string{
		"{location}": f.location, "{kind}": "store-until", "{part}": "storage",
		"{today}": now.Format(time.DateOnly), "{month}": now.AddDate(0, -1, 0).Format(time.DateOnly),
		"{lastyear}": now.AddDate(-1, 0, 0).Format(time.DateOnly),
	}}
}

// do sends a request and returns the response body. It returns an error unless the response has the status want.
func (v *visitor) do(r *http.Request, want int) ([]byte, error) {
	r.Header.Set("Accept-Encoding", "identity") // pages are not compressed, so assets must not be either
	res, err := v.client.Do(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	if err = errors.Join(err, res.Body.Close()); err == nil && res.StatusCode != want {
		err = fmt.Errorf("%s %s: got status %d, want %d", r.Method, r.URL.RequestURI(), res.StatusCode, want)
	}
	return body, err
}

// get requests a page. It returns an error unless the response has the status 200.
func (v *visitor) get(ctx context.Context, at string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, v.base+at, http.NoBody)
	if err != nil {
		return nil, err
	}
	return v.do(r, http.StatusOK)
}

// post sends a form. It returns an error unless the response is a redirect.
func (v *visitor) post(ctx context.Context, at, contentType string, body io.Reader) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, v.base+at, body)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", contentType)
	_, err = v.do(r, http.StatusSeeOther)
	return err
}

func (v *visitor) form(ctx context.Context, at string, values url.Values) error {
	return v.post(ctx, at, "application/x-www-form-urlencoded", strings.NewReader(values.Encode()))
}

func (v *visitor) logIn(ctx context.Context) error {
	return v.form(ctx, "/login", url.Values{"email": {email}, "password": {password}})
}

// work creates a stock count, a decision about expired items, an import and saved views, each of which has its own
// page.
func (v *visitor) work(ctx context.Context) error {
	at := "/at/" + v.filled.location
	var upload bytes.Buffer
	file := multipart.NewWriter(&upload)
	part, err := file.CreateFormFile("file", "finds.csv")
	if err != nil {
		return err
	}
	// Writing to memory does not fail.
	_, _ = io.WriteString(part, "description,discoveryDate\n"+strings.Repeat("Blue umbrella,2026-01-02\n", 1000))
	_ = file.Close()
	errs := []error{
		v.form(ctx, at+"/counts", url.Values{"place": {busyPlace}}),
		v.form(ctx, at+"/storage", url.Values{"every": {"1"}, "do": {"donated"}}),
		v.post(ctx, at+"/import", file.FormDataContentType(), &upload),
	}
	for n := range 10 {
		errs = append(errs,
			v.form(ctx, at+"/views",
				url.Values{"name": {"View " + strconv.Itoa(n)}, "query": {"term=umbrella"}, "shared": {"1"}}))
	}
	return errors.Join(errs...)
}

// findLinks finds a value for every placeholder by following links on other pages.
func (v *visitor) findLinks(ctx context.Context) error {
	const at = "/at/{location}"
	for _, link := range []struct{ name, from, to string }{
		{"{request}", at + "/requests", at + "/requests/"},
		{"{decision}", at + "/storage", at + "/storage/decisions/"},
		{"{count}", at + "/counts", at + "/counts/"},
		{"{import}", at + "/import", at + "/import/"},
		{"{key}", "/settings/keys", "/settings/keys/"},
		{"{webhook}", "/settings/webhooks", "/settings/webhooks/"},
		{"{delivery}", "/settings/webhooks/{webhook}", "/settings/deliveries/"},
		{"{event}", "/settings/events", "/settings/events/"},
		{"{message}", "/settings/messages", "/settings/messages/"},
		{"{user}", "/settings/team", "/settings/team/members/"},
	} {
		if !slices.Contains(pageRoutes(), link.from) {
			continue
		}
		body, err := v.get(ctx, v.fillIn(link.from, 0))
		if err != nil {
			return err
		}
		found := regexp.MustCompile(regexp.QuoteMeta(v.fillIn(link.to, 0)) + `([a-z]+_[0-9A-Za-z]+)`).FindSubmatch(body)
		if found == nil {
			return fmt.Errorf("%s has no link to %s", link.from, link.to)
		}
		v.known[link.name] = string(found[1])
	}
	return nil
}

// fillIn replaces the placeholders in a URL path. n determines which item is used.
func (v *visitor) fillIn(at string, n int) string {
	const prime = 7919 // so that successive items are far apart
	if at == "/at/{location}/items/{id}" {
		return "/at/" + v.filled.location + "/items/" + v.filled.found[n*prime%len(v.filled.found)]
	}
	if strings.HasSuffix(at, "/accept") {
		at += "?item=" + v.filled.notified
	}
	if strings.HasSuffix(at, "/place") {
		at += "?name=" + url.QueryEscape(busyPlace)
	}
	at = strings.ReplaceAll(at, "/requests/{id}", "/requests/{request}")
	pairs := []string{"{id}", v.filled.notified}
	for name, value := range v.known {
		pairs = append(pairs, name, value)
	}
	return strings.NewReplacer(pairs...).Replace(at)
}

var assetLink = regexp.MustCompile(`(?:src|href)="(/(?:assets|icon)/[^"]+|/manifest\.webmanifest)"`)

// loads returns the total size of a page's assets in bytes. Each file is counted once.
func (v *visitor) loads(ctx context.Context, page []byte) (sum int, err error) {
	var files []string
	for _, m := range assetLink.FindAllSubmatch(page, -1) {
		files = append(files, string(m[1]))
	}
	slices.Sort(files)
	for _, file := range slices.Compact(files) {
		if v.assets[file] == 0 {
			body, err := v.get(ctx, file)
			if err != nil {
				return 0, err
			}
			v.assets[file] = len(body)
		}
		sum += v.assets[file]
	}
	return sum, nil
}
