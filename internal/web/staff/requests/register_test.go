package requests_test

import (
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/staff/stafftest"
)

func TestTheDeskSeesWhichFindOfTheRegisterIsClaimed(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		other, chosen := h.NewItem(l, "Green felt hat with a feather"), h.NewItem(l, "Violin case, locked")
		r := testkit.Must(h.Services.Requests.File(t.Context(), h.Actor, l.ID, lost.RequestPatch{
			Description: lost.Set("My felt hat, green, with a long feather"), Proof: lost.Set("Initials A. B."),
			Owner:          lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")}),
			RegisterItemID: chosen.ID,
		}, lost.IdempotencyKey{}))
		h.Match(other, chosen, r)
		h.Clock.Advance(2 * time.Minute)
		v := h.LogIn()
		a := v.Get("/at/" + l.ID + "/requests/" + r.ID)
		if !stafftest.Shows(a, "Public register", "from the public register", stafftest.ItemPath(l, chosen),
			"Chosen in the public register") {
			t.Errorf("the request does not say which find is claimed: %s", a.Body)
		}
		first, second := strings.Index(a.Body, `id="`+chosen.ID), strings.Index(a.Body, `id="`+other.ID)
		if first < 0 || first > second {
			t.Errorf("the claimed find is suggested at %d, and the other one at %d", first, second)
		}
		if a := v.Get(stafftest.ItemPath(l, chosen)); !stafftest.Shows(a, r.Reference) {
			t.Error("the page of the find does not suggest the request")
		}
		testkit.Must(0, h.Services.Items.Delete(t.Context(), h.Actor, l.ID, chosen.ID))
		if a := v.Get("/at/" + l.ID + "/requests/" + r.ID); strings.Contains(a.Body, "from the public register") {
			t.Error("the request names a find that was deleted")
		}
	})
}
