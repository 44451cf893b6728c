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
	"homeward/internal/store/storetest"
)

// scribe writes a message's words in the shortest way.
type scribe struct{}

func (scribe) Compose(l lost.Letter) (subject, text string, err error) {
	return string(l.Kind), l.Item.Description + " " + l.URL, nil
}

func (scribe) Sends(lost.Channel) bool { return true }

// lobby is a location with an item of Anna's.
type lobby struct {
	t     *testing.T
	db    *store.DB
	clock *storetest.Clock
	desk  *desk.Desk
	actor lost.Actor
	where lost.Location
	item  lost.Item
}

func eachLobby(t *testing.T, fn func(b *lobby)) {
	t.Helper()
	each(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := newDesk(t, db, clock)
		b := &lobby{t: t, db: db, clock: clock, desk: d, actor: begin(t, d)}
		b.where = must(d.CreateLocation(t.Context(), b.actor, named("Hotel Adler"), lost.IdempotencyKey{}))
		b.item = must(d.CreateItem(t.Context(), b.actor, b.where.ID, owned("Umbrella", "anna@example.com"), lost.IdempotencyKey{}))
		fn(b)
	})
}

func owned(text, email string) lost.ItemPatch {
	return lost.ItemPatch{Description: lost.Set(text), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(email)})}
}

// token is what the link of an item's owner ends with.
func (b *lobby) token(i lost.Item) string {
	b.t.Helper()
	link, found, err := b.db.LinkTo(b.t.Context(), i.Account, i.ID, i.Owner.Address())
	if err != nil || !found {
		b.t.Fatalf("no link: %v", err)
	}
	return must(b.db.Token(link))
}

func (b *lobby) visit(token string) (desk.Visit, error) { return b.desk.Visit(b.t.Context(), token) }

func (b *lobby) events() []string {
	b.t.Helper()
	var all []string
	for _, e := range must(b.desk.Events(b.t.Context(), b.actor, lost.EventFilter{Page: lost.FirstPage()})).Data {
		all = append(all, string(e.Type))
	}
	return all
}

func pickUp(day, hour string) lost.ChoicePatch {
	return lost.ChoicePatch{Choice: lost.ChoosePickUp, PickupDate: lost.Set(day), PickupTime: lost.Set(hour)}
}

func TestALinkLeadsToItsItem(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		token := b.token(b.item)
		if len(token) < 26 { // 5 bits each: 130
			t.Errorf("a token of %d characters", len(token))
		}
		v, err := b.visit(token)
		if err != nil || v.Item.ID != b.item.ID || v.Location.ID != b.where.ID {
			t.Errorf("%+v, %v", v, err)
		}
		for _, wrong := range []string{"", "x", token + "a", token[1:], strings.ToUpper(token), strings.Repeat("a", 10000), "\x00"} {
			if _, err := b.visit(wrong); lost.CodeOf(err) != lost.NotFound {
				b.t.Errorf("%.20q: %v", wrong, err)
			}
		}
	})
}

func TestTheLinksAndPagesOfADisabledAccountLeadNowhere(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		token := b.token(b.item)
		if _, err := b.desk.SetAccountDisabled(b.t.Context(), b.where.Account, true); err != nil {
			b.t.Fatal(err)
		}
		if _, err := b.visit(token); lost.CodeOf(err) != lost.NotFound {
			b.t.Error(err)
		}
		if _, err := b.desk.PublicLocation(b.t.Context(), b.where.Permalink); lost.CodeOf(err) != lost.NotFound {
			b.t.Error(err)
		}
	})
}

func TestALinkIsNoUseToAFormerOwner(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		old := b.token(b.item)
		b.item = must(b.desk.UpdateItem(b.t.Context(), b.actor, b.where.ID, b.item.ID, lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("bert@example.com")})}))
		if _, err := b.visit(old); lost.CodeOf(err) != lost.NotFound {
			b.t.Errorf("the former owner's: %v", err)
		}
		if _, err := b.desk.Choose(b.t.Context(), old, lost.ChoicePatch{Choice: lost.ChooseDonate}); lost.CodeOf(err) != lost.NotFound {
			b.t.Errorf("the former owner chooses: %v", err)
		}
		if _, err := b.visit(b.token(b.item)); err != nil {
			b.t.Errorf("the new owner's: %v", err)
		}
	})
}

