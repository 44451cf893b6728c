package staff_test

import (
	"os"
	"strings"
	"testing"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/frame"
)

// mostUsed lists the pages that people use most.
var mostUsed = []struct{ name, path string }{
	{"login", "/login"}, {"today", "/"}, {"items", "/at/{location}/items"}, {"record", "/at/{location}/find"},
	{"item", "/at/{location}/items/{id}"}, {"status", "/at/{location}/items/{id}/status"},
	{"requests", "/at/{location}/requests"}, {"request", "/at/{location}/requests/{id}"},
	{"storage", "/at/{location}/storage"}, {"settings", "/locations/{location}"},
}

// The test opens the most used pages in every language, alternately on a phone and on a desktop, or on both if
// HOMEWARD_TEST_LONG is set, and checks that all texts fit. With HOMEWARD_TEST_SCREENSHOTS it saves pictures of them.
func TestTextsFitInEveryLanguage(t *testing.T) {
	c := newFixture(t, "")
	_, token := c.Session(c.people["owner"], lost.Client{})
	c.record("id", "/requests/", lost.User{})
	paths := map[string]string{}
	for _, p := range mostUsed {
		paths[p.name] = c.pathFor(p.path, c.people["owner"])
	}
	both := os.Getenv("HOMEWARD_TEST_LONG") != ""
	for n, tag := range i18n.Tags() {
		t.Run(tag, func(t *testing.T) {
			v := browsertest.New(t, browsertest.Options{})
			for number, p := range mostUsed {
				session := token
				if p.name == "login" {
					session = "none"
				}
				v.SetCookie(c.at, "session", session)
				v.SetCookie(c.at, frame.LanguageCookie, tag)
				for _, phone := range []bool{true, false} {
					if !both && phone == ((n+number)%2 == 0) {
						continue
					}
					v.SetOptions(browsertest.Options{Phone: phone})
					v.Visit(c.at + paths[p.name])
					expectLanguage(t, v, tag)
					if phone {
						v.Screenshot(p.name + " phone")
					} else {
						v.Screenshot(p.name)
					}
				}
			}
		})
	}
}

// expectLanguage fails the test if the page is not in the language, or if its texts do not fit.
func expectLanguage(t *testing.T, v *browsertest.Visitor, tag string) {
	t.Helper()
	var lang string
	v.Run("document.documentElement.lang", &lang)
	if faults := v.TextFaults(); lang != tag || len(faults) > 0 {
		t.Errorf("%s is in %q, and these texts do not fit:\n%s", v.Location(), lang, strings.Join(faults, "\n"))
	}
}
