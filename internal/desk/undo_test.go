package desk_test

import (
	"sync"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
)

// decided creates a request and a found item, and decides the request in the dashboard.
func decided(f *testkit.Fixture, accept bool) (request, found lost.Item) {
	request = testkit.Must(f.Services.Requests.File(f.T.Context(), f.Actor, f.Location.ID, lost.RequestPatch{
		Description: lost.Set("Umbrella"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")}),
	}, lost.IdempotencyKey{}))
	found = testkit.Must(f.Services.Items.Create(f.T.Context(), f.Actor, f.Location.ID,
		lost.ItemPatch{Description: lost.Set("Black umbrella")}, lost.IdempotencyKey{}))
	p := lost.DecisionPatch{Type: lost.Set(lost.Reject), Reason: lost.Set("Not here"), Delayed: true}
	if accept {
		p = lost.DecisionPatch{Type: lost.Set(lost.Accept), ItemID: lost.Set(found.ID), Delayed: true}
	}
	return testkit.Must(f.Services.Requests.Decide(f.T.Context(), f.Actor, f.Location.ID, request.ID, p)), found
}

// decisionMessage returns the message about a decision.
func decisionMessage(f *testkit.Fixture, i lost.Item) lost.Message {
	for _, m := range testkit.Must(f.DB.RecentMessages(f.T.Context(), i.Account, i.ID)) {
		if m.Kind == lost.MatchMessage || m.Kind == lost.RejectedMessage {
			return m
		}
	}
	f.T.Fatal("no message about the decision")
	return lost.Message{}
}

// submit records that a message is handed to a provider, like the outbox. It reports whether it was still waiting.
func submit(f *testkit.Fixture, m lost.Message) (submitted bool) {
	testkit.Must(0, f.DB.Write(f.T.Context(), func(tx *store.Tx) error {
		now, err := tx.LockMessage(m.Account, m.ID)
		if submitted = err == nil && now.State == lost.MessageWaiting; !submitted {
			return err
		}
		now.Handovers++
		return tx.SaveMessage(now)
	}))
	return submitted
}

func TestADecisionIsUndoneBeforeTheClaimantIsTold(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		for _, accept := range []bool{true, false} {
			request, found := decided(f, accept)
			told := request
			if accept {
				told = found
			}
			if until := testkit.Must(f.Services.Requests.UndoUntil(f.T.Context(), f.Actor, request)); until.IsZero() {
				t.Errorf("accept %v: cannot be undone", accept)
			}
			if err := f.Services.Requests.Undo(f.T.Context(), f.Actor, f.Location.ID, request.ID); err != nil {
				t.Fatalf("accept %v: %v", accept, err)
			}
			got := testkit.Must(f.Services.Requests.Get(f.T.Context(), f.Actor, f.Location.ID, request.ID))
			if got.Claim.State != lost.RequestPending || got.Claim.Reason+got.Claim.MatchedItemID != "" {
				t.Errorf("accept %v: after undo, the claim is %+v", accept, got.Claim)
			}
			item := testkit.Must(f.Services.Items.GetAnywhere(f.T.Context(), f.Actor, found.ID))
			if item.Owner.Known() {
				t.Errorf("accept %v: after undo, the item has the owner %+v", accept, item.Owner)
			}
			if m := decisionMessage(f, told); m.State != lost.MessageCanceled {
				t.Errorf("accept %v: after undo, the message is %s", accept, m.State)
			}
			err := f.Services.Requests.Undo(f.T.Context(), f.Actor, f.Location.ID, request.ID)
			if lost.CodeOf(err) != lost.Conflict {
				t.Errorf("accept %v: undo in a second tab: %v", accept, err)
			}
			again := lost.DecisionPatch{Type: lost.Set(lost.Reject), Delayed: true}
			testkit.Must(f.Services.Requests.Decide(f.T.Context(), f.Actor, f.Location.ID, request.ID, again))
			if m := decisionMessage(f, request); m.State == lost.MessageCanceled {
				t.Errorf("accept %v: after a second decision, no message waits", accept)
			}
		}
	})
}

// An item that already had an owner would not become as it was before. Messages are only saved here, and never sent.
func TestADecisionThatReplacesAnOwnerIsNotUndone(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		for _, o := range []lost.OwnerPatch{
			{Email: lost.Set("anna@example.com"), FirstName: lost.Set("Anna")}, {FirstName: lost.Set("Bert")},
		} {
			request := testkit.Must(f.Services.Requests.File(f.T.Context(), f.Actor, f.Location.ID, lost.RequestPatch{
				Description: lost.Set("Umbrella"),
				Owner:       lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")}),
			}, lost.IdempotencyKey{}))
			found := testkit.Must(f.Services.Items.Create(f.T.Context(), f.Actor, f.Location.ID,
				lost.ItemPatch{Description: lost.Set("Umbrella"), Owner: lost.Set(o)}, lost.IdempotencyKey{}))
			request = testkit.Must(f.Services.Requests.Decide(f.T.Context(), f.Actor, f.Location.ID, request.ID,
				lost.DecisionPatch{Type: lost.Set(lost.Accept), ItemID: lost.Set(found.ID), Delayed: true}))
			until := testkit.Must(f.Services.Requests.UndoUntil(f.T.Context(), f.Actor, request))
			err := f.Services.Requests.Undo(f.T.Context(), f.Actor, f.Location.ID, request.ID)
			if !until.IsZero() || lost.CodeOf(err) != lost.Conflict {
				t.Errorf("can be undone until %s: %v", until, err)
			}
		}
	})
}

func TestEitherUndoOrSendingWins(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		for n := range 12 {
			request, found := decided(f, n%2 == 0)
			told := request
			if n%2 == 0 {
				told = found
			}
			m := decisionMessage(f, told)
			var sent bool
			var undone error
			var both sync.WaitGroup
			both.Go(func() { sent = submit(f, m) })
			both.Go(func() {
				undone = f.Services.Requests.Undo(f.T.Context(), f.Actor, f.Location.ID, request.ID)
			})
			both.Wait()
			if sent == (undone == nil) || undone != nil && lost.CodeOf(undone) != lost.Conflict {
				t.Errorf("sent %v, undo returned %v; want exactly one", sent, undone)
			}
		}
	})
}

func TestADecisionIsNotUndoneLater(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		request, found := decided(f, true)
		testkit.Must(f.Services.Items.SetStatus(f.T.Context(), f.Actor, f.Location.ID, found.ID,
			lost.MovePatch{Status: lost.Set("DONATE")}))
		rejected, _ := decided(f, false)
		old, _ := decided(f, false)
		testkit.Must(0, f.Services.Requests.TellNow(f.T.Context(), f.Actor, f.Location.ID, rejected.ID))
		for _, i := range []lost.Item{request, rejected} {
			err := f.Services.Requests.Undo(f.T.Context(), f.Actor, f.Location.ID, i.ID)
			if lost.CodeOf(err) != lost.Conflict {
				t.Errorf("%s: undo returned %v, want a conflict", i.Claim.State, err)
			}
		}
		f.Clock.Advance(lost.UndoTime + time.Second)
		err := f.Services.Requests.Undo(f.T.Context(), f.Actor, f.Location.ID, old.ID)
		if lost.CodeOf(err) != lost.Conflict {
			t.Errorf("undo after %s returned %v, want a conflict", lost.UndoTime, err)
		}
	})
}
