package staff_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff"
	"homeward/internal/web/staff/stafftest"
)

// hostile is text that tries to inject HTML, followed by a word that is wider than a phone.
var hostile = ` <script>document.title='broken'</script>"'><img src=x onerror=alert(1)>{{.}} שלום 🧳 ` +
	strings.Repeat("W", 50) + strings.Repeat("🧳", 5) + strings.Repeat("שלום", 5)

// pageStates lists further pages that share a route with another page, such as tabs, open forms and searches.
var pageStates = []string{
	"/locations/{location}/address", "/locations/{location}/storage", "/locations/{location}/reminders",
	"/locations/{location}/keeping",
	"/locations/{location}/shipping", "/locations/{location}/hours",
	"/locations/{location}/page", "/locations/{location}/delete",
	"/at/{location}/items/{id}?edit=what", "/at/{location}/items/{id}?edit=owner",
	"/at/{location}/items/{id}/status?to=SHIPPED",
	"/at/{location}/items?q=" + hostile, "/at/{location}/items?owner=" + hostile,
	"/at/{location}/items?place=" + hostile, "/at/{location}/items?color=" + hostile, "/at/{location}/items?q=hat",
	"/at/{location}/reports?from=2026-01-01", "/at/{location}/pickups?week=2026-11-20",
	"/at/{location}/pickups/day?date=2026-11-20",
	"/at/{location}/scan?mode=ship", "/at/{location}/requests?q=" + hostile,
	"/at/{location}/place?name=" + hostile, "/search?q=" + hostile,
	"/at/all/items", "/at/all/requests", "/at/all/storage", "/at/all/storage/held", "/at/all/views",
	"/at/all/import", "/at/all/reports", "/at/all/reports/payments?currency=EUR",
}

// withoutPage lists the routes that do not show a page, each with the reason: it redirects, sends a file, or is
// covered by the named test.
var withoutPage = map[string]string{
	"/find": "to a location", "/scan": "to a location", "/settings": "to the profile", "/t/{reference}": "to the item",
	"/t/place/{location}/{place}": "to the place",
	"/login/with":                 "to the provider", "/at/{location}/tags.pdf": "a file of the chosen items",
	"/login/back": "TestAPersonLogsInWithTheProvider", "/settings/profile/unlink": "TestAPersonLogsInWithTheProvider",
	"/settings/profile/link":             "TestASharedInvitationLinkGivesNoExternalLogin",
	"/login/code":                        "TestTwoStepLoginIsSetUpAndUsed",
	"/live":                              "a stream",
	"/at/{location}/papers/register.pdf": "a file", "/at/{location}/papers/register.csv": "a file",
	"/settings/profile/two-step": "TestTwoStepLoginIsSetUpAndUsed",
}

// openedPage is a page that was opened, with its path.
type openedPage struct {
	path    string
	outside bool // the page is for visitors who are not logged in
	body    string
}

// pages opens every page. The records on the pages contain hostile text in every text field. A route that does not
// show a page must be in withoutPage or send a file.
func (c *fixture) pages(t *testing.T) (all []openedPage) {
	t.Helper()
	paths := pageStates
	for _, r := range staff.Routes() {
		if r.Method == http.MethodGet {
			paths = append(paths, r.Path)
		}
	}
	for _, path := range paths {
		p, w := c.open(path)
		html := strings.HasPrefix(w.Header().Get("Content-Type"), "text/html")
		switch _, exempt := withoutPage[path]; {
		case w.Code == http.StatusOK && html:
			all = append(all, p)
		case w.Code == http.StatusOK || exempt:
		default:
			t.Errorf("%s: got status %d, want a page; add the route to withoutPage if it has none", p.path, w.Code)
		}
	}
	return all
}

