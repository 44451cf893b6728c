package owner_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/stay"
	"homeward/internal/pms/pmstest"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// guestID matches the id of a guest in a form.
var guestID = regexp.MustCompile(`name="stay" value="(stay_[0-9a-z]+)"`)

func connect(t testing.TB, h *testkit.Server, l lost.Location, s *pmstest.Server) {
	t.Helper()
	if err := h.Services.Stays.Connect(t.Context(), h.Actor, l.ID, s.System, s.Values()); err != nil {
		t.Fatal(err)
	}
}

// in returns a change of an item that was found in the last room of a booking, on the day on which its guest left.
func in(b pmstest.Booking) func(*lost.ItemPatch) {
	return stafftest.FoundAt("Zimmer "+b.Last().Room+", Bad", b.Last().To)
}

func stored(t *testing.T, h *testkit.Server, i lost.Item) lost.Item {
	t.Helper()
	return testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, i.LocationID, i.ID))
}

func TestAGuestOfTheRoomBecomesTheOwnerOfAnItem(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l, s := h.NewLocation("Hotel Adler"), pmstest.Start(t, stay.Apaleo)
		b := s.Hotel.Bookings[1] // a shared room
		i := h.NewItem(l, "Umbrella", in(b))
		v, page := h.As(h.NewMember("Dana", lost.DeskRole)), stafftest.ItemPath(l, i)
		if stafftest.Shows(v.Get(page), "Who stayed here?") {
			t.Error("the page offers a look-up at a location without a connection")
		}
		connect(t, h, l, s)
		stafftest.ExpectPage(t, v.Get(page), http.StatusOK, "Who stayed here?")
		form := stafftest.FormWith(t, v.Get(page+"/stays").Body, "stays-room")
		if form.Get("stays-room") != b.Last().Room || form.Get("discoveryDate") != b.Last().To || form.Has("stay") {
			t.Errorf("the form begins with %v", form)
		}
		form.Set("stays", "look")
		shown := v.Post(page+"/stays", form)
		guest := b.Guests[0]
		stafftest.ExpectPage(t, shown, http.StatusOK, guest.LastName, "left that day", "None of them", "Save owner")
		if !strings.Contains(shown.Body, stay.MaskEmail(guest.Email)) || strings.Contains(shown.Body, guest.Email) ||
			strings.Contains(shown.Body, guest.Phone) {
			t.Error("the page does not show the masked address, or shows the full one")
		}
		ids := guestID.FindAllStringSubmatch(shown.Body, -1)
		if len(ids) < 2 {
			t.Fatalf("got %d guests of a shared room", len(ids))
		}
		if now := stored(t, h, i); now.Owner.Known() {
			t.Errorf("a look-up changed the owner to %+v", now.Owner)
		}
		chosen := stafftest.FormWith(t, shown.Body, "stays-lookup")
		chosen.Set("stay", ids[0][1])
		for range 2 { // the browser may send the form again
			if a := v.Post(page+"/stays", chosen); a.Code != http.StatusSeeOther || a.Header.Get("Location") != page {
				t.Fatalf("got status %d: %s", a.Code, a.Body)
			}
		}
		now := stored(t, h, i)
		if now.Owner.Email != guest.Email || now.Owner.Phone != guest.Phone || now.Language != guest.Language {
			t.Errorf("got the owner %+v, language %q", now.Owner, now.Language)
		}
		stafftest.ExpectPage(t, v.Get(page), http.StatusOK, "The guest is saved as the owner.", guest.Email)
		if a := v.Get(page); stafftest.Shows(a, "Who stayed here?") {
			t.Error("the page offers a look-up for an item with an owner")
		}
		chosen.Set("stay", ids[1][1]) // an earlier tab
		if a := v.Post(page+"/stays", chosen); a.Code != http.StatusConflict || stored(t, h, i).Owner != now.Owner {
			t.Errorf("got status %d for another guest, or the owner was replaced", a.Code)
		}
	})
}

