package desk_test

import (
	"fmt"
	"slices"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

// runCategories performs a run, or its undoing, to the end, and returns it.
func runCategories(f *testkit.Fixture, r lost.CategoryRun) lost.CategoryRun {
	f.T.Helper()
	for more := true; more; {
		more = testkit.Must(f.Services.Categories.Continue(f.T.Context(), r.Account, r.ID))
	}
	r, _, err := f.Services.Categories.State(f.T.Context(), f.Actor)
	testkit.Must(0, err)
	return r
}

func createItem(f *testkit.Fixture, p lost.ItemPatch) lost.Item {
	return testkit.Must(f.Services.Items.Create(f.T.Context(), f.Actor, f.Location.ID, p, lost.IdempotencyKey{}))
}

func categoryOf(f *testkit.Fixture, i lost.Item) lost.Category {
	return testkit.Must(f.DB.Item(f.T.Context(), i.Account, i.LocationID, i.ID)).Category
}

// The fixture has an umbrella already.
func TestItemsGetTheirSuggestedCategoriesAndLoseThemAgain(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		umbrella := createItem(f, lost.ItemPatch{Description: lost.Set("Black umbrella")})
		unclear := createItem(f, lost.ItemPatch{Description: lost.Set("Something blue")})
		chosen := createItem(f, lost.ItemPatch{Description: lost.Set("Phone"), Category: lost.Set("other")})
		later := createItem(f, lost.ItemPatch{Description: lost.Set("Keys")})
		for n := range 210 { // several batches
			createItem(f, lost.ItemPatch{Description: lost.Set(fmt.Sprint("Scarf ", n))})
		}
		page := lost.EventFilter{Page: lost.FirstPage()}
		events := len(testkit.Must(f.DB.Events(f.T.Context(), f.Actor.Account, page)).Data)
		r := testkit.Must(f.Services.Categories.Start(f.T.Context(), f.Actor))
		if _, err := f.Services.Categories.Start(f.T.Context(), f.Actor); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("a second run: got %v, want a conflict", err)
		}
		r = runCategories(f, r)
		if r.State != lost.CategoriesSet || r.Checked != 214 || r.Changed != 213 {
			t.Errorf("got run %+v, want 214 items read and 213 categories set", r)
		}
		for want, i := range map[lost.Category]lost.Item{
			lost.UmbrellaCategory: umbrella, "": unclear, lost.OtherCategory: chosen, lost.KeysCategory: later,
		} {
			if got := categoryOf(f, i); got != want {
				t.Errorf("%s: got category %q, want %q", i.Description, got, want)
			}
		}
		history := testkit.Must(f.DB.History(f.T.Context(), f.Actor.Account, umbrella.ID, lost.FirstPage())).Data
		if !slices.ContainsFunc(history, func(e lost.Entry) bool {
			return e.Actor.Kind == lost.ByService && e.Note == lost.Note(lost.NoteCategory)
		}) {
			t.Errorf("got history %+v, want a suggestion by the service", history)
		}
		if got := len(testkit.Must(f.DB.Events(f.T.Context(), f.Actor.Account, page)).Data); got != events {
			t.Errorf("got %d events, want %d: a run has none", got, events)
		}
		testkit.Must(f.Services.Items.Update(f.T.Context(), f.Actor, f.Location.ID, later.ID,
			lost.ItemPatch{Category: lost.Set("card")}))
		testkit.Must(f.Services.Categories.Undo(f.T.Context(), f.Actor, r.ID))
		r = runCategories(f, r)
		if r.State != lost.CategoriesUndone || r.Undone != 212 {
			t.Errorf("got run %+v, want 212 categories undone", r)
		}
		for want, i := range map[lost.Category]lost.Item{
			"": umbrella, lost.OtherCategory: chosen, lost.CardCategory: later,
		} {
			if got := categoryOf(f, i); got != want {
				t.Errorf("after undoing, %s: got category %q, want %q", i.Description, got, want)
			}
		}
		_, err := f.Services.Categories.Undo(f.T.Context(), f.Actor, r.ID)
		if lost.CodeOf(err).Kind() != lost.Conflict {
			t.Errorf("undoing twice: got %v, want wrong-state", err)
		}
	})
}

func TestARunThatIsUndoneEarlyStops(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		for n := range 150 {
			createItem(f, lost.ItemPatch{Description: lost.Set(fmt.Sprint("Scarf ", n))})
		}
		r := testkit.Must(f.Services.Categories.Start(f.T.Context(), f.Actor))
		if more := testkit.Must(f.Services.Categories.Continue(f.T.Context(), r.Account, r.ID)); !more {
			t.Error("the first batch reports that nothing remains")
		}
		testkit.Must(f.Services.Categories.Undo(f.T.Context(), f.Actor, r.ID))
		if r = runCategories(f, r); r.State != lost.CategoriesUndone || r.Changed != 100 || r.Undone != 100 {
			t.Errorf("got run %+v, want 100 categories set and undone", r)
		}
	})
}

