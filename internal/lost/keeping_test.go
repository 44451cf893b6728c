package lost_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
)

// rules are keeping rules that differ by category and value.
func rules() []lost.KeepingRule {
	return []lost.KeepingRule{
		{Category: lost.FoodCategory, Days: 1, Then: lost.ThenDiscard},
		{
			Category: lost.PhoneCategory, MinValue: lost.Value{Amount: 50_000, Currency: "EUR"}, Days: 365,
			Then: lost.ThenFinder,
		},
		{Category: lost.PhoneCategory, Days: 180, Then: lost.ThenAuction},
		{MinValue: lost.Value{Amount: 10_000, Currency: "EUR"}, Days: 120, Then: lost.ThenPolice},
		{Category: lost.UmbrellaCategory, Days: 0, Then: lost.ThenDonate},
	}
}

func TestTheFirstRuleAboutAnItemDecides(t *testing.T) {
	for _, c := range []struct {
		category lost.Category
		value    string
		claims   bool
		duration *int
		until    string
		then     lost.Disposal
	}{
		{"food", "", false, days(30), "2026-11-16", "discard"},
		{"phone", "", false, days(30), "2027-05-14", "auction"},
		{"phone", "499.99 EUR", false, days(30), "2027-05-14", "auction"},
		{"phone", "500.00 EUR", true, days(30), "2027-11-15", "finder"},
		{"phone", "500.00 EUR", false, days(30), "2027-05-14", "auction"}, // nobody claims it
		{"phone", "900.00 USD", true, days(30), "2027-05-14", "auction"},  // another currency is not compared
		{"watch", "100.00 EUR", false, days(30), "2027-03-15", "police"},
		{"watch", "99.99 EUR", false, days(30), "2026-12-15", ""},
		{"", "100.00 EUR", false, nil, "2027-03-15", "police"},
		{"umbrella", "", false, days(30), "2026-11-15", "donate"},
		{"umbrella", "100.00 EUR", false, days(30), "2027-03-15", "police"}, // its rule comes later
		{"", "", false, days(30), "2026-12-15", ""},
		{"", "", false, nil, "", ""},
	} {
		i := item(t)
		i.DiscoveryDate, i.Category = "2026-11-15", c.category
		if p, ok := lost.ParsePrice(c.value); ok {
			i.Value = lost.Value{Amount: p.Postage, Currency: p.Currency}
		}
		i.Finder.ClaimsItem = c.claims
		i.Terms = lost.Terms{StorageDuration: c.duration, Keeping: rules()}
		if until, then := i.StoreUntil(), i.ThenDue(); until != c.until || then != c.then {
			t.Errorf("%q worth %q: until %q then %q, want %q then %q",
				c.category, c.value, until, then, c.until, c.then)
		}
		i.Hold = "Police"
		if until, then := i.StoreUntil(), i.ThenDue(); until != "" || then != "" {
			t.Errorf("%q on hold: until %q then %q", c.category, until, then)
		}
	}
}

func TestEveryDisposalHasADestination(t *testing.T) {
	want := []lost.Destination{"donated", "discarded", "police", "authority", "auctioned", "finder"}
	for n, d := range lost.Disposals() {
		if d.Destination() != want[n] {
			t.Errorf("%s leads to %q, want %q", d, d.Destination(), want[n])
		}
		status := lost.Discard
		if d == lost.ThenDonate {
			status = lost.Donate
		}
		if got := d.Destination().Status(); got != status {
			t.Errorf("%s: status %s, want %s", d, got, status)
		}
	}
	if got := lost.Disposal("").Destination(); got != "" {
		t.Errorf("no disposal leads to %q", got)
	}
}