func TestNobodyBecomesTheOwnerUnchosen(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l, s := h.NewLocation("Hotel Adler"), pmstest.Start(t, stay.Cloudbeds)
		connect(t, h, l, s)
		b := s.Hotel.Bookings[0]
		i := h.NewItem(l, "Umbrella", in(b))
		v, page := h.LogIn(), stafftest.ItemPath(l, i)
		look := func(change url.Values) testkit.Response {
			t.Helper()
			form := stafftest.FormWith(t, v.Get(page+"/stays").Body, "stays-room")
			form.Set("stays", "look")
			for name := range change {
				form.Set(name, change.Get(name))
			}
			return v.Post(page+"/stays", form)
		}
		shown := look(nil)
		none := stafftest.FormWith(t, shown.Body, "stays-lookup")
		if none.Get("stay") != "" || !none.Has("stay") {
			t.Errorf("the form begins with the guest %q, want none of them", none.Get("stay"))
		}
		if a := v.Post(page+"/stays", none); a.Code != http.StatusSeeOther || stored(t, h, i).Owner.Known() {
			t.Errorf("got status %d for none of them", a.Code)
		}
		stafftest.ExpectPage(t, look(url.Values{"stays-room": {"Nowhere 9999"}}), http.StatusOK, "Nobody was found")
		stafftest.ExpectPage(t, look(url.Values{"stays-room": {""}, "discoveryDate": {""}}), http.StatusOK,
			"Enter the day on which the item was found.")
		for _, fault := range []pmstest.Fault{pmstest.ServerError, pmstest.BrokenJSON, pmstest.TooManyFault} {
			s.Fail(fault)
			if a := look(nil); a.Code != http.StatusOK || !strings.Contains(a.Body, "data-fault") {
				t.Errorf("fault %d: got status %d", fault, a.Code)
			}
		}
		s.Fail(pmstest.None)

		chosen := stafftest.FormWith(t, look(nil).Body, "stays-lookup")
		chosen.Set("stay", guestID.FindStringSubmatch(look(nil).Body)[1])
		h.Clock.Advance(2 * time.Hour) // the look-up has expired
		v = h.LogIn()
		a := v.Post(page+"/stays", chosen)
		if a.Code != http.StatusUnprocessableEntity || stored(t, h, i).Owner.Known() {
			t.Errorf("got status %d for an expired look-up", a.Code)
		}
		other := h.As(h.NewMember("Dana", lost.DeskRole))
		chosen.Set("stay", guestID.FindStringSubmatch(look(nil).Body)[1])
		if a := other.Post(page+"/stays", chosen); a.Code != http.StatusUnprocessableEntity ||
			stored(t, h, i).Owner.Known() {
			t.Errorf("got status %d for the look-up of another user", a.Code)
		}
		logger := h.As(h.NewMember("Lou", lost.LoggerRole)) // may not handle items
		if a := logger.Get(page + "/stays"); a.Code != http.StatusForbidden && a.Code != http.StatusNotFound {
			t.Errorf("got status %d for a user who may not handle items", a.Code)
		}
		request := stafftest.FileRequest(h, l, "Umbrella")
		if a := v.Get(stafftest.ItemPath(l, request) + "/stays"); a.Code != http.StatusNotFound {
			t.Errorf("got status %d for a request", a.Code)
		}
	})
}

func TestTheOwnerOfAnItemIsLookedUpInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l, s := h.NewLocation("Hotel Adler"), pmstest.Start(t, stay.Cloudbeds)
	connect(t, h, l, s)
	b := s.Hotel.Bookings[0] // the only guest of this room with this name
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true, NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) {
			i := h.NewItem(l, "Phone charger", stafftest.FoundAt("Lobby", b.Last().To))
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+stafftest.ItemPath(l, i))
			v.Follow("Who stayed here?")
			v.Fill("Room", b.Last().Room)
			look := v.Follow
			if !o.NoScript {
				look = v.Click
				s.Fail(pmstest.ServerError)
				v.Click("Who stayed here?")
				v.See("The hotel system cannot be reached.")
				s.Fail(pmstest.None)
			}
			look("Who stayed here?")
			v.See("Who is the owner?", stay.MaskEmail(b.Guests[0].Email))
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("stays")
			v.Click(b.Guests[0].FirstName + " " + b.Guests[0].LastName)
			v.Follow("Save owner")
			v.See("The guest is saved as the owner.", b.Guests[0].Email)
			if now := stored(t, h, i); now.Owner.Email != b.Guests[0].Email {
				t.Errorf("got %+v", now.Owner)
			}
		})
	}
}
