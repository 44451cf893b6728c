package desk_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
)

func pickUp(day, hour string) lost.ChoicePatch {
	return lost.ChoicePatch{Choice: lost.ChoosePickUp, PickupDate: lost.Set(day), PickupTime: lost.Set(hour)}
}

func TestALinkOpensItsItem(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		token := b.Token(b.Item)
		if len(token) < 26 { // 26 characters of 5 bits are 130 bits
			t.Errorf("token has %d characters, want at least 26", len(token))
		}
		v, err := b.Services.Guests.Visit(b.T.Context(), token)
		if err != nil || v.Item.ID != b.Item.ID || v.Location.ID != b.Location.ID {
			t.Errorf("%+v, %v", v, err)
		}
		for _, wrong := range []string{
			"", "x", token + "a", token[1:], strings.ToUpper(token), strings.Repeat("a", 10000), "\x00",
		} {
			if _, err := b.Services.Guests.Visit(b.T.Context(), wrong); lost.CodeOf(err) != lost.NotFound {
				b.T.Errorf("token %.20q: got %v, want not found", wrong, err)
			}
		}
	})
}

func TestLinksAndPagesOfADisabledAccountAreNotFound(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		token := b.Token(b.Item)
		if _, err := b.Services.Accounts.SetDisabled(b.T.Context(), b.Location.Account, true); err != nil {
			b.T.Fatal(err)
		}
		if _, err := b.Services.Guests.Visit(b.T.Context(), token); lost.CodeOf(err) != lost.NotFound {
			b.T.Error(err)
		}
		if _, err := b.Services.Locations.GetPublic(b.T.Context(),
			b.Location.Permalink); lost.CodeOf(err) != lost.NotFound {
			b.T.Error(err)
		}
	})
}

func TestALinkOfAFormerOwnerIsRefused(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		old := b.Token(b.Item)
		b.Item = testkit.Must(b.Services.Items.Update(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID,
			lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("bert@example.com")})}))
		if _, err := b.Services.Guests.Visit(b.T.Context(), old); lost.CodeOf(err) != lost.NotFound {
			b.T.Errorf("link of the former owner: got %v, want not found", err)
		}
		if _, err := b.Services.Guests.Choose(b.T.Context(), old,
			lost.ChoicePatch{Choice: lost.ChooseDonate}); lost.CodeOf(err) != lost.NotFound {
			b.T.Errorf("choice by the former owner: got %v, want not found", err)
		}
		if _, err := b.Services.Guests.Visit(b.T.Context(), b.Token(b.Item)); err != nil {
			b.T.Errorf("link of the new owner: %v", err)
		}
	})
}

func TestARevokedLinkIsReplacedInTheNextMessage(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		old := b.Token(b.Item)
		for range 2 { // the second call must change nothing
			if _, err := b.Services.Messages.RevokeLink(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID,
				lost.IdempotencyKey{}); err != nil {
				b.T.Fatal(err)
			}
		}
		if _, err := b.Services.Guests.Visit(b.T.Context(), old); lost.CodeOf(err) != lost.NotFound {
			b.T.Error(err)
		}
		if _, err := b.Services.Messages.Notify(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID,
			lost.IdempotencyKey{}); err != nil {
			b.T.Fatal(err)
		}
		renewed := b.Token(b.Item)
		if _, err := b.Services.Guests.Visit(b.T.Context(), renewed); err != nil || renewed == old {
			b.T.Errorf("new link: got %v, same token: %t", err, renewed == old)
		}
		if _, err := b.Services.Guests.Visit(b.T.Context(), old); lost.CodeOf(err) != lost.NotFound {
			b.T.Errorf("revoked link: got %v, want not found", err)
		}
	})
}

