package v1_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/fieldtest"
	v1 "homeward/internal/v1"
)

// hiddenFields lists the fields of items and locations that the API does not return.
var hiddenFields = []string{
	"account", "imageFile", "logoFile", "terms", "movedBy", "movedAt", "ownerState", "pickup.planned",
	"request.question", "request.answeredAt",
	"shipping.shipmentId", "shipping.byGuest", "shipping.offered", "shipping.unpriced", "shipping.paid",
	"shipping.awaited", "shipping.fromDays", "shipping.toDays", "shipping.troubles",
	"finderTold.reward", "finderTold.item",
	"handover.signatureFile", "handover.before.status", "handover.before.pickup", "handover.before.hold",
}

// shown returns the value at a path in a record's JSON.
func shown(t *testing.T, body []byte, path string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	for name := range strings.SplitSeq(path, ".") {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

func checkShown[R, P any](t *testing.T, record string, body []byte, leaves []fieldtest.Leaf[R, P]) {
	t.Helper()
	for _, leaf := range leaves {
		if leaf.Field == nil {
			t.Errorf("%s.%s is not in the list of fields", record, leaf.Path)
			continue
		}
		is := shown(t, body, leaf.Field.Name) != nil
		if hidden := slices.Contains(hiddenFields, leaf.Field.Name); is == hidden {
			t.Errorf("%s.%s as %s: in the JSON %t, in hiddenFields %t", record, leaf.Path, leaf.Field.Name, is, hidden)
		}
	}
}

func TestEveryFieldIsShownOrHidden(t *testing.T) {
	var i lost.Item
	fieldtest.Fill(&i, func(path string) string { return path })
	i.Source = lost.Request
	body, err := v1.Encode(wire.Item(i))
	if err != nil {
		t.Fatal(err)
	}
	checkShown(t, "lost.Item", body, fieldtest.ItemLeaves(&i))

	var l lost.Location
	fieldtest.Fill(&l, func(path string) string { return path })
	if body, err = v1.Encode(wire.Location(l)); err != nil {
		t.Fatal(err)
	}
	checkShown(t, "lost.Location", body, fieldtest.LocationLeaves(&l))
}

// When a guest's data is erased, it is removed from the events about their item by the same rules as from the item.
func TestRedactingAnEventFollowsTheErasureOfItsItem(t *testing.T) {
	const surname = "Kessler"
	for _, source := range []lost.Source{lost.Found, lost.Request} {
		var i lost.Item
		fieldtest.Fill(&i, func(path string) string { return "for " + surname + ": " + path })
		i.Source, i.Owner.LastName = source, surname
		body, err := wire.EventBody(lost.NewEvent(lost.PickupEvent, i, i.UpdatedAt), i)
		if err != nil {
			t.Fatal(err)
		}
		without, err := v1.WithoutGuest(body)
		if err != nil {
			t.Fatal(err)
		}
		erased := i
		erased.EraseGuest(time.Now())
		for _, leaf := range fieldtest.ItemLeaves(&erased) {
			if leaf.Field == nil {
				t.Errorf("redaction of events has no rule for lost.Item.%s: it is not in lost.ItemFields", leaf.Path)
				continue
			}
			name := leaf.Field.Name
			text := fmt.Sprint(shown(t, without, "payload.item."+name))
			keepsValue := leaf.Field.Erase == lost.KeepValue || leaf.Field.Erase == lost.EraseWithFinder
			if !keepsValue && strings.Contains(text, surname) {
				t.Errorf("%s: the event still contains the guest's name in %s: %s", source, name, text)
			}
			if want := leaf.Field.Text(&erased); want != nil && leaf.Field.HasWords() && text != "<nil>" &&
				text != *want {
				t.Errorf("%s: %s is %q in the event and %q in the item", source, name, text, *want)
			}
		}
	}
}

// The finder of an item is another person than its guest: each of them is erased from the item's events alone.
func TestRedactingAnEventTellsTheFinderFromTheGuest(t *testing.T) {
	i := lost.Item{
		ID: "item_1", Description: "Umbrella", Source: lost.Found, Status: lost.Pending,
		Notes:  "Nowak brought it (marta@example.com)",
		Owner:  lost.Owner{LastName: "Kessler", Email: "k@example.com"},
		Finder: lost.Finder{Name: "Nowak", Email: "marta@example.com", WantsReward: true},
	}
	body, err := wire.EventBody(lost.NewEvent(lost.PickupEvent, i, time.Now()), i)
	if err != nil {
		t.Fatal(err)
	}
	guest, finder := lost.Person{Email: "K@example.com"}, lost.Person{Email: "Marta@example.com"}
	for _, c := range []struct {
		name          string
		redact        func([]byte) ([]byte, error)
		guest, finder bool // who is still in the body
	}{
		{"without the guest", func(b []byte) ([]byte, error) { return v1.WithoutPerson(b, guest) }, false, true},
		{"without the finder", func(b []byte) ([]byte, error) { return v1.WithoutPerson(b, finder) }, true, false},
		{"without somebody else", func(b []byte) ([]byte, error) {
			return v1.WithoutPerson(b, lost.Person{Email: "other@example.com"})
		}, true, true},
		{"only the guest", func(b []byte) ([]byte, error) {
			only, _, err := v1.OnlyPerson(b, guest)
			return only, err
		}, true, false},
		{"only the finder", func(b []byte) ([]byte, error) {
			only, _, err := v1.OnlyPerson(b, finder)
			return only, err
		}, false, true},
	} {
		got, err := c.redact(body)
		if err != nil {
			t.Fatal(err)
		}
		text := string(got)
		if has := strings.Contains(text, "Kessler") || strings.Contains(text, "k@example.com"); has != c.guest {
			t.Errorf("%s: the guest is in the body: %t, want %t: %s", c.name, has, c.guest, text)
		}
		if has := strings.Contains(text, "marta@example.com"); has != c.finder {
			t.Errorf("%s: the finder is in the body: %t, want %t: %s", c.name, has, c.finder, text)
		}
	}
}

// Regression test: GET /v1/events/{id} still returned the claimant's name after their data had been erased.
func TestErasedClaimantIsRemovedFromTheModelInEvents(t *testing.T) {
	i, err := lost.NewRequest("acc_1", "loc_1", lost.RequestPatch{
		Description: lost.Set("Fountain pen"), Brand: lost.Set("Kessler's own"),
		Model: lost.Set("engraved for Kessler"),
		Color: lost.Set("Kessler blue"),
		Owner: lost.Set(lost.OwnerPatch{LastName: lost.Set("Kessler"), Email: lost.Set("k@example.com")}),
	}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	body, err := wire.EventBody(lost.NewEvent(lost.RequestEvent, i, time.Now()), i)
	if err != nil {
		t.Fatal(err)
	}
	for _, redact := range []func([]byte) ([]byte, error){
		v1.WithoutGuest,
		func(body []byte) ([]byte, error) { return v1.WithoutPerson(body, lost.Person{Email: "K@example.com"}) },
	} {
		without, err := redact(body)
		if err != nil || strings.Contains(string(without), "Kessler") || strings.Contains(string(without), "engraved") {
			t.Errorf("the event still contains the claimant's name (%v): %s", err, without)
		}
	}
}

// Every editable field must be decoded without a problem.
func TestEveryEditableFieldIsDecoded(t *testing.T) {
	values := map[string]any{
		"shipping.weight": 1.5, "shipping.isDocument": true, "metadata": map[string]any{"room": "312", "floor": nil},
		"value": map[string]any{"amount": 4500}, "finder.wantsReward": true, "finder.claimsItem": false,
	}
	for _, name := range lost.EditableItemFields() {
		value, other := values[name]
		if !other {
			value = "text"
		}
		body, _ := json.Marshal(nest(strings.Split(name, "."), value))
		p, err := v1.DecodeItem(body)
		if err != nil || len(p.Problems) > 0 {
			t.Errorf("%s: %v %v", name, err, p.Problems)
		}
	}
}

// nest wraps a value in nested objects, one for each name in path, outermost first.
func nest(path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	return map[string]any{path[0]: nest(path[1:], value)}
}