// A number that is masked cannot be restored by undoing the run.
func TestARunDoesNotMaskSerialNumbers(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		var numbered, unnumbered []lost.Item
		for _, words := range []string{"German passport", "Bank card", "Identity card"} {
			numbered = append(numbered, createItem(f, lost.ItemPatch{
				Description: lost.Set(words), SerialNumber: lost.Set("C01X00T478"),
			}))
			unnumbered = append(unnumbered, createItem(f, lost.ItemPatch{Description: lost.Set(words)}))
		}
		phone := createItem(f, lost.ItemPatch{
			Description: lost.Set("Phone"), SerialNumber: lost.Set("C01X00T478"),
		})
		r := runCategories(f, testkit.Must(f.Services.Categories.Start(f.T.Context(), f.Actor)))
		for n, i := range numbered {
			got := testkit.Must(f.DB.Item(t.Context(), i.Account, i.LocationID, i.ID))
			if got.SerialNumber != "C01X00T478" || got.Category != "" {
				t.Errorf("%s: got number %q and category %q, want an unchanged item", i.Description,
					got.SerialNumber, got.Category)
			}
			if got := categoryOf(f, unnumbered[n]); !got.IsIdentity() {
				t.Errorf("%s without a number: got category %q, want that of an identity paper", i.Description, got)
			}
		}
		if got := categoryOf(f, phone); got != lost.PhoneCategory {
			t.Errorf("phone with a number: got category %q, want phone", got)
		}
		testkit.Must(f.Services.Categories.Undo(f.T.Context(), f.Actor, r.ID))
		runCategories(f, r)
		for _, i := range append(append(numbered, phone), unnumbered...) {
			got := testkit.Must(f.DB.Item(t.Context(), i.Account, i.LocationID, i.ID))
			if got.SerialNumber != i.SerialNumber || got.Category != "" {
				t.Errorf("%s, undone: got number %q and category %q, want number %q and none", i.Description,
					got.SerialNumber, got.Category, i.SerialNumber)
			}
		}
	})
}

// Nobody is notified by a run, because no undo takes a message back. An item stays as it is if a keeping rule for its
// category would have consequences at once.
func TestARunLeavesItemsThatWouldBecomeDue(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		testkit.Must(f.Services.Locations.Update(t.Context(), f.Actor, f.Location.ID, lost.LocationPatch{
			StorageDuration: lost.Set(365), KeepingRules: lost.Set([]lost.KeepingRule{
				{Category: lost.WatchCategory, Days: 30, Then: lost.ThenFinder},
				{Category: lost.UmbrellaCategory, Days: 30},
			}),
		}))
		today := f.Location.Day(f.Clock.Now())
		found := func(text string, daysAgo int) lost.Item {
			return createItem(f, lost.ItemPatch{
				Description: lost.Set(text), DiscoveryDate: lost.Set(lost.AddDays(today, -daysAgo)),
				Finder: lost.Set(lost.FinderPatch{
					Name: lost.Set("Marta Nowak"), Email: lost.Set("marta@example.com"), ClaimsItem: lost.Set(true),
				}),
			})
		}
		due, dueSoon, later := found("Wrist watch", 60), found("Umbrella", 28), found("Wrist watch", 1)
		r := runCategories(f, testkit.Must(f.Services.Categories.Start(t.Context(), f.Actor)))
		for _, i := range []lost.Item{due, dueSoon} {
			got := testkit.Must(f.DB.Item(t.Context(), i.Account, i.LocationID, i.ID))
			if got.Category != "" || got.StoreUntil() != i.StoreUntil() || !got.UpdatedAt.Equal(i.UpdatedAt) {
				t.Errorf("%s, due by its category: category %q, until %s", i.Description, got.Category,
					got.StoreUntil())
			}
		}
		if got := categoryOf(f, later); got != lost.WatchCategory {
			t.Errorf("an item that is stored for a while: got category %q, want watch", got)
		}
		if r.Checked-r.Changed < 2 {
			t.Errorf("got run %+v, want 2 items or more that were left alone", r)
		}
	})
}

func TestOnlyWhoManagesLocationsStartsARun(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		desk := f.Actor
		desk.Role = lost.DeskRole
		if _, err := f.Services.Categories.Start(f.T.Context(), desk); lost.CodeOf(err) != lost.Forbidden {
			t.Errorf("got %v, want forbidden", err)
		}
		other := f.Actor
		other.Account = "acc_other"
		r := testkit.Must(f.Services.Categories.Start(f.T.Context(), f.Actor))
		if _, err := f.Services.Categories.Undo(f.T.Context(), other, r.ID); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("another account: got %v, want not-found", err)
		}
	})
}