func TestARevokedLinkLeadsNowhereAndTheNextMessageHasAnother(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		old := b.token(b.item)
		for range 2 { // once more changes nothing
			if _, err := b.desk.RevokeLink(b.t.Context(), b.actor, b.where.ID, b.item.ID, lost.IdempotencyKey{}); err != nil {
				b.t.Fatal(err)
			}
		}
		if _, err := b.visit(old); lost.CodeOf(err) != lost.NotFound {
			b.t.Error(err)
		}
		if _, err := b.desk.Notify(b.t.Context(), b.actor, b.where.ID, b.item.ID, lost.IdempotencyKey{}); err != nil {
			b.t.Fatal(err)
		}
		renewed := b.token(b.item)
		if _, err := b.visit(renewed); err != nil || renewed == old {
			b.t.Errorf("%v, the same: %t", err, renewed == old)
		}
		if _, err := b.visit(old); lost.CodeOf(err) != lost.NotFound {
			b.t.Errorf("the revoked one works again: %v", err)
		}
	})
}

func TestAnExpiredLinkIsReplacedByANewOne(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		token := b.token(b.item)
		count := func() int {
			return must(b.desk.Messages(b.t.Context(), b.actor, b.where.ID, b.item.ID, lost.FirstPage())).Count
		}
		if err := b.desk.RenewLink(b.t.Context(), token); err != nil || count() != 1 {
			b.t.Errorf("renewed before its time: %v, %d messages", err, count())
		}
		b.clock.Advance(lost.LinkLife)
		v, err := b.visit(token)
		if lost.CodeOf(err) != lost.Gone || v.Location.ID != b.where.ID || v.Item.ID != "" {
			b.t.Errorf("%+v, %v", v, err)
		}
		if _, err := b.desk.Choose(b.t.Context(), token, lost.ChoicePatch{Choice: lost.ChooseDonate}); lost.CodeOf(err) != lost.Gone {
			b.t.Error(err)
		}
		if err := b.desk.RenewLink(b.t.Context(), token); err != nil {
			b.t.Fatal(err)
		}
		if err := b.desk.RenewLink(b.t.Context(), token); lost.CodeOf(err) != lost.NotFound {
			b.t.Errorf("the old one once more: %v", err)
		}
		if n := count(); n != 2 {
			b.t.Errorf("%d messages", n)
		}
		if _, err := b.visit(token); lost.CodeOf(err) != lost.NotFound {
			b.t.Errorf("the old one works again: %v", err)
		}
		if _, err := b.visit(b.token(b.item)); err != nil {
			b.t.Errorf("the new one: %v", err)
		}
	})
}

func TestEachChoiceIsAnnouncedOnce(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		token := b.token(b.item)
		choose := func(p lost.ChoicePatch) {
			b.t.Helper()
			for range 3 { // impatient taps
				if _, err := b.desk.Choose(b.t.Context(), token, p); err != nil {
					b.t.Fatal(err)
				}
			}
		}
		choose(pickUp("2026-11-20", "14:30"))
		choose(lost.ChoicePatch{Choice: lost.ChooseLeave})
		choose(lost.ChoicePatch{Choice: lost.ChooseDonate})
		choose(pickUp("2026-11-21", "14:30"))
		choose(pickUp("2026-11-22", "14:30")) // another day is no other choice
		if got := b.events(); !slices.Equal(got, []string{"pickup", "donate", "discard", "pickup"}) {
			b.t.Errorf("events: %q", got)
		}
		first := must(b.desk.Events(b.t.Context(), b.actor, lost.EventFilter{Page: lost.FirstPage()})).Data[3]
		if body := string(first.Body); !strings.Contains(body, `"pickupDate":"2026-11-20","pickupTime":"14:30"`) {
			b.t.Error(body)
		}
		history := must(b.desk.History(b.t.Context(), b.actor, b.where.ID, b.item.ID, lost.FirstPage()))
		if h := history.Data[0]; h.Actor.Kind != lost.ByGuest || !slices.Equal(h.Fields, []string{"pickup"}) {
			b.t.Errorf("history: %+v", h)
		}
	})
}

func TestTwoTabsThatChooseAtOnceEndInOneChoiceAndOneEvent(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		token := b.token(b.item)
		var tabs sync.WaitGroup
		results := make([]error, 8)
		for n := range results {
			p := lost.ChoicePatch{Choice: lost.ChooseDonate, Seen: lost.Pending}
			if n%2 == 0 {
				p.Choice = lost.ChooseLeave
			}
			tabs.Go(func() { _, results[n] = b.desk.Choose(b.t.Context(), token, p) })
		}
		tabs.Wait()
		v := must(b.visit(token))
		for n, err := range results {
			mine := (n%2 == 0) == (v.Item.Status == lost.Discard)
			if mine && err != nil || !mine && lost.CodeOf(err) != lost.Conflict {
				b.t.Errorf("tab %d: %v, now %s", n, err, v.Item.Status)
			}
		}
		if got := b.events(); len(got) != 1 {
			b.t.Errorf("events: %q", got)
		}
	})
}

