package lost_test

import (
	"reflect"
	"testing"
	"time"

	"homeward/internal/lost"
)

func TestAnAmountIsReadAsPeopleWriteIt(t *testing.T) {
	for _, c := range []struct {
		text, currency, want string
	}{
		{"45", "EUR", "45.00 EUR"},
		{"45.5", "EUR", "45.50 EUR"},
		{"45,50", "EUR", "45.50 EUR"},
		{"1.234,50", "EUR", "1234.50 EUR"},
		{"1,234.50", "USD", "1234.50 USD"},
		{"1 234,50", "PLN", "1234.50 PLN"},
		{"1’234.50", "CHF", "1234.50 CHF"},
		{"1.234", "EUR", "1234.00 EUR"},
		{"1.234", "KWD", "1.234 KWD"},
		{"5000", "JPY", "5000 JPY"},
		{"5,000", "JPY", "5000 JPY"},
		{"EUR 45", "USD", "45.00 EUR"},
		{"45.00 usd", "EUR", "45.00 USD"},
		{"45 €", "USD", "45.00 EUR"},
		{"0", "EUR", ""},
		{"0.00", "EUR", ""},
		{"-5", "EUR", ""},
		{"45.5", "JPY", ""},
		{"1.23.4", "EUR", ""},
		{"45 XYZ", "EUR", ""},
		{"EUR 45 EUR", "EUR", ""},
		{"9999999999", "EUR", ""},
		{"a lot", "EUR", ""},
		{"", "EUR", ""},
	} {
		v, ok := lost.ParseValue(c.text, c.currency)
		if got := v.String(); got != c.want || ok != (c.want != "") {
			t.Errorf("%q in %s: got %q (%t), want %q", c.text, c.currency, got, ok, c.want)
		}
	}
}

func TestAValueIsSetChangedAndCleared(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	value := func(amount lost.Field[int64], currency lost.Field[string]) lost.Field[lost.ValuePatch] {
		return lost.Set(lost.ValuePatch{Amount: amount, Currency: currency})
	}
	none := lost.Field[string]{}
	old := lost.Value{Amount: 100, Currency: "PLN"}
	for _, c := range []struct {
		name    string
		before  lost.Value
		patch   lost.Field[lost.ValuePatch]
		want    lost.Value
		problem string
	}{
		{"the currency is the location's", lost.Value{}, value(lost.Set[int64](4500), none),
			lost.Value{Amount: 4500, Currency: "EUR"}, ""},
		{"a currency of its own", lost.Value{}, value(lost.Set[int64](4500), lost.Set("usd")),
			lost.Value{Amount: 4500, Currency: "USD"}, ""},
		{"the currency stays", old, value(lost.Set[int64](200), none), lost.Value{Amount: 200, Currency: "PLN"}, ""},
		{"the amount stays", old, value(lost.Field[int64]{}, lost.Set("CZK")),
			lost.Value{Amount: 100, Currency: "CZK"}, ""},
		{"null clears it", old, lost.Clear[lost.ValuePatch](), lost.Value{}, ""},
		{"a null amount clears it", old, value(lost.Clear[int64](), none), lost.Value{}, ""},
		{"nothing is sent", old, lost.Field[lost.ValuePatch]{}, old, ""},
		{"zero", old, value(lost.Set[int64](0), none), old, "value.amount"},
		{"too much", old, value(lost.Set[int64](lost.MaxAmount+1), none), old, "value.amount"},
		{"no amount", lost.Value{}, value(lost.Field[int64]{}, lost.Set("EUR")), lost.Value{}, "value.amount"},
		{"no currency", old, value(lost.Set[int64](5), lost.Set("XAU")), old, "value.currency"},
	} {
		i := lost.Item{Description: "Umbrella", Source: lost.Found, Status: lost.Pending, Value: c.before}
		_, err := i.Update(lost.ItemPatch{Value: c.patch, Currency: "EUR"}, now)
		problems := lost.ProblemsOf(err)
		if c.problem == "" && err != nil || c.problem != "" && (len(problems) != 1 || problems[0].Field != c.problem) {
			t.Errorf("%s: got problems %v, want one with %q", c.name, problems, c.problem)
		}
		if i.Value != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, i.Value, c.want)
		}
	}
}

func TestAValueFilterHasALeastValueForEachCurrency(t *testing.T) {
	for _, c := range []struct {
		whole     bool
		locations []lost.LocationCurrency
		want      []lost.ValueBound
	}{
		{false, nil, nil},
		{
			false, []lost.LocationCurrency{{"loc_a", "EUR"}, {"loc_b", "EUR"}},
			[]lost.ValueBound{{Value: lost.Value{Amount: 50, Currency: "EUR"}}},
		},
		{
			true, []lost.LocationCurrency{{"loc_a", "EUR"}, {"loc_b", "JPY"}, {"loc_c", "EUR"}, {"loc_d", "KWD"}},
			[]lost.ValueBound{
				{Value: lost.Value{Amount: 5000, Currency: "EUR"}, Locations: []string{"loc_a", "loc_c"}},
				{Value: lost.Value{Amount: 50, Currency: "JPY"}, Locations: []string{"loc_b"}},
				{Value: lost.Value{Amount: 50_000, Currency: "KWD"}, Locations: []string{"loc_d"}},
			},
		},
	} {
		f := lost.ValueFilter{Amount: 50, Whole: c.whole}
		f.Resolve(c.locations)
		if !reflect.DeepEqual(f.Bounds, c.want) {
			t.Errorf("%v, whole %t: got %+v, want %+v", c.locations, c.whole, f.Bounds, c.want)
		}
	}
}

func TestAFinderIsOnlyForFoundItems(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	patch := lost.ItemPatch{Country: "DE", Finder: lost.Set(lost.FinderPatch{
		Name: lost.Set("Marta Nowak"), Phone: lost.Set("030 901820"), WantsReward: lost.Set(true),
	})}
	i := lost.Item{Description: "Umbrella", Source: lost.Found, Status: lost.Pending}
	if _, err := i.Update(patch, now); err != nil {
		t.Fatal(err)
	}
	want := lost.Finder{Name: "Marta Nowak", Phone: "+4930901820", WantsReward: true}
	if i.Finder != want {
		t.Errorf("got %+v, want %+v", i.Finder, want)
	}
	i.FinderNotices.Reward = now
	if _, err := i.Update(lost.ItemPatch{Finder: lost.Clear[lost.FinderPatch]()}, now); err != nil {
		t.Fatal(err)
	}
	if i.Finder.Known() || !i.FinderNotices.Reward.IsZero() {
		t.Errorf("after null: got %+v, %+v", i.Finder, i.FinderNotices)
	}

	request := lost.Item{
		Description: "Umbrella", Source: lost.Request, Status: lost.Pending, Owner: lost.Owner{Email: "a@example.com"},
	}
	_, err := request.Update(patch, now)
	if problems := lost.ProblemsOf(err); len(problems) != 1 || problems[0].Field != "finder" {
		t.Errorf("a request: got %v, want a problem with finder", problems)
	}
}
