package storage_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/staff/stafftest"
)

func TestTheLabelsOfAllParcelsArePrintedTogether(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		hotel, spa, bar := h.NewLocation("Hotel"), h.NewLocation("Spa"), h.NewLocation("Bar")
		owner := stafftest.WithOwner("anna@example.com", "Anna", "Berg")
		weight := func(p *lost.ItemPatch) {
			p.Shipping = lost.Set(lost.ShippingPatch{Weight: lost.Set(1.0), WeightUnit: lost.Set("kg")})
		}
		ready := func(l lost.Location, what string) lost.Item {
			testkit.Must(h.Services.Locations.Update(t.Context(), h.Actor, l.ID, lost.LocationPatch{
				Address1: lost.Set("Marktplatz 3"), City: lost.Set("Bergen"), ZipCode: lost.Set("5003"),
				Country: lost.Set("NO"),
			}))
			i := h.NewItem(l, what, owner, weight)
			stafftest.PayFee(h, i)
			i = testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID))
			for more := true; more; {
				more = testkit.Must(h.Services.Labels.Ship(t.Context(), i.Account, i.Parcel.ShipmentID))
			}
			return i
		}
		umbrella, towel, glass := ready(hotel, "Umbrella"), ready(spa, "Towel"), ready(bar, "Glass")
		scarf := h.NewItem(hotel, "Scarf", owner)
		stafftest.PayFee(h, scarf) // its label is not printed yet
		clerk := h.As(h.NewMember("Clara", lost.DeskRole, hotel.ID, spa.ID))
		stafftest.ExpectPage(t, clerk.Get("/at/"+hotel.ID+"/items?status=FEE+PAID"), http.StatusOK,
			"Print shipping labels")
		page := clerk.Get("/at/all/labels")
		stafftest.ExpectPage(t, page, http.StatusOK, "1 parcel has no label yet", "Scarf", "2 labels:", "Umbrella",
			"Towel", "Spa")
		if strings.Contains(page.Body, "Glass") {
			t.Error("the page shows a parcel of a location that the clerk cannot see")
		}
		for what, c := range map[string]struct {
			items []string
			pages int
		}{
			"all":                {[]string{umbrella.ID, towel.ID, scarf.ID}, 2},
			"another's location": {[]string{umbrella.ID, glass.ID}, 1},
		} {
			a := clerk.Post("/at/all/labels.pdf", url.Values{"item": c.items})
			if pages := strings.Count(a.Body, "/Type /Page "); a.Code != http.StatusOK || pages != c.pages {
				t.Errorf("%s: status %d with %d labels, want %d", what, a.Code, pages, c.pages)
			}
		}
		for _, items := range [][]string{nil, {scarf.ID}, {glass.ID}} {
			if a := clerk.Post("/at/all/labels.pdf", url.Values{"item": items}); a.Code != http.StatusConflict {
				t.Errorf("parcels without labels: status %d, want 409", a.Code)
			}
		}
		stafftest.ExpectPage(t, clerk.Get("/at/"+spa.ID+"/labels"), http.StatusOK, "One label:", "Towel")
		empty := h.NewLocation("Empty")
		stafftest.ExpectPage(t, h.LogIn().Get("/at/"+empty.ID+"/labels"), http.StatusOK,
			"No parcel is waiting to be shipped.")
	})
}

func TestMoreLabelsThanArePrintedTogetherAreOnSeveralPages(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel")
	const more = 3
	for n := range lost.MaxLabels + more {
		i := h.NewItem(l, fmt.Sprintf("Parcel %02d", n), stafftest.WithOwner("anna@example.com", "Anna", "Berg"))
		testkit.Must(h.Services.Items.SetStatus(t.Context(), h.Actor, l.ID, i.ID,
			lost.MovePatch{Status: lost.Set("FEE PAID")}))
	}
	v, at := h.LogIn(), "/at/"+l.ID+"/labels"
	first, second := v.Get(at), v.Get(at+"?page=2")
	for page, want := range map[string]int{first.Body: lost.MaxLabels, second.Body: more} {
		if got := strings.Count(page, "Parcel "); got != want {
			t.Errorf("a page shows %d parcels, want %d", got, want)
		}
	}
	next, previous := `href="`+at+`?page=2"`, `href="`+at+`"`
	if !strings.Contains(first.Body, next) || !strings.Contains(second.Body, previous) ||
		!stafftest.Shows(first, "At most 50 labels are printed together.") ||
		!stafftest.Shows(second, "At most 50 labels are printed together.") {
		t.Error("the pages do not lead to each other, or do not name the limit")
	}
}
