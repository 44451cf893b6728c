package fieldtest_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/fieldtest"
)

const surname = "Kessler"

var now = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// guestItem returns an item with the guest's name in every text.
func guestItem(source lost.Source) lost.Item {
	var i lost.Item
	fieldtest.Fill(&i, func(path string) string { return "for " + surname + ": " + path })
	i.Owner.LastName, i.Source = surname, source
	return i
}

func TestEveryFieldOfAnItemIsListed(t *testing.T) {
	checkListed(t, "lost.Item", "lost.ItemFields", fieldtest.ItemLeaves(new(lost.Item)))
}

func TestEveryFieldOfALocationIsListed(t *testing.T) {
	checkListed(t, "lost.Location", "lost.LocationFields", fieldtest.LocationLeaves(new(lost.Location)))
}

func checkListed[R, P any](t *testing.T, record, list string, leaves []fieldtest.Leaf[R, P]) {
	t.Helper()
	seen := map[string]bool{}
	for _, leaf := range leaves {
		switch f := leaf.Field; {
		case f == nil:
			t.Errorf("%s.%s is not in %s: add an entry", record, leaf.Path, list)
		case seen[f.Name]:
			t.Errorf("%s has two entries for %s", list, f.Name)
		case f.Erase == 0:
			t.Errorf("%s has no erasure rule for %s: set Erase", list, f.Name)
		case f.Patch != nil && f.Kind == lost.ValueKind:
			t.Errorf("%s has no text kind for %s: set Kind", list, f.Name)
		default:
			seen[f.Name] = true
		}
	}
}

// Every optional field of a patch must belong to an entry, otherwise sending it would have no effect.
func TestEveryFieldOfAPatchSetsSomething(t *testing.T) {
	var p lost.ItemPatch
	checkPatch(t, "lost.ItemPatch", &p, lost.ItemFields(), "Shipping.Value.Weight", "Shipping.Value.IsDocument",
		"Metadata", "Value.Value.Amount", "Value.Value.Currency", "Finder.Value.WantsReward", "Finder.Value.ClaimsItem")
	var l lost.LocationPatch
	checkPatch(t, "lost.LocationPatch", &l, lost.LocationFields(), "StorageDuration", "Reminders", "Shipping",
		"OpeningHours", "Closures", "Slots", "KeepingRules",
		"Matching", "PublicRegister", "PublicAreas", "Metadata")
}

// checkPatch fails for each field of a patch without an entry. The parameter others lists fields that an entry sets
// with a custom function.
func checkPatch[R, P any](t *testing.T, name string, patch *P, fields []lost.RecordField[R, P], others ...string) {
	t.Helper()
	var texts []any
	for n := range fields {
		if fields[n].Patch != nil {
			texts = append(texts, fields[n].Patch(patch))
		}
	}
	var visit func(v reflect.Value, path string)
	visit = func(v reflect.Value, path string) {
		for n := range v.NumField() {
			field, at := v.Field(n), path+v.Type().Field(n).Name
			if !strings.HasPrefix(field.Type().Name(), "Field[") || slices.Contains(others, at) {
				continue
			}
			value := field.FieldByName("Value")
			switch {
			case slices.Contains(texts, field.Addr().Interface()):
			case value.Kind() == reflect.Struct:
				visit(value, at+".Value.")
			default:
				t.Errorf("%s.%s is not in the list of fields: set Patch in an entry", name, at)
			}
		}
	}
	visit(reflect.ValueOf(patch).Elem(), "")
}

// Erasing the guest removes the guest's name from every field, except from fields with the rule KeepValue.
func TestErasingAGuestReachesEveryField(t *testing.T) {
	for _, source := range []lost.Source{lost.Found, lost.Request} {
		i := guestItem(source)
		if !i.EraseGuest(now) {
			t.Fatalf("%s: nothing was erased", source)
		}
		for _, leaf := range fieldtest.ItemLeaves(&i) {
			keepsValue := leaf.Field != nil &&
				(leaf.Field.Erase == lost.KeepValue || leaf.Field.Erase == lost.EraseWithFinder)
			if text := fmt.Sprintf("%+v", leaf.Value.Interface()); !keepsValue && strings.Contains(text, surname) {
				t.Errorf("%s: erasure left the guest's name in lost.Item.%s: %s", source, leaf.Path, text)
			}
		}
		if again := i; again.EraseGuest(now.Add(time.Hour)) {
			t.Errorf("%s: erasing twice changed something", source)
		}
	}
}

