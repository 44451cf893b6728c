package items_test

import (
	"net/http"
	"net/url"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/staff/stafftest"
)

func TestASuggestedCategoryDoesNotReplaceANewerChoice(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel")
		i, other := h.NewItem(l, "Umbrella"), h.NewItem(l, "Umbrella")
		v := h.LogIn()
		use := func(i lost.Item, form url.Values) lost.Item {
			t.Helper()
			if a := v.Post(stafftest.ItemPath(l, i)+"/category", form); a.Code != http.StatusSeeOther {
				t.Errorf("status %d", a.Code)
			}
			return testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID))
		}
		page := v.Get(stafftest.ItemPath(l, i))
		stafftest.ExpectPage(t, page, http.StatusOK, "Suggested category: Umbrella")
		form := stafftest.FormWith(t, page.Body, "category")
		testkit.Must(h.Services.Items.Update(t.Context(), h.Actor, l.ID, i.ID,
			lost.ItemPatch{Category: lost.Set("toy")}))
		if got := use(i, form).Category; got != lost.ToyCategory {
			t.Errorf("got %q, want the newer choice", got)
		}
		stafftest.ExpectPage(t, v.Get(stafftest.ItemPath(l, i)), http.StatusOK,
			"Somebody changed the item in the meantime.")

		form = stafftest.FormWith(t, v.Get(stafftest.ItemPath(l, other)).Body, "category")
		testkit.Must(h.Services.Items.Update(t.Context(), h.Actor, l.ID, other.ID,
			lost.ItemPatch{Color: lost.Set("blue")}))
		if got := use(other, form).Category; got != lost.UmbrellaCategory {
			t.Errorf("after a change of the colour: got %q", got)
		}
	})
}
