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

// visitor is the person who visits pages, with a client that follows no redirects.
type visitor struct {
	base   string
	client *http.Client
	filled *filler
	known  map[string]string // the values of an address's placeholders
	assets map[string]int    // bytes of assets
}

func newVisitor(base string, f *filler) *visitor {
	jar, _ := cookiejar.New(nil) // never fails
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

// ask sends a request and returns the answer, which must have a status.
func (v *visitor) ask(r *http.Request, want int) ([]byte, error) {
	r.Header.Set("Accept-Encoding", "identity") // pages are not compressed, and assets must not be either
	answer, err := v.client.Do(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err == nil && answer.StatusCode != want {
		err = fmt.Errorf("%s %s: status %d, not %d", r.Method, r.URL.RequestURI(), answer.StatusCode, want)
	}
	return body, err
}

func (v *visitor) get(ctx context.Context, at string, want int) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, v.base+at, http.NoBody)
	if err != nil {
		return nil, err
	}
	return v.ask(r, want)
}

// post sends a form, which is answered with a redirect.
func (v *visitor) post(ctx context.Context, at, contentType string, body io.Reader) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, v.base+at, body)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", contentType)
	_, err = v.ask(r, http.StatusSeeOther)
	return err
}

func (v *visitor) form(ctx context.Context, at string, values url.Values) error {
	return v.post(ctx, at, "application/x-www-form-urlencoded", strings.NewReader(values.Encode()))
}

func (v *visitor) logIn(ctx context.Context) error {
	return v.form(ctx, "/login", url.Values{"email": {email}, "password": {password}})
}

// work creates what has pages of its own: a stock-take, a clearance, an import, views.
func (v *visitor) work(ctx context.Context) error {
	at := "/at/" + v.filled.location
	var upload bytes.Buffer
	file := multipart.NewWriter(&upload)
	part, err := file.CreateFormFile("file", "finds.csv")
	if err != nil {
		return err
	}
	// writes to memory do not fail
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

// findLinks finds a value for every placeholder on the pages that link to it.
func (v *visitor) findLinks(ctx context.Context) error {
	const at = "/at/{location}"
	for _, way := range []struct{ name, from, to string }{
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
		if !slices.Contains(pageRoutes(), way.from) {
			continue
		}
		body, err := v.get(ctx, v.fillIn(way.from, 0), http.StatusOK)
		if err != nil {
			return err
		}
		found := regexp.MustCompile(regexp.QuoteMeta(v.fillIn(way.to, 0)) + `([a-z]+_[0-9A-Za-z]+)`).FindSubmatch(body)
		if found == nil {
			return fmt.Errorf("%s has no link to %s", way.from, way.to)
		}
		v.known[way.name] = string(found[1])
	}
	return nil
}

// fillIn replaces the placeholders of an address. The item changes at each visit.
func (v *visitor) fillIn(at string, n int) string {
	const prime = 7919 // so that they are far apart
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

var loaded = regexp.MustCompile(`(?:src|href)="(/(?:assets|icon)/[^"]+|/manifest\.webmanifest)"`)

// loads returns the bytes of a page's assets, each file once.
func (v *visitor) loads(ctx context.Context, page []byte) (sum int, err error) {
	var files []string
	for _, m := range loaded.FindAllSubmatch(page, -1) {
		files = append(files, string(m[1]))
	}
	slices.Sort(files)
	for _, file := range slices.Compact(files) {
		if v.assets[file] == 0 {
			body, err := v.get(ctx, file, http.StatusOK)
			if err != nil {
				return 0, err
			}
			v.assets[file] = len(body)
		}
		sum += v.assets[file]
	}
	return sum, nil
}
