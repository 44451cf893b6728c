package app_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"homeward/internal/demo"
	"homeward/internal/i18n"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/frame"
)

// This test opens the demo's most used pages on a phone and on a desktop, and checks that all texts fit: in English,
// German, Polish and Japanese, and in all languages if HOMEWARD_TEST_LONG is set. With HOMEWARD_TEST_SCREENSHOTS it
// saves pictures of them.
func TestTextsOfTheDemoFitInEveryLanguage(t *testing.T) {
	tags, screens := []string{"en", "de", "pl", "ja"}, []bool{true}
	if os.Getenv("HOMEWARD_TEST_LONG") != "" {
		tags, screens = i18n.Tags(), []bool{true, false}
	}
	cfg := newDemoConfig(t)
	cfg.DemoFinds = demo.DefaultItems
	s := startService(t, cfg)
	s.key = demo.Key
	p := &photographer{service: s, t: t}
	pages := p.mostUsed()
	v := p.visitor(browsertest.Options{})
	for _, tag := range tags {
		t.Run(tag, func(t *testing.T) {
			var lang string
			for _, phone := range screens {
				v.SetOptions(browsertest.Options{Phone: phone})
				for name, path := range pages {
					v.SetCookie(s.url, frame.LanguageCookie, tag)
					v.Visit(s.url + path)
					if faults := p.textFaults(v); len(faults) > 0 {
						t.Errorf("%s on a %s:\n%s", name, browsertest.Options{Phone: phone}, strings.Join(faults, "\n"))
					}
					if v.Run("document.documentElement.lang", &lang); lang != tag {
						t.Errorf("%s is in %q", name, lang)
					}
					v.Screenshot(tag + " " + name + " " + browsertest.Options{Phone: phone}.String())
				}
			}
		})
	}
}

// textFaults returns the texts that do not fit, except the names of locations, which may be long.
func (p *photographer) textFaults(v *browsertest.Visitor) []string {
	p.t.Helper()
	places, _ := p.listAll("/v1/locations")
	return slices.DeleteFunc(v.TextFaults(), func(fault string) bool {
		return slices.ContainsFunc(places, func(l map[string]any) bool {
			return strings.Contains(fault, l["name"].(string))
		})
	})
}

// mostUsed returns the paths of the pages that people use most, by their names.
func (p *photographer) mostUsed() map[string]string {
	p.t.Helper()
	list, item, _ := p.subjects()
	at := strings.TrimSuffix(list, "/items")
	location := strings.TrimPrefix(at, "/at/")
	requests, _ := p.listAll("/v1/locations/" + location + "/requests?state=PENDING")
	if len(requests) == 0 {
		p.t.Fatal("the location has no pending request")
	}
	return map[string]string{
		"today": "/", "items": list, "record": at + "/find", "item": item, "status": item + "/status",
		"requests": at + "/requests", "request": at + "/requests/" + requests[0]["id"].(string),
		"storage": at + "/storage", "search": "/search?q=umbrella", "settings": "/locations/" + location,
	}
}