func TestAnExpiredLinkIsReplacedByANewOne(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		token := b.Token(b.Item)
		count := func() int {
			return testkit.Must(b.Services.Messages.ListOfItem(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID,
				lost.FirstPage())).Count
		}
		if err := b.Services.Guests.RenewLink(b.T.Context(), token); err != nil || count() != 1 {
			b.T.Errorf("renewal of a valid link: got %v, %d messages; want 1 message", err, count())
		}
		b.Clock.Advance(lost.LinkLife)
		v, err := b.Services.Guests.Visit(b.T.Context(), token)
		if lost.CodeOf(err) != lost.Gone || v.Location.ID != b.Location.ID || v.Item.ID != "" {
			b.T.Errorf("%+v, %v", v, err)
		}
		if _, err := b.Services.Guests.Choose(b.T.Context(), token,
			lost.ChoicePatch{Choice: lost.ChooseDonate}); lost.CodeOf(err) != lost.Gone {
			b.T.Error(err)
		}
		if err := b.Services.Guests.RenewLink(b.T.Context(), token); err != nil {
			b.T.Fatal(err)
		}
		if err := b.Services.Guests.RenewLink(b.T.Context(), token); lost.CodeOf(err) != lost.NotFound {
			b.T.Errorf("second renewal of the old link: got %v, want not found", err)
		}
		if n := count(); n != 2 {
			b.T.Errorf("got %d messages, want 2", n)
		}
		if _, err := b.Services.Guests.Visit(b.T.Context(), token); lost.CodeOf(err) != lost.NotFound {
			b.T.Errorf("old link: got %v, want not found", err)
		}
		if _, err := b.Services.Guests.Visit(b.T.Context(), b.Token(b.Item)); err != nil {
			b.T.Errorf("new link: %v", err)
		}
	})
}

func TestEachChoiceIsAnnouncedOnce(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		token := b.Token(b.Item)
		choose := func(p lost.ChoicePatch) {
			b.T.Helper()
			for range 3 { // the guest taps three times
				if _, err := b.Services.Guests.Choose(b.T.Context(), token, p); err != nil {
					b.T.Fatal(err)
				}
			}
		}
		choose(pickUp("2026-11-20", "14:30"))
		choose(lost.ChoicePatch{Choice: lost.ChooseLeave})
		choose(lost.ChoicePatch{Choice: lost.ChooseDonate})
		choose(pickUp("2026-11-21", "14:30"))
		choose(pickUp("2026-11-22", "14:30")) // another day
		choose(pickUp("2026-11-22", "15:00")) // another time
		want := []string{"pickup", "pickup", "pickup", "donate", "discard", "pickup"}
		if got := b.Events(); !slices.Equal(got, want) {
			b.T.Errorf("events: %q, want %q", got, want)
		}
		events := testkit.Must(b.Services.Webhooks.Events(b.T.Context(), b.Actor,
			lost.EventFilter{Page: lost.FirstPage()})).Data
		for n, when := range map[int]string{
			5: `"pickupDate":"2026-11-20","pickupTime":"14:30"`, 1: `"pickupDate":"2026-11-22","pickupTime":"14:30"`,
			0: `"pickupDate":"2026-11-22","pickupTime":"15:00"`,
		} {
			if body := string(events[n].Body); !strings.Contains(body, when) {
				b.T.Errorf("event %d: %s", n, body)
			}
		}
		history := testkit.Must(b.Services.Items.History(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID,
			lost.FirstPage()))
		if h := history.Data[0]; h.Actor.Kind != lost.ByGuest || !slices.Equal(h.Fields, []string{"pickup"}) {
			b.T.Errorf("history: %+v", h)
		}
	})
}

