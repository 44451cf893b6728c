package outbox_test

import (
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
)

// shareTracker files a request with the link of a tracker.
func (n *fixture) shareTracker(link string) lost.Item {
	n.t.Helper()
	i, err := n.desk.Requests.File(n.t.Context(), n.actor, n.where.ID, lost.RequestPatch{
		Description: lost.Set("Blue suitcase"), TrackerLink: lost.Set(link),
		Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(anna)}),
	}, lost.IdempotencyKey{})
	if err != nil {
		n.t.Fatal(err)
	}
	return i
}

// reload returns an item as it is stored.
func (n *fixture) reload(i lost.Item) lost.Item {
	n.t.Helper()
	now, err := n.db.Item(n.t.Context(), i.Account, i.LocationID, i.ID)
	if err != nil {
		n.t.Fatal(err)
	}
	return now
}

func TestATrackerLinkIsDeletedWhenItExpires(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.shareTracker("https://find.apple.com/item/zanzibar")
		n.runAll()
		n.clock.Advance(7*24*time.Hour - time.Minute)
		n.runAll()
		if now := n.reload(i); now.Claim.TrackerLink == "" {
			t.Error("the link was deleted before it expired")
		}
		n.clock.Advance(time.Minute)
		n.runAll()
		now := n.reload(i)
		if now.Claim.TrackerLink != "" || !now.Claim.TrackerUntil.IsZero() || !now.UpdatedAt.After(i.UpdatedAt) {
			t.Errorf("the expired link is still in the record: %+v, updated at %v", now.Claim, now.UpdatedAt)
		}
		n.expectAbsent("zanzibar")
		list, err := n.desk.Items.History(t.Context(), n.actor, n.where.ID, i.ID, lost.FirstPage())
		if err != nil {
			t.Fatal(err)
		}
		deleted := func(e lost.Entry) bool {
			return e.Actor.Kind == lost.ByService && slices.Contains(e.Fields, "trackerLink")
		}
		if !slices.ContainsFunc(list.Data, deleted) {
			t.Errorf("the history does not say that the link was deleted: %+v", list.Data)
		}
	})
}

func TestATrackerLinkIsDeletedAtADisabledAccount(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.shareTracker("https://find.apple.com/item/zanzibar")
		n.runAll()
		if _, err := n.desk.Accounts.SetDisabled(t.Context(), i.Account, true); err != nil {
			t.Fatal(err)
		}
		n.clock.Advance(8 * 24 * time.Hour)
		n.runAll()
		if now := n.reload(i); now.Claim.TrackerLink != "" {
			t.Error("the expired link is still in the record")
		}
	})
}

func TestATrackerLinkIsNotInEventsAndEndsWithTheDecision(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.shareTracker("https://find.apple.com/item/zanzibar")
		n.runAll()
		_, err := n.desk.Requests.Decide(t.Context(), n.actor, i.LocationID, i.ID, lost.DecisionPatch{
			Type: lost.Set(lost.Reject),
		})
		if err != nil {
			t.Fatal(err)
		}
		n.runAll()
		n.expectAbsent("zanzibar") // not in the record, and not in an event
	})
}
