package guest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/web/browsertest"
)

// adlerWithSlots returns a hotel in Berlin with slots of one hour for one guest, on Friday and Saturday.
func adlerWithSlots() lost.LocationPatch {
	p := adler()
	p.OpeningHours = lost.Set([]lost.OpeningHours{{Days: []string{"fri", "sat"}, From: "10:00", To: "13:00"}})
	p.Slots = lost.Set(lost.SlotsPatch{Minutes: lost.Set(60), Capacity: lost.Set(1)})
	return p
}

func TestAGuestBooksMovesAndCancelsASlot(t *testing.T) {
	for _, o := range []browsertest.Options{{Phone: true, Dark: true}, {NoScript: true}} {
		h := newServer(t)
		l := h.location(adlerWithSlots())
		i, other := h.item(l, umbrella()), h.item(l, umbrella())
		link, rival := h.link(i), h.link(other)
		server := httptest.NewServer(h.handler)
		t.Cleanup(server.Close)
		v := browsertest.New(t, o)
		v.IgnoreError("422")
		v.Visit(server.URL + link)
		v.Follow("Pick it up")
		v.See("When will you pick it up?", "Friday 20 November 2026", "Saturday 21 November 2026", "Europe/Berlin")
		v.CheckAccessibility()
		v.CheckLayoutShift()
		v.Screenshot("slots " + o.String())
		h.post(rival+"/pickup", form("slot", "2026-11-20 11:00")).redirects(t, rival)
		v.Follow("Friday 20 November 2026, 11:00")
		v.See("This time is fully booked. Choose another one.")
		v.CheckAccessibility()
		v.Follow("Friday 20 November 2026, 12:00")
		v.See("You are picking it up", "Friday 20 November 2026, 12:00", "Add to calendar", "Show on a map")
		v.CheckAccessibility()
		v.Screenshot("booked " + o.String())
		if now := h.reload(i); now.Status != lost.PickUp || now.Pickup.Time != "12:00" {
			t.Errorf("got status %s with pickup %+v", now.Status, now.Pickup)
		}
		v.Visit(server.URL + link + "/pickup")
		v.See("Your time now: Friday 20 November 2026, 12:00")
		v.Follow("Friday 20 November 2026, 10:00")
		v.See("Friday 20 November 2026, 10:00")
		v.Follow("Cancel the pick-up")
		v.See("Cancel the pick-up?")
		v.CheckAccessibility()
		v.Follow("Cancel the pick-up")
		v.See("Your pick-up is cancelled.")
		if now := h.reload(i); now.Status != lost.Pending {
			t.Errorf("got status %s after canceling", now.Status)
		}
	}
}

func TestSlotsOfLaterDays(t *testing.T) {
	h := newServer(t)
	p := adlerWithSlots()
	p.StorageDuration = lost.Set(90)
	p.Closures = lost.Set([]lost.Closure{{From: "2026-11-15", To: "2026-12-10"}})
	l := h.location(p)
	link := h.link(h.item(l, umbrella()))
	first := h.get(link + "/pickup")
	first.want(t, http.StatusOK, "Friday 11 December 2026", "Later days")
	if !strings.Contains(first.body, link+"/pickup?from=2026-12-25") {
		t.Error("the page does not link to later days")
	}
	h.get(link+"/pickup?from=2026-12-25").want(t, http.StatusOK, "Friday 25 December 2026")
	h.get(link+"/pickup?from=soon").want(t, http.StatusOK, "Friday 11 December 2026")
	for _, slot := range []string{"2026-11-20 10:00", "2026-12-11 10:30", "2026-12-11", ""} {
		h.post(link+"/pickup", form("slot", slot)).want(t, http.StatusUnprocessableEntity, "Please check the form")
	}
}

func TestThePickupIsAFileForTheCalendar(t *testing.T) {
	h := newServer(t)
	l := h.location(adlerWithSlots())
	i := h.item(l, umbrella())
	link := h.link(i)
	h.get(link+"/pickup.ics").redirects(t, link)
	h.post(link+"/pickup", form("slot", "2026-11-20 11:00")).redirects(t, link)
	a := h.get(link + "/pickup.ics")
	for _, text := range []string{
		"DTSTART:20261120T100000Z\r\nDTEND:20261120T110000Z\r\n", "SUMMARY:Pick-up at Hotel Adler",
	} {
		if !strings.Contains(a.body, text) {
			t.Errorf("%q is missing in %s", text, a.body)
		}
	}
	if kind := a.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/calendar") {
		t.Errorf("got the content type %s", kind)
	}
	if strings.Contains(a.body, "anna@") {
		t.Error("the file contains the guest's address")
	}
}

func TestOpeningHoursWithoutSlotsAreShown(t *testing.T) {
	h := newServer(t)
	p := adlerWithSlots()
	p.Slots = lost.Field[lost.SlotsPatch]{}
	link := h.link(h.item(h.location(p), umbrella()))
	h.get(link+"/pickup").want(t, http.StatusOK, "Fri, Sat 10:00–13:00", "We suggest Friday 20 November 2026")
	h.post(link+"/pickup", form("pickupDate", "2026-11-20", "pickupTime", "14:00")).
		want(t, http.StatusUnprocessableEntity, "Choose a time in the opening hours.")
	h.post(link+"/pickup", form("pickupDate", "2026-11-19", "pickupTime", "10:00")).
		want(t, http.StatusUnprocessableEntity, "The location is closed on this day. Choose another day.")
	h.post(link+"/pickup", form("pickupDate", "2026-11-20", "pickupTime", "12:10")).redirects(t, link)
}

func TestACalendarProgramReadsThePickups(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adlerWithSlots())
		i := h.item(l, umbrella())
		link := h.link(i)
		h.post(link+"/pickup", form("slot", "2026-11-20 11:00")).redirects(t, link)
		at := func(token string) string { return "/l/" + l.Permalink + "/calendar/" + token + ".ics" }
		token, err := h.desk.Locations.NewFeed(t.Context(), h.actor, l.ID)
		if err != nil {
			t.Fatal(err)
		}
		a := h.get(at(token))
		if a.StatusCode != http.StatusOK || !strings.Contains(a.body, "SUMMARY:Pick-up "+i.Reference) ||
			!strings.Contains(a.body, "DTSTART:20261120T100000Z") {
			t.Errorf("got status %d: %s", a.StatusCode, a.body)
		}
		if a.Header.Get("Cache-Control") != "no-store" || !strings.Contains(a.Header.Get("X-Robots-Tag"), "noindex") {
			t.Errorf("caches and search engines may store the calendar: %v", a.Header)
		}
		for _, private := range []string{"anna", "Anna", "mbrella"} {
			if strings.Contains(a.body, private) {
				t.Errorf("the calendar contains %q: %s", private, a.body)
			}
		}
		other := h.location(adlerWithSlots())
		h.get("/l/"+other.Permalink+"/calendar/"+token+".ics").want(t, http.StatusNotFound)
		h.get(at("nobody")).want(t, http.StatusNotFound)
		renewed, err := h.desk.Locations.NewFeed(t.Context(), h.actor, l.ID)
		if err != nil {
			t.Fatal(err)
		}
		h.get(at(token)).want(t, http.StatusNotFound)
		if a := h.get(at(renewed)); a.StatusCode != http.StatusOK {
			t.Errorf("the new address: got status %d", a.StatusCode)
		}
		if err := h.desk.Locations.RevokeFeed(t.Context(), h.actor, l.ID); err != nil {
			t.Fatal(err)
		}
		h.get(at(renewed)).want(t, http.StatusNotFound)
	})
}
