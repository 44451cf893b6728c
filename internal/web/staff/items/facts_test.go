package items_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// stored returns an item as it is stored now.
func stored(t *testing.T, h *testkit.Server, i lost.Item) lost.Item {
	t.Helper()
	return testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, i.LocationID, i.ID))
}

func TestTheValueOfAnItemIsEdited(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		i := h.NewItem(l, "Watch")
		v, page := h.LogIn(), stafftest.ItemPath(l, i)
		save := func(value string) testkit.Response {
			t.Helper()
			form := stafftest.FormWith(t, v.Get(page+"?edit=what").Body, "value")
			form.Set("value", value)
			h.Clock.Advance(time.Second)
			return v.Post(page, form)
		}
		for _, c := range []struct {
			typed  string
			amount int64
		}{{"89.90", 8990}, {"1,234.50", 123450}, {" 12 ", 1200}, {"", 0}, {"0.01", 1}, {"", 0}} {
			if a := save(c.typed); a.Code != http.StatusSeeOther {
				t.Errorf("%q: status %d", c.typed, a.Code)
			}
			want := lost.Value{Amount: c.amount, Currency: l.Currency()}
			if c.amount == 0 {
				want = lost.Value{}
			}
			if got := stored(t, h, i).Value; got != want {
				t.Errorf("%q: got %+v, want %+v", c.typed, got, want)
			}
		}
		save("89.90")
		stafftest.ExpectPage(t, v.Get(page), http.StatusOK, "$89.90")
		if form := stafftest.FormWith(t, v.Get(page+"?edit=what").Body, "value"); form.Get("value") != "89.90" {
			t.Errorf("the form shows %q", form.Get("value"))
		}
		for _, typed := range []string{"0", "cheap", "-5", "1.2.3", "999999999999999999999"} {
			a := save(typed)
			if a.Code != http.StatusUnprocessableEntity || !stafftest.Shows(a, `value="`+typed+`"`) {
				t.Errorf("%q: status %d, or the text is lost", typed, a.Code)
			}
			if got := stored(t, h, i).Value; got.Amount != 8990 {
				t.Errorf("%q: got %+v", typed, got)
			}
		}

		// A value in another currency than the location's keeps it.
		testkit.Must(h.Services.Items.Update(t.Context(), h.Actor, l.ID, i.ID, lost.ItemPatch{
			Value: lost.Value{Amount: 5000, Currency: "JPY"}.Patch(),
		}))
		save("6000")
		if got := stored(t, h, i).Value; got != (lost.Value{Amount: 6000, Currency: "JPY"}) {
			t.Errorf("got %+v, want 6000 yen", got)
		}
	})
}

func TestTheCheckBoxesOfAFinderAreEdited(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		i := h.NewItem(l, "Watch")
		v, page := h.LogIn(), stafftest.ItemPath(l, i)
		for _, want := range []lost.Finder{
			{Name: "Marta", Email: "marta@example.com", WantsReward: true},
			{Name: "Marta", Email: "marta@example.com", WantsReward: true, ClaimsItem: true},
			{Name: "Marta", Email: "marta@example.com", ClaimsItem: true},
			{Name: "Marta", Email: "marta@example.com"},
		} {
			form := stafftest.FormWith(t, v.Get(page+"?edit=finder").Body, "finder.name")
			form.Set("finder.name", want.Name)
			form.Set("finder.email", want.Email)
			check := func(name string, checked bool) {
				form.Del(name) // browsers do not send an empty check box
				if checked {
					form.Set(name, "yes")
				}
			}
			check("finder.wantsReward", want.WantsReward)
			check("finder.claimsItem", want.ClaimsItem)
			h.Clock.Advance(time.Second)
			if a := v.Post(page, form); a.Code != http.StatusSeeOther {
				t.Fatalf("status %d", a.Code)
			}
			if got := stored(t, h, i).Finder; got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			again := stafftest.FormWith(t, v.Get(page+"?edit=finder").Body, "finder.name")
			if again.Has("finder.wantsReward") != want.WantsReward ||
				again.Has("finder.claimsItem") != want.ClaimsItem {
				t.Errorf("the form shows %v for %+v", again, want)
			}
		}
	})
}

func TestTheValueAndTheFinderAreEditedInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true, NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) {
			i := h.NewItem(l, "Watch "+o.String())
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+stafftest.ItemPath(l, i)+"?edit=what")
			v.Fill("Estimated value", "1,250.00")
			v.Follow("Save")
			v.See("Saved.", "$1,250.00")
			v.Visit(at + stafftest.ItemPath(l, i) + "?edit=finder")
			v.Fill("Finder’s name", "Marta")
			v.Click("Finder asks for a reward")
			v.Click("Finder wants the item if no owner comes")
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("finder")
			v.Follow("Save")
			v.See("Saved.", "Marta")
			f := lost.Finder{Name: "Marta", WantsReward: true, ClaimsItem: true}
			if now := stored(t, h, i); now.Finder != f || now.Value.Amount != 125000 {
				t.Errorf("got %+v, %+v", now.Finder, now.Value)
			}
			v.Visit(at + stafftest.ItemPath(l, i) + "?edit=finder")
			v.Click("Finder asks for a reward")
			v.Follow("Save")
			v.See("Saved.")
			if f.WantsReward = false; stored(t, h, i).Finder != f {
				t.Errorf("got %+v after the reward was unchecked", stored(t, h, i).Finder)
			}
		})
	}
}

