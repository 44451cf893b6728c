package locations_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// feeForm returns the form with the shipping fees of a location in Germany.
func feeForm(t *testing.T, h *testkit.Server, v *testkit.Visitor) (at string, form url.Values) {
	t.Helper()
	l := h.NewLocation("Hotel Adler")
	testkit.Must(h.Services.Locations.Update(t.Context(), h.Actor, l.ID,
		lost.LocationPatch{Country: lost.Set("DE")}))
	at = "/locations/" + l.ID + "/shipping"
	return at, stafftest.FormValues(t, v.Get(at).Body)
}

func TestFeesAreATableByWeight(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		v := h.LogIn()
		at, form := feeForm(t, h, v)
		form["shipping.weights"] = []string{"5", "", "0,5", "2"}
		form["shipping.domestic.prices"] = []string{"9", "", "4,90", ""}
		form["shipping.neighbour.prices"] = []string{"19", "", "", "15.90"}
		form["shipping.world.prices"] = []string{"", "", "", ""}
		if a := v.Post(at, form); a.Code != http.StatusSeeOther {
			t.Fatalf("got status %d, want 303: %s", a.Code, a.Body)
		}
		id := strings.Split(at, "/")[2]
		r := testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, id)).Rules()
		if !slices.Equal(r.Domestic.Prices, []lost.Band{{Grams: 500, Price: 490}, {Grams: 5000, Price: 900}}) ||
			!slices.Equal(r.Neighbour.Prices, []lost.Band{{Grams: 2000, Price: 1590}, {Grams: 5000, Price: 1900}}) ||
			len(r.World.Prices) != 0 {
			t.Errorf("got fees %+v", r)
		}
		again := stafftest.FormValues(t, v.Get(at).Body)
		if got := again["shipping.weights"]; !slices.Equal(got, []string{"0.5", "2", "5"}) {
			t.Errorf("got weights %q", got)
		}
		if got := again["shipping.domestic.prices"]; !slices.Equal(got, []string{"4.90", "", "9.00"}) {
			t.Errorf("got prices %q", got)
		}
		if a := v.Post(at, again); a.Code != http.StatusSeeOther ||
			!slices.Equal(testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, id)).Rules().Domestic.Prices,
				r.Domestic.Prices) {
			t.Errorf("saving the form unchanged: got status %d, want 303 and the same prices", a.Code)
		}
	})
}

func TestNumbersHaveTheDecimalMarkOfTheLanguage(t *testing.T) {
	h := testkit.NewServer(t)
	v := h.LogIn()
	at, form := feeForm(t, h, v)
	form["shipping.weights"] = []string{"0.5", "2", "5"}
	form["shipping.domestic.prices"] = []string{"4.90", "6", "9"}
	form.Set("shipping.handlingFee", "2")
	form.Set("shipping.taxRate", "8.1")
	for _, field := range []string{"shipping.neighbour.prices", "shipping.world.prices"} {
		form[field] = []string{"", "", ""}
	}
	stafftest.ExpectPage(t, v.Post(at, form), http.StatusSeeOther)
	profile := stafftest.FormWith(t, v.Get("/settings/profile").Body, "language")
	profile.Set("language", "de")
	stafftest.ExpectPage(t, v.Post("/settings/profile", profile), http.StatusSeeOther)
	again := stafftest.FormValues(t, v.Get(at).Body)
	if got := again["shipping.weights"]; !slices.Equal(got, []string{"0,5", "2", "5"}) {
		t.Errorf("got weights %q", got)
	}
	if got := again.Get("example.weight"); got != "2,3" {
		t.Errorf("got the weight %q in the example", got)
	}
	for field, want := range map[string]string{
		"shipping.domestic.prices": "4,90", "shipping.domestic.documentPrice": "3,50", "shipping.handlingFee": "2,00",
		"shipping.taxRate": "8,1",
	} {
		if got := again.Get(field); got != want {
			t.Errorf("%s: got %q, want %q", field, got, want)
		}
	}
	again.Set("example.country", "DE")
	again.Set("example", "yes")
	stafftest.ExpectPage(t, v.Post(at, again), http.StatusOK, "Deutschland, 2,3 kg: 11,00")
	again.Del("example")
	stafftest.ExpectPage(t, v.Post(at, again), http.StatusSeeOther)
	id := strings.Split(at, "/")[2]
	r := testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, id)).Rules()
	if bands := r.Domestic.Prices; len(bands) != 3 || bands[0] != (lost.Band{Grams: 500, Price: 490}) ||
		r.Handling != 200 || r.TaxRate != 810 || *r.Domestic.Document != 350 {
		t.Errorf("after saving the form unchanged: got %+v", r)
	}
}

