package outbox_test

import (
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/outbox"
	"homeward/internal/store/storetest"
)

// TestAGuestIsErasedHalfAYearAfterTheItemArrived takes a parcel all the way: half a year after its
// arrival nothing about the guest is left in the database, and the documents are gone.
func TestAGuestIsErasedHalfAYearAfterTheItemArrived(t *testing.T) {
	eachShippingFixture(t, func(q *shippingFixture) {
		i, token := q.requestPayment("CH", "8001")
		q.pay(token)
		q.runAll()
		note := lost.MovePatch{
			Status: lost.Set("DELIVERED"), TrackingNumber: lost.Set("TRACK123"), Note: lost.Set("Anna called"),
		}
		q.move(i, note)
		q.runAll()
		q.advanceTo("2027-05-13 12:00") // 179 days later
		q.out.RunUpkeepOnce(t.Context())
		if kept := q.item(i); kept.Owner.Email != anna || kept.Shipping.Recipient.Name == "" ||
			len(q.documents.kept) == 0 {
			t.Fatalf("erased too early: %+v, %d documents", kept, len(q.documents.kept))
		}
		q.advanceTo("2027-05-15 12:00")
		q.out.RunUpkeepOnce(t.Context())
		q.runAll()
		q.expectAbsent(anna, "Anna", "High Street", "8001", "TRACK123")
		if len(q.documents.kept) > 0 {
			t.Errorf("documents are left: %v", q.documents.kept)
		}
		after := q.item(i)
		if after.Status != lost.Delivered || after.Description != "Umbrella" ||
			after.Parcel.Price != i.Parcel.Price && !after.Parcel.Paid {
			t.Errorf("the item and its status are %+v", after)
		}
		q.expectErased(1)
		q.out.RunUpkeepOnce(t.Context())
		q.expectErased(1) // it is not done twice
		if again := q.item(i); !again.UpdatedAt.Equal(after.UpdatedAt) {
			t.Error("a second run changed the item")
		}
	})
}

func TestGuestsOfOpenItemsAreNotErased(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		waiting, planned := n.createOwned("waiting@example.com"), n.createOwned("planned@example.com")
		n.move(planned, lost.MovePatch{Status: lost.Set("PICKUP")})
		handed, given := n.createOwned("handed@example.com"), n.createOwned("given@example.com")
		n.clock.Advance(time.Second)
		n.move(handed, lost.MovePatch{Status: lost.Set("PICKUP"), Closed: lost.Set(true)})
		n.move(given, lost.MovePatch{Status: lost.Set("DONATE")})
		open := n.fileRequest("open@example.com")
		decided := n.fileRequest("decided@example.com")
		if _, err := n.desk.Requests.Decide(n.t.Context(), n.actor, n.where.ID, decided.ID,
			lost.DecisionPatch{Type: lost.Set("reject"), Reason: lost.Set("Nothing of yours")}); err != nil {
			n.t.Fatal(err)
		}
		n.runAll()
		n.clock.Advance(181 * 24 * time.Hour)
		n.out.RunUpkeepOnce(t.Context())
		for i, want := range map[*lost.Item]bool{
			&waiting: true, &planned: true, &handed: false, &given: false, &open: true, &decided: false,
		} {
			if got := n.item(*i); got.Owner.Known() != want {
				t.Errorf("%s: owner known: %v", i.Owner.Email, got.Owner.Known())
			}
		}
		n.expectAbsent("handed@example.com", "given@example.com", "decided@example.com", "Nothing of yours",
			"words of decided@")
		n.expectErased(3)

		// An owner who is set after the erasure is erased in turn.
		if _, err := n.desk.Items.Update(t.Context(), n.actor, n.where.ID, given.ID,
			lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("new@example.com")})}); err != nil {
			t.Fatal(err)
		}
		n.out.RunUpkeepOnce(t.Context())
		n.expectAbsent("new@example.com")
	})
}

