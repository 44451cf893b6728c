package calendar_test

import (
	"net/http"
	"strings"
	"testing"

	"homeward/internal/lost"
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
		next := v.Get(at + "?week=2026-11-25")
		if strings.Contains(next.Body, "Umbrella") || !strings.Contains(next.Body, "Scarf") {
			t.Error("the next week must show only the pick-up that is planned while the location is closed")
		}
		stafftest.ExpectPage(t, v.Get(at+"/day?date=2026-11-20"), http.StatusOK, "Umbrella", "11:30")
		stafftest.ExpectPage(t, v.Get(at+"/day?date=2026-11-21"), http.StatusOK, "No pick-ups")
		stafftest.ExpectPage(t, v.Get(at+"?week=never"), http.StatusOK, "Pick-ups")
		testkit.Must(h.Services.Locations.Update(t.Context(), h.Actor, l.ID, lost.LocationPatch{
			Closures: lost.Set([]lost.Closure{{From: "2026-11-20", Reason: "Stocktaking"}}),
		}))
		stafftest.ExpectPage(t, v.Get(at+"?week=2026-11-20"), http.StatusOK, "Closed: Stocktaking",
			"2 pick-ups are planned for times when you are closed", "Umbrella")
		stafftest.ExpectPage(t, v.Get("/locations/"+l.ID+"/hours"), http.StatusOK,
			"2 pick-ups are planned for times when you are closed", "Umbrella")
	})
}

func TestAPickupIsMovedByDraggingAndWithTheKeyboard(t *testing.T) {
	for _, o := range []browsertest.Options{{Dark: true}, {Phone: true, NoScript: true}} {
		h, at := testkit.NewBrowserServer(t)
		l := newHotel(t, h)
		i := plan(t, h, l, "Umbrella", "2026-11-20", "11:00")
		v := browsertest.New(t, o)
		stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/pickups?week=2026-11-20")
		v.See("Umbrella", "11:00")
		v.CheckAccessibility()
		v.CheckLayoutShift()
		v.Screenshot("week " + o.String())
		if o.NoScript {
			v.Follow("Change time of " + i.Reference)
			v.Fill("Time", "12:00")
		} else {
			v.Run(`(() => {
				const data = new DataTransfer()
				const send = (type, to) => to.dispatchEvent(
					new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: data}))
				send('dragstart', document.querySelector('[data-move]'))
				const slot = document.querySelector('[data-date="2026-11-20"] [data-time="12:00"]')
				send('dragover', slot)
				send('drop', slot)
			})()`, nil)
		}
		v.See("When will the owner collect it?")
		v.Follow("Save")
		v.See("Umbrella")
		now := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID))
		if now.Pickup.Date != "2026-11-20" || now.Pickup.Time != "12:00" {
			t.Errorf("%s: got the pick-up %+v, want 12:00", o, now.Pickup)
		}
	}
}
