package outbox_test

import (
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
)

// handedIn creates an item that a finder handed in, who wants it if no owner comes.
func (n *fixture) handedIn(email, phone string) lost.Item {
	n.t.Helper()
	return n.createItem(lost.ItemPatch{
		Description: lost.Set("Umbrella"), Finder: lost.Set(lost.FinderPatch{
			Name: lost.Set("Marta Nowak"), Email: lost.Set(email), Phone: lost.Set(phone), ClaimsItem: lost.Set(true),
		}),
	})
}

func (n *fixture) setKeeping(rules ...lost.KeepingRule) {
	n.t.Helper()
	_, err := n.desk.Locations.Update(n.t.Context(), n.actor, n.where.ID,
		lost.LocationPatch{KeepingRules: lost.Set(rules)})
	if err != nil {
		n.t.Fatal(err)
	}
	n.runAll()
}

func (n *fixture) updateFinder(i lost.Item, p lost.ItemPatch) {
	n.t.Helper()
	if _, err := n.desk.Items.Update(n.t.Context(), n.actor, n.where.ID, i.ID, p); err != nil {
		n.t.Fatal(err)
	}
}

// decide decides what should happen to an overdue item.
func (n *fixture) decide(i lost.Item, to lost.Destination) lost.Clearance {
	n.t.Helper()
	decisions, _, err := n.desk.Storage.DecideOverdue(n.t.Context(), n.actor, n.where.ID, []string{i.ID}, to,
		time.Time{})
	if err != nil {
		n.t.Fatal(err)
	}
	return decisions[0]
}

// carryOut carries out a decision when it can no longer be undone.
func (n *fixture) carryOut(c lost.Clearance) {
	n.t.Helper()
	n.clock.Advance(time.Hour)
	if _, err := n.desk.Storage.CarryOutDecision(n.t.Context(), c.Account, c.ID); err != nil {
		n.t.Fatal(err)
	}
}

// expectTold checks that an item's history and messages say once that the finder was told that it is theirs.
func (n *fixture) expectTold(i lost.Item, by lost.ActorKind) {
	n.t.Helper()
	history, err := n.desk.Items.History(n.t.Context(), n.actor, n.where.ID, i.ID, lost.FirstPage())
	if err != nil {
		n.t.Fatal(err)
	}
	told := 0
	for _, e := range history.Data {
		if slices.Contains(e.Fields, "finderTold") && e.Actor.Kind == by {
			told++
		}
	}
	messages, err := n.desk.Messages.ListOfItem(n.t.Context(), n.actor, n.where.ID, i.ID, lost.FirstPage())
	if err != nil {
		n.t.Fatal(err)
	}
	if told != 1 || len(messages.Data) != 1 || messages.Data[0].Kind != lost.FinderItem ||
		messages.Data[0].State != lost.MessageSent || n.item(i).FinderNotices.Item.IsZero() {
		n.t.Errorf("%d entries in the history, messages %+v", told, messages.Data)
	}
}

func TestTheFinderIsToldWhenARuleGivesThemTheItem(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		const marta, digest = "marta@example.com", "digest to desk@adler.example"
		finder := lost.KeepingRule{Days: 30, Then: lost.ThenFinder}
		n.setKeeping(finder)
		start := n.where.Day(n.clock.Now())
		first, byPhone := n.handedIn(marta, "+48221234568"), n.handedIn("", "+48221234568")
		held, unclaimed := n.handedIn("held@example.com", ""), n.handedIn("unclaimed@example.com", "")
		erased := n.handedIn("erased@example.com", "")
		n.updateFinder(held, lost.ItemPatch{Hold: lost.Set("Police")})
		n.updateFinder(unclaimed, lost.ItemPatch{Finder: lost.Set(lost.FinderPatch{ClaimsItem: lost.Set(false)})})
		n.erase("erased@example.com")
		n.expectSent("while the items are stored")
		n.advanceTo(lost.AddDays(start, 30) + " 23:00")
		n.expectSent("on the last day")
		n.advanceTo(lost.AddDays(start, 31) + " 00:01")
		n.expectSent("after the last day", "finder-item to +48221234568", "finder-item to "+marta)
		n.expectTold(first, lost.ByService)
		n.expectTold(byPhone, lost.ByService)
		if n.item(erased).Finder.Known() {
			t.Error("the finder was not erased")
		}

		n.setKeeping(lost.KeepingRule{Days: 60, Then: lost.ThenFinder})
		n.advanceTo(lost.AddDays(start, 61) + " 00:01")
		n.expectSent("after the end of storage has moved", digest)
		n.carryOut(n.decide(first, lost.ToFinder))
		n.expectSent("after the desk has decided the same")
		if got := n.item(first); got.Destination != lost.ToFinder {
			t.Errorf("the item went to %q", got.Destination)
		}
		n.updateFinder(held, lost.ItemPatch{Hold: lost.Clear[string]()})
		n.expectSent("after the hold", "finder-item to held@example.com")
	})
}

