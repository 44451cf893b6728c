package storage_test

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/testkit"
	v1 "homeward/internal/v1"
	"homeward/internal/web/staff/stafftest"
)

// untilShown is the last day of an item's storage as the API, the dashboard, a message and the register show it. Each
// is empty if it shows none.
type untilShown struct{ api, page, message, register string }

func showUntil(t *testing.T, h *testkit.Server, v *testkit.Visitor, i lost.Item, want string) (shown untilShown) {
	t.Helper()
	i = testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, i.LocationID, i.ID))
	var wire struct{ StoreUntil string }
	body := testkit.Must(json.Marshal(v1.Encoder{Base: testkit.Base, Now: h.Clock.Now}.Item(i)))
	testkit.Must(0, json.Unmarshal(body, &wire))
	shown.api = wire.StoreUntil
	english := i18n.Choose("en")
	page := v.Get(stafftest.ItemPath(lost.Location{ID: i.LocationID}, i)).Body
	if want != "" && strings.Contains(page, english.Date(want)) {
		shown.page = want
	}
	messages := testkit.Must(h.Services.Messages.ListOfItem(t.Context(), h.Actor, i.LocationID, i.ID,
		lost.FirstPage()))
	if want != "" && strings.Contains(messages.Data[0].Text, english.Date(want)) {
		shown.message = want
	}
	a := v.Get("/at/" + i.LocationID + "/papers/register.csv?from=2026-11-01&to=2026-11-30")
	lines := testkit.Must(csv.NewReader(strings.NewReader(a.Body)).ReadAll())
	for _, line := range lines[1:] {
		if line[0] != i.Reference {
			continue
		}
		for n, heading := range lines[0] {
			if heading == "Stored until" {
				shown.register = line[n]
			}
		}
	}
	return shown
}

// The last day of storage is the same in the API, on the dashboard, in messages and in papers, also at once after the
// rules have changed.
func TestTheLastDayOfStorageIsTheSameEverywhere(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l, v := h.NewLocation("Hotel"), h.LogIn()
		items := map[string]lost.Item{}
		for name, c := range map[string]struct {
			category string
			cents    int64
		}{
			"phone": {"phone", 0}, "dear phone": {"phone", 60_000}, "food": {"food", 0}, "other": {"", 0},
		} {
			items[name] = h.NewItem(l, name, func(p *lost.ItemPatch) {
				p.DiscoveryDate, p.Category = lost.Set("2026-11-10"), lost.Set(c.category)
				p.Owner = lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")})
				if c.cents > 0 {
					p.Value = lost.Set(lost.ValuePatch{Amount: lost.Set(c.cents), Currency: lost.Set("EUR")})
				}
			})
		}
		rules := []lost.KeepingRule{
			{Category: lost.PhoneCategory, MinValue: lost.Value{Amount: 50_000, Currency: "EUR"}, Days: 365},
			{Category: lost.PhoneCategory, Days: 180}, {Category: lost.FoodCategory, Days: 6},
		}
		for _, step := range []struct {
			rules []lost.KeepingRule
			days  map[string]int
		}{
			{nil, map[string]int{"phone": 30, "dear phone": 30, "food": 30, "other": 30}},
			{rules, map[string]int{"phone": 180, "dear phone": 365, "food": 6, "other": 30}},
			{rules[1:2], map[string]int{"phone": 180, "dear phone": 180, "food": 30, "other": 30}},
		} {
			testkit.Must(h.Services.Locations.Update(t.Context(), h.Actor, l.ID,
				lost.LocationPatch{KeepingRules: lost.Set(step.rules)}))
			for name, days := range step.days {
				want := lost.AddDays("2026-11-10", days)
				if got := showUntil(t, h, v, items[name], want); got != (untilShown{want, want, want, want}) {
					t.Errorf("%s with %d rules: got %+v, want %s", name, len(step.rules), got, want)
				}
			}
		}
		testkit.Must(h.Services.Items.Update(t.Context(), h.Actor, l.ID, items["phone"].ID,
			lost.ItemPatch{Hold: lost.Set("Police")}))
		if got := showUntil(t, h, v, items["phone"], ""); got != (untilShown{}) {
			t.Errorf("on hold: got %+v, want no last day", got)
		}
	})
}
