package search_test

import (
	"net/http"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// newRecords creates items at two locations, and returns the locations.
func newRecords(h *testkit.Server) (adler, seeblick lost.Location) {
	adler, seeblick = h.NewLocation("Hotel Adler"), h.NewLocation("Hotel Seeblick")
	day := adler.Day(h.Clock.Now())
	h.NewItem(adler, "Black umbrella", stafftest.FoundAt("Room 301", day),
		stafftest.WithOwner("ada@example.com", "Ada", "Lovelace"))
	h.NewItem(seeblick, "Grey brolly", stafftest.FoundAt("Lobby", day))
	h.NewItem(seeblick, "Teddy bear", stafftest.FoundAt("Pool", day))
	return adler, seeblick
}

func TestASearchShowsExactResultsBeforeSimilarOnes(t *testing.T) {
	h := testkit.NewServer(t)
	newRecords(h)
	page := h.LogIn().Get("/search?q=umbrella").Body
	page = page[strings.Index(page, "<main"):]
	rest := page
	for _, text := range []string{
		"2 results", "Black umbrella", "Hotel Adler", "Similar", "Grey brolly", "Hotel Seeblick",
	} {
		_, after, found := strings.Cut(rest, text)
		if !found {
			t.Fatalf("the page does not show %q after the texts before it:\n%s", text, page)
		}
		rest = after
	}
	if strings.Contains(page, "Teddy") {
		t.Error("the page shows an item that does not match")
	}
	if guests := h.LogIn().Get("/search?q=lovelase").Body; !strings.Contains(guests, "<strong>Ada Lovelace</strong>") {
		t.Error("the page does not show the guest")
	}
}

func TestASearchShowsOnlyTheLocationsOfTheUser(t *testing.T) {
	h := testkit.NewServer(t)
	adler, _ := newRecords(h)
	desk := h.As(h.NewMember("Desk", lost.DeskRole, adler.ID))
	page := desk.Get("/search?q=umbrella").Body
	if !strings.Contains(page, "Black umbrella") || strings.Contains(page, "brolly") ||
		strings.Contains(page, "Seeblick") {
		t.Errorf("a user of one location got\n%s", page)
	}
	logger := h.As(h.NewMember("Logger", lost.LoggerRole, adler.ID))
	if a := logger.Get("/search?q=umbrella"); a.Code != http.StatusForbidden || strings.Contains(a.Body, "Black umb") {
		t.Errorf("a logger got status %d, want 403", a.Code)
	}
}

func TestTheDialogSearchesWhileTyping(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	newRecords(h)
	const field = "Search items, requests and guests"
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/help")
			v.Press("/")
			v.Fill(field, "umbrela")
			v.See("2 results", "Black umbrella", "Grey brolly", "Show all results")
			v.CheckAccessibility()
			v.Screenshot("dialog")
			v.Press("ArrowDown", "ArrowDown")
			if f := v.Focused(); !strings.Contains(f, "/items/") {
				t.Errorf("got focus on %s, want a result", f)
			}
			v.Press("ArrowUp", "ArrowUp", "ArrowUp")
			if f := v.Focused(); !strings.Contains(f, `name="q"`) {
				t.Errorf("got focus on %s, want the search field", f)
			}
			v.Press("Escape")
			v.SeeNot("Black umbrella")
			v.Click("Search everything")
			v.See("Black umbrella") // what was typed is still there
			v.Fill(field, "teddy")
			v.See("1 result")
			v.SeeNot("Black umbrella")
			v.Press("ArrowDown", "Enter")
			v.See("Teddy bear", "History")
		})
	}
}

const pressControlK = `document.activeElement.dispatchEvent(
	new KeyboardEvent('keydown', {key: 'k', ctrlKey: true, bubbles: true, cancelable: true}))`

func TestControlKOpensTheDialogInEveryArea(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l, _ := newRecords(h)
	v := browsertest.New(t, browsertest.Options{})
	stafftest.OpenAsOwner(v, h, at+"/")
	for _, path := range []string{
		"/", "/at/" + l.ID + "/requests", "/at/" + l.ID + "/storage", "/at/" + l.ID + "/find",
		"/at/" + l.ID + "/reports", "/locations", "/settings/profile",
	} {
		v.Visit(at + path)
		stafftest.AwaitScripts(v)
		v.Run(pressControlK, nil)
		var open bool
		v.Run("document.activeElement.closest('dialog[data-search]')?.open === true", &open)
		if !open {
			t.Errorf("%s: got focus on %s, want the field of the dialog", path, v.Focused())
		}
	}
}

func TestTheDialogReturnsTheFocusAndKeepsTheForm(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l, _ := newRecords(h)
	v := browsertest.New(t, browsertest.Options{})
	stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/items")
	v.Fill("Search items", "a/b")
	v.Run(pressControlK, nil)
	if f := v.Focused(); !strings.Contains(f, `name="q"`) {
		t.Errorf("got focus on %s, want the search field of the dialog", f)
	}
	v.Press("Escape")
	var kept bool
	v.Run(`document.activeElement.id === 'term' && document.activeElement.value === 'a/b'`, &kept)
	if !kept {
		t.Errorf("got focus on %s, want the field that had it, with its text", v.Focused())
	}
}

func TestTheSearchPageWorksWithoutScripts(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	newRecords(h)
	v := browsertest.New(t, browsertest.Options{Phone: true, NoScript: true})
	stafftest.OpenAsOwner(v, h, at+"/help")
	v.Follow("Search everything")
	v.Fill("Search items, requests and guests", "umbrela")
	v.Follow("Search")
	v.See("2 results", "Similar", "Hotel Seeblick")
	stafftest.ExpectNoOverflow(t, v)
	v.CheckAccessibility()
	v.CheckWeight()
	v.Screenshot("page")
	v.Follow("Black umbrella")
	v.See("Room 301")
	v = browsertest.New(t, browsertest.Options{})
	stafftest.OpenAsOwner(v, h, at+"/search?q=umbrela")
	v.See("2 results")
	v.CheckWeight()
}
