package preset_test

import (
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/preset"
)

var noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

func TestEveryPresetNamesItsLawAndIsValid(t *testing.T) {
	for n, p := range preset.All() {
		l := lost.Location{Country: p.Country}
		if l.Currency() != p.Currency {
			t.Errorf("%d %s: currency %s, want %s", n, p.Country, p.Currency, l.Currency())
		}
		for _, place := range p.Places {
			if place != "*" && !slices.Contains(lost.LocationTypes(), lost.LocationType(place)) {
				t.Errorf("%d %s: unknown place %q", n, p.Country, place)
			}
		}
		if len(p.Places) == 0 || len(p.Rules) == 0 {
			t.Errorf("%d %s has no places or no rules", n, p.Country)
		}
		for _, r := range p.Rules {
			if r.Law == "" || r.Source == "" || (r.Source == preset.NotChecked) != (r.Read == preset.NotChecked) {
				t.Errorf("%d %s: law %q, source %q, read %q", n, p.Country, r.Law, r.Source, r.Read)
			}
			if _, err := time.Parse(lost.DateLayout, r.Read); err != nil && r.Read != preset.NotChecked {
				t.Errorf("%d %s: %v", n, p.Country, err)
			}
			if r.Days == nil && r.Reason.In("en") == "" {
				t.Errorf("%d %s: the days are not known, and there is no reason", n, p.Country)
			}
		}
		_, err := lost.NewLocation("acc", lost.LocationPatch{
			Name: lost.Set("x"), Country: lost.Set(p.Country), KeepingRules: lost.Set(p.Keeping()),
		}, noon)
		if err != nil {
			t.Errorf("%d %s: %v", n, p.Country, err)
		}
	}
}

func TestAllCountriesHavePresets(t *testing.T) {
	for _, country := range []string{
		"DE", "AT", "CH", "NL", "BE", "FR", "ES", "IT", "PT", "GB", "IE", "DK", "SE", "NO", "PL", "CA", "JP", "AU",
	} {
		if len(preset.For(lost.Location{Country: country, Type: "hotel"})) == 0 {
			t.Errorf("%s has no preset for hotels", country)
		}
	}
	for _, state := range []string{"NY", "CA", "TX", "FL", "IN"} {
		if len(preset.For(lost.Location{Country: "US", State: state, Type: "hotel"})) == 0 {
			t.Errorf("%s has no preset for hotels", state)
		}
	}
}

// Items of some countries, categories and values are stored as the first preset for their location says.
func TestItemsFollowThePresets(t *testing.T) {
	for _, c := range []struct {
		country, state string
		place          lost.LocationType
		category       lost.Category
		amount         int64
		claims         bool
		until          string
		then           lost.Disposal
	}{
		{"DE", "", "hotel", "phone", 0, true, "2027-05-17", "finder"},
		{"DE", "", "hotel", "phone", 0, false, "2027-05-17", ""},
		{"AT", "", "hotel", "watch", 10001, true, "2027-11-15", "finder"},
		{"AT", "", "hotel", "watch", 10000, true, "2027-05-17", "finder"},
		{"CH", "", "airport", "", 0, true, "2031-11-15", "finder"},
		{"ES", "", "hotel", "", 0, false, "2028-11-14", "authority"},
		{"DK", "", "hotel", "money", 0, false, "2026-11-15", "police"},
		{"DK", "", "hotel", "umbrella", 0, false, "2026-12-15", "police"},
		{"BE", "", "zoo", "bicycle", 0, false, "2027-02-15", "authority"},
		{"SE", "", "hotel", "", 0, true, "2027-02-15", "finder"},
		{"US", "FL", "hotel", "", 0, false, "2026-12-15", "donate"},
		{"US", "FL", "airport", "", 0, false, "2027-02-13", "police"},
		{"US", "IN", "hotel", "", 0, false, "2027-02-15", "auction"},
		{"US", "NY", "hotel", "", 2000, false, "2026-11-25", "police"},
		{"AU", "", "hotel", "food", 0, false, "2026-11-15", "discard"},
		{"AU", "", "hotel", "laptop", 100000, false, "2026-12-13", ""},
		{"FR", "", "hotel", "", 0, false, "", ""},
	} {
		p := preset.For(lost.Location{Country: c.country, State: c.state, Type: c.place})[0]
		i := lost.Item{
			Source: lost.Found, DiscoveryDate: "2026-11-15", Category: c.category,
			Terms: lost.Terms{Keeping: p.Keeping()},
		}
		if c.amount > 0 {
			i.Value = lost.Value{Amount: c.amount, Currency: p.Currency}
		}
		i.Finder.ClaimsItem = c.claims
		if until, then := i.StoreUntil(), i.ThenDue(); until != c.until || then != c.then {
			t.Errorf("%s %s %s %s %d: until %s then %q, want %s then %q", c.country, c.state, c.place, c.category,
				c.amount, until, then, c.until, c.then)
		}
	}
}
