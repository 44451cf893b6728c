package desk_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
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

// openDecision returns the id of the decision that can be undone, or an empty string.
func openDecision(f *testkit.Fixture, request lost.Item) string {
	return testkit.Must(f.Services.Requests.OpenDecision(f.T.Context(), f.Actor, request)).ID
}

func undo(f *testkit.Fixture, request lost.Item, decision string) error {
	return f.Services.Requests.Undo(f.T.Context(), f.Actor, request.LocationID, request.ID, decision)
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
			decision := openDecision(f, request)
			if decision == "" {
				t.Errorf("accept %v: cannot be undone", accept)
			}
			if err := undo(f, request, decision); err != nil {
				t.Fatalf("accept %v: %v", accept, err)
			}
			got := testkit.Must(f.Services.Requests.Get(f.T.Context(), f.Actor, f.Location.ID, request.ID))
			if got.Claim.State != lost.RequestPending || got.Claim.Reason+got.Claim.MatchedItemID != "" ||
				!got.Claim.AnsweredAt.IsZero() {
				t.Errorf("accept %v: after undo, the claim is %+v", accept, got.Claim)
			}
			item := testkit.Must(f.Services.Items.GetAnywhere(f.T.Context(), f.Actor, found.ID))
			if item.Owner.Known() {
				t.Errorf("accept %v: after undo, the item has the owner %+v", accept, item.Owner)
			}
			if m := decisionMessage(f, told); m.State != lost.MessageCanceled {
				t.Errorf("accept %v: after undo, the message is %s", accept, m.State)
			}
			if err := undo(f, request, decision); lost.CodeOf(err) != lost.Conflict {
				t.Errorf("accept %v: undo in a second tab: %v", accept, err)
			}
			again := lost.DecisionPatch{Type: lost.Set(lost.Reject), Delayed: true}
			testkit.Must(f.Services.Requests.Decide(f.T.Context(), f.Actor, f.Location.ID, request.ID, again))
			stale := []error{
				undo(f, request, decision),
				f.Services.Requests.TellNow(f.T.Context(), f.Actor, f.Location.ID, request.ID, decision),
			}
			for _, err := range stale {
				if lost.CodeOf(err) != lost.Conflict {
					t.Errorf("accept %v: the page of the first decision changes the second: %v", accept, err)
				}
			}
			if m := decisionMessage(f, request); m.State == lost.MessageCanceled {
				t.Errorf("accept %v: after a second decision, no message waits", accept)
			}
		}
	})
}

// A report counts a request as answered from the first message or decision of which the claimant hears, also after the
// guest's data was erased.
func TestTheFirstAnswerToARequest(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		answered := func(id string) time.Time {
			f.Clock.Advance(2 * time.Minute) // a report is kept for a minute
			answered := testkit.Must(f.DB.AccountItem(f.T.Context(), f.Actor.Account, id)).Claim.AnsweredAt
			figures := testkit.Must(f.Services.Reports.Report(f.T.Context(), f.Actor, desk.ReportQuery{})).Requests
			list := testkit.Must(f.Services.Items.ListAll(f.T.Context(), f.Actor, nil, lost.ItemFilter{
				Report: lost.ReportFilter{Figure: lost.FigureAnswered}, Page: lost.FirstPage(),
			}))
			want := 0
			if !answered.IsZero() {
				want = 1
			}
			if figures.Answered != want || figures.Open != 1-want || list.Count != want {
				f.T.Errorf("answered at %v: the report has %d answered and %d open, the list %d", answered,
					figures.Answered, figures.Open, list.Count)
			}
			return answered
		}
		write := func(id string) {
			d := desk.Draft{Via: lost.ViaPage, ThreadPatch: lost.ThreadPatch{Text: lost.Set("Is it black?")}}
			testkit.Must(f.Services.Threads.Write(f.T.Context(), f.Actor, f.Location.ID, id, d, lost.IdempotencyKey{}))
		}
		request, _ := decided(f, false)
		if at := answered(request.ID); !at.Equal(request.UpdatedAt) {
			f.T.Errorf("rejected: answered at %v, want %v", at, request.UpdatedAt)
		}
		if err := undo(f, request, openDecision(f, request)); err != nil {
			f.T.Fatal(err)
		}
		if at := answered(request.ID); !at.IsZero() {
			f.T.Errorf("after undo: answered at %v", at)
		}
		write(request.ID)
		first := answered(request.ID)
		if first.IsZero() {
			f.T.Error("after a message: not answered")
		}
		write(request.ID)
		f.Clock.Advance(time.Second)
		again := lost.DecisionPatch{Type: lost.Set(lost.Reject), Delayed: true}
		request = testkit.Must(f.Services.Requests.Decide(f.T.Context(), f.Actor, f.Location.ID, request.ID, again))
		if err := undo(f, request, openDecision(f, request)); err != nil {
			f.T.Fatal(err)
		}
		if at := answered(request.ID); !at.Equal(first) {
			f.T.Errorf("after another message, and a decision that was undone: answered at %v, want %v", at, first)
		}
		anna := lost.PersonPatch{Email: lost.Set("anna@example.com")}
		testkit.Must(f.Services.People.EraseNow(f.T.Context(), f.Person("usr_owner", lost.OwnerRole), anna))
		left := testkit.Must(f.DB.Thread(f.T.Context(), f.Actor.Account, request.ID, lost.FirstPage()))
		if left.Count > 0 {
			f.T.Fatalf("%d messages were not erased", left.Count)
		}
		if at := answered(request.ID); !at.Equal(first) {
			f.T.Errorf("after the erasure: answered at %v, want %v", at, first)
		}
	})
}

