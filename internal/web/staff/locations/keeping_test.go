package locations_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// setRules sets the rows of a form for keeping rules. Each row has a category, a minimum value, a currency, the days
// and what happens then.
func setRules(form url.Values, rows ...[5]string) {
	for n, field := range []string{"category", "minValue", "currency", "days", "then"} {
		form.Del("keepingRules." + field)
		for _, row := range rows {
			form.Add("keepingRules."+field, row[n])
		}
	}
}

func storedRules(h *testkit.Server, id string) []lost.KeepingRule {
	h.T.Helper()
	return testkit.Must(h.Services.Locations.Get(h.T.Context(), h.Actor, id)).KeepingRules
}

func TestKeepingRulesAreSavedAfterAPreview(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		v, l := h.LogIn(), h.NewLocation("Hotel Adler")
		at := "/locations/" + l.ID + "/keeping"
		today := l.Day(h.Clock.Now())
		found := func(text, category string, daysAgo int) lost.Item {
			return h.NewItem(l, text, func(p *lost.ItemPatch) {
				p.Category, p.DiscoveryDate = lost.Set(category), lost.Set(lost.AddDays(today, -daysAgo))
			})
		}
		due, later := found("Old umbrella", "umbrella", 10), found("Phone", "phone", 10)
		earlier := found("New umbrella", "umbrella", 1)
		found("Hat", "hat", 3)

		form := stafftest.FormWith(t, v.Get(at).Body, "seen")
		setRules(form, [5]string{"phone", "", "EUR", "180", "auction"}, [5]string{"", "", "EUR", "", ""},
			[5]string{"umbrella", "", "", "5", "donate"}, [5]string{"hat", "1,000.50", "EUR", "90", ""})
		a := v.Post(at, form)
		stafftest.ExpectPage(t, a, http.StatusOK, "Check before you save",
			"The rules change 3 items: their last day of storage, or what happens then.", "Due at once",
			"Nobody is notified twice",
			"Hat or cap, worth €1,000.50")
		var order []int
		for _, i := range []lost.Item{due, earlier, later} {
			order = append(order, strings.Index(a.Body, ">"+i.Description+"</a>"))
		}
		if !slices.IsSorted(order) || order[0] < 0 || strings.Contains(a.Body, ">Hat<") {
			t.Errorf("the items are at %v, want those that are due first", order)
		}
		if strings.Count(a.Body, `class="state late"`) != 1 {
			t.Error("not exactly one item is marked as due")
		}
		if got := storedRules(h, l.ID); len(got) > 0 {
			t.Errorf("the rules were saved without a confirmation: %v", got)
		}

		preview := stafftest.FormWith(t, a.Body, "seen")
		preview.Set("edit", "yes")
		back := stafftest.FormWith(t, v.Post(at, preview).Body, "seen")
		if d := cmp.Diff([]string{"180", "", "5", "90"}, back["keepingRules.days"]); d != "" {
			t.Error("the form after the preview:\n" + d)
		}
		preview.Del("edit")
		preview.Set("confirm", "yes")
		stafftest.ExpectPage(t, v.Post(at, preview), http.StatusSeeOther)
		want := []lost.KeepingRule{
			{Category: lost.PhoneCategory, Days: 180, Then: lost.ThenAuction},
			{Category: lost.UmbrellaCategory, Days: 5, Then: lost.ThenDonate},
			{Category: lost.HatCategory, MinValue: lost.Value{Amount: 100_050, Currency: "EUR"}, Days: 90},
		}
		if d := cmp.Diff(want, storedRules(h, l.ID)); d != "" {
			t.Error(d)
		}
		stafftest.ExpectPage(t, v.Post(at, preview), http.StatusSeeOther) // a second click changes nothing
		again := stafftest.FormWith(t, v.Get(at).Body, "seen")
		stafftest.ExpectPage(t, v.Post(at, again), http.StatusSeeOther)
		if d := cmp.Diff(want, storedRules(h, l.ID)); d != "" {
			t.Error("saving the form unchanged:\n" + d)
		}
	})
}