func TestTheFinderIsToldWhenTheDeskDecidesSo(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		const marta = "marta@example.com"
		start := n.where.Day(n.clock.Now())
		theirs, donated := n.handedIn(marta, ""), n.handedIn("other@example.com", "")
		unclaimed := n.handedIn("unclaimed@example.com", "")
		n.updateFinder(unclaimed, lost.ItemPatch{Finder: lost.Set(lost.FinderPatch{ClaimsItem: lost.Set(false)})})
		n.advanceTo(lost.AddDays(start, 31) + " 00:01")
		n.expectSent("after the last day, without a rule")
		undone := n.decide(theirs, lost.ToFinder)
		n.expectSent("while the decision can be undone")
		if _, err := n.desk.Storage.UndoDecision(t.Context(), n.actor, n.where.ID, undone.ID); err != nil {
			t.Fatal(err)
		}
		n.clock.Advance(time.Hour)
		n.expectSent("after the decision was undone")
		decisions := []lost.Clearance{
			n.decide(theirs, lost.ToFinder), n.decide(donated, lost.Donated), n.decide(unclaimed, lost.ToFinder),
		}
		n.setKeeping(lost.KeepingRule{Days: 30, Then: lost.ThenFinder})
		n.expectSent("a rule does not overtake a decision")
		for _, d := range decisions {
			n.carryOut(d)
		}
		n.expectSent("after the decision", "finder-item to "+marta)
		n.expectTold(theirs, n.actor.Kind)
		n.clock.Advance(30 * 24 * time.Hour)
		n.expectSent("later")
	})
}

// A message to the finder that waits because e-mail does not work is not sent after the item went on hold, or after
// their data was erased.
func TestAMessageToTheFinderThatIsNoLongerTrueIsNotSent(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		n.setKeeping(lost.KeepingRule{Days: 30, Then: lost.ThenFinder})
		start := n.where.Day(n.clock.Now())
		held, erased := n.handedIn("held@example.com", ""), n.handedIn("erased@example.com", "")
		down := func(lost.MessageData, func() error) (lost.SendResult, error) {
			return lost.SendResult{}, lost.E(lost.Unavailable, "The mail server does not answer.")
		}
		n.messenger.send = down
		n.advanceTo(lost.AddDays(start, 31) + " 00:01")
		n.expectSent("while e-mail does not work")
		n.updateFinder(held, lost.ItemPatch{Hold: lost.Set("Police")})
		n.erase("erased@example.com")
		n.messenger.send = nil
		n.clock.Advance(time.Hour)
		n.expectSent("when e-mail works again")
		if i := n.item(erased); i.Finder.Known() || !i.FinderNotices.Item.IsZero() {
			t.Errorf("after the erasure: %+v, told %v", i.Finder, i.FinderNotices)
		}
	})
}

// The finder is told when they claim the item, or give an address, after its storage has ended.
func TestTheFinderIsToldIfTheyClaimTheItemLate(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		n.setKeeping(lost.KeepingRule{Days: 30, Then: lost.ThenFinder}, lost.KeepingRule{Days: 30})
		start := n.where.Day(n.clock.Now())
		claimed, reached := n.handedIn("claimed@example.com", ""), n.handedIn("", "")
		n.updateFinder(claimed, lost.ItemPatch{Finder: lost.Set(lost.FinderPatch{ClaimsItem: lost.Set(false)})})
		n.advanceTo(lost.AddDays(start, 31) + " 00:01")
		n.expectSent("after the last day")
		n.updateFinder(claimed, lost.ItemPatch{Finder: lost.Set(lost.FinderPatch{ClaimsItem: lost.Set(true)})})
		n.expectSent("after the claim", "finder-item to claimed@example.com")
		n.updateFinder(reached, lost.ItemPatch{
			Finder: lost.Set(lost.FinderPatch{Email: lost.Set("reached@example.com")}),
		})
		n.expectSent("with an address", "finder-item to reached@example.com")
	})
}

// A change of rules that moves no day tells the finders of items that are overdue, and only them.
func TestTheFinderIsToldWhenARuleGivesThemAnOverdueItem(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		n.setKeeping(lost.KeepingRule{Days: 30})
		start := n.where.Day(n.clock.Now())
		n.handedIn("marta@example.com", "")
		n.advanceTo(lost.AddDays(start, 20) + " 12:00")
		later := n.handedIn("later@example.com", "")
		n.advanceTo(lost.AddDays(start, 31) + " 00:01")
		n.expectSent("after the last day")
		n.setKeeping(lost.KeepingRule{Days: 30, Then: lost.ThenFinder}, lost.KeepingRule{Days: 30})
		n.expectSent("after the change of rules", "finder-item to marta@example.com")
		if got := n.item(later); got.ThenDue() != lost.ThenFinder || !got.FinderNotices.Item.IsZero() {
			t.Errorf("an item that is still stored: then %q, told %v", got.ThenDue(), got.FinderNotices)
		}
	})
}