// A choice that the owner changes or withdraws is a new status, or a change of the item if the status stays.
func TestEveryChangeOfAChoiceIsAnEvent(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		token := b.Token(b.Item)
		seen := len(b.ChangeEvents())
		for _, step := range []struct {
			choice lost.ChoicePatch
			want   []string
		}{
			{lost.ChoicePatch{Choice: lost.ChooseDonate}, []string{"status-changed PENDING"}},
			{pickUp("2026-11-20", "14:30"), []string{"item-updated", "status-changed DONATE"}},
			{pickUp("2026-11-21", "14:30"), []string{"item-updated"}},
			{lost.ChoicePatch{Choice: lost.ChooseLeave}, []string{"item-updated", "status-changed PICKUP"}},
		} {
			if _, err := b.Services.Guests.Choose(b.T.Context(), token, step.choice); err != nil {
				b.T.Fatal(err)
			}
			b.Clock.Advance(time.Minute)
			events := b.ChangeEvents()
			got := events[seen:]
			seen = len(events)
			slices.Sort(got)
			if !slices.Equal(got, step.want) {
				b.T.Errorf("%s: events %q, want %q", step.choice.Choice, got, step.want)
			}
		}
	})
}

// The desk moves a pick-up too. Details that are not about its time are no event.
func TestAPickupThatTheDeskMovesIsAnnounced(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		for _, p := range []lost.MovePatch{
			{PickupDate: lost.Set("2026-11-20")},
			{PickupDate: lost.Set("2026-11-20")},
			{Note: lost.Set("The owner called.")},
			{Closed: lost.Set(true)},
			{PickupTime: lost.Set("09:00")},
			{PickupDate: lost.Set("2026-11-21"), Closed: lost.Set(true)},
			{PickupTime: lost.Clear[string]()},
		} {
			p.Status = lost.Set("PICKUP")
			if _, err := b.Services.Items.SetStatus(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID, p); err != nil {
				b.T.Fatal(err)
			}
		}
		if got := b.Events(); !slices.Equal(got, []string{"pickup", "pickup", "pickup", "pickup"}) {
			b.T.Errorf("events: %q", got)
		}
	})
}

func TestConcurrentChoicesLeaveOneChoiceAndOneEvent(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		token := b.Token(b.Item)
		var tabs sync.WaitGroup
		results := make([]error, 8)
		for n := range results {
			p := lost.ChoicePatch{Choice: lost.ChooseDonate, Seen: lost.Pending}
			if n%2 == 0 {
				p.Choice = lost.ChooseLeave
			}
			tabs.Go(func() { _, results[n] = b.Services.Guests.Choose(b.T.Context(), token, p) })
		}
		tabs.Wait()
		v := testkit.Must(b.Services.Guests.Visit(b.T.Context(), token))
		for n, err := range results {
			mine := (n%2 == 0) == (v.Item.Status == lost.Discard)
			if mine && err != nil || !mine && lost.CodeOf(err) != lost.Conflict {
				b.T.Errorf("tab %d: got %v, status is %s", n, err, v.Item.Status)
			}
		}
		if got := b.Events(); len(got) != 1 {
			b.T.Errorf("events: %q", got)
		}
	})
}

func TestStaffOverrideTheGuestsChoice(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		token := b.Token(b.Item)
		if _, err := b.Services.Guests.Choose(b.T.Context(), token,
			lost.ChoicePatch{Choice: lost.ChooseDonate}); err != nil {
			b.T.Fatal(err)
		}
		if _, err := b.Services.Items.SetStatus(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID,
			lost.MovePatch{Status: lost.Set("DONATE"), Closed: lost.Set(true)}); err != nil {
			b.T.Fatal(err)
		}
		if _, err := b.Services.Guests.Choose(b.T.Context(), token,
			lost.ChoicePatch{Choice: lost.ChooseLeave}); lost.CodeOf(err) != lost.Conflict {
			b.T.Error(err)
		}
		if v := testkit.Must(b.Services.Guests.Visit(b.T.Context(), token)); v.Item.Status != lost.Donate ||
			v.Item.ClosedAt.IsZero() || v.Item.GuestMayChoose() {
			b.T.Errorf("%+v", v.Item)
		}
	})
}