func TestTheDeskHasTheLastWord(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		token := b.token(b.item)
		if _, err := b.desk.Choose(b.t.Context(), token, lost.ChoicePatch{Choice: lost.ChooseDonate}); err != nil {
			b.t.Fatal(err)
		}
		if _, err := b.desk.SetStatus(b.t.Context(), b.actor, b.where.ID, b.item.ID, lost.MovePatch{Status: lost.Set("DONATE"), Closed: lost.Set(true)}); err != nil {
			b.t.Fatal(err)
		}
		if _, err := b.desk.Choose(b.t.Context(), token, lost.ChoicePatch{Choice: lost.ChooseLeave}); lost.CodeOf(err) != lost.Conflict {
			b.t.Error(err)
		}
		if v := must(b.visit(token)); v.Item.Status != lost.Donate || v.Item.ClosedAt.IsZero() || v.Item.OpenToGuest() {
			b.t.Errorf("%+v", v.Item)
		}
	})
}

// claim files a request by an e-mail address.
func (b *lobby) claim(email string) lost.Item {
	b.t.Helper()
	return must(b.desk.FileRequest(b.t.Context(), b.actor, b.where.ID, lost.RequestPatch{
		Description: lost.Set("Blue scarf"), LostDate: lost.Set("2026-11-14"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(email)}),
	}, lost.IdempotencyKey{}))
}

func TestARequestIsAnItemThatIsAnnouncedAndAcknowledged(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		r := b.claim("carla@example.com")
		if r.Source != lost.Request || r.Status != lost.Pending || r.Claim.State != lost.RequestPending {
			b.t.Errorf("%+v", r)
		}
		if got := b.events(); !slices.Equal(got, []string{"request"}) {
			b.t.Errorf("events: %q", got)
		}
		list := must(b.desk.Messages(b.t.Context(), b.actor, b.where.ID, r.ID, lost.FirstPage()))
		if len(list.Data) != 1 || list.Data[0].Kind != lost.ReceivedMessage || !strings.Contains(list.Data[0].Text, "/g/"+b.token(r)) {
			b.t.Errorf("messages: %+v", list.Data)
		}
		if _, err := b.desk.SetStatus(b.t.Context(), b.actor, b.where.ID, r.ID, lost.MovePatch{Status: lost.Set("DONATE")}); lost.CodeOf(err) != lost.Conflict {
			b.t.Errorf("moved: %v", err)
		}
		if _, err := b.desk.Choose(b.t.Context(), b.token(r), lost.ChoicePatch{Choice: lost.ChooseDonate}); lost.CodeOf(err) != lost.Conflict {
			b.t.Errorf("chosen: %v", err)
		}
		all := must(b.desk.Requests(b.t.Context(), b.actor, b.where.ID, lost.ItemFilter{States: []lost.RequestState{lost.RequestPending}, Page: lost.FirstPage()}))
		none := must(b.desk.Requests(b.t.Context(), b.actor, b.where.ID, lost.ItemFilter{States: []lost.RequestState{lost.RequestMatched}, Page: lost.FirstPage()}))
		if all.Count != 1 || none.Count != 0 {
			b.t.Errorf("%d pending, %d matched", all.Count, none.Count)
		}
	})
}

func TestAcceptingARequestMakesTheClaimantTheOwner(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		r := b.claim("carla@example.com")
		scarf := must(b.desk.CreateItem(b.t.Context(), b.actor, b.where.ID, described("Scarf"), lost.IdempotencyKey{}))
		accept := func(item string) error {
			_, err := b.desk.DecideRequest(b.t.Context(), b.actor, b.where.ID, r.ID, lost.DecisionPatch{Type: lost.Set("accept"), ItemID: lost.Set(item)})
			return err
		}
		if err := accept(b.item.ID); lost.CodeOf(err) != lost.Conflict {
			b.t.Errorf("taken from Anna: %v", err)
		}
		if err := accept("item_none"); lost.CodeOf(err) != lost.Invalid {
			b.t.Errorf("no such item: %v", err)
		}
		if err := accept(scarf.ID); err != nil {
			b.t.Fatal(err)
		}
		if err := accept(scarf.ID); lost.CodeOf(err) != lost.Conflict {
			b.t.Errorf("twice: %v", err)
		}
		scarf = must(b.desk.Item(b.t.Context(), b.actor, b.where.ID, scarf.ID))
		messages := must(b.desk.Messages(b.t.Context(), b.actor, b.where.ID, scarf.ID, lost.FirstPage()))
		if scarf.Owner.Email != "carla@example.com" || len(messages.Data) != 1 || messages.Data[0].Kind != lost.MatchMessage {
			b.t.Errorf("%+v, %+v", scarf.Owner, messages.Data)
		}
		v := must(b.visit(b.token(r)))
		if v.Item.Claim.State != lost.RequestMatched {
			b.t.Errorf("%+v", v.Item.Claim)
		}
	})
}