func TestTheErrorOfAKeepingRuleIsBesideItsField(t *testing.T) {
	h := testkit.NewServer(t)
	v, l := h.LogIn(), h.NewLocation("Hotel Adler")
	at := "/locations/" + l.ID + "/keeping"
	for _, c := range []struct {
		row   [5]string
		field string
	}{
		{[5]string{"phone", "", "EUR", "", ""}, "days"}, {[5]string{"phone", "", "EUR", "many", ""}, "days"},
		{[5]string{"phone", "", "EUR", "40000", ""}, "days"}, {[5]string{"sock", "", "EUR", "5", ""}, "category"},
		{[5]string{"", "a lot", "EUR", "5", ""}, "minValue"}, {[5]string{"", "0", "EUR", "5", ""}, "minValue"},
		{[5]string{"", "5", "XXQ", "5", ""}, "currency"}, {[5]string{"", "5", "", "5", ""}, "currency"},
		{[5]string{"", "", "EUR", "5", "burn"}, "then"},
	} {
		form := stafftest.FormWith(t, v.Get(at).Body, "seen")
		setRules(form, [5]string{"", "", "EUR", "", ""}, [5]string{"hat", "", "EUR", "3", ""}, c.row)
		a := v.Post(at, form)
		stafftest.ExpectPage(t, a, http.StatusUnprocessableEntity)
		name := "keepingRules." + c.field + ".3"
		if strings.Count(a.Body, `class="error" id="`) != 1 || !strings.Contains(a.Body, `id="`+name+`-error"`) ||
			!strings.Contains(a.Body, `href="#`+name+`"`) {
			t.Errorf("%v: the page has not exactly one error, at %s", c.row, name)
		}
	}
	form := stafftest.FormWith(t, v.Get(at).Body, "seen")
	rows := make([][5]string, lost.MaxKeepingRules+1)
	for n := range rows {
		rows[n] = [5]string{"hat", "", "EUR", "3", ""}
	}
	setRules(form, rows...)
	stafftest.ExpectPage(t, v.Post(at, form), http.StatusUnprocessableEntity, "Must have at most 100")
}

func TestKeepingRulesAreAddedMovedAndRemovedWithoutScripts(t *testing.T) {
	h := testkit.NewServer(t)
	v, l := h.LogIn(), h.NewLocation("Hotel Adler")
	at := "/locations/" + l.ID + "/keeping"
	form := stafftest.FormWith(t, v.Get(at).Body, "seen")
	setRules(form, [5]string{"hat", "5", "GBP", "1", ""}, [5]string{"phone", "", "EUR", "2", "police"})
	for _, c := range []struct{ button, want string }{
		{"down keepingRules 1", "phone 2 police|hat 5 GBP 1"}, {"down keepingRules 2", "phone 2 police|hat 5 GBP 1"},
		{"up keepingRules 2", "hat 5 GBP 1|phone 2 police"}, {"up keepingRules 1", "hat 5 GBP 1|phone 2 police"},
		{"add keepingRules", "hat 5 GBP 1|phone 2 police|"}, {"remove keepingRules 1", "phone 2 police|"},
		{"remove keepingRules 9", "phone 2 police|"}, {"up keepingRules 99999999999999999999", "phone 2 police|"},
	} {
		form.Set("row", c.button)
		a := v.Post(at, form)
		stafftest.ExpectPage(t, a, http.StatusOK)
		form = stafftest.FormWith(t, a.Body, "seen")
		var rows []string
		for n := range form["keepingRules.days"] {
			cells := []string{}
			for _, field := range []string{"category", "minValue", "currency", "days", "then"} {
				if text := form["keepingRules."+field][n]; text != "" && text != "EUR" && text != "USD" {
					cells = append(cells, text)
				}
			}
			rows = append(rows, strings.Join(cells, " "))
		}
		if got := strings.Join(rows, "|"); got != c.want {
			t.Errorf("%s: got %q, want %q", c.button, got, c.want)
		}
	}
	if got := storedRules(h, l.ID); len(got) > 0 {
		t.Errorf("the rules were saved: %v", got)
	}
}

// A form or preview that was loaded before somebody else changed the rules does not replace them.
func TestOutdatedKeepingRulesAreNotSaved(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		v, l := h.LogIn(), h.NewLocation("Hotel Adler")
		at := "/locations/" + l.ID + "/keeping"
		h.NewItem(l, "Hat")
		form := stafftest.FormWith(t, v.Get(at).Body, "seen")
		setRules(form, [5]string{"", "", "EUR", "5", ""})
		preview := stafftest.FormWith(t, v.Post(at, form).Body, "seen")
		other := []lost.KeepingRule{{Category: lost.PhoneCategory, Days: 70, Then: lost.ThenPolice}}
		testkit.Must(h.Services.Locations.Update(t.Context(), h.Actor, l.ID,
			lost.LocationPatch{KeepingRules: lost.Set(other)}))
		preview.Set("confirm", "yes")
		for _, old := range []url.Values{preview, form} {
			stafftest.ExpectPage(t, v.Post(at, old), http.StatusConflict, "Somebody else changed this",
				"70 days · Hand to the police")
		}
		if d := cmp.Diff(other, storedRules(h, l.ID)); d != "" {
			t.Fatal(d)
		}
		again := stafftest.FormWith(t, v.Post(at, form).Body, "seen") // with the person's rules and the new version
		again.Set("confirm", "yes")
		stafftest.ExpectPage(t, v.Post(at, again), http.StatusSeeOther)
		if d := cmp.Diff([]lost.KeepingRule{{Days: 5}}, storedRules(h, l.ID)); d != "" {
			t.Error(d)
		}
	})
}

