package outbox_test

import (
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/outbox"
	"homeward/internal/store/storetest"
)

// The whole way of a parcel leaves no word about its guest anywhere in the database, half a year after it arrived, and its papers are gone.
func TestAGuestIsForgottenHalfAYearAfterTheItemArrived(t *testing.T) {
	eachQuay(t, func(q *quay) {
		i, token := q.bill("CH", "8001")
		q.pay(token)
		q.settle()
		note := lost.MovePatch{Status: lost.Set("DELIVERED"), TrackingNumber: lost.Set("TRACK123"), Note: lost.Set("Anna called")}
		q.move(i, note)
		q.settle()
		q.until("2027-05-13 12:00") // 179 days later
		q.out.KeepUpOnce(t.Context())
		if kept := q.item(i); kept.Owner.Email != anna || kept.Shipping.Recipient.Name == "" || len(q.papers.kept) == 0 {
			t.Fatalf("forgotten too early: %+v, %d papers", kept, len(q.papers.kept))
		}
		q.until("2027-05-15 12:00")
		q.out.KeepUpOnce(t.Context())
		q.settle()
		q.clean(anna, "Anna", "High Street", "8001", "TRACK123")
		if len(q.papers.kept) > 0 {
			t.Errorf("papers are left: %v", q.papers.kept)
		}
		after := q.item(i)
		if after.Status != lost.Delivered || after.Description != "Umbrella" || after.Parcel.Price != i.Parcel.Price && !after.Parcel.Paid {
			t.Errorf("what was found, and what became of it, is %+v", after)
		}
		q.removed(1)
		q.out.KeepUpOnce(t.Context())
		q.removed(1) // and not again
		if again := q.item(i); !again.UpdatedAt.Equal(after.UpdatedAt) {
			t.Error("a second look changed it")
		}
	})
}

func TestWhatIsNotOverIsNotForgotten(t *testing.T) {
	eachInn(t, func(n *inn) {
		waiting, planned := n.find("waiting@example.com"), n.find("planned@example.com")
		n.move(planned, lost.MovePatch{Status: lost.Set("PICKUP")})
		handed, given := n.find("handed@example.com"), n.find("given@example.com")
		n.clock.Advance(time.Second)
		n.move(handed, lost.MovePatch{Status: lost.Set("PICKUP"), Closed: lost.Set(true)})
		n.move(given, lost.MovePatch{Status: lost.Set("DONATE")})
		open := n.ask("open@example.com")
		decided := n.ask("decided@example.com")
		if _, err := n.desk.DecideRequest(n.t.Context(), n.actor, n.where.ID, decided.ID, lost.DecisionPatch{Type: lost.Set("reject"), Reason: lost.Set("Nothing of yours")}); err != nil {
			n.t.Fatal(err)
		}
		n.settle()
		n.clock.Advance(181 * 24 * time.Hour)
		n.out.KeepUpOnce(t.Context())
		for i, want := range map[*lost.Item]bool{&waiting: true, &planned: true, &handed: false, &given: false, &open: true, &decided: false} {
			if got := n.item(*i); got.Owner.Known() != want {
				t.Errorf("%s: is the owner known? %v", i.Owner.Email, got.Owner.Known())
			}
		}
		n.clean("handed@example.com", "given@example.com", "decided@example.com", "Nothing of yours", "words of decided@")
		n.removed(3)

		// Who becomes the owner of something that was forgotten is forgotten in turn.
		if _, err := n.desk.UpdateItem(t.Context(), n.actor, n.where.ID, given.ID, lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("new@example.com")})}); err != nil {
			t.Fatal(err)
		}
		n.out.KeepUpOnce(t.Context())
		n.clean("new@example.com")
	})
}

// Each account has its own number of days, and many items are done in pieces.
func TestEachAccountKeepsGuestsAsLongAsItSays(t *testing.T) {
	eachInn(t, func(n *inn) {
		const many = 60
		var items []lost.Item
		for range many {
			i := n.find("many@example.com")
			n.clock.Advance(time.Millisecond)
			n.move(i, lost.MovePatch{Status: lost.Set("DISCARD")})
			items = append(items, i)
		}
		owner := n.actor
		owner.Role = lost.OwnerRole
		if err := n.desk.SetRetention(t.Context(), owner, 30); err != nil {
			t.Fatal(err)
		}
		n.clock.Advance(31 * 24 * time.Hour)
		if would, err := n.desk.WouldForget(t.Context(), owner, 30); err != nil || would.Count != many {
			t.Errorf("%d would be forgotten, %v", would.Count, err)
		}
		if would, err := n.desk.WouldForget(t.Context(), owner, 32); err != nil || would.Count != 0 {
			t.Errorf("%d would be forgotten after more days, %v", would.Count, err)
		}
		n.out.KeepUpOnce(t.Context())
		n.removed(many)
		if i := n.item(items[many-1]); i.Owner.Known() {
			t.Errorf("the last is %+v", i)
		}
	})
}

func (n *inn) item(i lost.Item) lost.Item {
	n.t.Helper()
	got, err := n.db.Item(n.t.Context(), i.Account, i.LocationID, i.ID)
	if err != nil {
		n.t.Fatal(err)
	}
	return got
}

// ask files a request.
func (n *inn) ask(email string) lost.Item {
	n.t.Helper()
	i, err := n.desk.FileRequest(n.t.Context(), n.actor, n.where.ID, lost.RequestPatch{
		Description: lost.Set("In the words of " + email), Proof: lost.Set("A scratch"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(email)}),
	}, lost.IdempotencyKey{})
	if err != nil {
		n.t.Fatal(err)
	}
	return i
}

// dump is everything that the database holds.
func (n *inn) dump() string {
	n.t.Helper()
	return storetest.Dump(n.t, n.db)
}

// clean fails where the database holds any of some words.
func (n *inn) clean(words ...string) {
	n.t.Helper()
	for line := range strings.Lines(n.dump()) {
		for _, w := range words {
			if strings.Contains(line, w) {
				n.t.Errorf("%q is left in %.300s", w, line)
			}
		}
	}
}

// removed compares of how many items guests' data was removed, in all.
func (n *inn) removed(want int) {
	n.t.Helper()
	days, err := n.db.Forgotten(n.t.Context(), n.actor.Account, 100)
	if err != nil {
		n.t.Fatal(err)
	}
	got := 0
	for _, d := range days {
		got += d.Items
	}
	if got != want {
		n.t.Errorf("of %d items guests' data was removed, want %d", got, want)
	}
}

// Several copies of the service share the work, and each item is done once.
func TestCopiesForgetEachItemOnce(t *testing.T) {
	eachInn(t, func(n *inn) {
		const many = 60
		for range many {
			i := n.find("many@example.com")
			n.clock.Advance(time.Millisecond)
			n.move(i, lost.MovePatch{Status: lost.Set("DISCARD")})
		}
		n.clock.Advance(181 * 24 * time.Hour)
		copies := []*outbox.Outbox{n.copy(), n.copy(), n.copy()}
		done := make(chan struct{})
		for _, c := range copies {
			go func() { c.KeepUpOnce(t.Context()); done <- struct{}{} }()
		}
		for range copies {
			<-done
		}
		n.out.KeepUpOnce(t.Context())
		n.removed(many)
		lines := 0
		for line := range strings.Lines(storetest.Dump(t, n.db)) {
			if strings.Contains(line, string(lost.Forgot)) {
				lines++
			}
		}
		if lines != many {
			t.Errorf("%d lines of history tell of it", lines)
		}
	})
}