// A message between a decision and its undoing is the answer.
func TestAMessageBeforeAnUndoneDecisionIsTheAnswer(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		request, _ := decided(f, true)
		f.Clock.Advance(time.Second)
		d := desk.Draft{Via: lost.ViaPage, ThreadPatch: lost.ThreadPatch{Text: lost.Set("Is it black?")}}
		m := testkit.Must(f.Services.Threads.Write(f.T.Context(), f.Actor, f.Location.ID, request.ID, d,
			lost.IdempotencyKey{}))
		if err := undo(f, request, openDecision(f, request)); err != nil {
			f.T.Fatal(err)
		}
		got := testkit.Must(f.Services.Requests.Get(f.T.Context(), f.Actor, f.Location.ID, request.ID))
		if at := got.Claim.AnsweredAt; !at.Equal(m.At) {
			f.T.Errorf("answered at %v, want %v", at, m.At)
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
			decision := openDecision(f, request)
			err := undo(f, request, decisionMessage(f, found).ID)
			if decision != "" || lost.CodeOf(err) != lost.Conflict {
				t.Errorf("the decision %q can be undone: %v", decision, err)
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
				undone = undo(f, request, m.ID)
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
			lost.MovePatch{Status: lost.Set("PICKUP")}))
		rejected, _ := decided(f, false)
		old, _ := decided(f, false)
		told := decisionMessage(f, rejected).ID
		testkit.Must(0,
			f.Services.Requests.TellNow(f.T.Context(), f.Actor, f.Location.ID, rejected.ID, told))
		for i, decision := range map[*lost.Item]string{&request: decisionMessage(f, found).ID, &rejected: told} {
			if err := undo(f, *i, decision); lost.CodeOf(err) != lost.Conflict {
				t.Errorf("%s: undo returned %v, want a conflict", i.Claim.State, err)
			}
		}
		f.Clock.Advance(lost.UndoTime + time.Second)
		if err := undo(f, old, decisionMessage(f, old).ID); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("undo after %s returned %v, want a conflict", lost.UndoTime, err)
		}
	})
}

