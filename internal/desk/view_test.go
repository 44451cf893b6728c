package desk_test

import (
	"fmt"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

func TestAViewIsPrivateUnlessItIsShared(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		anna, ben, eve := b.Person("usr_anna", lost.DeskRole), b.Person("usr_ben", lost.DeskRole),
			b.Person("usr_eve", lost.ViewerRole)
		own, err := b.Services.Views.Create(b.T.Context(), anna,
			lost.ViewPatch{Name: lost.Set("Umbrellas"), Query: lost.Set("term=umbrella")})
		if err != nil {
			b.T.Fatal(err)
		}
		b.Clock.Advance(time.Second)
		shared, err := b.Services.Views.Create(b.T.Context(), anna,
			lost.ViewPatch{Name: lost.Set("Phones"), Query: lost.Set("term=phone"), Shared: lost.Set(true)})
		if err != nil {
			b.T.Fatal(err)
		}
		sees := func(a lost.Actor) string {
			list, err := b.Services.Views.List(b.T.Context(), a)
			if err != nil {
				b.T.Fatal(err)
			}
			names := ""
			for _, v := range list {
				names += v.Name + " "
			}
			return names
		}
		if a, o := sees(anna), sees(ben); a != "Umbrellas Phones " || o != "Phones " {
			b.T.Errorf("anna sees %q, ben %q", a, o)
		}
		if err := b.Services.Views.Delete(b.T.Context(), ben, own.ID); lost.CodeOf(err) != lost.NotFound {
			b.T.Errorf("ben deletes a view of anna's: got %v, want not found", err)
		}
		if _, err := b.Services.Views.Update(b.T.Context(), eve, shared.ID,
			lost.ViewPatch{Name: lost.Set("Mine")}); lost.CodeOf(err) != lost.Forbidden {
			b.T.Errorf("a viewer renames a shared view: got %v, want forbidden", err)
		}
		if _, err := b.Services.Views.Create(b.T.Context(), eve,
			lost.ViewPatch{Name: lost.Set("Mine"), Shared: lost.Set(true)}); lost.CodeOf(err) != lost.Forbidden {
			b.T.Errorf("a viewer shares a view: got %v, want forbidden", err)
		}
		if v, err := b.Services.Views.Update(b.T.Context(), ben, shared.ID,
			lost.ViewPatch{Name: lost.Set("Telephones")}); err != nil || v.Query != "term=phone" {
			b.T.Errorf("%+v, %v", v, err)
		}
		if _, err := b.Services.Views.List(b.T.Context(), b.Actor); lost.CodeOf(err) != lost.Forbidden {
			b.T.Errorf("views of an API client: got %v, want forbidden", err)
		}
		if _, err := b.Services.Views.Create(b.T.Context(), eve,
			lost.ViewPatch{Name: lost.Set(" ")}); !lost.ProblemsOf(err).Has("name") {
			b.T.Errorf("view without a name: got %v, want a problem", err)
		}
	})
}

func TestTheNumberOfViewsIsLimited(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		anna := b.Person("usr_anna", lost.ViewerRole)
		for n := range lost.MaxViews {
			if _, err := b.Services.Views.Create(b.T.Context(), anna,
				lost.ViewPatch{Name: lost.Set(fmt.Sprint("View ", n))}); err != nil {
				b.T.Fatal(err)
			}
		}
		if _, err := b.Services.Views.Create(b.T.Context(), anna,
			lost.ViewPatch{Name: lost.Set("One too many")}); lost.CodeOf(err) != lost.Conflict {
			b.T.Errorf("one view too many: got %v, want a conflict", err)
		}
	})
}

func TestItemsAreFilteredByCreatorAndOpenTasks(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		anna, ben := b.Person("usr_anna", lost.DeskRole), b.Person("usr_ben", lost.DeskRole)
		record := func(a lost.Actor, what string) lost.Item {
			i, err := b.Services.Items.Create(b.T.Context(), a, b.Location.ID,
				lost.ItemPatch{Description: lost.Set(what)}, lost.IdempotencyKey{})
			if err != nil {
				b.T.Fatal(err)
			}
			return i
		}
		record(anna, "yesterday's umbrella")
		b.Clock.Advance(24 * time.Hour)
		since := b.Clock.Now()
		mine := record(anna, "an umbrella")
		record(anna, "a phone")
		record(ben, "an umbrella too")
		count := func(f lost.ItemFilter) int {
			f.Page = lost.FirstPage()
			list, err := b.Services.Items.List(b.T.Context(), anna, b.Location.ID, f)
			if err != nil {
				b.T.Fatal(err)
			}
			if list.Count != len(list.Data) {
				b.T.Errorf("list has %d items, but its count is %d", len(list.Data), list.Count)
			}
			return list.Count
		}
		if n := count(lost.ItemFilter{By: anna.ID, Since: since}); n != 2 {
			b.T.Errorf("items recorded by anna: got %d, want 2", n)
		}
		if n := count(lost.ItemFilter{By: anna.ID, Since: since, Term: "umbrella", Source: lost.Found}); n != 1 {
			b.T.Errorf("umbrellas recorded by anna: got %d, want 1", n)
		}
		if n := count(lost.ItemFilter{
			Term: "UMBRELLA too", Statuses: []lost.Status{lost.Pending}, Source: lost.Found,
		}); n != 1 {
			b.T.Errorf("items with both words: got %d, want 1", n)
		}
		if n := count(lost.ItemFilter{By: ben.ID, Since: since, Statuses: []lost.Status{lost.Pending}}); n != 1 {
			b.T.Errorf("items recorded by ben: got %d, want 1", n)
		}
		collect := func(closed bool) {
			p := lost.MovePatch{Status: lost.Set(string(lost.PickUp)), Closed: lost.Set(closed)}
			if _, err := b.Services.Items.SetStatus(b.T.Context(), anna, b.Location.ID, mine.ID, p); err != nil {
				b.T.Fatal(err)
			}
		}
		toCollect := lost.ItemFilter{Statuses: []lost.Status{lost.PickUp}, Open: true}
		if collect(false); count(toCollect) != 1 {
			b.T.Error("an open pickup is not listed")
		}
		if collect(true); count(toCollect) != 0 {
			b.T.Error("a closed pickup is listed as open")
		}
		if n := count(lost.ItemFilter{Statuses: []lost.Status{lost.PickUp, lost.Pending}}); n != 5 {
			b.T.Errorf("items with either status: got %d, want 5", n)
		}
		both := testkit.Must(b.Services.Items.List(b.T.Context(), anna, b.Location.ID,
			lost.ItemFilter{
				Statuses: []lost.Status{lost.PickUp, lost.Pending}, Source: lost.Found, Page: lost.FirstPage(),
			}))
		if both.Count != 5 || len(both.Data) != 5 || both.Data[0].Description != "an umbrella too" ||
			both.Data[2].Description != "an umbrella" {
			b.T.Errorf("items with either status are not in order: got %d of %d", len(both.Data), both.Count)
		}
	})
}
