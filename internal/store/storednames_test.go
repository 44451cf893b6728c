package store_test

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/notice"
)

// Some columns contain JSON that uses the Go field names. Renaming a field would lose its stored values, so this test
// compares the names with a list. Add new fields to the list, but never change or remove a line.
func TestFieldsStoredAsJSONKeepTheirNames(t *testing.T) {
	content, err := os.ReadFile("testdata/storednames.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(string(content))
	var got []string
	for name, v := range map[string]any{
		"shipments.detail": lost.Shipment{}, "counts.tally": lost.StockTakeTotals{}, "erasures.erased": lost.Erased{},
		"imports.mapping":  lost.ImportMapping{},
		"imports.problems": lost.RowProblem{}, "items.recipient": lost.Recipient{}, "items.parcel": lost.Parcel{},
		"items.claim": lost.Claim{}, "items.care.before": lost.Before{}, "messages.about": lost.About{},
		"endpoints.old_secrets": lost.OldSecret{}, "locations.reminders": lost.ReminderSchedule{},
		"locations.shipping": lost.ShippingRules{}, "locations.opening_hours": lost.OpeningHours{},
		"locations.closures": lost.Closure{}, "locations.slots": lost.Slots{},
		"notice_settings.kinds": notice.Choice{},
	} {
		got = append(got, fieldNames(name, reflect.TypeOf(v))...)
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("stored values of %s can no longer be read: the field was renamed or removed", name)
		}
	}
	for _, name := range got {
		if !slices.Contains(want, name) {
			t.Errorf("testdata/storednames.txt does not list %s: add a line", name)
		}
	}
}

// fieldNames lists the names of all fields nested in a type, as encoding/json writes them.
func fieldNames(path string, t reflect.Type) (names []string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() {
		return []string{path}
	}
	for n := range t.NumField() {
		f := t.Field(n)
		switch name, _, _ := strings.Cut(f.Tag.Get("json"), ","); {
		case !f.IsExported() || name == "-":
		case f.Anonymous && name == "":
			names = append(names, fieldNames(path, f.Type)...)
		case name != "":
			names = append(names, fieldNames(path+"."+name, f.Type)...)
		default:
			names = append(names, fieldNames(path+"."+f.Name, f.Type)...)
		}
	}
	return names
}