func TestThePreviewListsAllItems(t *testing.T) {
	h := testkit.NewServer(t)
	v, l := h.LogIn(), h.NewLocation("Hotel Adler")
	at := "/locations/" + l.ID + "/keeping"
	for n := range 27 {
		h.NewItem(l, fmt.Sprintf("Hat number %02d.", n))
	}
	form := stafftest.FormWith(t, v.Get(at).Body, "seen")
	form.Set("storageDuration", "20")
	a := v.Post(at, form)
	stafftest.ExpectPage(t, a, http.StatusOK, "The rules change 27 items")
	if n := strings.Count(a.Body, "Hat number"); n != 27 {
		t.Errorf("the page has %d items, want 27", n)
	}
}

// Rules that change only what happens to items are shown before they are saved, too: the finder may be told at once.
func TestAChangeOfDisposalIsShownBeforeItIsSaved(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		v, l := h.LogIn(), h.NewLocation("Hotel Adler")
		at := "/locations/" + l.ID + "/keeping"
		rules := []lost.KeepingRule{{Days: 30, Then: lost.ThenDonate}}
		testkit.Must(h.Services.Locations.Update(t.Context(), h.Actor, l.ID,
			lost.LocationPatch{KeepingRules: lost.Set(rules)}))
		h.NewItem(l, "Old hat", func(p *lost.ItemPatch) {
			p.DiscoveryDate = lost.Set(lost.AddDays(l.Day(h.Clock.Now()), -60))
		})
		h.NewItem(l, "Umbrella", func(p *lost.ItemPatch) { p.Category = lost.Set("umbrella") })
		form := stafftest.FormWith(t, v.Get(at).Body, "seen")
		setRules(form, [5]string{"umbrella", "", "EUR", "30", "donate"}, [5]string{"", "", "EUR", "30", "police"})
		a := v.Post(at, form)
		stafftest.ExpectPage(t, a, http.StatusOK, "The rules change 1 item:", "Only what happens then 1",
			"Unchanged 1", "Old hat", "Donate Hand to the police",
			"Finders who claim an item that is due are told")
		if d := cmp.Diff(rules, storedRules(h, l.ID)); d != "" {
			t.Error("saved without a confirmation:\n" + d)
		}
		preview := stafftest.FormWith(t, a.Body, "seen")
		preview.Set("confirm", "yes")
		stafftest.ExpectPage(t, v.Post(at, preview), http.StatusSeeOther)
		if got := storedRules(h, l.ID); len(got) != 2 || got[1].Then != lost.ThenPolice {
			t.Errorf("got the rules %+v", got)
		}
	})
}