// Erasing the finder removes everything that is known about them, and leaves the guest's data.
func TestErasingAFinderReachesEveryField(t *testing.T) {
	i := guestItem(lost.Found)
	i.Finder.Name, i.Finder.Email = "Marta Nowak", "marta@example.com"
	i.Notes = "Marta Nowak brought it, marta@example.com"
	owner := i.Owner
	if !i.EraseFinder(now) {
		t.Fatal("nothing was erased")
	}
	for _, leaf := range fieldtest.ItemLeaves(&i) {
		if leaf.Field != nil && leaf.Field.Erase == lost.EraseWithFinder && !leaf.Value.IsZero() {
			t.Errorf("erasure left lost.Item.%s: %v", leaf.Path, leaf.Value)
		}
		if text := fmt.Sprintf("%+v", leaf.Value.Interface()); strings.Contains(text, "Nowak") {
			t.Errorf("erasure left the finder's name in lost.Item.%s: %s", leaf.Path, text)
		}
	}
	if i.Owner != owner {
		t.Errorf("erasing the finder changed the owner to %+v", i.Owner)
	}
	if i.EraseFinder(now.Add(time.Hour)) {
		t.Error("erasing twice changed something")
	}
}

// A person's name is removed from all free text in somebody else's item.
func TestRemovingANameReachesEveryText(t *testing.T) {
	i := guestItem(lost.Request)
	i.RemoveNames(surname)
	for _, leaf := range fieldtest.ItemLeaves(&i) {
		free, value := leaf.Field == nil || leaf.Field.HasWords(), leaf.Value
		if images, is := value.Interface().([]lost.Image); is {
			value = reflect.ValueOf(images[0].Facts) // the service writes the others
		}
		for _, text := range freeTexts(value) {
			if free && strings.Contains(text, surname) {
				t.Errorf("removing a name left it in lost.Item.%s: %s", leaf.Path, text)
			}
		}
	}
}

// freeTexts returns the texts in a value, without those that are one of a list, such as a colour.
func freeTexts(v reflect.Value) (texts []string) {
	switch v.Kind() {
	case reflect.Invalid: // what a nil pointer points to
	case reflect.Pointer:
		return freeTexts(v.Elem())
	case reflect.Struct:
		for n := range v.NumField() {
			texts = append(texts, freeTexts(v.Field(n))...)
		}
	case reflect.Slice:
		for n := range v.Len() {
			texts = append(texts, freeTexts(v.Index(n))...)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			texts = append(texts, key.String(), v.MapIndex(key).String())
		}
	default:
		if v.Type() == reflect.TypeFor[string]() {
			texts = append(texts, v.String())
		}
	}
	return texts
}

func TestTheHistoryNamesEveryFieldThatChanges(t *testing.T) {
	values := map[lost.FieldKind]string{
		lost.LineKind: "a line", lost.ProseKind: "two\nlines", lost.DateKind: "2026-11-14",
		lost.URLKind:   "https://a.example/x",
		lost.EmailKind: "anna@example.com", lost.PhoneKind: "+4930901820", lost.LanguageKind: "pl",
	}
	var whole lost.Item
	for _, leaf := range fieldtest.ItemLeaves(&whole) {
		f := leaf.Field
		if f == nil {
			t.Errorf("lost.Item.%s is not in lost.ItemFields", leaf.Path)
			continue
		}
		if f.Patch == nil || f.Kind == lost.ChoiceKind {
			continue
		}
		i := lost.Item{Description: "Umbrella", Source: lost.Found, Status: lost.Pending}
		var p lost.ItemPatch
		p.Owner.Sent, p.Shipping.Sent, p.Finder.Sent = true, true, true
		*f.Patch(&p) = lost.Set(values[f.Kind])
		changed, err := i.Update(p, now)
		if err != nil || !slices.Equal(changed, []string{f.Name}) {
			t.Errorf("setting %s: got history %v (%v)", f.Name, changed, err)
		}
	}
}

func TestTheHistoryKeepsItsNamesAndTheirOrder(t *testing.T) {
	want := []string{
		"description", "discoveryPlace", "discoveryDate", "brand", "model", "color", "storagePlace", "notes",
		"imageUrl",
		"shipping.weight", "shipping.weightUnit", "shipping.boxType", "shipping.isDocument",
		"shipping.notShippedBecause",
		"language", "hold", "keepUntil", "owner.firstName", "owner.lastName", "owner.email", "owner.phone",
		"externalId", "metadata", "category", "serialNumber", "value", "finder.name", "finder.email", "finder.phone",
		"finder.wantsReward", "finder.claimsItem",
	}
	got := lost.EditableItemFields()
	if !slices.Equal(got[:min(len(got), len(want))], want) {
		t.Errorf("editable fields are %v, want these first: %v", got, want)
	}
}

func TestPersonalFieldsAreAudited(t *testing.T) {
	all := []string{
		"status", "owner", "owner.email", "shipping", "shipping.weight", "shipping.recipient",
		"shipping.recipient.city",
		"handover", "handover.at", "request", "notes", "pickup",
	}
	want := []string{
		"owner", "owner.email", "shipping.recipient", "shipping.recipient.city", "handover", "request",
	}
	if got := lost.PersonalFields(all); !slices.Equal(got, want) {
		t.Errorf("personal fields are %v, want %v", got, want)
	}
}