func TestARequestSendsAnEventAndAnAcknowledgement(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		r := b.NewRequest("carla@example.com")
		if r.Source != lost.Request || r.Status != lost.Pending || r.Claim.State != lost.RequestPending {
			b.T.Errorf("%+v", r)
		}
		if got := b.Events(); !slices.Equal(got, []string{"request"}) {
			b.T.Errorf("events: %q", got)
		}
		list := testkit.Must(b.Services.Messages.ListOfItem(b.T.Context(), b.Actor, b.Location.ID, r.ID,
			lost.FirstPage()))
		if len(list.Data) != 1 || list.Data[0].Kind != lost.ReceivedMessage ||
			!strings.Contains(list.Data[0].Text, "/g/"+b.Token(r)) {
			b.T.Errorf("messages: %+v", list.Data)
		}
		if _, err := b.Services.Items.SetStatus(b.T.Context(), b.Actor, b.Location.ID, r.ID,
			lost.MovePatch{Status: lost.Set("DONATE")}); lost.CodeOf(err) != lost.Conflict {
			b.T.Errorf("status change of a request: got %v, want a conflict", err)
		}
		if _, err := b.Services.Guests.Choose(b.T.Context(), b.Token(r),
			lost.ChoicePatch{Choice: lost.ChooseDonate}); lost.CodeOf(err) != lost.Conflict {
			b.T.Errorf("choice for a request: got %v, want a conflict", err)
		}
		all := testkit.Must(b.Services.Requests.List(b.T.Context(), b.Actor, b.Location.ID,
			lost.ItemFilter{States: []lost.RequestState{lost.RequestPending}, Page: lost.FirstPage()}))
		none := testkit.Must(b.Services.Requests.List(b.T.Context(), b.Actor, b.Location.ID,
			lost.ItemFilter{States: []lost.RequestState{lost.RequestMatched}, Page: lost.FirstPage()}))
		if all.Count != 1 || none.Count != 0 {
			b.T.Errorf("got %d pending and %d matched, want 1 and 0", all.Count, none.Count)
		}
	})
}

func TestAcceptingARequestMakesTheClaimantTheOwner(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		r := b.NewRequest("carla@example.com")
		scarf := testkit.Must(b.Services.Items.Create(b.T.Context(), b.Actor, b.Location.ID,
			testkit.ItemDescribed("Scarf"),
			lost.IdempotencyKey{}))
		accept := func(item string) error {
			_, err := b.Services.Requests.Decide(b.T.Context(), b.Actor, b.Location.ID, r.ID,
				lost.DecisionPatch{Type: lost.Set("accept"), ItemID: lost.Set(item)})
			return err
		}
		if err := accept(b.Item.ID); lost.CodeOf(err) != lost.Conflict {
			b.T.Errorf("accept with another owner's item: got %v, want a conflict", err)
		}
		if err := accept("item_none"); lost.CodeOf(err) != lost.Invalid {
			b.T.Errorf("accept with an unknown item: got %v, want invalid", err)
		}
		if err := accept(scarf.ID); err != nil {
			b.T.Fatal(err)
		}
		if err := accept(scarf.ID); lost.CodeOf(err) != lost.Conflict {
			b.T.Errorf("second accept: got %v, want a conflict", err)
		}
		scarf = testkit.Must(b.Services.Items.Get(b.T.Context(), b.Actor, b.Location.ID, scarf.ID))
		messages := testkit.Must(b.Services.Messages.ListOfItem(b.T.Context(), b.Actor, b.Location.ID, scarf.ID,
			lost.FirstPage()))
		if scarf.Owner.Email != "carla@example.com" || len(messages.Data) != 1 ||
			messages.Data[0].Kind != lost.MatchMessage {
			b.T.Errorf("%+v, %+v", scarf.Owner, messages.Data)
		}
		v := testkit.Must(b.Services.Guests.Visit(b.T.Context(), b.Token(r)))
		if v.Item.Claim.State != lost.RequestMatched {
			b.T.Errorf("%+v", v.Item.Claim)
		}
	})
}

