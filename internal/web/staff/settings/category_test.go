package settings_test

import (
	"net/http"
	"net/url"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/staff/stafftest"
)

func TestTheRunOfCategoriesSaysWhatItHasDone(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		const path = "/settings/categories"
		l := h.NewLocation("Hotel")
		umbrella := h.NewItem(l, "Umbrella")
		h.NewItem(l, "Hat")
		h.NewItem(l, "Something blue")
		v := h.LogIn()
		goOn := func() {
			t.Helper()
			run, _, err := h.Services.Categories.State(t.Context(), h.Actor)
			if err != nil {
				t.Fatal(err)
			}
			testkit.Must(h.Services.Categories.Continue(t.Context(), h.Actor.Account, run.ID))
		}
		expect := func(texts ...string) {
			t.Helper()
			stafftest.ExpectPage(t, v.Get(path), http.StatusOK, texts...)
		}
		expect("3 items have no category.")
		v.Post(path, url.Values{})
		expect("0 items without a category were read. 0 got a category.")
		goOn()
		expect("3 items without a category were read. 2 got a category.", "1 item has no category.")
		testkit.Must(h.Services.Items.Update(t.Context(), h.Actor, l.ID, umbrella.ID,
			lost.ItemPatch{Category: lost.Set("toy")}))
		run, _, err := h.Services.Categories.State(t.Context(), h.Actor)
		if err != nil {
			t.Fatal(err)
		}
		v.Post(path+"/undo", url.Values{"run": {run.ID}})
		expect("0 categories were undone so far.")
		goOn()
		expect("1 category was undone. 1 stays, because the item was changed or deleted since.")
	})
}