// open requests one page as a user who may open it.
func (c *fixture) open(path string) (openedPage, *httptest.ResponseRecorder) {
	u := c.people["owner"]
	bare, query, hasQuery := strings.Cut(path, "?")
	p := openedPage{
		path: c.pathFor(bare, u), outside: strings.HasPrefix(path, "/login") || path == "/forgot" ||
			strings.Contains(path, "{token}"),
	}
	if hasQuery {
		name, value, _ := strings.Cut(query, "=")
		p.path += "?" + name + "=" + url.QueryEscape(value)
	}
	if strings.HasSuffix(path, "/accept") {
		p.path += "?item=" + c.newItem().ID
	}
	if p.outside {
		u = lost.User{}
	}
	w := c.send(c.Handler, row{method: http.MethodGet}, p.path, u)
	p.body = w.Body.String()
	return p, w
}

// usesPhotos matches what photos.js works on.
var usesPhotos = regexp.MustCompile(` data-(photos|enlarge|fill|sort)[ =>]`)

// The test opens every page with records in which every text is hostile. Each page must show the text without running
// it, must not be wider than the screen of any phone, and must pass the accessibility check. Pages are checked
// alternately on a phone in light mode and on a desktop in dark mode. If HOMEWARD_TEST_LONG is set, each page is
// checked in both ways.
func TestEveryPageIsAccessibleAndEscapesText(t *testing.T) {
	c := newFixture(t, hostile)
	// create records for the lists
	for _, kind := range []string{
		"item", "view", "key", "count", "decision", "import", "invitation", "passkey", "session",
	} {
		c.record(kind, "", c.people["owner"])
	}
	c.record("id", "/requests/", lost.User{})
	c.planPickups()
	c.newItemsOfOneFinder()
	c.payFee(c.newItem())
	pages, quoted := c.pages(t), 0
	if !slices.ContainsFunc(pages, func(p openedPage) bool { return strings.Contains(p.body, `class="aspects-of"`) }) {
		t.Error("no page shows a suggested match")
	}
	v := browsertest.New(t, browsertest.Options{})
	_, token := c.Session(c.people["owner"], lost.Client{})
	both := os.Getenv("HOMEWARD_TEST_LONG") != ""
	for n, p := range pages {
		if strings.Contains(p.body, "<script>doc") || strings.Contains(p.body, "<img src=x") {
			t.Errorf("%s does not escape text", p.path)
		}
		// the offline page is the same for everybody
		if !p.outside && p.path != "/offline" && !strings.Contains(p.body, ` data-offline="/assets/offline.`) {
			t.Errorf("%s does not load the script that sends items saved on the device", p.path)
		}
		if usesPhotos.MatchString(p.body) && !strings.Contains(p.body, `src="/assets/photos.`) {
			t.Errorf("%s does not load photos.js, which it needs", p.path)
		}
		if strings.Contains(p.body, "&lt;script&gt;document.title=") {
			quoted++
		}
		session := token
		if p.outside {
			session = "none"
		}
		v.SetCookie(c.at, "session", session)
		v.SetOptions(browsertest.Options{Phone: true})
		v.Visit(c.at + p.path)
		stafftest.ExpectNoOverflow(t, v)
		expectEscaped(t, v)
		v.SetOptions(browsertest.Options{Narrow: true})
		stafftest.ExpectNoOverflow(t, v)
		if both || n%2 == 0 {
			v.CheckAccessibility()
		}
		if both || n%2 == 1 {
			v.SetOptions(browsertest.Options{Dark: true})
			v.CheckAccessibility()
		}
	}
	if len(pages) < 60 || quoted < 40 {
		t.Errorf("got %d pages and %d with escaped text, want at least 60 and 40", len(pages), quoted)
	}
}

// expectEscaped fails the test if the browser interpreted hostile text as HTML.
func expectEscaped(t *testing.T, v *browsertest.Visitor) {
	t.Helper()
	var injected int
	v.Run("document.querySelectorAll('img[onerror], img[src=x]').length + [...document.scripts].filter(s => "+
		"!s.src).length + (document.title == 'broken')", &injected)
	if injected > 0 {
		t.Errorf("%s has %d elements or scripts from unescaped text", v.Location(), injected)
	}
}