// During the time to undo a decision, nobody has told the owner. What the desk does then decides whether they are.
func TestWhatHappensBeforeAMatchIsFinal(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		state := func(i lost.Item) lost.OwnerState {
			return testkit.Must(f.Services.Items.GetAnywhere(f.T.Context(), f.Actor, i.ID)).OwnerState
		}
		request, found := decided(f, true)
		if got := state(found); got != lost.NoOwner {
			t.Errorf("the owner state is %q before the owner is told", got)
		}
		first := decisionMessage(f, found)
		again := testkit.Must(f.Services.Messages.Notify(f.T.Context(), f.Actor, f.Location.ID, found.ID,
			lost.IdempotencyKey{}))
		if again.Kind != lost.MatchMessage || !again.NotBefore.IsZero() {
			t.Errorf("sending again queued a message of the kind %s", again.Kind)
		}
		if err := undo(f, request, first.ID); lost.CodeOf(err) != lost.Conflict || openDecision(f, request) != "" {
			t.Errorf("a decision that the guest knows is undone: %v", err)
		}

		request, found = decided(f, true)
		testkit.Must(f.Services.Items.Update(f.T.Context(), f.Actor, f.Location.ID, found.ID, lost.ItemPatch{
			Owner: lost.Set(lost.OwnerPatch{Phone: lost.Set("+4930123456")}),
		}))
		if err := undo(f, request, decisionMessage(f, found).ID); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("undoing removes what a colleague added to the owner: %v", err)
		}
		testkit.Must(f.Services.Items.Update(f.T.Context(), f.Actor, f.Location.ID, found.ID,
			lost.ItemPatch{Owner: lost.Clear[lost.OwnerPatch]()}))
		if m := decisionMessage(f, found); m.State != lost.MessageCanceled {
			t.Errorf("after the owner was removed, the message about the match is %s", m.State)
		}
	})
}

func TestACollectedItemIsNotAnnounced(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		_, found := decided(f, true)
		testkit.Must(f.Services.Handovers.HandOver(f.T.Context(), f.Actor, f.Location.ID, found.ID,
			lost.HandoverPatch{Recipient: "Anna", IDChecked: true}, lost.IdempotencyKey{}))
		now := testkit.Must(f.Services.Items.GetAnywhere(f.T.Context(), f.Actor, found.ID))
		if m := decisionMessage(f, found); m.StillTrue(now, f.Clock.Now()) {
			t.Error("the message that an item was found is sent after it was collected")
		}
	})
}

// Otherwise the claimant would be told that an item was found that the desk has just given away.
func TestAnItemIsNotGivenAwayBeforeItsClaimantIsTold(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t, f, ctx := s.T, s.Fixture, s.T.Context()
		request, found := decided(f, true)
		testkit.Must(s.Services.Items.Update(ctx, s.Actor, s.Location.ID, found.ID, lost.ItemPatch{
			Category: lost.Set("passport"), DiscoveryDate: lost.Set("2020-01-01"),
		}))
		give := map[string]func() error{
			"donate by API": func() error {
				_, err := s.Services.Items.SetStatus(ctx, s.Actor, s.Location.ID, found.ID,
					lost.MovePatch{Status: lost.Set("DONATE")})
				return err
			},
			"several": func() error {
				done := testkit.Must(s.Services.Items.BulkStatus(ctx, s.Actor, "", ids(found), lost.Discard, nil))
				return done[0].Refused
			},
			"overdue": func() error {
				_, _, err := s.Services.Storage.DecideOverdue(ctx, s.Actor, s.Location.ID, []string{found.ID},
					lost.Donated, time.Time{})
				return err
			},
			"forward": func() error {
				_, err := s.Services.Handovers.Forward(ctx, s.Actor, s.Location.ID, found.ID,
					desk.ForwardPatch{To: "Embassy"})
				return err
			},
			"hand over": func() error {
				_, err := s.Services.Handovers.HandOverItems(ctx, s.Actor, s.Location.ID, toPolice(found))
				return err
			},
		}
		for way, try := range give {
			if err := try(); lost.ReasonOf(err) != lost.ClaimantNotNotified {
				t.Errorf("%s: got %v, want a refusal", way, err)
			}
		}
		plan := testkit.Must(s.Services.Items.PlanStatus(ctx, s.Actor, "", ids(found, s.Item), lost.Donate))
		if plan.Moves != 1 || plan.Claimed != 1 {
			t.Errorf("got the plan %+v, want that one item moves", plan)
		}
		if c, left := s.clear(lost.Donated, found, s.Item); c.Items != 1 || left != 1 {
			t.Errorf("a decision about both items has %d and leaves %d out", c.Items, left)
		}
		if i := s.now(found); i.Status != lost.Pending || !i.ClosedAt.IsZero() {
			t.Errorf("got status %s", i.Status)
		}
		if m := decisionMessage(f, found); m.State != lost.MessageWaiting {
			t.Errorf("the message is %s, want that it still waits", m.State)
		}
		testkit.Must(0, s.Services.Requests.TellNow(ctx, s.Actor, s.Location.ID, request.ID, openDecision(f, request)))
		if err := give["donate by API"](); err != nil {
			t.Errorf("after the claimant was told: %v", err)
		}
	})
}