func TestInvalidFeesAreMarkedInTheirCell(t *testing.T) {
	h := testkit.NewServer(t)
	v := h.LogIn()
	at, form := feeForm(t, h, v)
	form["shipping.weights"] = []string{"1", "1,0", "heavy", ""}
	form["shipping.domestic.prices"] = []string{"5", "much", "7", "8"}
	form["shipping.neighbour.prices"], form["shipping.world.prices"] = nil, nil
	a := v.Post(at, form)
	stafftest.ExpectPage(t, a, http.StatusUnprocessableEntity, "Up to (kg), row 2: Is listed twice.",
		"Within the country, row 2: Must be an amount, for example 6.90.",
		"Up to (kg), row 3: Must be a weight in kilograms", "Up to (kg), row 4: This field is required.")
	for _, id := range []string{"shipping.weights.2", "shipping.domestic.prices.2", "shipping.weights.4"} {
		if !strings.Contains(a.Body, `href="#`+id+`"`) || !strings.Contains(a.Body, `id="`+id+`"`) {
			t.Errorf("the summary does not link to %s", id)
		}
	}
	expectNoJargon(t, a)
	form["shipping.weights"] = []string{"1", "2", "3", "4"}
	form["shipping.domestic.prices"] = []string{"1.234", "1.234,50", "99999999999", ""}
	form.Set("shipping.handlingFee", "99999999999")
	form.Set("shipping.taxRate", "190")
	form.Set("shipping.world.fromDays", "9")
	form.Set("shipping.world.toDays", "3")
	form.Set("shipping.world.documentPrice", "5,000")
	a = v.Post(at, form)
	stafftest.ExpectPage(t, a, http.StatusUnprocessableEntity,
		"Within the country, row 1: Can be read in two ways;", "Within the country, row 3: Must be an amount",
		"Handling fee: Must be an amount", "Tax (%): Must be a percentage up to 100",
		"Working days, at most, Rest of the world: Must not be less than “Working days, at least”.",
		"Documents, Rest of the world: Can be read in two ways;")
	if strings.Contains(a.Body, "Within the country, row 2:") {
		t.Error("the amount 1.234,50 is refused")
	}
	expectNoJargon(t, a)
}

// expectNoJargon checks that the errors on a page contain no words of the API.
func expectNoJargon(t *testing.T, a testkit.Response) {
	t.Helper()
	for _, word := range []string{"minor units", "upToGrams", "fromDays is", "Prices:", "less than fromDays"} {
		if strings.Contains(a.Body, word) {
			t.Errorf("the page contains %q", word)
		}
	}
}

// Without scripts, buttons add and remove rows, and calculate the example. None of them saves the form.
func TestRowsAndExampleWithoutScripts(t *testing.T) {
	h := testkit.NewServer(t)
	v := h.LogIn()
	at, form := feeForm(t, h, v)
	press := func(name, value string) url.Values {
		form.Del("row")
		form.Del("example")
		form.Set(name, value)
		a := v.Post(at, form)
		if a.Code != http.StatusOK {
			t.Fatalf("%s: got status %d, want 200: %s", value, a.Code, a.Body)
		}
		return stafftest.FormValues(t, a.Body)
	}
	form = press("row", "add shipping")
	if got := form["shipping.weights"]; len(got) != 7 || got[6] != "" {
		t.Errorf("after adding a row: got weights %q", got)
	}
	form = press("row", "remove shipping 2")
	if got := form["shipping.world.prices"]; len(got) != 6 || form["shipping.weights"][1] != "5" {
		t.Errorf("after removing a row: got weights %q, prices %q", form["shipping.weights"], got)
	}
	for _, nonsense := range []string{"remove shipping 99", "remove shipping x", "add other", "remove"} {
		form.Set("row", nonsense)
		if a := v.Post(at, form); a.Code != http.StatusOK && a.Code != http.StatusSeeOther {
			t.Errorf("%s: got status %d", nonsense, a.Code)
		}
	}
	form.Del("row")
	form.Set("example", "yes")
	form.Set("shipping.handlingFee", "2,50")
	a := v.Post(at, form)
	stafftest.ExpectPage(t, a, http.StatusOK,
		"2.3 kg to France costs €22.40: €19.90 postage and €2.50 handling fee. Delivery takes 3 to 6 working days.")
	form.Set("example.weight", "400")
	stafftest.ExpectPage(t, v.Post(at, form), http.StatusOK, "tariff for that country ends at 31,500 g")
	form.Set("example.weight", "a lot")
	stafftest.ExpectPage(t, v.Post(at, form), http.StatusOK, "Fix the marked fields", "Must be a weight in kilograms")
	if l := testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, strings.Split(at, "/")[2])); l.Shipping != nil {
		t.Error("the buttons saved the form")
	}
}

