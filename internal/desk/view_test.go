package desk_test

import (
	"fmt"
	"testing"
	"time"

	"homeward/internal/lost"
)

func TestAViewIsItsMakersUnlessItIsShared(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		anna, ben, eve := person(b, "usr_anna", lost.DeskRole), person(b, "usr_ben", lost.DeskRole), person(b, "usr_eve", lost.ViewerRole)
		own, err := b.desk.CreateView(b.t.Context(), anna, lost.ViewPatch{Name: lost.Set("Umbrellas"), Query: lost.Set("term=umbrella")})
		if err != nil {
			b.t.Fatal(err)
		}
		b.clock.Advance(time.Second)
		shared, err := b.desk.CreateView(b.t.Context(), anna, lost.ViewPatch{Name: lost.Set("Phones"), Query: lost.Set("term=phone"), Shared: lost.Set(true)})
		if err != nil {
			b.t.Fatal(err)
		}
		sees := func(a lost.Actor) string {
			list, err := b.desk.Views(b.t.Context(), a)
			if err != nil {
				b.t.Fatal(err)
			}
			names := ""
			for _, v := range list {
				names += v.Name + " "
			}
			return names
		}
		if a, o := sees(anna), sees(ben); a != "Umbrellas Phones " || o != "Phones " {
			b.t.Errorf("anna sees %q, ben %q", a, o)
		}
		if err := b.desk.DeleteView(b.t.Context(), ben, own.ID); lost.CodeOf(err) != lost.NotFound {
			b.t.Errorf("ben deleted what is anna's: %v", err)
		}
		if _, err := b.desk.UpdateView(b.t.Context(), eve, shared.ID, lost.ViewPatch{Name: lost.Set("Mine")}); lost.CodeOf(err) != lost.Forbidden {
			b.t.Errorf("a viewer renamed what is shared: %v", err)
		}
		if _, err := b.desk.CreateView(b.t.Context(), eve, lost.ViewPatch{Name: lost.Set("Mine"), Shared: lost.Set(true)}); lost.CodeOf(err) != lost.Forbidden {
			b.t.Errorf("a viewer shared a view: %v", err)
		}
		if v, err := b.desk.UpdateView(b.t.Context(), ben, shared.ID, lost.ViewPatch{Name: lost.Set("Telephones")}); err != nil || v.Query != "term=phone" {
			b.t.Errorf("%+v, %v", v, err)
		}
		if _, err := b.desk.Views(b.t.Context(), b.actor); lost.CodeOf(err) != lost.Forbidden {
			b.t.Errorf("a program has views: %v", err)
		}
		if _, err := b.desk.CreateView(b.t.Context(), eve, lost.ViewPatch{Name: lost.Set(" ")}); !lost.ProblemsOf(err).Has("name") {
			b.t.Errorf("a view without a name: %v", err)
		}
	})
}

func TestAPersonKeepsSoManyViews(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		anna := person(b, "usr_anna", lost.ViewerRole)
		for n := range lost.MaxViews {
			if _, err := b.desk.CreateView(b.t.Context(), anna, lost.ViewPatch{Name: lost.Set(fmt.Sprint("View ", n))}); err != nil {
				b.t.Fatal(err)
			}
		}
		if _, err := b.desk.CreateView(b.t.Context(), anna, lost.ViewPatch{Name: lost.Set("One too many")}); lost.CodeOf(err) != lost.Conflict {
			b.t.Errorf("there is no end: %v", err)
		}
	})
}

func TestItemsAreListedByWhoRecordedThemAndWhatIsOpen(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		anna, ben := person(b, "usr_anna", lost.DeskRole), person(b, "usr_ben", lost.DeskRole)
		record := func(a lost.Actor, what string) lost.Item {
			i, err := b.desk.CreateItem(b.t.Context(), a, b.where.ID, lost.ItemPatch{Description: lost.Set(what)}, lost.IdempotencyKey{})
			if err != nil {
				b.t.Fatal(err)
			}
			return i
		}
		record(anna, "yesterday's umbrella")
		b.clock.Advance(24 * time.Hour)
		since := b.clock.Now()
		mine := record(anna, "an umbrella")
		record(anna, "a phone")
		record(ben, "an umbrella too")
		count := func(f lost.ItemFilter) int {
			f.Page = lost.FirstPage()
			list, err := b.desk.Items(b.t.Context(), anna, b.where.ID, f)
			if err != nil {
				b.t.Fatal(err)
			}
			if list.Count != len(list.Data) {
				b.t.Errorf("%d of %d", len(list.Data), list.Count)
			}
			return list.Count
		}
		if n := count(lost.ItemFilter{By: anna.ID, Since: since}); n != 2 {
			b.t.Errorf("anna recorded %d", n)
		}
		if n := count(lost.ItemFilter{By: anna.ID, Since: since, Term: "umbrella", Source: lost.Found}); n != 1 {
			b.t.Errorf("anna recorded %d umbrellas", n)
		}
		if n := count(lost.ItemFilter{Term: "UMBRELLA too", Statuses: []lost.Status{lost.Pending}, Source: lost.Found}); n != 1 {
			b.t.Errorf("%d of one status have two words", n)
		}
		if n := count(lost.ItemFilter{By: ben.ID, Since: since, Statuses: []lost.Status{lost.Pending}}); n != 1 {
			b.t.Errorf("ben recorded %d", n)
		}
		collect := func(closed bool) {
			p := lost.MovePatch{Status: lost.Set(string(lost.PickUp)), Closed: lost.Set(closed)}
			if _, err := b.desk.SetStatus(b.t.Context(), anna, b.where.ID, mine.ID, p); err != nil {
				b.t.Fatal(err)
			}
		}
		toCollect := lost.ItemFilter{Statuses: []lost.Status{lost.PickUp}, Open: true}
		if collect(false); count(toCollect) != 1 {
			b.t.Error("what is to be collected is not listed")
		}
		if collect(true); count(toCollect) != 0 {
			b.t.Error("what was collected is to be collected")
		}
		if n := count(lost.ItemFilter{Statuses: []lost.Status{lost.PickUp, lost.Pending}}); n != 5 {
			b.t.Errorf("two statuses have %d", n)
		}
		both := must(b.desk.Items(b.t.Context(), anna, b.where.ID, lost.ItemFilter{Statuses: []lost.Status{lost.PickUp, lost.Pending}, Source: lost.Found, Page: lost.FirstPage()}))
		if both.Count != 5 || len(both.Data) != 5 || both.Data[0].Description != "an umbrella too" || both.Data[2].Description != "an umbrella" {
			b.t.Errorf("two statuses are not in one order: %d of %d", len(both.Data), both.Count)
		}
	})
}