// TestARequestIsOpenAgainAfterItsMatchWasUndone undoes a match in every way. The request can then be accepted again.
func TestARequestIsOpenAgainAfterItsMatchWasUndone(t *testing.T) {
	update := func(p lost.Field[lost.OwnerPatch]) func(*testkit.Fixture, lost.Item) error {
		return func(b *testkit.Fixture, found lost.Item) error {
			_, err := b.Services.Items.Update(t.Context(), b.Actor, b.Location.ID, found.ID, lost.ItemPatch{Owner: p})
			return err
		}
	}
	for name, undo := range map[string]func(*testkit.Fixture, lost.Item) error{
		"owner removed": update(lost.Clear[lost.OwnerPatch]()),
		"other owner":   update(lost.Set(lost.OwnerPatch{Email: lost.Set("other@example.com")})),
		"not theirs": func(b *testkit.Fixture, found lost.Item) error {
			_, err := b.Services.Guests.Disown(t.Context(), b.Token(found))
			return err
		},
		"deleted": func(b *testkit.Fixture, found lost.Item) error {
			return b.Services.Items.Delete(t.Context(), b.Actor, b.Location.ID, found.ID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			testkit.EachLocation(t, func(b *testkit.Fixture) {
				request := b.NewRequest("carl@example.com")
				accept := func(found lost.Item) lost.Item {
					return testkit.Must(b.Services.Requests.Decide(b.T.Context(), b.Actor, b.Location.ID, request.ID,
						lost.DecisionPatch{Type: lost.Set(lost.Accept), ItemID: lost.Set(found.ID)}))
				}
				found := b.NewItem(testkit.ItemDescribed("Black umbrella"))
				if got := accept(found); got.Claim.State != lost.RequestMatched {
					b.T.Fatalf("accepted: %+v", got.Claim)
				}
				found = testkit.Must(b.Services.Items.Get(b.T.Context(), b.Actor, b.Location.ID, found.ID))
				if err := undo(b, found); err != nil {
					b.T.Fatal(err)
				}
				got := testkit.Must(b.Services.Items.Get(b.T.Context(), b.Actor, b.Location.ID, request.ID))
				if got.Claim.State != lost.RequestPending || got.Claim.MatchedItemID != "" {
					b.T.Errorf("after the match was undone: %+v", got.Claim)
				}
				if got := accept(b.NewItem(testkit.ItemDescribed("Umbrella"))); got.Claim.State != lost.RequestMatched {
					b.T.Errorf("accepted again: %+v", got.Claim)
				}
			})
		})
	}
}

func TestAClaimantAddsToARequestAndWithdrawsIt(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		r := b.NewRequest("carla@example.com")
		token := b.Token(r)
		var v desk.Visit
		for range 2 { // the guest taps twice
			v = testkit.Must(b.Services.Guests.AddToRequest(b.T.Context(), token, lost.Set("with white dots"), nil))
		}
		if v.Item.Description != "Blue scarf\n\nwith white dots" {
			b.T.Errorf("%q", v.Item.Description)
		}
		if _, err := b.Services.Guests.AddToRequest(b.T.Context(), token, lost.Set(" "),
			nil); lost.CodeOf(err) != lost.Invalid {
			b.T.Errorf("empty details: got %v, want invalid", err)
		}
		for range 2 {
			v = testkit.Must(b.Services.Guests.WithdrawRequest(b.T.Context(), token))
		}
		if v.Item.Claim.State != lost.RequestWithdrawn {
			b.T.Errorf("%+v", v.Item.Claim)
		}
		if _, err := b.Services.Guests.AddToRequest(b.T.Context(), token, lost.Set("more"),
			nil); lost.CodeOf(err) != lost.Conflict {
			b.T.Errorf("details after withdrawal: got %v, want a conflict", err)
		}
	})
}