func TestRemindersAreRows(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		v := h.LogIn()
		l := h.NewLocation("Hotel Adler")
		at := "/locations/" + l.ID + "/reminders"
		form := stafftest.FormValues(t, v.Get(at).Body)
		form.Set("row", "add reminders.afterNotice")
		a := v.Post(at, form)
		form = stafftest.FormValues(t, a.Body)
		days := form["reminders.afterNotice"]
		if a.Code != http.StatusOK || len(days) != len(l.ReminderSchedule().AfterNotice)+1 {
			t.Fatalf("got status %d and days %q after adding a row", a.Code, days)
		}
		form["reminders.afterNotice"] = []string{"9", "", "2"}
		form["reminders.beforePickup"] = nil
		if a := v.Post(at, form); a.Code != http.StatusSeeOther {
			t.Fatalf("got status %d, want 303: %s", a.Code, a.Body)
		}
		got := testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, l.ID)).ReminderSchedule()
		if !slices.Equal(got.AfterNotice, []int{2, 9}) || len(got.BeforePickup) != 0 {
			t.Errorf("got reminders %+v", got)
		}
		form["reminders.afterNotice"] = []string{"soon", "400"}
		stafftest.ExpectPage(t, v.Post(at, form), http.StatusUnprocessableEntity,
			"Must be a whole number of days", "Must be a number of days from 1 to 365")
	})
}

func TestRowsInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	browsertest.Each(t, func(t *testing.T, o browsertest.Options) {
		l := h.NewLocation("Inn " + o.String())
		testkit.Must(h.Services.Locations.Update(t.Context(), h.Actor, l.ID,
			lost.LocationPatch{Country: lost.Set("DE")}))
		v := browsertest.New(t, o)
		press := v.Click
		if o.NoScript {
			press = v.Follow
		}
		stafftest.OpenAsOwner(v, h, at+"/locations/"+l.ID+"/shipping")
		v.See("2.3 kg to France costs €19.90")
		v.CheckWeight()
		v.CheckLayoutShift()
		v.CheckAccessibility()
		v.Fill("css:[id='shipping.neighbour.prices.3']", "21.50")
		if o.NoScript {
			v.Follow("Calculate")
		}
		v.See("2.3 kg to France costs €21.50")
		press("Add weight")
		v.Fill("css:[id='shipping.weights.7']", "40")
		v.Fill("css:[id='shipping.domestic.prices.7']", "39")
		press("css:[value='remove shipping 1']")
		v.Screenshot("fees")
		v.Follow("css:.actions .button")
		v.See("Saved.")
		r := testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, l.ID)).Rules()
		if n := len(r.Domestic.Prices); n != 6 || r.Domestic.Prices[5] != (lost.Band{Grams: 40_000, Price: 3900}) ||
			r.Neighbour.Prices[1].Price != 2150 {
			t.Errorf("got fees %+v", r)
		}

		v.Visit(at + "/locations/" + l.ID + "/reminders")
		press("css:[value='add reminders.beforePickup']")
		v.Fill("css:[id='reminders.beforePickup.2']", "5")
		press("css:[value='remove reminders.afterNotice 1']")
		v.Screenshot("reminders")
		v.Fill("css:[id='reminders.beforePickup.2']", "6")
		v.Press("Enter") // saves the form instead of removing a row
		v.See("Saved.")
		s := testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, l.ID)).ReminderSchedule()
		if len(s.AfterNotice) != 1 || !slices.Equal(s.BeforePickup, []int{1, 6}) {
			t.Errorf("got reminders %+v", s)
		}
	})
}
