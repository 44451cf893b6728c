package staff_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/staff/stafftest"
)

var hiddenSeen = regexp.MustCompile(`name="seen" value="([^"]+)"`)

// seenOn returns the record versions in the forms on a page.
func seenOn(t *testing.T, a testkit.Response) (seen []string) {
	t.Helper()
	for _, found := range hiddenSeen.FindAllStringSubmatch(a.Body, -1) {
		seen = append(seen, found[1])
	}
	if len(seen) == 0 {
		t.Fatalf("the page (%d) has no hidden field with the version of the record", a.Code)
	}
	return seen
}

// expectConflict fails the test unless a response reports a conflict with another user's change and contains all
// texts.
func expectConflict(t *testing.T, a testkit.Response, texts ...string) {
	t.Helper()
	if text := stafftest.MissingText(a, texts...); a.Code != http.StatusConflict || text != "" {
		t.Errorf("got status %d, want 409; the page lacks %q", a.Code, text)
	}
}

func TestAFormOfAnOldVersionChangesNothing(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		v := h.LogIn()
		setStatus := func(i lost.Item, status string) {
			h.Clock.Advance(time.Minute)
			testkit.Must(h.Services.Items.SetStatus(t.Context(), h.Actor, l.ID, i.ID,
				lost.MovePatch{Status: lost.Set(status)}))
			h.Clock.Advance(time.Minute)
		}
		expectStatus := func(i lost.Item, want lost.Status) {
			t.Helper()
			if now := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID)); now.Status != want ||
				!now.ClosedAt.IsZero() {
				t.Errorf("got status %s and closed at %v", now.Status, now.ClosedAt)
			}
		}

		hat := h.NewItem(l, "Hat")
		setStatus(hat, "DONATE")
		seen := seenOn(t, v.Get(stafftest.ItemPath(l, hat)))[0]
		setStatus(hat, "PICKUP")
		expectConflict(t, v.Post(stafftest.ItemPath(l, hat)+"/status?done=1", url.Values{"seen": {seen}}),
			"Current state",
			"Hat", "Owner collects", "Back to the item")
		expectStatus(hat, lost.PickUp)
		if a := v.Post(stafftest.ItemPath(l, hat)+"/status?done=1", nil); a.Code != http.StatusBadRequest {
			t.Errorf("got status %d for a form without a version, want 400", a.Code)
		}

		bag := h.NewItem(l, "Bag", stafftest.WithOwner("anna@example.com", "Anna", "Berg"))
		seen = seenOn(t, v.Get(stafftest.ItemPath(l, bag)+"/status?to=DISCARD"))[0]
		setStatus(bag, "FEE PAID")
		expectConflict(t,
			v.Post(stafftest.ItemPath(l, bag)+"/status",
				url.Values{"to": {"DISCARD"}, "closed": {"yes"}, "seen": {seen}}), "Current state", "Paid")
		expectStatus(bag, lost.FeePaid)

		ring, s := h.NewItem(l, "Ring"), &stafftest.FullStorage{Server: h}
		seen = seenOn(t, v.Get(stafftest.ItemPath(l, ring)+"/hand-over"))[0]
		setStatus(ring, "INFO COMPLETED")
		expectConflict(t,
			v.Do(stafftest.SignedForm(s, stafftest.ItemPath(l, ring)+"/hand-over", "Ben", "", "seen", seen)),
			"Current state")
		expectStatus(ring, lost.InfoCompleted)
	})
}

func TestClearingAShelfUsesTheVersionsInTheList(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		s := stafftest.NewFullStorage(h, "Umbrella", "Hat")
		v, hat := h.LogIn(), s.Item("Hat")
		seen := seenOn(t, v.Get(s.Path))
		h.Clock.Advance(time.Minute)
		testkit.Must(h.Services.Items.Update(t.Context(), h.Actor, s.Hotel.ID, hat.ID,
			lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")})}))
		h.Clock.Advance(time.Minute)
		if a := v.Post(s.Path,
			url.Values{"do": {"discarded"}, "item": {hat.ID}, "seen": seen}); a.Code != http.StatusConflict ||
			!stafftest.Shows(a, "These items no longer need a decision.") {
			t.Errorf("got status %d for a decision about the changed item, want 409", a.Code)
		}
		v.Post(s.Path, url.Values{"do": {"discarded"}, "every": {"yes"}, "seen": seen})
		if message := stafftest.FlashText(v, s.Path); !strings.HasSuffix(message,
			"1 item was left out because somebody changed it.") {
			t.Errorf("got message %q", message)
		}
		h.Clock.Advance(lost.UndoTime)
		s.RunJobs()
		if now := s.Item("Hat"); now.Status != lost.Pending {
			t.Errorf("got status %s for the item with an owner", now.Status)
		}
	})
}

