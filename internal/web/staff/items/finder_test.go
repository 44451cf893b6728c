package items_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/staff/stafftest"
)

func TestAFinderIsToldFromThePageOnceTheItemIsTheirs(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel")
		i := h.NewItem(l, "Umbrella", func(p *lost.ItemPatch) {
			p.Finder = lost.Set(lost.FinderPatch{
				Email: lost.Set("marta@example.com"), ClaimsItem: lost.Set(true),
			})
		})
		v, page := h.LogIn(), stafftest.ItemPath(l, i)
		if strings.Contains(v.Get(page).Body, `value="finder-item"`) {
			t.Error("the finder can be told while the item is stored")
		}
		later := time.Date(2026, 12, 25, 23, 30, 0, 0, time.UTC) // 00:30 on the next day in Berlin
		h.Clock.Advance(later.Sub(h.Clock.Now()))
		v = h.LogIn()
		stafftest.ExpectPage(t, v.Get(page), http.StatusOK, "Tell the finder that it is theirs")
		if a := v.Post(page+"/finder", url.Values{"kind": {"finder-item"}}); a.Code != http.StatusSeeOther {
			t.Fatalf("status %d", a.Code)
		}
		told := v.Get(page)
		stafftest.ExpectPage(t, told, http.StatusOK, "26 December 2026")
		if strings.Contains(told.Body, "25 December 2026") {
			t.Error("the page shows the day in UTC")
		}
	})
}