func TestKeepingRulesAreChecked(t *testing.T) {
	l := location(t)
	set := func(f lost.Field[[]lost.KeepingRule]) []string {
		_, err := l.Update(lost.LocationPatch{KeepingRules: f}, noon.Add(time.Hour))
		return problems(t, err)
	}
	bad := []lost.KeepingRule{
		{Category: "sock", Days: 3},
		{Days: lost.MaxStorageDays + 1},
		{Days: -1, Then: "burn"},
		{MinValue: lost.Value{Amount: 0, Currency: "EUR"}},
		{MinValue: lost.Value{Amount: 5, Currency: "XX"}},
		{MinValue: lost.Value{Amount: lost.MaxAmount + 1, Currency: "eur"}},
	}
	want := []string{
		"keepingRules[0].category not-allowed", "keepingRules[1].days out-of-range",
		"keepingRules[2].then not-allowed", "keepingRules[2].days out-of-range",
		"keepingRules[3].minValue.amount out-of-range", "keepingRules[4].minValue.currency invalid-currency",
		"keepingRules[5].minValue.amount out-of-range",
	}
	if got := set(lost.Set(bad)); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if got := set(lost.Set(make([]lost.KeepingRule, lost.MaxKeepingRules+1))); !slices.Equal(got,
		[]string{"keepingRules too-many"}) {
		t.Errorf("too many rules: %q", got)
	}
	if got := set(lost.Set(rules())); got != nil || len(l.KeepingRules) != len(rules()) {
		t.Errorf("valid rules: %q, %+v", got, l.KeepingRules)
	}
	if changed, err := l.Update(lost.LocationPatch{KeepingRules: lost.Set(rules())}, noon); changed || err != nil {
		t.Errorf("the same rules: changed %t, %v", changed, err)
	}
	if got := set(lost.Clear[[]lost.KeepingRule]()); got != nil || l.KeepingRules != nil {
		t.Errorf("null: %q, %+v", got, l.KeepingRules)
	}
}

// A guest who was told the end of storage is not told again because a rule moves it by a few days.
func TestAMovedEndOfStorageIsNotAnnouncedTwice(t *testing.T) {
	schedule := lost.ReminderSchedule{BeforeStoreUntil: []int{3}}
	noticed := noon.AddDate(0, 0, -30)
	at := func(until, keep string) (lost.Item, time.Time) {
		i := item(t)
		i.Owner.Email, i.KeepUntil = "anna@example.com", keep
		end, err := time.Parse(lost.DateLayout, until)
		if err != nil {
			t.Fatal(err)
		}
		i.DiscoveryDate, i.Terms.StorageDuration = end.AddDate(0, 0, -20).Format(lost.DateLayout), days(20)
		return i, end.AddDate(0, 0, -3).Add(12 * time.Hour)
	}
	i, now := at("2026-12-01", "")
	due, _ := lost.NextReminder(schedule.Steps(i, noticed, now), nil, now)
	if due == nil || due.Kind != lost.LastCallMessage {
		t.Fatalf("the last reminder is not due: %+v", due)
	}
	sent := []lost.Message{{Kind: due.Kind, Once: due.Once, To: i.Owner.Email, State: lost.MessageSent}}
	for _, c := range []struct {
		until, keep string
		again       bool
	}{
		{"2026-12-01", "", false}, {"2026-12-03", "", false}, {"2026-11-28", "", false}, {"2026-12-30", "", false},
		{"2026-12-31", "", true}, {"2027-06-01", "", true}, {"2026-11-20", "2026-12-05", true},
	} {
		i, now := at(c.until, c.keep)
		if c.keep != "" { // the desk has chosen the day
			now = time.Date(2026, 12, 2, 12, 0, 0, 0, time.UTC)
		}
		due, _ := lost.NextReminder(schedule.Steps(i, noticed, now), sent, now)
		if (due != nil) != c.again {
			t.Errorf("until %s, kept %q: reminded again %t, want %t", c.until, c.keep, due != nil, c.again)
		}
	}
}

func TestAMoveSaysWhatOtherRulesWouldChange(t *testing.T) {
	for _, c := range []struct {
		before, after *int
		want          lost.KeepingMove
	}{
		{days(30), days(30), lost.Unchanged}, {days(30), days(5), lost.DueNow}, {days(30), days(20), lost.Earlier},
		{days(30), days(40), lost.Later}, {days(30), nil, lost.Later}, {nil, days(30), lost.Earlier},
		{days(5), days(3), lost.Earlier}, {days(5), days(30), lost.Later}, {nil, nil, lost.Unchanged},
	} {
		i := item(t)
		i.DiscoveryDate, i.Terms.StorageDuration = "2026-11-05", c.before
		got, until := i.MoveUnder(lost.Terms{StorageDuration: c.after}, noon)
		if got != c.want || (until == "") != (c.after == nil) {
			t.Errorf("%s: %s until %q, want %s", fmt.Sprint(c.before, c.after), got, until, c.want)
		}
	}
}

