package staff_test

import (
	"net/url"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/web/housetest"
)

// carries expects texts in what a page sends.
func carries(t *testing.T, a housetest.Answer, texts ...string) {
	t.Helper()
	if text := missing(a, texts...); text != "" {
		t.Errorf("the page answered %d and has no %q", a.Code, text)
	}
}

// collects has the owner of an item come at a time.
func collects(h *housetest.House, l lost.Location, i lost.Item, day, hour string) lost.Item {
	h.T.Helper()
	p := lost.MovePatch{Status: lost.Set("PICKUP"), PickupDate: lost.Set(day), PickupTime: lost.Set(hour)}
	return housetest.Must(h.Desk.SetStatus(h.T.Context(), h.Actor, l.ID, i.ID, p))
}

func TestTheDeskSeesWhenAnOwnerComesAndCanMoveIt(t *testing.T) {
	housetest.Each(t, func(t *testing.T, h *housetest.House) {
		hotel := h.Location("Hotel Adler")
		late := collects(h, hotel, h.Item(hotel, "Umbrella", from("anna@example.com", "Anna", "Arden")), "2026-11-20", "16:00")
		soon := collects(h, hotel, h.Item(hotel, "Purse"), "2026-11-17", "11:30")
		h.Item(hotel, "Scarf")
		v := h.LogIn()
		list := v.Get(itemsAt(hotel) + "?open=1&status=PICKUP")
		carries(t, list, "Tue 17 Nov, 11:30", "Fri 20 Nov, 16:00", "who comes first at the top")
		if strings.Index(list.Body, soon.ID) > strings.Index(list.Body, late.ID) || strings.Contains(list.Body, "Scarf") {
			t.Error("who comes first is not at the top")
		}
		page := v.Get(itemAt(hotel, late))
		carries(t, page, "Friday 20 November 2026 at 16:00</span>", "For Friday 20 November 2026 at 16:00.", itemAt(hotel, late)+"/status?to=PICKUP", "Change the day")
		form := v.Get(itemAt(hotel, late) + "/status?to=PICKUP")
		carries(t, form, "When does the owner come?", `value="2026-11-20"`, `value="16:00"`)
		if strings.Contains(form.Body, "collected already") || strings.Contains(form.Body, "becomes") {
			t.Error("the form asks for more than the day")
		}
		v.Post(itemAt(hotel, late)+"/status", url.Values{"to": {"PICKUP"}, "pickupDate": {"2026-11-16"}, "pickupTime": {"10:15"}})
		page = v.Get(itemAt(hotel, late))
		carries(t, page, "Monday 16 November 2026 at 10:15</span>")
		if strings.Contains(page.Body, "20 November") {
			t.Error("the former day is still there")
		}
		viewer := h.As(h.Member("Vera", lost.ViewerRole))
		page = viewer.Get(itemAt(hotel, late))
		if carries(t, page, "Monday 16 November 2026 at 10:15</span>"); strings.Contains(page.Body, "Change the day") {
			t.Error("who may only look is offered to change it")
		}
	})
}

func TestTodayShowsWhoComesNextAndGreetsOnlyOnce(t *testing.T) {
	h := housetest.One(t)
	t.Cleanup(h.Desk.Close)
	hotel := h.Location("Hotel Adler")
	v := h.LogIn()
	carries(t, v.Get("/"), "Nothing waits", "Record a find with its owner")
	i := h.Item(hotel, "Umbrella", from("anna@example.com", "Anna", "Arden"))
	for _, at := range []string{"/", "/?location=" + hotel.ID} {
		a := v.Get(at)
		if carries(t, a, "Nothing waits", "All is seen to"); strings.Contains(a.Body, "Record a find with its owner") {
			t.Error("who has recorded something is told how to begin")
		}
	}
	wait(h, collects(h, hotel, i, "2026-11-16", "11:30"), lost.NextPickupTask)
	a := v.Get("/")
	if carries(t, a, "Pick-ups next", "Monday 16 November 2026 at 11:30, Anna Arden", "/hand-over"); strings.Contains(a.Body, "Nothing waits") {
		t.Error("somebody comes, and nothing waits")
	}
	carries(t, v.Get("/tasks/pickup-next"), "Anna Arden")
}
