package v1_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

// sendBack decodes a whole item with some fields changed, and compares it with the item.
func sendBack(t *testing.T, i lost.Item, change func(map[string]any)) (lost.ItemPatch, error) {
	t.Helper()
	p, err := v1.DecodeItem(echo(t, wire.Item(i), change))
	if err != nil {
		t.Fatal(err)
	}
	return p, wire.CheckReadOnlyItem(&p, i)
}

// momentItem is an item with a read-only time in every place where an item can have one.
func momentItem() lost.Item {
	i := fullItem()
	i.CreatedAt = time.Date(2026, 11, 15, 12, 0, 21, 710_000_000, time.UTC)
	i.UpdatedAt = i.CreatedAt.Add(time.Hour)
	i.ClosedAt, i.Images[0].At = i.CreatedAt, i.CreatedAt
	return i
}

// Clients write times in their own way. The service compares them as times.
func TestTimesCanBeSentBackInAnySpelling(t *testing.T) {
	for _, sent := range []string{
		"2026-11-15T12:00:21.71Z",                 // Go
		"2026-11-15T12:00:21.710000+00:00",        // Python
		"2026-11-15T12:00:21.710Z",                // JavaScript
		"2026-11-15T13:00:21.710000000+01:00",     // another zone
		"2026-11-14T22:30:21.71-13:30",            // another day
		"2026-11-15T12:00:21.7Z",                  // fewer digits
		"2026-11-15T12:00:21Z",                    // none
		"2026-11-15T12:00:21.709999942321777344Z", // converted to a floating-point number and back
	} {
		p, err := sendBack(t, momentItem(), func(f map[string]any) {
			f["createdAt"], f["closedAt"] = sent, sent
			f["images"].([]any)[0].(map[string]any)["createdAt"] = sent
		})
		if err != nil || len(p.Problems) > 0 {
			t.Errorf("%s: %v %v", sent, err, p.Problems)
		}
	}
	for _, sent := range []any{
		"2026-11-15T12:00:21.711Z", "2026-11-15T12:00:21.710+01:00", "2026-11-15T12:00:22Z", "2026-11-15T12:00:21.8Z",
		"2026-11-15", "noon", "", 1794744021, nil,
	} {
		p, err := sendBack(t, momentItem(), func(f map[string]any) {
			f["closedAt"] = sent
			f["images"].([]any)[0].(map[string]any)["createdAt"] = sent
		})
		if want := []string{"closedAt read-only", "images read-only"}; err != nil ||
			!slices.Equal(fieldsOf(p.Problems), want) {
			t.Errorf("%v: %v %v, want %v", sent, err, fieldsOf(p.Problems), want)
		}
	}
}

func TestAWholeRecordThatHasChangedIsStale(t *testing.T) {
	i := momentItem() // changed at 13:00:21.710
	for _, c := range []struct {
		sent     string
		stale    bool
		problems []string
	}{
		{"2026-11-15T13:00:21.710Z", false, nil},
		{"2026-11-15T14:00:21.71+01:00", false, nil},
		{"2026-11-15T13:00:21Z", false, nil},
		{"2026-11-15T13:00:21.709Z", true, nil},
		{"2026-11-15T13:00:20Z", true, nil},
		{"2026-11-15T13:00:21.711Z", false, []string{"updatedAt read-only"}}, // the service never showed this
		{"noon", false, []string{"updatedAt read-only"}},
	} {
		p, err := sendBack(t, i, func(f map[string]any) {
			f["updatedAt"] = c.sent
			if c.stale {
				f["status"] = "PENDING" // as it was then
			}
		})
		if stale := lost.ReasonOf(err) == lost.Stale; stale != c.stale || !stale && err != nil ||
			!slices.Equal(fieldsOf(p.Problems), c.problems) {
			t.Errorf("%s: %v %v, want stale %t and problems %v", c.sent, err, fieldsOf(p.Problems), c.stale, c.problems)
		}
	}
}

// Typed clients send back what their types contain: not the members that they do not know, and empty values for those
// that the service left out.
func TestTypedClientsCanSendBackReadOnlyObjects(t *testing.T) {
	i := momentItem()
	i.DisownedAt, i.Destination, i.Pickup.Time = time.Time{}, "", ""
	p, err := sendBack(t, i, func(f map[string]any) {
		image := f["images"].([]any)[0].(map[string]any)
		delete(image, "thumbnailUrl")
		f["disownedAt"], f["destination"] = "", nil
		f["pickup"].(map[string]any)["time"] = nil
	})
	if err != nil || len(p.Problems) > 0 {
		t.Errorf("%v %v", err, p.Problems)
	}
	p, err = sendBack(t, i, func(f map[string]any) {
		f["images"].([]any)[0].(map[string]any)["rating"] = 5
		f["pickup"] = map[string]any{"date": "2026-12-24"}
		f["id"] = map[string]any{}
	})
	if want := []string{"id read-only", "images read-only", "pickup read-only"}; err != nil ||
		!slices.Equal(fieldsOf(p.Problems), want) {
		t.Errorf("%v %v, want %v", err, fieldsOf(p.Problems), want)
	}
}

// A whole record leaves the location's storage place inherited. A place that is sent without updatedAt is the client's
// choice, even if it is the location's at the moment.
func TestAnInheritedStoragePlaceIsPinnedOnlyOnPurpose(t *testing.T) {
	i := momentItem()
	i.StoragePlace, i.Terms.StoragePlace = "", "Cellar"
	for body, pinned := range map[string]bool{
		fmt.Sprintf(`{"storagePlace":"Cellar","updatedAt":%q}`, wire.Item(i).UpdatedAt): false,
		`{"storagePlace":"Cellar"}`: true,
		fmt.Sprintf(`{"storagePlace":"Attic","updatedAt":%q}`, wire.Item(i).UpdatedAt): true,
	} {
		p, err := v1.DecodeItem([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if err := wire.CheckReadOnlyItem(&p, i); err != nil || p.StoragePlace.Sent != pinned {
			t.Errorf("%s: sent %t, want %t (%v)", body, p.StoragePlace.Sent, pinned, err)
		}
	}
}
