package preset_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
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
			if problem := sourceProblem(r); problem != "" {
				t.Errorf("%d %s %s: law %q, source %q, read %q: %s", n, p.Country, p.State, r.Law, r.Source, r.Read,
					problem)
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

// section matches the number of a section at the end of an address, such as 0705.102 or section-705104-title.
var section = regexp.MustCompile(`\D0?(\d{3})[.-]?(\d{3})(-[a-z-]+)?/?$`)

// sourceProblem returns what is wrong with the source of a rule: it names where and when its law was read, or it says
// that nobody has read it, and then it must not give a number of days.
func sourceProblem(r preset.Rule) string {
	if strings.TrimSpace(r.Law) == "" {
		return "no law"
	}
	if r.Source == preset.NotChecked && r.Read == preset.NotChecked {
		if r.Days != nil {
			return "it gives days that nobody has read"
		}
		return ""
	}
	if u, err := url.Parse(r.Source); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "the source is not an address"
	}
	if day, err := time.Parse(lost.DateLayout, r.Read); err != nil || day.Year() < 2026 {
		return "the day on which it was read is missing"
	}
	if of := section.FindStringSubmatch(r.Source); of != nil && !strings.Contains(r.Law, of[1]+"."+of[2]) {
		return "the source is another section"
	}
	return ""
}

func TestARuleWithoutASourceIsAProblem(t *testing.T) {
	days := 30
	good := preset.Rule{
		Days: &days, Law: "Fla. Stat. § 705.104", Source: "https://example.org/0705.104", Read: "2026-11-18",
	}
	for name, change := range map[string]func(r *preset.Rule){
		"no law":               func(r *preset.Rule) { r.Law = " " },
		"no source":            func(r *preset.Rule) { r.Source = "" },
		"no day":               func(r *preset.Rule) { r.Read = "" },
		"a day only":           func(r *preset.Rule) { r.Source = preset.NotChecked },
		"a source only":        func(r *preset.Rule) { r.Read = preset.NotChecked },
		"days without reading": func(r *preset.Rule) { r.Source, r.Read = preset.NotChecked, preset.NotChecked },
		"another section":      func(r *preset.Rule) { r.Source = "https://example.org/2022/0705.102" },
	} {
		r := good
		change(&r)
		if sourceProblem(r) == "" {
			t.Errorf("%s: no problem", name)
		}
	}
	if problem := sourceProblem(good); problem != "" {
		t.Error(problem)
	}
}

