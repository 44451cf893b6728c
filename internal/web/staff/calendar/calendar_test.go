package calendar_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// newHotel returns a location with slots of one hour for one guest, on Fridays.
func newHotel(t *testing.T, h *testkit.Server) lost.Location {
	t.Helper()
	l := h.NewLocation("Hotel Adler")
	return testkit.Must(h.Services.Locations.Update(t.Context(), h.Actor, l.ID, lost.LocationPatch{
		OpeningHours: lost.Set([]lost.OpeningHours{{Days: []string{"fri"}, From: "10:00", To: "13:00"}}),
		Slots:        lost.Set(lost.SlotsPatch{Minutes: lost.Set(60), Capacity: lost.Set(1)}),
	}))
}

func plan(t *testing.T, h *testkit.Server, l lost.Location, name, day, at string) lost.Item {
	t.Helper()
	i := h.NewItem(l, name)
	return testkit.Must(h.Services.Items.SetStatus(t.Context(), h.Actor, l.ID, i.ID, lost.MovePatch{
		Status: lost.Set("PICKUP"), PickupDate: lost.Set(day), PickupTime: lost.Set(at),
	}))
}

func TestTheWeekShowsPickupsBySlot(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		v, l := h.LogIn(), newHotel(t, h)
		at := "/at/" + l.ID + "/pickups"
		plan(t, h, l, "Umbrella", "2026-11-20", "11:30")
		plan(t, h, l, "Scarf", "2026-11-19", "09:00")
		other := h.NewLocation("Airport")
		plan(t, h, other, "Passport", "2026-11-20", "11:00")
		week := v.Get(at + "?week=2026-11-18")
		stafftest.ExpectPage(t, week, http.StatusOK, "Umbrella", "1 of 1", "0 of 1", "Scarf",
			"1 pick-up is planned for a time when you are closed", "Outside the opening hours")
		if strings.Contains(week.Body, "Passport") {
			t.Error("the page shows an item of another location")
		}
		if strings.Contains(week.Body, "Missed") {
			t.Error("a pick-up in the future is marked as missed")
		}
		next := v.Get(at + "?week=2026-11-25")
		if n := strings.Count(next.Body, "No pick-ups"); n != 1 {
			t.Errorf("got %d days with no pick-ups, want only the open one", n)
		}
		if strings.Contains(next.Body, "Umbrella") || !strings.Contains(next.Body, "Scarf") {
			t.Error("the next week must show only the pick-up that is planned while the location is closed")
		}
		stafftest.ExpectPage(t, v.Get(at+"/day?date=2026-11-20"), http.StatusOK, "Umbrella", "11:30")
		stafftest.ExpectPage(t, v.Get(at+"/day?date=2026-11-21"), http.StatusOK, "No pick-ups")
		stafftest.ExpectPage(t, v.Get(at+"?week=never"), http.StatusOK, "Pick-ups")
		testkit.Must(h.Services.Locations.Update(t.Context(), h.Actor, l.ID, lost.LocationPatch{
			Closures: lost.Set([]lost.Closure{{From: "2022-11-20", Reason: "Stocktaking", Yearly: true}}),
		}))
		stafftest.ExpectPage(t, v.Get(at+"?week=2026-11-20"), http.StatusOK, "Closed: Stocktaking",
			"2 pick-ups are planned for times when you are closed", "Umbrella")
		stafftest.ExpectPage(t, v.Get("/locations/"+l.ID+"/hours"), http.StatusOK,
			"2 pick-ups are planned for times when you are closed", "Umbrella")
	})
}

func TestAMissedPickupIsMarked(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := newHotel(t, h)
		day := lost.AddDays(l.Day(h.Clock.Now()), 3)
		plan(t, h, l, "Umbrella", day, "11:30")
		at := "/at/" + l.ID + "/pickups?week=" + day
		h.Clock.Advance(3 * 24 * time.Hour)
		if page := h.LogIn().Get(at); !stafftest.Shows(page, "Umbrella") || stafftest.Shows(page, "Missed") {
			t.Error("a pick-up of today is not shown, or is marked as missed")
		}
		h.Clock.Advance(24 * time.Hour)
		stafftest.ExpectPage(t, h.LogIn().Get(at), http.StatusOK, "Umbrella", "Missed")
	})
}

