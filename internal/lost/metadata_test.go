package lost_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
)

func TestMetadataMergesByKey(t *testing.T) {
	now := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	i, err := lost.NewItem("acc", "loc", lost.ItemPatch{
		Description: lost.Set("Umbrella"),
		Metadata: lost.Set(lost.MetadataPatch{
			"room": lost.Set(" 312 "), "booking": lost.Set("HH-4711"), "nothing": lost.Clear[string](),
		}),
	}, now)
	if want := (lost.Metadata{"room": "312", "booking": "HH-4711"}); err != nil || !maps.Equal(i.Metadata, want) {
		t.Fatalf("got %v, %v, want %v", i.Metadata, err, want)
	}
	before := i
	changed, err := i.Update(lost.ItemPatch{Metadata: lost.Set(lost.MetadataPatch{
		"room": lost.Set("313"), "booking": lost.Clear[string](), "floor": lost.Set("3"), "unknown": lost.Set(""),
	})}, now)
	want := lost.Metadata{"room": "313", "floor": "3"}
	if err != nil || len(changed) != 1 || changed[0] != "metadata" || !maps.Equal(i.Metadata, want) {
		t.Errorf("got %v, changed %v, %v, want %v", i.Metadata, changed, err, want)
	}
	if before.Metadata["room"] != "312" {
		t.Error("the update changed a copy of the item")
	}
	if changed, err = i.Update(lost.ItemPatch{Metadata: lost.Set(lost.MetadataPatch{})}, now); err != nil ||
		len(changed) != 0 || !maps.Equal(i.Metadata, want) {
		t.Errorf("an empty object changed %v, %v", changed, err)
	}
	if _, err = i.Update(lost.ItemPatch{Metadata: lost.Clear[lost.MetadataPatch]()}, now); err != nil ||
		i.Metadata != nil {
		t.Errorf("null left %v, %v", i.Metadata, err)
	}
}

func TestInvalidMetadataIsRefusedByName(t *testing.T) {
	many := lost.MetadataPatch{}
	for n := range lost.MaxMetadata + 1 {
		many[fmt.Sprint("key", n)] = lost.Set("value")
	}
	long := strings.Repeat("x", lost.MaxMetadataKey+1)
	for field, patch := range map[string]lost.MetadataPatch{
		"metadata":                           many,
		"metadata.":                          {"": lost.Set("a")},
		"metadata. room":                     {" room": lost.Set("a")},
		"metadata.a\nb":                      {"a\nb": lost.Set("a")},
		"metadata." + lost.Shorten(long, 40): {long: lost.Set("a")},
		"metadata.room":                      {"room": lost.Set(strings.Repeat("ä", lost.MaxMetadataValue+1))},
		"metadata.booking":                   {"booking": lost.Set("a\x00b")},
	} {
		i := lost.Item{Description: "Umbrella", Metadata: lost.Metadata{"kept": "yes"}}
		_, err := i.Update(lost.ItemPatch{Metadata: lost.Set(patch)}, time.Now())
		if problems := lost.ProblemsOf(err); len(problems) != 1 || problems[0].Field != field {
			t.Errorf("%s: got %v", field, problems)
		}
	}
	full := lost.Item{Description: "Umbrella"}
	delete(many, "key0")
	if _, err := full.Update(lost.ItemPatch{Metadata: lost.Set(many)}, time.Now()); err != nil {
		t.Errorf("%d entries: %v", len(many), err)
	}
}

func TestALocationWithOtherMetadataHasChanged(t *testing.T) {
	l := lost.Location{Name: "Hotel", Type: lost.DefaultLocationType}
	for _, c := range []struct {
		patch lost.LocationPatch
		want  bool
	}{
		{lost.LocationPatch{ExternalID: lost.Set("HAM-1")}, true},
		{lost.LocationPatch{ExternalID: lost.Set("HAM-1")}, false},
		{lost.LocationPatch{Metadata: lost.Set(lost.MetadataPatch{"a": lost.Set("b")})}, true},
		{lost.LocationPatch{Metadata: lost.Set(lost.MetadataPatch{"a": lost.Set("b")})}, false},
		{lost.LocationPatch{Metadata: lost.Set(lost.MetadataPatch{"a": lost.Clear[string]()})}, true},
		{lost.LocationPatch{Metadata: lost.Clear[lost.MetadataPatch]()}, false},
	} {
		if changed, err := l.Update(c.patch, time.Now()); err != nil || changed != c.want {
			t.Errorf("%+v: changed %t, %v, want %t", c.patch, changed, err, c.want)
		}
	}
}

func TestNamesInMetadataAreRemovedWithTheirEntries(t *testing.T) {
	i := lost.Item{Metadata: lost.Metadata{
		"Anna Weber": "VIP", "room of anna@example.com": "312", "room": "312", "note": "call Anna Weber",
	}}
	shared := i.Metadata
	if !i.RemoveNames("anna@example.com", "Anna Weber") {
		t.Error("no name was removed")
	}
	want := lost.Metadata{"room": "312", "note": "call [removed]"}
	if !maps.Equal(i.Metadata, want) || len(shared) != 4 {
		t.Errorf("got %v, want %v; the copy has %v", i.Metadata, want, shared)
	}
	if i.RemoveNames("Anna Weber") {
		t.Error("a name was removed twice")
	}
}
