package app_test

import (
	"testing"

	"homeward/internal/web/browsertest"
)

// The API reference keeps a key while the browser's tab is open, and no longer.
func TestTheReferenceKeepsTheKeyForTheSession(t *testing.T) {
	t.Parallel()
	s := startService(t, newConfig(t, ""))
	v := browsertest.New(t, browsertest.Options{})
	v.Visit(s.url + "/docs")
	v.See("Create a location")
	var set bool
	v.Run(`ui.authActions.authorize({apiKey: {
		name: "apiKey", value: "`+s.key+`", schema: {type: "apiKey", in: "header", name: "svc-api-key"},
	}}) !== undefined`, &set)
	v.Reload()
	v.See("Create a location")
	v.Click("Authorize")
	v.See("Logout")
	var kept string
	v.Run(`JSON.stringify(localStorage)`, &kept)
	if kept != "{}" {
		t.Errorf("the browser keeps %s", kept)
	}
	other := browsertest.New(t, browsertest.Options{})
	other.Visit(s.url + "/docs")
	other.See("Create a location")
	other.Click("Authorize")
	other.See("Available authorizations")
	other.SeeNot("Logout")
}

func TestGuidesWorkOnAPhone(t *testing.T) {
	t.Parallel()
	s := startService(t, newConfig(t, ""))
	v := browsertest.New(t, browsertest.Options{Phone: true})
	for path, heading := range map[string]string{
		"/docs/guides": "Guides", "/docs/api": "The API", "/docs/compatibility": "Compatibility",
	} {
		v.Visit(s.url + path)
		v.See(heading)
		v.CheckAccessibility()
		v.CheckLayoutShift()
		var wide bool
		v.Run("document.documentElement.scrollWidth > document.documentElement.clientWidth", &wide)
		if wide {
			t.Errorf("%s is wider than the phone", path)
		}
	}
}