func TestABulkChangeUsesTheVersionsInTheConfirmation(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	hat, bag := h.NewItem(l, "Hat"), h.NewItem(l, "Bag")
	v, at := h.LogIn(), stafftest.ItemsPath(l)+"/bulk/status"
	form := url.Values{"item": {hat.ID, bag.ID}, "status": {"DISCARD"}}
	form["seen"] = seenOn(t, v.Post(at, form))
	form.Set("sure", "yes")
	h.Clock.Advance(time.Minute)
	testkit.Must(h.Services.Items.SetStatus(t.Context(), h.Actor, l.ID, bag.ID,
		lost.MovePatch{Status: lost.Set("FEE PAID")}))
	h.Clock.Advance(time.Minute)
	stafftest.ExpectPage(t, v.Post(at, form), http.StatusOK, "1 item was changed. 1 was not changed.",
		"Somebody else changed this in the meantime.")
	if now := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, bag.ID)); now.Status != lost.FeePaid {
		t.Errorf("got status %s for the paid item", now.Status)
	}
}

// A form with the largest allowed number of items is not too large to be accepted.
func TestTheFormForTheMaximumNumberOfItemsIsAccepted(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	form, now := url.Values{"status": {"DISCARD"}, "sure": {"yes"}}, "1794744000000000"
	for range 500 {
		id := lost.NewID(lost.ItemID, h.Clock.Now())
		form["item"], form["seen"] = append(form["item"], id), append(form["seen"], id+" "+now)
	}
	if a := h.LogIn().Post(stafftest.ItemsPath(l)+"/bulk/status", form); a.Code != http.StatusOK ||
		!strings.Contains(a.Body, "500 were not changed") {
		t.Errorf("got status %d, want 200", a.Code)
	}
}

func TestConcurrentChangesOfALocationAreReported(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		v, at := h.LogIn(), "/locations/"+l.ID+"/about"
		seen := seenOn(t, v.Get(at))[0]
		h.Clock.Advance(time.Minute)
		// the city is changed in another form, so there is no conflict
		testkit.Must(h.Services.Locations.Update(t.Context(), h.Actor, l.ID,
			lost.LocationPatch{City: lost.Set("Potsdam")}))
		form := url.Values{"name": {"Hotel Adler"}, "type": {"hotel"}, "charity": {"Caritas"}, "seen": {seen}}
		for range 2 { // sending the same form again changes nothing
			if a := v.Post(at, form); a.Code != http.StatusSeeOther {
				t.Fatalf("got status %d, want 303", a.Code)
			}
		}
		form.Set("charity", "Oxfam")
		again := v.Post(at, form) // from a window that was opened earlier
		expectConflict(t, again, "Somebody else changed this", "Caritas", `value="Oxfam"`)
		if now := testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, l.ID)); now.Charity != "Caritas" ||
			now.City != "Potsdam" {
			t.Errorf("got location %+v", now)
		}
		form.Set("seen", seenOn(t, again)[0])
		if a := v.Post(at, form); a.Code != http.StatusSeeOther {
			t.Errorf("got status %d when saving the current version, want 303", a.Code)
		}
		for _, part := range []string{"address", "storage", "reminders", "shipping"} {
			seenOn(t, v.Get("/locations/"+l.ID+"/"+part))
		}
	})
}

func TestConcurrentChangesOfAMemberAreReported(t *testing.T) {
	h := testkit.NewServer(t)
	ben := h.NewMember("Ben", lost.DeskRole)
	v, at := h.LogIn(), "/settings/team/members/"+ben.ID
	seen := seenOn(t, v.Get(at))[0]
	testkit.Must(h.Services.Team.ChangeMember(t.Context(), h.Actor, ben.ID, lost.Membership{Role: lost.AdminRole}))
	form := url.Values{"role": {string(lost.ViewerRole)}, "reach": {"all"}, "seen": {seen}}
	again := v.Post(at, form)
	expectConflict(t, again, "Somebody else changed this in the meantime. The role is now Admin.")
	form.Set("seen", seenOn(t, again)[0])
	if a := v.Post(at, form); a.Code != http.StatusSeeOther {
		t.Errorf("got status %d when saving the current version, want 303", a.Code)
	}
}
