package requests_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// requestPath returns the path of a request's page.
func requestPath(r lost.Item) string { return "/at/" + r.LocationID + "/requests/" + r.ID }

// queueLink returns what the page of a record contains if it leads to another record of the list.
func queueLink(path, which string) string { return `href="` + path + `" rel="` + which }

func TestPeopleGoThroughAListRequestByRequest(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		var hats []lost.Item
		for n := range 27 {
			hats = append(hats, stafftest.FileRequest(h, l, fmt.Sprintf("Felt hat number %d", n)))
		}
		scarf := stafftest.FileRequest(h, l, "Yellow scarf")
		v, list := h.LogIn(), "/at/"+l.ID+"/requests"
		if a := v.Get(requestPath(hats[20])); strings.Contains(a.Body, "data-queue") {
			t.Error("a request that was not opened from a list has neighbors")
		}
		v.Get(list + "?q=hat&state=PENDING")
		if a := v.Get(requestPath(scarf)); strings.Contains(a.Body, "data-queue") {
			t.Error("a request that is not in the list has neighbors")
		}
		first, last := v.Get(requestPath(hats[26])), v.Get(requestPath(hats[2]))
		if strings.Contains(first.Body, `data-queue="previous"`) ||
			!stafftest.Shows(first, "1 of 25", queueLink(requestPath(hats[25]), "next")) {
			t.Error("the first request is not the first of 25")
		}
		second := list + "?q=hat&state=PENDING&page=2"
		if !stafftest.Shows(last, "25 of 25", queueLink(strings.ReplaceAll(second, "&", "&amp;"), "next")) {
			t.Error("the last request of a page does not link to the next page of the filtered list")
		}
		v.Get(second)
		if a := v.Get(requestPath(hats[1])); !stafftest.Shows(a, "1 of 2", queueLink(requestPath(hats[0]), "next"),
			queueLink(list+"?q=hat&amp;state=PENDING", "prev")) {
			t.Error("the first request of the second page does not link to the first page")
		}
	})
}

func TestAnActionLeavesARequestInTheList(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		found := h.NewItem(l, "Green felt hat")
		newer := func() lost.Item { return stafftest.FileRequest(h, l, "My felt hat, green") }
		last, third := newer(), newer()
		second, first := newer(), newer()
		v := h.LogIn()
		v.Get("/at/all/requests")
		for _, c := range []struct {
			at, before, after lost.Item
			path              string
			form              url.Values
		}{
			{first, lost.Item{}, second, stafftest.ItemPath(l, first) + "/thread", url.Values{"text": {"Is it wool?"}}},
			{second, first, third, requestPath(second) + "/accept", url.Values{"item": {found.ID}}},
			{third, second, last, requestPath(third) + "/reject", url.Values{"reason": {"Not here"}}},
		} {
			done := v.Post(c.path, c.form)
			to, _, _ := strings.Cut(done.Header.Get("Location"), "#")
			if done.Code != http.StatusSeeOther || to != requestPath(c.at) {
				t.Errorf("%s: got status %d and redirect %q, want the request", c.path, done.Code, to)
			}
			a := v.Get(to)
			if !stafftest.Shows(a, queueLink(requestPath(c.after), "next")) ||
				c.before.ID != "" && !stafftest.Shows(a, queueLink(requestPath(c.before), "prev")) {
				t.Errorf("%s: after the action, the request has left the list", c.path)
			}
		}
		if a := v.Post(requestPath(last)+"/accept", url.Values{"item": {"item_nothing"}}); !stafftest.Shows(a,
			"4 of 4") {
			t.Error("after a rejected form, the request has left the list")
		}
	})
}

func TestAListOfItemsAndRequestsIsOneQueue(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	old, request, found := h.NewItem(l, "Old hat"), stafftest.FileRequest(h, l, "My hat"), h.NewItem(l, "Green hat")
	v := h.LogIn()
	v.Get(stafftest.ItemsPath(l) + "?source=all")
	if a := v.Get(requestPath(request)); !stafftest.Shows(a, "2 of 3",
		queueLink(stafftest.ItemPath(l, found), "prev"), queueLink(stafftest.ItemPath(l, old), "next")) {
		t.Error("the request does not link to the items before and after it")
	}
	if a := v.Get(stafftest.ItemPath(l, old)); !stafftest.Shows(a, "3 of 3", queueLink(requestPath(request), "prev")) {
		t.Error("the item does not link to the request before it")
	}
}

func TestTheListOfRequestsIsSearchedAndNavigatedWithTheKeyboard(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	for _, what := range []string{"Felt hat, red", "Yellow scarf", "Felt hat, blue"} {
		stafftest.FileRequest(h, l, what)
	}
	v := browsertest.New(t, browsertest.Options{})
	stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/requests")
	v.See("3 requests")
	stafftest.AwaitScripts(v)
	v.Press("j", "j", "k", "j", "Enter")
	v.See("Yellow scarf", "2 of 3")
	v.Back()
	v.Fill("Search requests", "hat")
	v.See("2 requests")
	v.SeeNot("Yellow scarf")
	v.CheckAccessibility()
	v.Screenshot("searched")
	v.Press("ArrowDown", "j", "Enter")
	v.See("Felt hat, red", "2 of 2")
	v.Back()
	v.Follow("Not found")
	v.See("hat")
	if to := v.Location(); !strings.Contains(to, "q=hat") {
		t.Errorf("the tab leads to %s, want one with the search", to)
	}
}

func TestTheQueueOfRequestsIsWorkedOffInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	for _, what := range []string{"Felt hat, red", "Yellow scarf", "Felt hat, blue", "Felt hat, green"} {
		stafftest.FileRequest(h, l, what)
	}
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true}, {Phone: true, NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/requests?q=hat")
			v.Follow("Felt hat, green")
			v.See("1 of 3", "Next ›")
			v.SeeNot("‹ Previous")
			stafftest.ExpectNoOverflow(t, v)
			v.CheckAccessibility()
			v.Screenshot("queue")
			step := func(key, link string, want ...string) {
				if o.NoScript {
					v.Follow(link)
				} else {
					stafftest.AwaitScripts(v)
					v.Press(key)
				}
				v.See(want...)
			}
			step("j", "Next ›", "2 of 3", "Felt hat, blue")
			step("j", "Next ›", "3 of 3", "Felt hat, red")
			step("k", "‹ Previous", "2 of 3", "Felt hat, blue")
			v.Click("Not found")
			v.Follow("Close the request")
			v.See("2 of 3", "You can undo the decision until")
			v.Follow("Undo")
			v.See("2 of 3", "The request is open again.")
		})
	}
}