func TestARejectedClaimantGetsTheReason(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		r := b.NewRequest("carla@example.com")
		got := testkit.Must(b.Services.Requests.Decide(b.T.Context(), b.Actor, b.Location.ID, r.ID,
			lost.DecisionPatch{Type: lost.Set("reject"), Reason: lost.Set("We looked everywhere.")}))
		if got.Claim.State != lost.RequestRejected || got.Claim.Reason != "We looked everywhere." {
			b.T.Errorf("%+v", got.Claim)
		}
		list := testkit.Must(b.Services.Messages.ListOfItem(b.T.Context(), b.Actor, b.Location.ID, r.ID,
			lost.FirstPage()))
		if list.Data[0].Kind != lost.RejectedMessage {
			b.T.Errorf("%+v", list.Data)
		}
	})
}

func TestAPublicPageSendsALimitedNumberOfMails(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		messages := func(o lost.OwnerPatch, form string) int {
			b.T.Helper()
			r := testkit.Must(b.Services.Requests.Report(b.T.Context(), b.Location,
				lost.RequestPatch{Description: lost.Set("Hat"), Owner: lost.Set(o)}, nil,
				lost.IdempotencyKey{Key: form}))
			if v := testkit.Must(b.Services.Guests.Visit(b.T.Context(), r.Token)); v.Item.ID != r.Item.ID || !r.First {
				b.T.Errorf("filed %+v, but the link opens %s", r, v.Item.ID)
			}
			return testkit.Must(b.Services.Messages.ListOfItem(b.T.Context(), b.Actor, b.Location.ID, r.Item.ID,
				lost.FirstPage())).Count
		}
		sent := 0
		for n := range 8 {
			sent += messages(lost.OwnerPatch{Email: lost.Set("victim@example.com")}, strings.Repeat("x", n+1))
		}
		if sent != 5 {
			b.T.Errorf("got %d e-mails to one address, want 5", sent)
		}
		if n := messages(lost.OwnerPatch{Email: lost.Set("other@example.com")}, "other"); n != 1 {
			b.T.Errorf("got %d e-mails to another address, want 1", n)
		}
		if n := messages(lost.OwnerPatch{Phone: lost.Set("+49 30 901820")}, "phone"); n != 0 {
			b.T.Errorf("got %d text messages before a decision, want 0", n)
		}
	})
}

func TestAPublicPageAcceptsALimitedNumberOfReportsADay(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		report := func() error {
			_, err := b.Services.Requests.Report(b.T.Context(), b.Location, lost.RequestPatch{
				Description: lost.Set("Hat"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("spam@example.com")}),
			}, nil, lost.IdempotencyKey{})
			return err
		}
		writes := 0
		b.DB.Observe(store.Observer{OnWrite: func(store.WriteStats) { writes++ }})
		if err := report(); err != nil {
			b.T.Fatal(err)
		}
		if writes != 1 {
			b.T.Errorf("a report made %d write transactions, want 1: the limit can be read without one", writes)
		}
		err := b.DB.Write(b.T.Context(), func(tx *store.Tx) error {
			for range 499 {
				r, err := lost.NewRequest(b.Location.Account, b.Location.ID, testkit.RequestFor("Hat"), tx.Now())
				if err != nil {
					return err
				}
				r.MovedBy = lost.ByPublic
				if err := tx.InsertItem(r); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.T.Fatal(err)
		}
		writes = 0
		if err := report(); lost.CodeOf(err) != lost.TooMany || writes != 0 {
			b.T.Errorf("beyond the limit: got %v and %d write transactions", err, writes)
		}
		b.NewRequest("carla@example.com") // the limit does not apply to staff
		b.Clock.Advance(25 * time.Hour)
		if err := report(); err != nil {
			b.T.Error(err)
		}
	})
}
