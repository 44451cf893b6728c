package outbox_test

import (
	"errors"
	"testing"
	"time"

	"homeward/internal/lost"
)

// expectOwnerState checks the stored state of an item, and that only the list of that state contains it, at its
// location and in the account.
func (n *fixture) expectOwnerState(when string, i lost.Item, want lost.OwnerState) {
	n.t.Helper()
	for _, state := range lost.OwnerStates() {
		f := lost.ItemFilter{OwnerState: state, Page: lost.FirstPage()}
		here, err := n.db.Items(n.t.Context(), i.Account, i.LocationID, f)
		if err != nil {
			n.t.Fatal(err)
		}
		everywhere, err := n.db.AccountItems(n.t.Context(), i.Account, nil, f)
		if err != nil {
			n.t.Fatal(err)
		}
		for _, list := range []lost.List[lost.Item]{here, everywhere} {
			found := len(list.Data) == 1 && list.Data[0].ID == i.ID
			if found != (state == want) || found != (list.Count == 1) {
				n.t.Errorf("%s, the list %q has %d of %d items, want it in %q", when, state, len(list.Data),
					list.Count, want)
			}
		}
	}
}

func TestTheOwnerStateFollowsTheMessagesAndTheReminders(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createOwned(anna)
		n.expectOwnerState("at creation", i, lost.OwnerTold)
		n.runAll()
		n.expectOwnerState("after the notice", i, lost.OwnerTold)
		n.advanceTo("2026-11-22 09:59")
		n.runAll()
		n.expectOwnerState("before the last reminder", i, lost.OwnerTold)
		n.advanceTo("2026-11-22 10:00")
		n.runAll()
		n.expectOwnerState("with the last reminder", i, lost.NoAnswer)
		n.setOwner(i, lost.Set(lost.OwnerPatch{Email: lost.Set(bert)}))
		n.expectOwnerState("with a new owner", i, lost.OwnerTold)
		n.runAll()
		n.expectOwnerState("after the new notice", i, lost.OwnerTold)
		n.setOwner(i, lost.Clear[lost.OwnerPatch]())
		n.expectOwnerState("without an owner", i, lost.NoOwner)
		n.runAll()
		n.expectOwnerState("without an owner, later", i, lost.NoOwner)
		n.move(i, lost.MovePatch{Status: lost.Set("DONATE")})
		n.runAll()
		n.expectOwnerState("no longer pending", i, "")
	})
}

func TestAnOwnerWhoCannotBeReachedIsNotTold(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		n.messenger.send = func(lost.MessageData, func() error) (lost.SendResult, error) {
			return lost.SendResult{}, errors.New("connection refused")
		}
		i := n.createOwned(anna)
		for range 5 {
			n.runAll()
			n.clock.Advance(24 * time.Hour)
		}
		n.expectOwnerState("after the failure", i, lost.NoOwner)
	})
}

func TestAnOwnerWhoseMessageIsOnlySavedIsNotTold(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		n.saveWithoutJobs()
		i := n.createOwned(anna)
		n.expectOwnerState("at creation", i, lost.NoOwner)
		n.runAll()
		n.expectOwnerState("later", i, lost.NoOwner)
		n.setOwner(i, lost.Set(lost.OwnerPatch{Email: lost.Set(bert)}))
		n.clock.Advance(2 * time.Second)
		n.runAll()
		n.expectOwnerState("with a new owner", i, lost.NoOwner)
	})
}

func (n *fixture) setOwner(i lost.Item, p lost.Field[lost.OwnerPatch]) {
	n.t.Helper()
	if _, err := n.desk.Items.Update(n.t.Context(), n.actor, i.LocationID, i.ID, lost.ItemPatch{Owner: p}); err != nil {
		n.t.Fatal(err)
	}
}