func TestTheMessagesOfSelectedItemsAreReadAtOnce(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		owned := testkit.ItemOwnedBy("Black umbrella", "bea@example.com")
		owned.DiscoveryDate = lost.Set("2020-01-01")
		var selected []lost.Item
		for range 3 {
			selected = append(selected, testkit.Must(
				s.Services.Items.Create(s.T.Context(), s.Actor, s.Location.ID, owned, lost.IdempotencyKey{})))
		}
		for way, try := range map[string]func(context.Context) error{
			"a plan": func(ctx context.Context) error {
				p, err := s.Services.Items.PlanStatus(ctx, s.Actor, "", ids(selected...), lost.Donate)
				if p.Moves != len(selected) {
					s.T.Errorf("got the plan %+v, want that all items move", p)
				}
				return err
			},
			"a decision": func(ctx context.Context) error {
				_, left, err := s.Services.Storage.DecideOverdue(ctx, s.Actor, s.Location.ID, ids(selected...),
					lost.Donated, time.Time{})
				if left != 0 {
					s.T.Errorf("a decision leaves %d items out", left)
				}
				return err
			},
		} {
			ctx, statements := storetest.RecordStatements(s.T.Context())
			testkit.Must(0, try(ctx))
			n := 0
			for _, sql := range statements() {
				if strings.Contains(sql, "FROM messages") {
					n++
				}
			}
			if n != 1 {
				s.T.Errorf("%s reads messages %d times, want once", way, n)
			}
		}
	})
}

// The remedies that the refusal names, and the choices of the claimant.
func TestAnItemIsGivenAwayAfterTheMatchIsUndone(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		ctx := f.T.Context()
		move := func(i lost.Item, to string) error {
			_, err := f.Services.Items.SetStatus(ctx, f.Actor, f.Location.ID, i.ID,
				lost.MovePatch{Status: lost.Set(to)})
			return err
		}
		request, found := decided(f, true)
		if err := move(found, "DISCARD"); lost.ReasonOf(err) != lost.ClaimantNotNotified {
			t.Fatalf("got %v, want a refusal", err)
		}
		testkit.Must(0, undo(f, request, openDecision(f, request)))
		if err := move(found, "DISCARD"); err != nil {
			t.Errorf("after the decision was undone: %v", err)
		}
		_, found = decided(f, true)
		testkit.Must(f.Services.Messages.Notify(ctx, f.Actor, f.Location.ID, found.ID, lost.IdempotencyKey{}))
		if err := move(found, "DONATE"); err != nil {
			t.Errorf("after the owner was notified again: %v", err)
		}
		_, found = decided(f, true)
		if err := move(found, "PICKUP"); err != nil {
			t.Errorf("the claimant may collect the item: %v", err)
		}
		_, found = decided(f, true)
		submit(f, decisionMessage(f, found))
		if err := move(found, "DONATE"); err != nil {
			t.Errorf("while the message is being sent: %v", err)
		}
	})
}

// A decision about overdue items is carried out later. Nobody gives an item away that was accepted in between.
func TestADecisionLeavesOutAnItemThatIsClaimedLater(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t, ctx := s.T, s.T.Context()
		request := s.NewRequest("bea@example.com")
		found := testkit.Must(s.Services.Items.Create(ctx, s.Actor, s.Location.ID, lost.ItemPatch{
			Description: lost.Set("Black umbrella"), DiscoveryDate: lost.Set("2020-01-01"),
		}, lost.IdempotencyKey{}))
		s.clear(lost.Donated, found)
		s.Clock.Advance(lost.UndoTime - time.Minute)
		testkit.Must(s.Services.Requests.Decide(ctx, s.Actor, s.Location.ID, request.ID, lost.DecisionPatch{
			Type: lost.Set(lost.Accept), ItemID: lost.Set(found.ID), Delayed: true,
		}))
		s.Clock.Advance(2 * time.Minute)
		s.work()
		if i := s.now(found); i.Status != lost.Pending || i.Owner.Email != "bea@example.com" {
			t.Errorf("got status %s and owner %+v", i.Status, i.Owner)
		}
	})
}