// A rule that changes only what should happen then has consequences, too.
func TestAMoveSaysThatSomethingElseHappens(t *testing.T) {
	donate := []lost.KeepingRule{{Days: 30, Then: lost.ThenDonate}}
	for _, c := range []struct {
		rules  []lost.KeepingRule
		claims bool
		want   lost.KeepingMove
	}{
		{donate, true, lost.Unchanged}, {[]lost.KeepingRule{{Days: 30}}, true, lost.Disposed},
		{[]lost.KeepingRule{{Days: 30, Then: lost.ThenFinder}, donate[0]}, true, lost.Disposed},
		{[]lost.KeepingRule{{Days: 30, Then: lost.ThenFinder}, donate[0]}, false, lost.Unchanged},
		{[]lost.KeepingRule{{Days: 40, Then: lost.ThenPolice}}, true, lost.Later}, {nil, true, lost.Later},
	} {
		i := item(t)
		i.DiscoveryDate, i.Terms.Keeping, i.Finder.ClaimsItem = "2026-10-05", donate, c.claims
		if got, _ := i.MoveUnder(lost.Terms{Keeping: c.rules}, noon); got != c.want {
			t.Errorf("%+v, claimed %t: %s, want %s", c.rules, c.claims, got, c.want)
		}
		var p lost.KeepingPreview
		p.Add(i, lost.Terms{Keeping: c.rules}, noon)
		if (p.Total() == 1) != (c.want != lost.Unchanged) || len(p.Moved) != p.Total() {
			t.Errorf("%+v: the preview lists %+v of %d", c.rules, p.Moved, p.Total())
		}
	}
}

func TestAnItemIsCheckedWhenItsFinderMayBeTold(t *testing.T) {
	for name, c := range map[string]struct {
		change func(i *lost.Item)
		want   bool
	}{
		"nothing":           {func(*lost.Item) {}, false},
		"the finder's name": {func(i *lost.Item) { i.Finder.Name = "Marta" }, false},
		"a claim":           {func(i *lost.Item) { i.Finder.ClaimsItem = true }, true},
		"an address":        {func(i *lost.Item) { i.Finder.Phone = "+48221234568" }, true},
	} {
		before := item(t)
		before.Terms.Keeping = []lost.KeepingRule{{Days: 30, Then: lost.ThenFinder}, {Days: 30}}
		i := before
		c.change(&i)
		if got := lost.MayChangeTasks(before, i); got != c.want {
			t.Errorf("%s: checked %t, want %t", name, got, c.want)
		}
	}
}

// A category that is set in the background must not tell anybody anything, nor make an item due.
func TestACategoryMayHaveConsequencesAtOnce(t *testing.T) {
	schedule := lost.ReminderSchedule{BeforeStoreUntil: []int{3}}
	watch := func(days int, then lost.Disposal) []lost.KeepingRule {
		return []lost.KeepingRule{{Category: lost.WatchCategory, Days: days, Then: then}}
	}
	for name, c := range map[string]struct {
		found    string
		duration *int
		rules    []lost.KeepingRule
		status   lost.Status
		want     bool
	}{
		"no rule":             {"2026-01-05", days(365), nil, lost.Pending, false},
		"due":                 {"2026-09-16", days(365), watch(30, lost.ThenFinder), lost.Pending, true},
		"not at the desk":     {"2026-09-16", days(365), watch(30, lost.ThenFinder), lost.Discard, false},
		"due soon":            {"2026-11-01", days(365), watch(17, ""), lost.Pending, true},
		"due later":           {"2026-11-01", days(365), watch(19, ""), lost.Pending, false},
		"no longer due":       {"2026-09-16", days(30), watch(365, ""), lost.Pending, true},
		"due for another end": {"2026-09-16", days(30), watch(30, lost.ThenFinder), lost.Pending, true},
		"another end later":   {"2026-11-10", days(30), watch(30, lost.ThenFinder), lost.Pending, false},
	} {
		i := item(t)
		i.DiscoveryDate, i.Status, i.Finder.ClaimsItem = c.found, c.status, true
		i.Terms = lost.Terms{StorageDuration: c.duration, Keeping: c.rules}
		if got := schedule.ActsOnCategory(i, lost.WatchCategory, noon); got != c.want {
			t.Errorf("%s: consequences %t, want %t", name, got, c.want)
		}
	}
}
