package desk_test

import (
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

// eventBodies returns the bodies of all events about an item.
func eventBodies(f *testkit.Fixture, i lost.Item) (bodies []string) {
	f.T.Helper()
	filter := lost.EventFilter{
		Types: slices.Concat(lost.ChangeEventTypes(), lost.DefaultEventTypes()),
		Page:  lost.Page{Number: 1, Limit: lost.MaxLimit},
	}
	for _, e := range testkit.Must(f.DB.Events(f.T.Context(), f.Actor.Account, filter)).Data {
		if e.ItemID == i.ID {
			bodies = append(bodies, string(e.Body))
		}
	}
	return bodies
}

// wantMasked fails if an event contains the whole number, or if fewer than n contain the masked one.
func wantMasked(f *testkit.Fixture, i lost.Item, whole, masked string, n int) {
	f.T.Helper()
	found := 0
	for _, body := range eventBodies(f, i) {
		if strings.Contains(body, whole) {
			f.T.Errorf("%s: an event contains the whole number: %s", i.Description, body)
		}
		if strings.Contains(body, `"serialNumber":"`+masked+`"`) {
			found++
		}
	}
	if found < n {
		f.T.Errorf("%s: %d events contain the masked number, want %d", i.Description, found, n)
	}
}

// The events that were recorded before the desk chose the category contain the number too.
func TestANumberIsMaskedInEarlierEvents(t *testing.T) {
	const whole, masked = "C01X00T478", "••••T478"
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		ctx := f.T.Context()
		patch := lost.ItemPatch{Description: lost.Set("Red booklet"), SerialNumber: lost.Set(whole)}
		once := lost.IdempotencyKey{Key: "booklet", Request: "digest"}
		kept := testkit.Must(f.Services.Items.Create(ctx, f.Actor, f.Location.ID, patch, once))
		removed := createItem(f, patch)
		phone := createItem(f, lost.ItemPatch{Description: lost.Set("Phone"), SerialNumber: lost.Set(whole)})
		update := func(i lost.Item, p lost.ItemPatch) {
			f.T.Helper()
			testkit.Must(f.Services.Items.Update(ctx, f.Actor, f.Location.ID, i.ID, p))
		}
		update(kept, lost.ItemPatch{Color: lost.Set("red")})
		update(removed, lost.ItemPatch{SerialNumber: lost.Set("")})
		update(kept, lost.ItemPatch{Category: lost.Set("passport")})
		update(removed, lost.ItemPatch{Category: lost.Set("document")})
		update(phone, lost.ItemPatch{Category: lost.Set("phone")})

		wantMasked(f, kept, whole, masked, 3)
		wantMasked(f, removed, whole, masked, 1)
		if bodies := strings.Join(eventBodies(f, phone), "\n"); strings.Count(bodies, whole) != 2 {
			f.T.Errorf("the number of a phone was masked: %s", bodies)
		}
		again := testkit.Must(f.Services.Items.Create(ctx, f.Actor, f.Location.ID, patch, once))
		if again.ID != kept.ID || again.SerialNumber != masked {
			f.T.Errorf("the stored response has the number %q of %s, want %q of %s", again.SerialNumber, again.ID,
				masked, kept.ID)
		}
	})
}

// A background run gives the category to an item whose number was removed, but not from its events.
func TestARunMasksNumbersInEarlierEvents(t *testing.T) {
	const whole, masked = "C01X00T478", "••••T478"
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		i := createItem(f, lost.ItemPatch{Description: lost.Set("Passport"), SerialNumber: lost.Set(whole)})
		testkit.Must(f.Services.Items.Update(f.T.Context(), f.Actor, f.Location.ID, i.ID,
			lost.ItemPatch{SerialNumber: lost.Set("")}))
		runCategories(f, testkit.Must(f.Services.Categories.Start(f.T.Context(), f.Actor)))
		if got := categoryOf(f, i); got != lost.PassportCategory {
			f.T.Fatalf("got category %q, want passport", got)
		}
		wantMasked(f, i, whole, masked, 1)
	})
}

// An item that is recorded as an identity paper never has the whole number.
func TestANumberOfAnIdentityPaperIsNeverInAnEvent(t *testing.T) {
	const whole, masked = "C01X00T478", "••••T478"
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		i := createItem(f, lost.ItemPatch{
			Description: lost.Set("Card"), SerialNumber: lost.Set(whole), Category: lost.Set("card"),
		})
		wantMasked(f, i, whole, masked, 1)
	})
}
