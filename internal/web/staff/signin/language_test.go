package signin_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

func TestThePageHasTheLanguageOfTheUser(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		v := h.NewVisitor()
		get := func(path string) testkit.Response {
			r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, path, nil)
			r.Header.Set("Accept", "text/html")
			r.Header.Set("Accept-Language", "fr-CA, en;q=0.5")
			return v.Do(r)
		}
		check := func(path, want string) {
			t.Helper()
			a := get(path)
			if h := a.Header; !strings.Contains(a.Body, `<html lang="`+want+`" dir="ltr"`) ||
				h.Get("Content-Language") != want || h.Get("Vary") != "Accept-Language, Cookie" {
				t.Errorf("%s is not in %s: %v %.100s", path, want, h, a.Body)
			}
		}
		check("/login", "fr") // as in the browser
		a := v.Post("/language", url.Values{"language": {"de"}, "back": {"/login?next=%2Fhelp"}})
		if at := a.Header.Get("Location"); a.Code != http.StatusSeeOther || at != "/login?next=%2Fhelp" {
			t.Errorf("got status %d and redirect %s", a.Code, at)
		}
		v.Post("/language", url.Values{"language": {"tlh"}, "back": {"https://elsewhere.example"}})
		check("/login", "de") // as chosen in the menu
		v.Post("/login", url.Values{"email": {h.Owner.Email}, "password": {testkit.Password}})
		check("/", "de")
		save := func(language string) {
			t.Helper()
			a := v.Post("/settings/profile", url.Values{"name": {"Anna"}, "language": {language}})
			if a.Code != http.StatusSeeOther {
				t.Errorf("got status %d for the language %q", a.Code, language)
			}
		}
		save("ja")
		v.Post("/language", url.Values{"language": {"de"}})
		check("/", "ja") // as in the profile
		save("")
		check("/", "fr") // as in the browser again
		wrong := v.Post("/settings/profile", url.Values{"name": {""}, "language": {"?"}})
		if wrong.Code != http.StatusUnprocessableEntity || strings.Count(wrong.Body, `aria-invalid="true"`) != 2 {
			t.Errorf("got status %d and %s", wrong.Code, wrong.Body)
		}
	})
}

func TestTheLanguageIsChosenInTheBrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	v := browsertest.New(t, browsertest.Options{Phone: true})
	v.Visit(at + "/login")
	v.Click("Language: English")
	v.Screenshot("menu")
	v.Follow("Nederlands")
	v.Click("Taal: Nederlands")
	v.Follow("English")
	v.See("Language: English")
	stafftest.LogIn(v, h.Owner.Email, testkit.Password)
	v.Visit(at + "/settings/profile")
	v.Choose("Language of the dashboard", "日本語")
	v.Screenshot("profile")
	v.Follow("Save")
	v.See("Your profile was saved.")
	var lang string
	v.Run("document.documentElement.lang", &lang)
	if lang != "ja" {
		t.Errorf("got a page in %q, want ja", lang)
	}
}