// TestEachAccountKeepsGuestsAsLongAsItSays: each account has its own number of days, and many items
// are erased in several transactions.
func TestEachAccountKeepsGuestsAsLongAsItSays(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		const many = 60
		var items []lost.Item
		for range many {
			i := n.createOwned("many@example.com")
			n.clock.Advance(time.Millisecond)
			n.move(i, lost.MovePatch{Status: lost.Set("DISCARD")})
			items = append(items, i)
		}
		owner := n.actor
		owner.Role = lost.OwnerRole
		if err := n.desk.RetentionPolicy.Set(t.Context(), owner, 30); err != nil {
			t.Fatal(err)
		}
		n.clock.Advance(31 * 24 * time.Hour)
		if would, err := n.desk.RetentionPolicy.Preview(t.Context(), owner, 30); err != nil || would.Count != many {
			t.Errorf("%d would be erased, %v", would.Count, err)
		}
		if would, err := n.desk.RetentionPolicy.Preview(t.Context(), owner, 32); err != nil || would.Count != 0 {
			t.Errorf("%d would be erased after more days, %v", would.Count, err)
		}
		n.out.RunUpkeepOnce(t.Context())
		n.expectErased(many)
		if i := n.item(items[many-1]); i.Owner.Known() {
			t.Errorf("the last is %+v", i)
		}
	})
}

func (n *fixture) item(i lost.Item) lost.Item {
	n.t.Helper()
	got, err := n.db.Item(n.t.Context(), i.Account, i.LocationID, i.ID)
	if err != nil {
		n.t.Fatal(err)
	}
	return got
}

// fileRequest files a request of a guest.
func (n *fixture) fileRequest(email string) lost.Item {
	n.t.Helper()
	i, err := n.desk.Requests.File(n.t.Context(), n.actor, n.where.ID, lost.RequestPatch{
		Description: lost.Set("In the words of " + email), Proof: lost.Set("A scratch"),
		Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(email)}),
	}, lost.IdempotencyKey{})
	if err != nil {
		n.t.Fatal(err)
	}
	return i
}

// dump returns everything that the database holds.
func (n *fixture) dump() string {
	n.t.Helper()
	return storetest.Dump(n.t, n.db)
}

// expectAbsent fails if the database contains any of some words.
func (n *fixture) expectAbsent(words ...string) {
	n.t.Helper()
	for line := range strings.Lines(n.dump()) {
		for _, w := range words {
			if strings.Contains(line, w) {
				n.t.Errorf("%q is left in %.300s", w, line)
			}
		}
	}
}

// expectErased compares the total number of items whose guest data was removed.
func (n *fixture) expectErased(want int) {
	n.t.Helper()
	days, err := n.db.ErasedPerDay(n.t.Context(), n.actor.Account, 100)
	if err != nil {
		n.t.Fatal(err)
	}
	got := 0
	for _, d := range days {
		got += d.Items
	}
	if got != want {
		n.t.Errorf("guest data was removed from %d items, want %d", got, want)
	}
}

// TestCopiesEraseEachItemOnce: several copies of the service share the work, and each item is
// erased once.
func TestCopiesEraseEachItemOnce(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		const many = 60
		for range many {
			i := n.createOwned("many@example.com")
			n.clock.Advance(time.Millisecond)
			n.move(i, lost.MovePatch{Status: lost.Set("DISCARD")})
		}
		n.clock.Advance(181 * 24 * time.Hour)
		copies := []*outbox.Outbox{n.copy(), n.copy(), n.copy()}
		done := make(chan struct{})
		for _, c := range copies {
			go func() { c.RunUpkeepOnce(t.Context()); done <- struct{}{} }()
		}
		for range copies {
			<-done
		}
		n.out.RunUpkeepOnce(t.Context())
		n.expectErased(many)
		lines := 0
		for line := range strings.Lines(storetest.Dump(t, n.db)) {
			if strings.Contains(line, string(lost.Forgot)) {
				lines++
			}
		}
		if lines != many {
			t.Errorf("%d history entries, want one for each item", lines)
		}
	})
}
