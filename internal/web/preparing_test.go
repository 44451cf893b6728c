package web_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web"
)

func TestPagesShowTheProgressOfThePreparation(t *testing.T) {
	busy := true
	unavailable := lost.E(lost.Unavailable, "Counting: 7 of 12 items.")
	unavailable.Wait = time.Second
	h := web.Handler(web.Options{
		API: http.HandlerFunc(serveTest), Files: http.NotFoundHandler(), Staff: http.HandlerFunc(serveTest),
		Guest: http.HandlerFunc(serveTest), Log: slog.New(slog.DiscardHandler),
		Ready: func(context.Context) error { return nil },
		Prepare: &web.Preparation{
			Progress: func() (web.Progress, bool) {
				return web.Progress{
					Title: "Counting", Status: "7 of 12 items are counted.", Done: 7, Total: 12, Err: unavailable,
				}, busy
			},
			Style: "/assets/look.css", Script: "/assets/p.js", Icon: "/assets/icon.svg",
		},
	})
	page := get(h, "/items", "Accept", "text/html,*/*;q=0.8")
	for _, want := range []string{
		"<h1>Counting</h1>", "7 of 12 items", `value="7"`, `src="/assets/p.js"`, `href="/assets/look.css"`,
	} {
		if !strings.Contains(page.Body.String(), want) {
			t.Errorf("the page lacks %s:\n%s", want, page.Body)
		}
	}
	if page.Code != 503 || page.Header().Get("Retry-After") != "1" ||
		!strings.Contains(page.Header().Get("Content-Security-Policy"), "style-src 'self'") {
		t.Errorf("the page has status %d and headers %v", page.Code, page.Header())
	}
	for path, want := range map[string]int{
		"/v1/locations": 503, "/g/token": 503, "/files/x": 503, "/readyz": 503, "/readyz?verbose": 503, "/healthz": 200,
		"/assets/look.css": 200,
	} {
		if w := get(h, path); w.Code != want || want == 503 && !strings.Contains(w.Body.String(), "7 of 12 items") {
			t.Errorf("%s: got %d, want %d: %s", path, w.Code, want, w.Body)
		}
	}
	busy = false
	for _, path := range []string{"/items", "/v1/locations", "/readyz"} {
		if w := get(h, path, "Accept", "text/html"); w.Code != 200 {
			t.Errorf("%s after the preparation: got %d", path, w.Code)
		}
	}
}
