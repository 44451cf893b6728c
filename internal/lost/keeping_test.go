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
		{"phone", "500.00 EUR", false, days(30), "2027-11-15", "auction"}, // nobody claims it
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