func TestAListIsLimitedToACategory(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		hotel, spa := h.NewLocation("Hotel Adler"), h.NewLocation("Spa")
		of := func(c lost.Category) func(*lost.ItemPatch) {
			return func(p *lost.ItemPatch) { p.Category = lost.Set(string(c)) }
		}
		h.NewItem(hotel, "Folding one", of(lost.UmbrellaCategory), stafftest.FoundAt("Bar", "2026-11-10"))
		h.NewItem(hotel, "Wooden handle", of(lost.UmbrellaCategory), stafftest.FoundAt("Bar", "2026-11-12"))
		h.NewItem(hotel, "Umbrella-shaped earring", of(lost.JewelleryCategory))
		h.NewItem(hotel, "Thing without category")
		h.NewItem(spa, "Beach umbrella", of(lost.UmbrellaCategory))
		v := h.LogIn()
		expect := func(at, query string, want ...string) {
			t.Helper()
			a := v.Get("/at/" + at + "/items?" + query)
			if a.Code != http.StatusOK {
				t.Fatalf("%s: status %d", query, a.Code)
			}
			for _, all := range []string{
				"Folding one", "Wooden handle", "Umbrella-shaped earring", "Thing without category", "Beach umbrella",
			} {
				wanted := false
				for _, w := range want {
					wanted = wanted || w == all
				}
				if stafftest.Shows(a, all) != wanted {
					t.Errorf("%s at %s: the page shows %q: %v, want %v", query, at, all, !wanted, wanted)
				}
			}
		}
		expect(hotel.ID, "category=umbrella", "Folding one", "Wooden handle")
		expect("all", "category=umbrella", "Folding one", "Wooden handle", "Beach umbrella")
		expect(hotel.ID, "category=jewellery", "Umbrella-shaped earring")
		expect(hotel.ID, "category=watch")
		expect(hotel.ID, "category=nonsense", "Folding one", "Wooden handle", "Umbrella-shaped earring",
			"Thing without category")
		for _, with := range []string{
			"status=PENDING", "source=all", "where=here", "open=1", "sort=found", "sort=-status", "sort=until",
			"ownerState=no-owner", "from=2026-11-01&to=2026-11-30",
		} {
			expect(hotel.ID, "category=umbrella&"+with, "Folding one", "Wooden handle")
		}
		expect(hotel.ID, "category=umbrella&from=2026-11-11&to=2026-11-30", "Wooden handle")
		expect(hotel.ID, "category=umbrella&status=SHIPPED")
		expect(hotel.ID, "category=umbrella&q=wooden", "Wooden handle")
		expect(hotel.ID, "category=umbrella&q=earring")

		list := "/at/" + hotel.ID + "/items"
		stafftest.ExpectPage(t, v.Get(list+"?category=umbrella&status=PENDING"), http.StatusOK,
			"2 items", "Umbrella ×")
		csv := v.Get(list + ".csv?category=umbrella").Body
		if n := len(splitLines(csv)); n != 3 {
			t.Errorf("the export has %d lines, want a heading and two items: %s", n, csv)
		}
		form := stafftest.FormWith(t, v.Get(list+"?category=umbrella").Body, "category")
		if form.Get("category") != "umbrella" {
			t.Errorf("the form of the filter shows %q", form.Get("category"))
		}
	})
}

func TestAListIsLimitedToACategoryInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l, _ := newItems(t, h)
	for _, o := range []browsertest.Options{{Phone: true}, {NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			i := h.NewItem(l, "Left at the door "+o.String(), func(p *lost.ItemPatch) {
				p.Category = lost.Set("umbrella")
			})
			stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/items")
			v.Click("Filter")
			v.Choose("Category", "Umbrella")
			if o.NoScript {
				v.Follow("Search")
			}
			v.See("Left at the door", "1 item")
			v.SeeNot("teddy")
			address, err := url.Parse(v.Location())
			if err != nil || address.Query().Get("category") != "umbrella" {
				t.Errorf("got the address %s", v.Location())
			}
			v.Follow("Remove the filter Umbrella")
			v.See("teddy")
			testkit.Must(h.Services.Items.Update(t.Context(), h.Actor, l.ID, i.ID,
				lost.ItemPatch{Category: lost.Set("toy")}))
		})
	}
}

// splitLines returns the lines of a text that are not empty.
func splitLines(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
}
