package lost_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"homeward/internal/lost"
)

var noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// problems returns the field problems of an error as "field code".
func problems(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	e, ok := err.(*lost.Error)
	if !ok || e.Code != lost.Invalid {
		t.Fatalf("got %v, want an invalid-fields error", err)
	}
	var out []string
	for _, f := range e.Fields {
		if f.Message == "" {
			t.Errorf("%s has no message", f.Field)
		}
		out = append(out, f.Field+" "+f.Code)
	}
	return out
}

func days(n int) *int { return &n }

func location(t *testing.T) lost.Location {
	t.Helper()
	l, err := lost.NewLocation("acc_1", lost.LocationPatch{Name: lost.Set("Hotel")}, noon)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func item(t *testing.T) lost.Item {
	t.Helper()
	i, err := lost.NewItem("acc_1", "loc_1", lost.ItemPatch{Description: lost.Set("Umbrella")}, noon)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestALocationNeedsOnlyANameAndIsAHotelByDefault(t *testing.T) {
	l, err := lost.NewLocation("acc_1", lost.LocationPatch{Name: lost.Set("  Hotel Adler ")}, noon)
	if err != nil {
		t.Fatal(err)
	}
	if l.Name != "Hotel Adler" || l.Type != "hotel" || !strings.HasPrefix(l.ID, "loc_") || !l.CreatedAt.Equal(noon) {
		t.Errorf("got %+v", l)
	}
}

func TestAllInvalidFieldsOfALocationAreReported(t *testing.T) {
	p := lost.LocationPatch{
		Website: lost.Set("ftp://x"), LogoURL: lost.Set("x"), Type: lost.Set("castle"), StorageDuration: lost.Set(-1),
		Country: lost.Set("UK"), TimeZone: lost.Set("Mars/Olympus"), City: lost.Set("a\nb"),
		Description: lost.Set(strings.Repeat("ä", lost.MaxDescription+1)),
		Contact:     lost.Set(lost.ContactPatch{Email: lost.Set("x"), Email2: lost.Set("y"), Phone: lost.Set("030")}),
		Pickup:      lost.Set(lost.PickupPatch{From: lost.Set("24:00"), To: lost.Set("9:00")}),
	}
	p.Problems.Add("address1", "wrong-type", "must be a string")
	p.Echo = map[string]any{"id": "x"}
	_, err := lost.NewLocation("acc_1", p, noon)
	got := problems(t, err)
	slices.Sort(got)
	want := []string{
		"address1 wrong-type", "city control-character", "contact.email invalid-email", "contact.email2 invalid-email",
		"contact.phone invalid-phone",
		"country invalid-country", "description too-long", "id read-only", "logoUrl invalid-url", "name required",
		"pickupTime.from invalid-time",
		"pickupTime.to invalid-time", "storageDuration out-of-range", "timeZone invalid-time-zone", "type not-allowed",
		"website invalid-url",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestNullClearsOnlyOptionalFields(t *testing.T) {
	l := location(t)
	_, err := l.Update(lost.LocationPatch{
		Website: lost.Set("https://a.example"), StorageDuration: lost.Set(30), Country: lost.Set("de"),
		Contact: lost.Set(lost.ContactPatch{Name: lost.Set("Jo"), Email: lost.Set("jo@a.example")}),
		Pickup:  lost.Set(lost.PickupPatch{From: lost.Set("10:00"), To: lost.Set("18:00")}),
	}, noon)
	if err != nil {
		t.Fatal(err)
	}
	changed, err := l.Update(lost.LocationPatch{
		Website: lost.Clear[string](), StorageDuration: lost.Clear[int](), Country: lost.Clear[string](),
		Contact: lost.Set(lost.ContactPatch{Name: lost.Clear[string]()}), Pickup: lost.Clear[lost.PickupPatch](),
	}, noon.Add(time.Hour))
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	if l.Website != "" || l.StorageDuration != nil || l.Country != "" ||
		l.Contact != (lost.Contact{Email: "jo@a.example"}) || l.Pickup != (lost.PickupWindow{}) {
		t.Errorf("got %+v", l)
	}
	_, err = l.Update(lost.LocationPatch{Name: lost.Clear[string](), Type: lost.Clear[string]()}, noon)
	if d := cmp.Diff([]string{"name required", "type required"}, problems(t, err)); d != "" {
		t.Error(d)
	}
}

func TestPickupWindowIsCheckedAfterMerging(t *testing.T) {
	l := location(t)
	l.Pickup = lost.PickupWindow{From: "10:00", To: "18:00"}
	_, err := l.Update(lost.LocationPatch{Pickup: lost.Set(lost.PickupPatch{From: lost.Set("18:00")})}, noon)
	if d := cmp.Diff([]string{"pickupTime.from not-before-to"}, problems(t, err)); d != "" {
		t.Error(d)
	}
	_, err = l.Update(lost.LocationPatch{Pickup: lost.Set(lost.PickupPatch{From: lost.Set("22:00")})}, noon)
	if err != nil || l.Pickup != (lost.PickupWindow{From: "22:00", To: "18:00"}) {
		t.Errorf("a window past midnight: %+v, %v", l.Pickup, err)
	}
}

func TestAnEmptyStringClearsAnOptionalField(t *testing.T) {
	empty := lost.Set(" ")
	l, err := lost.NewLocation("acc_1", lost.LocationPatch{
		Name: lost.Set("Hotel"), Type: empty, Website: empty, Country: empty, TimeZone: empty, Language: empty,
		PrivacyURL: empty,
		Contact:    lost.Set(lost.ContactPatch{Email: empty, Phone: empty}),
		Pickup:     lost.Set(lost.PickupPatch{From: empty, To: empty}),
		Shipping:   lost.Set(lost.ShippingRulesPatch{Currency: empty, Tracking: empty}),
	}, noon)
	if err != nil || l.Type != lost.DefaultLocationType || l.Contact != (lost.Contact{}) || l.Country != "" {
		t.Errorf("a new location: %+v, %v", l, err)
	}
	_, err = l.Update(lost.LocationPatch{Type: empty, Name: empty}, noon)
	if d := cmp.Diff([]string{"name required", "type required"}, problems(t, err)); d != "" {
		t.Error(d)
	}
	i := item(t)
	if _, err := i.Update(lost.ItemPatch{
		DiscoveryDate: lost.Set("2026-11-14"), ImageURL: lost.Set("https://a.example/x.jpg"), Language: lost.Set("de"),
		Owner:    lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com"), Phone: lost.Set("+4930901820")}),
		Shipping: lost.Set(lost.ShippingPatch{BoxType: lost.Set("long"), WeightUnit: lost.Set("g")}),
	}, noon); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Update(lost.ItemPatch{
		DiscoveryDate: empty, ImageURL: empty, Language: empty,
		Owner:    lost.Set(lost.OwnerPatch{Email: empty, Phone: empty}),
		Shipping: lost.Set(lost.ShippingPatch{BoxType: empty, WeightUnit: empty}),
	}, noon); err != nil || i.DiscoveryDate+i.ImageURL+i.Language != "" || i.Owner.Known() || i.Shipping.Known() {
		t.Errorf("the item: %+v, %v", i, err)
	}
}

func TestANewLocationWithoutATypeIsAHotel(t *testing.T) {
	for name, kind := range map[string]lost.Field[string]{
		"omitted": {}, "null": lost.Clear[string](), "empty": lost.Set(""),
	} {
		l, err := lost.NewLocation("acc_1", lost.LocationPatch{Name: lost.Set("Hotel"), Type: kind}, noon)
		if err != nil || l.Type != "hotel" {
			t.Errorf("%s: %q, %v", name, l.Type, err)
		}
	}
}

func TestAnUpdateThatChangesNothingKeepsUpdatedAt(t *testing.T) {
	l := location(t)
	l.StorageDuration = days(3)
	changed, err := l.Update(lost.LocationPatch{Name: lost.Set("Hotel"), StorageDuration: lost.Set(3)},
		noon.Add(time.Hour))
	if err != nil || changed || !l.UpdatedAt.Equal(noon) {
		t.Errorf("changed %v, %v, updated at %v", changed, err, l.UpdatedAt)
	}
	i := item(t)
	fields, err := i.Update(lost.ItemPatch{Description: lost.Set("Umbrella")}, noon.Add(time.Hour))
	if err != nil || len(fields) != 0 || !i.UpdatedAt.Equal(noon) {
		t.Errorf("changed %v, %v, updated at %v", fields, err, i.UpdatedAt)
	}
}

func TestItemUpdateReturnsTheChangedFields(t *testing.T) {
	i := item(t)
	fields, err := i.Update(lost.ItemPatch{
		Color: lost.Set("black"), Owner: lost.Set(lost.OwnerPatch{Phone: lost.Set("+49 30 901820")}),
		Shipping: lost.Set(lost.ShippingPatch{Weight: lost.Set(0.4), BoxType: lost.Set("long")}),
	}, noon.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"color", "shipping.weight", "shipping.weightUnit", "shipping.boxType", "owner.phone"}
	if d := cmp.Diff(want, fields); d != "" {
		t.Error(d)
	}
	if i.Shipping.WeightUnit != lost.Kilogram || !i.UpdatedAt.Equal(noon.Add(time.Hour)) {
		t.Errorf("got %+v", i)
	}
}

func TestAllInvalidFieldsOfAnItemAreReported(t *testing.T) {
	_, err := lost.NewItem("acc_1", "loc_1", lost.ItemPatch{
		DiscoveryDate: lost.Set("2026-02-30"), ImageURL: lost.Set("/x.jpg"),
		Shipping: lost.Set(lost.ShippingPatch{
			Weight: lost.Set(0.0), WeightUnit: lost.Set("st"), BoxType: lost.Set("bag"),
		}),
		Owner: lost.Set(lost.OwnerPatch{FirstName: lost.Set("a\x00b"), Email: lost.Set("x")}),
	}, noon)
	want := []string{
		"description required", "discoveryDate invalid-date", "imageUrl invalid-url", "shipping.weight out-of-range",
		"shipping.weightUnit not-allowed", "shipping.boxType not-allowed", "owner.firstName control-character",
		"owner.email invalid-email",
	}
	if d := cmp.Diff(want, problems(t, err)); d != "" {
		t.Error(d)
	}
}

func TestInvalidNumbersAreRefusedAsWeightAndTax(t *testing.T) {
	for _, value := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 1e300} {
		i := item(t)
		_, err := i.Update(lost.ItemPatch{Shipping: lost.Set(lost.ShippingPatch{Weight: lost.Set(value)})}, noon)
		if d := cmp.Diff([]string{"shipping.weight out-of-range"}, problems(t, err)); d != "" {
			t.Errorf("weight %v: %s", value, d)
		}
		_, err = lost.NewLocation("acc_1",
			lost.LocationPatch{
				Name: lost.Set("Hotel"), Shipping: lost.Set(lost.ShippingRulesPatch{TaxRate: lost.Set(value)}),
			}, noon)
		if d := cmp.Diff([]string{"shipping.taxRate out-of-range"}, problems(t, err)); d != "" {
			t.Errorf("tax rate %v: %s", value, d)
		}
	}
}

func TestFutureDiscoveryDateIsRefusedInForms(t *testing.T) {
	latest := lost.Location{TimeZone: "Pacific/Auckland"}.LatestDiscovery(noon)
	if latest != "2026-11-17" { // it is already the 16th in Auckland
		t.Errorf("got last day %s, want 2026-11-17", latest)
	}
	i := item(t)
	for _, p := range []lost.ItemPatch{
		{DiscoveryDate: lost.Set("2026-11-18")}, {DiscoveryDate: lost.Set("2026-11-17"), Latest: latest},
		{DiscoveryDate: lost.Set("2026-11-18")}, {DiscoveryDate: lost.Set("2026-11-18"), Latest: latest},
	} {
		if _, err := i.Update(p, noon); err != nil {
			t.Errorf("%+v was refused: %v", p.DiscoveryDate, err)
		}
	}
	_, err := i.Update(lost.ItemPatch{DiscoveryDate: lost.Set("2026-11-19"), Latest: latest}, noon)
	if d := cmp.Diff([]string{"discoveryDate future"}, problems(t, err)); d != "" {
		t.Error(d)
	}
}

func TestClearingShippingKeepsTheTrackingNumber(t *testing.T) {
	i := item(t)
	w := 2.0
	i.Shipping = lost.Shipping{Weight: &w, WeightUnit: lost.Pound, TrackingNumber: "T1"}
	if _, err := i.Update(lost.ItemPatch{Shipping: lost.Clear[lost.ShippingPatch]()}, noon); err != nil {
		t.Fatal(err)
	}
	if i.Shipping != (lost.Shipping{TrackingNumber: "T1"}) {
		t.Errorf("got %+v", i.Shipping)
	}
}

func TestStoreUntilFollowsTheLocationsCurrentSetting(t *testing.T) {
	lateEvening := time.Date(2026, 3, 1, 23, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		name, found, zone, want string
		days                    *int
	}{
		{"no setting", "2026-03-01", "", "", nil},
		{"discovery date counts", "2026-02-01", "", "2026-03-03", days(30)},
		{"creation date, if the discovery date is unknown", "", "", "2026-03-02", days(1)},
		{"in the location's time zone, east", "", "Asia/Tokyo", "2026-03-03", days(1)},
		{"in the location's time zone, west", "", "America/Los_Angeles", "2026-03-02", days(1)},
		{"zero days is the same day", "2026-03-01", "", "2026-03-01", days(0)},
		{"over a leap day", "2028-02-28", "", "2028-03-01", days(2)},
		{"over a daylight-saving change", "2026-03-28", "Europe/Berlin", "2026-03-30", days(2)},
		{"the calendar ends", "9999-12-01", "", "9999-12-31", days(365)},
	} {
		i := lost.Item{
			DiscoveryDate: c.found, CreatedAt: lateEvening,
			Terms: lost.Terms{StorageDuration: c.days, TimeZone: c.zone},
		}
		if got := i.StoreUntil(); got != c.want {
			t.Errorf("%s: stored until %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAnItemsOwnStoragePlaceOverridesTheLocations(t *testing.T) {
	i := lost.Item{Terms: lost.Terms{StoragePlace: "Shelf B"}}
	if got := i.StoredAt(); got != "Shelf B" {
		t.Errorf("got storage place %q", got)
	}
	i.StoragePlace = "Safe"
	if got := i.StoredAt(); got != "Safe" {
		t.Errorf("got storage place %q", got)
	}
}

func TestTheDeskMayMoveAnItemAnywhere(t *testing.T) {
	for _, from := range lost.Statuses() {
		for _, to := range lost.Statuses() {
			i := item(t)
			i.Status = from
			changed, err := i.MoveTo(lost.Move{To: to}, lost.ByKey, noon.Add(time.Hour))
			if err != nil || i.Status != to {
				t.Fatalf("%s to %s: %v, status %s", from, to, err, i.Status)
			}
			if moved := slices.Contains(changed, "status"); moved != (from != to) {
				t.Errorf("%s to %s: changed %v", from, to, changed)
			}
			if from == to && !i.UpdatedAt.Equal(noon) {
				t.Errorf("setting %s again changed updatedAt", to)
			}
		}
	}
}

func TestGuestsAndAutomaticStepsOnlyMoveForward(t *testing.T) {
	allowed := map[lost.Status]string{
		lost.Pending:       "INFO COMPLETED, PICKUP, DISCARD, DONATE",
		lost.InfoCompleted: "FEE PAID, PICKUP, DISCARD, DONATE",
		lost.FeePaid:       "SHIPPED, DELIVERED",
		lost.Shipped:       "DELIVERED",
	}
	for _, from := range lost.Statuses() {
		for _, to := range lost.Statuses() {
			want := slices.Contains(strings.Split(allowed[from], ", "), string(to))
			if got := from.CanMoveTo(to); got != want {
				t.Errorf("%s can move to %s: %v, want %v", from, to, got, want)
			}
		}
	}
}

func TestDetailsMustBelongToTheStatus(t *testing.T) {
	for _, c := range []struct {
		name  string
		patch lost.MovePatch
		want  []string
	}{
		{"no status", lost.MovePatch{}, []string{"status required"}},
		{"null status", lost.MovePatch{Status: lost.Clear[string]()}, []string{"status required"}},
		{"wrong case", lost.MovePatch{Status: lost.Set("pickup")}, []string{"status not-allowed"}},
		{"pickup",
			lost.MovePatch{
				Status: lost.Set("PICKUP"), PickupDate: lost.Set("2026-11-20"), PickupTime: lost.Set("14:30"),
			}, nil},
		{"bad date and time",
			lost.MovePatch{
				Status: lost.Set("PICKUP"), PickupDate: lost.Set("2026-11-31"), PickupTime: lost.Set("2:30"),
			},
			[]string{"pickupDate invalid-date", "pickupTime invalid-time"}},
		{"date without pickup",
			lost.MovePatch{
				Status: lost.Set("DONATE"), PickupDate: lost.Set("2026-11-20"), PickupTime: lost.Set("14:30"),
			},
			[]string{"pickupDate not-with-status", "pickupTime not-with-status"}},
		{"tracking", lost.MovePatch{Status: lost.Set("SHIPPED"), TrackingNumber: lost.Set("T1")}, nil},
		{"tracking without shipping", lost.MovePatch{Status: lost.Set("PENDING"), TrackingNumber: lost.Set("T1")},
			[]string{"trackingNumber not-with-status"}},
	} {
		_, err := c.patch.Move()
		if d := cmp.Diff(c.want, problems(t, err)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestNewDetailsAreSetWithoutAStatusChange(t *testing.T) {
	i := item(t)
	i.Status = lost.PickUp
	changed, err := i.MoveTo(lost.Move{To: lost.PickUp, PickupDate: lost.Set("2026-11-21")}, lost.ByKey,
		noon.Add(time.Hour))
	if err != nil || !slices.Equal(changed, []string{"pickup"}) || i.Pickup.Date != "2026-11-21" {
		t.Errorf("changed %v, %v: %+v", changed, err, i.Pickup)
	}
	i.Pickup.Time, i.Shipping.TrackingNumber = "14:30", "T1"
	cleared, err := lost.MovePatch{
		Status: lost.Set("PICKUP"), PickupTime: lost.Clear[string](), TrackingNumber: lost.Clear[string](),
	}.Move()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := i.MoveTo(cleared, lost.ByKey, noon); err != nil ||
		i.Pickup != (lost.Pickup{Date: "2026-11-21", Planned: true}) || i.Shipping.TrackingNumber != "" {
		t.Errorf("null does not clear: %+v, %+v, %v", i.Pickup, i.Shipping, err)
	}
	if _, err := i.MoveTo(lost.Move{To: lost.Pending}, lost.ByKey, noon); err != nil || i.Pickup != (lost.Pickup{}) {
		t.Errorf("got pick-up %+v after another status, want none (%v)", i.Pickup, err)
	}
}

func TestARequestCannotBeMoved(t *testing.T) {
	i := item(t)
	i.Source = lost.Request
	if _, err := i.MoveTo(lost.Move{To: lost.PickUp}, lost.ByKey, noon); lost.CodeOf(err) != lost.Conflict ||
		i.Status != lost.Pending {
		t.Errorf("got %v, status %s", err, i.Status)
	}
}

func TestTheNewestUploadIsTheItemsPicture(t *testing.T) {
	i := item(t)
	i.ImageURL = "https://a.example/x.jpg"
	for _, name := range []string{"one.jpg", "two.jpg"} {
		if err := i.AddImage(lost.Image{File: name, Thumbnail: "small-" + name}, noon); err != nil {
			t.Fatal(err)
		}
	}
	if i.ImageFile != "two.jpg" || i.ImageURL != "" || len(i.Images) != 2 || i.Images[0].File != "two.jpg" {
		t.Errorf("got %+v", i)
	}
	if d := cmp.Diff([]string{"two.jpg", "one.jpg"}, i.Files()); d != "" {
		t.Error(d)
	}
	for len(i.Images) < lost.MaxImages {
		i.Images = append(i.Images, lost.Image{})
	}
	if err := i.AddImage(lost.Image{}, noon); lost.CodeOf(err) != lost.Conflict {
		t.Errorf("image beyond the limit: %v", err)
	}
}

func TestBoxesHaveTheirSizes(t *testing.T) {
	want := []lost.Box{
		{Type: "letter", Name: "Letter", Length: 33, Width: 23, Depth: 3},
		{Type: "flat", Name: "Flat box", Length: 33, Width: 23, Depth: 6},
		{Type: "shoe", Name: "Shoe box", Length: 40, Width: 20, Depth: 20},
		{Type: "moving", Name: "Moving box", Length: 60, Width: 40, Depth: 40},
		{Type: "long", Name: "Long box", Length: 100, Width: 20, Depth: 20},
	}
	if d := cmp.Diff(want, lost.Boxes()); d != "" {
		t.Error(d)
	}
	if n := len(lost.LocationTypes()); n != 13 {
		t.Errorf("%d location types, want 13", n)
	}
}

func TestWeightsConvert(t *testing.T) {
	for unit, want := range map[lost.WeightUnit]float64{
		lost.Gram: 2, lost.Kilogram: 2000, lost.Ounce: 56.69904625, lost.Pound: 907.18474,
	} {
		if got := unit.Grams(2); got != want {
			t.Errorf("2 %s: got %v g, want %v", unit, got, want)
		}
	}
}

func TestIDsSortByCreationAndReferencesAreReadable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := time.UnixMicro(rapid.Int64Range(0, 1<<52).Draw(t, "a"))
		b := a.Add(time.Duration(rapid.Int64Range(1, 1<<40).Draw(t, "later")) * time.Microsecond)
		if x, y := lost.NewID(lost.ItemID, a), lost.NewID(lost.ItemID, b); x >= y {
			t.Fatalf("%s of %v does not sort before %s of %v", x, a, y, b)
		}
		ref := lost.NewReference()
		if len(ref) != 7 || ref[3] != '-' || strings.ContainsAny(ref, "0O1IL2Z5S8B") {
			t.Fatalf("reference %q", ref)
		}
	})
}

func TestApplyingAPatchTwiceHasNoFurtherEffect(t *testing.T) {
	text := rapid.StringMatching(`[ -~äöüß漢字😀]{0,40}`)
	field := func(t *rapid.T, name string) lost.Field[string] {
		switch rapid.IntRange(0, 2).Draw(t, name) {
		case 0:
			return lost.Field[string]{}
		case 1:
			return lost.Clear[string]()
		default:
			return lost.Set(text.Draw(t, name))
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		p := lost.ItemPatch{
			Description: lost.Set("x" + text.Draw(rt, "description")), Brand: field(rt, "brand"),
			Color: field(rt, "color"), Notes: field(rt, "notes"),
			StoragePlace: field(rt, "storagePlace"),
			Owner:        lost.Set(lost.OwnerPatch{FirstName: field(rt, "first"), LastName: field(rt, "last")}),
		}
		i := item(t)
		if _, err := i.Update(p, noon); err != nil {
			rt.Fatal(err)
		}
		once := i
		if changed, err := i.Update(p, noon.Add(time.Hour)); err != nil || len(changed) != 0 || !cmp.Equal(once, i) {
			rt.Fatalf("changed again: %v, %v", changed, err)
		}
	})
}

func TestAllProblemsOfAKeyAreReported(t *testing.T) {
	_, err := lost.NewKey("acc_1",
		lost.KeyPatch{Name: lost.Set(" "), Locations: lost.Set([]string{}), ExpiresAt: lost.Set(noon)}, noon)
	if d := cmp.Diff([]string{"name required", "locations out-of-range", "expiresAt out-of-range"},
		problems(t, err)); d != "" {
		t.Error(d)
	}
	k, err := lost.NewKey("acc_1",
		lost.KeyPatch{
			Name: lost.Set("Desk"), Locations: lost.Set([]string{"b", "a", "b"}),
			ExpiresAt: lost.Set(noon.Add(time.Hour)),
		}, noon)
	if err != nil || !slices.Equal(k.Locations, []string{"a", "b"}) {
		t.Fatalf("got %+v, %v", k, err)
	}
	if !k.Usable(noon) || k.Usable(noon.Add(time.Hour)) {
		t.Error("an expired key is usable, or a valid one is not")
	}
	k.RevokedAt = noon
	if k.Usable(noon) {
		t.Error("a revoked key is usable")
	}
	a := k.Actor()
	if !a.CanAccess("a") || a.CanAccess("c") || a.MayManage() == nil {
		t.Errorf("the limited actor %+v has too much access", a)
	}
}

func TestAListStopsCountingAtTenThousand(t *testing.T) {
	l := lost.List[int]{Data: make([]int, 10), Page: lost.Page{Number: 1, Limit: 10}, Total: lost.TotalOf(10001)}
	if l.Count != 10000 || !l.AtLeast || l.Pages() != 1000 || !l.More() {
		t.Errorf("got %+v", l.Total)
	}
	l = lost.List[int]{Data: make([]int, 5), Page: lost.Page{Number: 2, Limit: 10}, Total: lost.TotalOf(15)}
	if l.AtLeast || l.Pages() != 2 || l.More() {
		t.Errorf("got %+v", l.Total)
	}
	if off := (lost.Page{Number: 1 << 62, Limit: 100}).Offset(); off < 0 {
		t.Errorf("offset %d", off)
	}
}