func TestPresetsAreOfferedAndOnlyFillTheForm(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		v := h.LogIn()
		add := func(name, country string) string {
			at := v.Post("/locations/new", url.Values{
				"name": {name}, "type": {"hotel"}, "country": {country}, "storageDuration": {"30"},
			}).Header.Get("Location")
			stafftest.ExpectPage(t, v.Get(at), http.StatusOK)
			if offered := strings.Contains(v.Get(at).Body, "There are suggested rules"); offered != (country == "AT") {
				t.Errorf("%s: presets are offered: %t", name, offered)
			}
			id, _, _ := strings.Cut(strings.TrimPrefix(at, "/locations/"), "?")
			return id
		}
		id := add("Hotel Wien", "AT")
		at := "/locations/" + id + "/keeping"
		a := v.Get(at)
		stafftest.ExpectPage(t, a, http.StatusOK, "This is not legal advice.", "ABGB § 395",
			"https://jusline.at/gesetz/abgb/paragraf/395", "Read on 18 Nov 2026.", "All items, worth €100.01 or more",
			"365 days · Give to the finder")
		form := stafftest.FormWith(t, a.Body, "seen")
		if got := storedRules(h, id); len(got) > 0 || form.Has("keepingRules.days") {
			t.Errorf("a new location has the rules %v", got)
		}
		form.Set("preset", "AT..*")
		a = v.Post(at, form)
		stafftest.ExpectPage(t, a, http.StatusOK, "Nothing is saved yet.")
		if got := storedRules(h, id); len(got) > 0 {
			t.Errorf("the preset was saved: %v", got)
		}
		form = stafftest.FormWith(t, a.Body, "seen")
		stafftest.ExpectPage(t, v.Post(at, form), http.StatusSeeOther) // the location has no items that move
		want := []lost.KeepingRule{
			{MinValue: lost.Value{Amount: 10_001, Currency: "EUR"}, Days: 365, Then: lost.ThenFinder},
			{Days: 183, Then: lost.ThenFinder}, {Days: 365, Then: lost.ThenAuthority},
		}
		if d := cmp.Diff(want, storedRules(h, id)); d != "" {
			t.Error(d)
		}
		form.Set("preset", "unknown")
		stafftest.ExpectPage(t, v.Post(at, form), http.StatusOK)

		stafftest.ExpectPage(t, v.Get("/locations/"+add("Hotel", "")+"/keeping"), http.StatusOK, "Enter the country")
		stafftest.ExpectPage(t, v.Get("/locations/"+add("Hotel Lima", "PE")+"/keeping"), http.StatusOK,
			"There are no suggestions for Peru yet.")
		paris := testkit.Must(h.Services.Locations.Create(t.Context(), h.Actor,
			lost.LocationPatch{Name: lost.Set("Paris"), Country: lost.Set("FR")}, lost.IdempotencyKey{}))
		a = v.Get("/locations/" + paris.ID + "/keeping")
		stafftest.ExpectPage(t, a, http.StatusOK, "Number of days unknown", "Every municipality decides")
		if strings.Contains(a.Body, "Use these rules</button>") {
			t.Error("a preset without a number of days can be used")
		}
	})
}

func TestKeepingRulesInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	browsertest.Each(t, func(t *testing.T, o browsertest.Options) {
		l := testkit.Must(h.Services.Locations.Create(t.Context(), h.Actor, lost.LocationPatch{
			Name: lost.Set("Hotel " + o.String()), Country: lost.Set("AT"), StorageDuration: lost.Set(30),
		}, lost.IdempotencyKey{}))
		h.NewItem(l, "Umbrella", func(p *lost.ItemPatch) {
			p.Category = lost.Set("umbrella")
			p.DiscoveryDate = lost.Set(lost.AddDays(l.Day(h.Clock.Now()), -10))
		})
		h.NewItem(l, "Brown leather wallet with a zip")
		v := browsertest.New(t, o)
		stafftest.OpenAsOwner(v, h, at+"/locations/"+l.ID+"/keeping")
		look := func(name string) {
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot(name)
		}
		look("presets")
		v.Follow("Use these rules")
		v.See("Nothing is saved yet.")
		press := func(button, row string) {
			selector := `css:[data-row]:nth-child(` + row + `) ` + button
			if o.NoScript {
				v.Follow(selector)
			} else {
				v.Click(selector)
			}
		}
		press("[data-row-remove]", "1")
		press("[data-row-up]", "2")
		press("[data-row-down]", "1")
		add := "Add a rule"
		if o.NoScript {
			v.Follow(add)
		} else {
			v.Click(add)
		}
		v.Run(`(() => {
			const row = document.querySelector('.rules ol > li:last-child')
			row.querySelector('select').value = 'umbrella'
			row.querySelector('[name="keepingRules.then"]').value = 'donate'
		})()`, nil)
		v.Follow("Save")
		v.See("Please check the form", "Days: ")
		look("error")
		v.Run(`document.querySelector('.rules ol > li:last-child [name="keepingRules.days"]').value = '5'`, nil)
		press("[data-row-up]", "3")
		press("[data-row-up]", "2")
		look("form")
		v.Follow("Save")
		v.See("Check before you save", "The rules change 2 items: their last day of storage", "Due at once")
		look("preview")
		v.Follow("Save rules")
		v.See("Saved.")
		got := storedRules(h, l.ID)
		umbrellas := lost.KeepingRule{Category: lost.UmbrellaCategory, Days: 5, Then: lost.ThenDonate}
		if len(got) != 3 || got[0] != umbrellas ||
			got[1].Days != 183 || got[2].Days != 365 {
			t.Errorf("got the rules %+v", got)
		}
	})
}