// People read notes and reasons in their own language.
func TestEveryNoteIsTranslated(t *testing.T) {
	for _, p := range preset.All() {
		for _, r := range p.Rules {
			for _, text := range []preset.Text{r.Note, r.Reason} {
				for _, tag := range []string{"en", "de", "fr", "es", "it", "nl", "pl", "pt", "ja", "zh"} {
					if len(text) > 0 && text[tag] == "" {
						t.Errorf("%s %s: a note of %s is missing in %s", p.Country, p.State, r.Law, tag)
					}
				}
			}
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

// A sandwich cannot be kept for months. Where nobody has read a law about it, the presets say so.
func TestAllCountriesSayWhatIsKnownAboutFood(t *testing.T) {
	for _, p := range preset.All() {
		isFood := func(r preset.Rule) bool { return r.Category == lost.FoodCategory }
		if slices.Contains(p.Places, preset.AllPlaces) && !slices.ContainsFunc(p.Rules, isFood) {
			t.Errorf("%s %s has no rule for food", p.Country, p.State)
		}
	}
}

// People write a state in several ways.
func TestPresetsOfAStateAreFoundByItsName(t *testing.T) {
	for state, spellings := range map[string][]string{
		"NY": {"NY", "ny", "New York", "NEW YORK", "new  york ", "N.Y.", "n. y."}, "CA": {"California", "Ca", "C.A."},
		"TX": {"Texas", "tx"}, "FL": {"florida", "FL."}, "IN": {"Indiana", "in"},
	} {
		for _, spelling := range spellings {
			found := preset.For(lost.Location{Country: "US", State: spelling, Type: "hotel"})
			if len(found) == 0 || slices.ContainsFunc(found, func(p preset.Preset) bool { return p.State != state }) {
				t.Errorf("%q has the presets %+v, want those of %s", spelling, found, state)
			}
		}
	}
	for _, state := range []string{"Ohio", "New", "York", "New Yorkshire", "Newyork City", "Baja California", "INN"} {
		if found := preset.For(lost.Location{Country: "US", State: state, Type: "hotel"}); len(found) > 0 {
			t.Errorf("%s has the presets %+v, want none", state, found)
		}
	}
	for _, p := range preset.All() {
		if p.State == "" {
			continue
		}
		if p.Country != "US" {
			t.Errorf("%s %s: only states of the US have names", p.Country, p.State)
		}
		l := lost.Location{Country: p.Country, State: p.State, Type: lost.LocationType(p.Places[0])}
		if len(preset.For(l)) == 0 {
			t.Errorf("%s %s is not found by its abbreviation", p.Country, p.State)
		}
	}
	for _, l := range []lost.Location{
		{Country: "CA", State: "Ontario"}, {Country: "CA", State: "QC"}, {Country: "AU", State: "New South Wales"},
		{Country: "AU", State: "VIC"},
	} {
		l.Type = "hotel"
		if len(preset.For(l)) == 0 {
			t.Errorf("%s %s has no preset", l.Country, l.State)
		}
	}
}

// Items of some countries, categories and values are stored as the first preset for their location says.
func TestItemsFollowThePresets(t *testing.T) {
	covered := map[string]bool{}
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
		{"AT", "", "hotel", "watch", 10001, false, "2027-11-15", "authority"},
		{"AT", "", "hotel", "watch", 0, false, "2027-11-15", "authority"},
		{"CH", "", "airport", "", 0, true, "2031-11-15", "finder"},
		{"CH", "", "hotel", "", 0, false, "2027-11-15", "auction"},
		{"DE", "", "transportation", "phone", 0, true, "", ""},
		{"SE", "", "transportation", "phone", 0, true, "", ""},
		{"SE", "", "hotel", "", 0, false, "2027-02-15", "police"},
		{"ES", "", "hotel", "food", 0, false, "2026-11-23", "auction"},
		{"ES", "", "hotel", "", 0, true, "2028-11-14", "finder"},
		{"IT", "", "zoo", "bag", 500, false, "2027-11-15", "authority"},
		{"PT", "", "hotel", "hat", 0, true, "2027-11-15", "finder"},
		{"JP", "", "airport", "umbrella", 0, false, "2027-02-15", ""},
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
		{"NL", "", "hotel", "keys", 0, true, "2027-11-15", "finder"},
		{"NL", "", "hotel", "keys", 0, false, "2027-11-15", "authority"},
		{"IT", "", "zoo", "bag", 500, true, "2027-11-15", "finder"},
		{"PT", "", "hotel", "hat", 0, false, "2027-11-15", "police"},
		{"GB", "", "city-government", "hat", 0, false, "2027-05-17", ""},
		{"GB", "", "transportation", "hat", 0, false, "2027-02-15", ""},
		{"GB", "", "hotel", "hat", 0, false, "", ""},
		{"IE", "", "hotel", "phone", 0, true, "", ""},
		{"NO", "", "airport", "phone", 0, false, "", ""},
		{"PL", "", "transportation", "phone", 0, false, "2026-11-18", "authority"},
		{"US", "CA", "hotel", "phone", 10_000, false, "2026-11-22", "police"},
		{"US", "CA", "hotel", "phone", 9_999, false, "", ""},
		{"US", "TX", "hotel", "phone", 10_000, false, "", ""},
		{"CA", "", "hotel", "phone", 10_000, false, "", ""},
		{"JP", "", "hotel", "umbrella", 0, false, "2026-11-22", "police"},
	} {
		covered[c.country+c.state] = true
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
	for _, p := range preset.All() {
		if !covered[p.Country+p.State] {
			t.Errorf("no item in %s %s is tested", p.Country, p.State)
		}
	}
}

// For every preset, every category and values around each limit, the first rule with a period decides. Rules for
// finders are not about these items, because nobody claims them.
func TestEveryPresetDecidesForAllCategoriesAndValues(t *testing.T) {
	for _, p := range preset.All() {
		amounts := []int64{0, 1}
		for _, r := range p.Rules {
			if r.MinValue > 0 {
				amounts = append(amounts, r.MinValue-1, r.MinValue)
			}
		}
		for _, category := range append(lost.Categories(), "") {
			for _, amount := range amounts {
				for _, currency := range []string{p.Currency, "XAF"} {
					i := lost.Item{
						Source: lost.Found, DiscoveryDate: "2026-11-15", Category: category,
						Terms: lost.Terms{Keeping: p.Keeping()},
					}
					if amount > 0 {
						i.Value = lost.Value{Amount: amount, Currency: currency}
					}
					want := ""
					for _, r := range p.Rules {
						if r.Days != nil && r.Then != lost.ThenFinder && (r.Category == "" || r.Category == category) &&
							(r.MinValue == 0 || currency == p.Currency && amount >= r.MinValue) {
							want = lost.AddDays("2026-11-15", *r.Days)
							break
						}
					}
					if got := i.StoreUntil(); got != want {
						t.Errorf("%s %s, %q worth %d %s: until %q, want %q", p.Country, p.State, category, amount,
							currency, got, want)
					}
				}
			}
		}
	}
}