func TestTheNumbersOfTheWeekCountEveryPickup(t *testing.T) {
	h := testkit.NewServer(t)
	v, l := h.LogIn(), newHotel(t, h)
	err := h.DB.Write(t.Context(), func(tx *store.Tx) error {
		for n := range desk.MaxPickups + 2 {
			i, err := lost.NewItem(l.Account, l.ID, lost.ItemPatch{Description: lost.Set("Umbrella")}, tx.Now())
			if err != nil {
				return err
			}
			day := []string{"2026-11-19", "2026-11-20"}[n/desk.MaxPickups] // the last two are on Friday
			i.Status, i.Pickup = lost.PickUp, lost.Pickup{Date: day, Time: "11:00", Planned: true}
			if err := tx.InsertItem(i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	week := v.Get("/at/" + l.ID + "/pickups?week=2026-11-20")
	for _, text := range []string{
		"500 pick-ups", "2 pick-ups", "2 of 1", "Only the first 500 pick-ups are shown.",
		"500 pick-ups are planned for times when you are closed", "Only the first 100 pick-ups are shown.",
		"/pickups/day?date=2026-11-20",
	} {
		if !strings.Contains(week.Body, text) {
			t.Errorf("the week does not contain %q", text)
		}
	}
}

// drag drops the first pick-up of the week on a slot, and reports whether the slot accepts it.
func drag(v *browsertest.Visitor, slot string) (accepted bool) {
	v.Run(`(() => {
		const data = new DataTransfer()
		const send = (type, to) => to.dispatchEvent(
			new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: data}))
		send('dragstart', document.querySelector('.week [data-move]'))
		const slot = document.querySelector('`+slot+`')
		const accepted = !send('dragover', slot)
		send('drop', slot)
		return accepted
	})()`, &accepted)
	return accepted
}

func TestAPickupIsMovedByDragging(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := newHotel(t, h)
	i := plan(t, h, l, "Umbrella", "2026-11-20", "11:00")
	plan(t, h, l, "Scarf", "2026-11-20", "12:00")
	v := browsertest.New(t, browsertest.Options{})
	stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/pickups?week=2026-11-20")
	v.See("Pick-ups", "Umbrella", "11:00")
	for _, place := range []string{
		`[data-date="2026-11-20"] [data-time="12:00"]`, `[data-date="2026-11-20"]`, `[data-date="2026-11-19"]`,
	} {
		if drag(v, place) {
			t.Errorf("a pick-up can be dropped on %s, which is full or closed", place)
		}
	}
	draggable := false // the browser only begins a drag on such an element; drag does not need it
	v.Run(`document.querySelector('.week [data-move]').draggable`, &draggable)
	if !draggable {
		t.Error("the browser does not let anybody drag a pick-up")
	}
	if !drag(v, `[data-date="2026-11-20"] [data-time="10:00"]`) {
		t.Error("a pick-up cannot be dropped on a free slot")
	}
	v.See("When will the owner collect it?")
	v.Follow("Save")
	v.See("Pick-ups", "Umbrella")
	if !strings.HasSuffix(v.Location(), "/pickups?week=2026-11-16") {
		t.Errorf("the form returned to %s, not to the week", v.Location())
	}
	now := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID))
	if now.Pickup.Date != "2026-11-20" || now.Pickup.Time != "10:00" {
		t.Errorf("got the pick-up %+v, want 10:00", now.Pickup)
	}
}

// The list of a day is printed with all its rows, and without what only works on a screen.
func TestTheListOfADayIsPrinted(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := newHotel(t, h)
	plan(t, h, l, "Umbrella", "2026-11-20", "11:00")
	plan(t, h, l, "Scarf", "2026-11-20", "12:00")
	v := browsertest.New(t, browsertest.Options{})
	stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/pickups/day?date=2026-11-20")
	isShown := func(selector string) (shown bool) {
		v.Run(`document.querySelector('`+selector+`').checkVisibility()`, &shown)
		return shown
	}
	if !isShown("[data-print]") {
		t.Error("there is no button to print the list")
	}
	v.SetOptions(browsertest.Options{Paper: true})
	v.See("Umbrella", "11:00", "Scarf", "12:00")
	for _, selector := range []string{"[data-print]", ".way"} {
		if isShown(selector) {
			t.Errorf("%s is printed", selector)
		}
	}
	for n := range 2 {
		for column := range 5 {
			cell := fmt.Sprintf("tbody tr:nth-child(%d) td:nth-child(%d)", n+1, column+1)
			if !isShown(cell) {
				t.Errorf("%s is not printed", cell)
			}
		}
	}
	stafftest.ExpectNoOverflow(t, v)
}

// The form shows the free slots of any day, and works with the keyboard only and without scripts.
func TestAPickupIsMovedToAFreeSlot(t *testing.T) {
	for _, o := range []browsertest.Options{
		{Dark: true}, {NoScript: true}, {Phone: true}, {Phone: true, NoScript: true},
	} {
		h, at := testkit.NewBrowserServer(t)
		l := newHotel(t, h)
		i := plan(t, h, l, "Umbrella", "2026-11-20", "11:00")
		plan(t, h, l, "Scarf", "2026-11-27", "12:00")
		v := browsertest.New(t, o)
		stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/pickups?week=2026-11-20")
		v.CheckAccessibility()
		v.CheckLayoutShift()
		v.Screenshot("week " + o.String())
		v.Follow("Change time of " + i.Reference)
		v.See("When will the owner collect it?", "Choose a free time on", "1 place left")
		v.Fill("Day", "2026-11-27")
		v.Follow("Show free times")
		v.See("Friday 27 November 2026", "Fully booked")
		v.CheckAccessibility()
		v.CheckLayoutShift()
		v.Screenshot("move " + o.String())
		v.Run(`document.querySelector('button[name=slot][value$="11:00"]').focus()`, nil)
		v.Press("Enter")
		v.See("Pick-ups", "Owner collects")
		v.Visit(at + "/at/" + l.ID + "/pickups/day?date=2026-11-27")
		v.See("2 pick-ups", "Umbrella", "11:00", "Scarf", "12:00")
		v.CheckAccessibility()
		v.Screenshot("day " + o.String())
		now := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID))
		if now.Pickup.Date != "2026-11-27" || now.Pickup.Time != "11:00" {
			t.Errorf("%s: got the pick-up %+v, want 11:00", o, now.Pickup)
		}
	}
}