func TestAClaimantAddsToARequestAndWithdrawsIt(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		r := b.claim("carla@example.com")
		token := b.token(r)
		var v desk.Visit
		for range 2 { // a double tap
			v = must(b.desk.AddToRequest(b.t.Context(), token, lost.Set("with white dots"), nil))
		}
		if v.Item.Description != "Blue scarf\n\nwith white dots" {
			b.t.Errorf("%q", v.Item.Description)
		}
		if _, err := b.desk.AddToRequest(b.t.Context(), token, lost.Set(" "), nil); lost.CodeOf(err) != lost.Invalid {
			b.t.Errorf("nothing: %v", err)
		}
		for range 2 {
			v = must(b.desk.WithdrawRequest(b.t.Context(), token))
		}
		if v.Item.Claim.State != lost.RequestWithdrawn {
			b.t.Errorf("%+v", v.Item.Claim)
		}
		if _, err := b.desk.AddToRequest(b.t.Context(), token, lost.Set("more"), nil); lost.CodeOf(err) != lost.Conflict {
			b.t.Errorf("after it: %v", err)
		}
	})
}

func TestARejectedClaimantIsToldWhy(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		r := b.claim("carla@example.com")
		got := must(b.desk.DecideRequest(b.t.Context(), b.actor, b.where.ID, r.ID, lost.DecisionPatch{Type: lost.Set("reject"), Reason: lost.Set("We looked everywhere.")}))
		if got.Claim.State != lost.RequestRejected || got.Claim.Reason != "We looked everywhere." {
			b.t.Errorf("%+v", got.Claim)
		}
		list := must(b.desk.Messages(b.t.Context(), b.actor, b.where.ID, r.ID, lost.FirstPage()))
		if list.Data[0].Kind != lost.RejectedMessage {
			b.t.Errorf("%+v", list.Data)
		}
	})
}

func TestAPublicPageFillsNobodysMailbox(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		messages := func(o lost.OwnerPatch, form string) int {
			b.t.Helper()
			r := must(b.desk.Report(b.t.Context(), b.where, lost.RequestPatch{Description: lost.Set("Hat"), Owner: lost.Set(o)}, nil, lost.IdempotencyKey{Key: form}))
			if v := must(b.visit(r.Token)); v.Item.ID != r.Item.ID || !r.First {
				b.t.Errorf("filed %+v, the link leads to %s", r, v.Item.ID)
			}
			return must(b.desk.Messages(b.t.Context(), b.actor, b.where.ID, r.Item.ID, lost.FirstPage())).Count
		}
		sent := 0
		for n := range 8 {
			sent += messages(lost.OwnerPatch{Email: lost.Set("victim@example.com")}, strings.Repeat("x", n+1))
		}
		if sent != 5 {
			b.t.Errorf("%d mails to one address", sent)
		}
		if n := messages(lost.OwnerPatch{Email: lost.Set("other@example.com")}, "other"); n != 1 {
			b.t.Errorf("%d mails to another", n)
		}
		if n := messages(lost.OwnerPatch{Phone: lost.Set("+49 30 901820")}, "phone"); n != 0 {
			b.t.Errorf("%d text messages before the desk has decided", n)
		}
	})
}

func TestAPublicPageTakesSoManyReportsADay(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		report := func() error {
			_, err := b.desk.Report(b.t.Context(), b.where, lost.RequestPatch{
				Description: lost.Set("Hat"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("spam@example.com")}),
			}, nil, lost.IdempotencyKey{})
			return err
		}
		if err := report(); err != nil {
			b.t.Fatal(err)
		}
		err := b.db.Write(b.t.Context(), func(tx *store.Tx) error {
			for range 499 {
				r, err := lost.NewRequest(b.where.Account, b.where.ID, claimed("Hat"), tx.Now())
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
			b.t.Fatal(err)
		}
		if err := report(); lost.CodeOf(err) != lost.TooMany {
			b.t.Error(err)
		}
		b.claim("carla@example.com") // the desk itself is not bound
		b.clock.Advance(25 * time.Hour)
		if err := report(); err != nil {
			b.t.Error(err)
		}
	})
}