func TestTheFormSaysThatTheLocationIsClosedAndReturnsOnlyToThisSite(t *testing.T) {
	h := testkit.NewServer(t)
	v, l := h.LogIn(), newHotel(t, h)
	i := plan(t, h, l, "Umbrella", "2026-11-19", "09:00")
	at := "/at/" + l.ID + "/items/" + i.ID + "/status"
	page := v.Get(at + "?to=PICKUP&back=//evil.example/")
	stafftest.ExpectPage(t, page, http.StatusOK, "The location is closed at this time")
	if strings.Contains(page.Body, "evil.example") {
		t.Error("the form returns to another site")
	}
	form := url.Values{"to": {"PICKUP"}, "slot": {"2026-11-20 10:00"}, "back": {"https://evil.example/"}}
	saved := v.Post(at, form)
	stafftest.ExpectPage(t, saved, http.StatusSeeOther)
	if to := saved.Header.Get("Location"); to != "/" {
		t.Errorf("the form returned to %s", to)
	}
	form = url.Values{"to": {"PICKUP"}, "pickupDate": {"2027-02-19"}, "show": {"yes"}}
	stafftest.ExpectPage(t, v.Post(at, form), http.StatusOK, "Friday 19 February 2027")
	if now := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID)); now.Pickup.Time != "10:00" {
		t.Errorf("showing the slots of a day changed the pick-up to %+v", now.Pickup)
	}
	form = url.Values{"to": {"PICKUP"}, "pickupDate": {"2026-11-26"}, "pickupTime": {"09:00"}}
	stafftest.ExpectPage(t, v.Post(at, form), http.StatusSeeOther)
	stafftest.ExpectPage(t, v.Get("/at/"+l.ID+"/items/"+i.ID), http.StatusOK,
		"The location is closed at this time: Thursday 26 November 2026 at 09:00")
}
