package desk_test

import (
	"slices"
	"testing"

	"homeward/internal/courier"
	"homeward/internal/lost"
	"homeward/internal/payment"
)

func TestWhatTheDeskCallsPaidTakesTheSameRoad(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		i := w.choose(w.find(), sendTo("DE"))
		page := w.checkout(i).Checkout.ID
		i = w.move(i, lost.FeePaid)
		if !i.Parcel.Paid || i.Parcel.PayBy != lost.PayDesk || len(w.labels(i)) != 0 {
			w.t.Errorf("%+v, %d events", i.Parcel, len(w.labels(i)))
		}
		w.work()
		i = w.look(i)
		if events := w.labels(i); len(events) != 1 || events[0].Payload.Files == nil || len(i.Parcel.Documents) != 3 || i.Parcel.Price.Total() != 840 {
			w.t.Errorf("%+v, %d events", i.Parcel, len(events))
		}
		if got := w.till.pages(); len(got) != 0 || w.till.open[page] {
			w.t.Errorf("open pages: %q", got)
		}
		w.move(i, lost.Shipped)
		w.move(i, lost.FeePaid)
		if events := w.labels(i); len(events) != 2 || events[1].Payload.Files == nil {
			w.t.Errorf("once more: %d events", len(events))
		}
		w.work()
		if events := w.labels(i); len(events) != 2 || w.asked("Buy") != 1 {
			w.t.Errorf("later: %d events, %d labels", len(events), w.asked("Buy"))
		}
	})
}

func TestAPayingGuestOfADeskThatCollectsTheFeeIsToldAndTheDeskSays(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		w.staff(courier.Tariff{Now: w.clock.Now}, payment.None{})
		i := w.choose(w.find(), sendTo("DE"))
		if s := w.checkout(i); s.Checkout.ID != "" || s.Quote.Price.Total() != 840 {
			w.t.Errorf("%+v", s)
		}
		if _, err := w.desk.PayTest(w.t.Context(), w.token(i)); lost.CodeOf(err) != lost.NotFound {
			w.t.Errorf("the page of the test: %v", err)
		}
		w.move(i, lost.FeePaid)
		w.work()
		if i = w.look(i); len(i.Parcel.Documents) != 3 || len(w.labels(i)) != 1 || count(w.messages(i), "receipt to anna@example.com") != 1 {
			w.t.Errorf("%+v, %d events, %q", i.Parcel, len(w.labels(i)), w.messages(i))
		}
	})
}

func TestWhatTheOwnerTellsTheDeskIsSentLikeWhatTheyChoseThemselves(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		i, to := w.find(), sendTo("DE").Recipient
		half := to
		half.ZipCode = lost.Set("1")
		if _, err := w.desk.SendTo(w.t.Context(), w.actor, i.LocationID, i.ID, half); !lost.ProblemsOf(err).Has("recipient.zipCode") || w.look(i).Status != lost.Pending {
			w.t.Errorf("half an address: %v", err)
		}
		i = must(w.desk.SendTo(w.t.Context(), w.actor, i.LocationID, i.ID, to))
		if i.Status != lost.InfoCompleted || i.Shipping.Recipient.Country != "DE" || i.MovedBy != w.actor.Kind {
			w.t.Errorf("it is %s, for %+v", i.Status, i.Shipping.Recipient)
		}
		w.work()
		if i = w.look(i); !i.Parcel.Offered || count(w.messages(i), "price to anna@example.com") != 1 {
			w.t.Errorf("%+v, %q", i.Parcel, w.messages(i))
		}
		again := must(w.desk.SendTo(w.t.Context(), w.actor, i.LocationID, i.ID, to))
		if again.Parcel.ShipmentID != i.Parcel.ShipmentID {
			w.t.Error("the same address makes another parcel")
		}
		w.move(i, lost.FeePaid)
		w.work()
		if i = w.look(i); len(i.Parcel.Documents) != 3 {
			w.t.Errorf("no label: %+v", i.Parcel)
		}
		if _, err := w.desk.SendTo(w.t.Context(), w.actor, i.LocationID, i.ID, to); lost.CodeOf(err) != lost.Conflict {
			w.t.Errorf("sent elsewhere with a label that is bought: %v", err)
		}
	})
}

func TestWhatHasNowhereToGoIsAnnouncedAtOnce(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		bare := w.find()
		w.move(bare, lost.FeePaid)
		stays := w.choose(w.find(), sendTo("DE"))
		w.checkout(stays)
		must(w.desk.UpdateItem(w.t.Context(), w.actor, w.where.ID, stays.ID, lost.ItemPatch{Shipping: lost.Set(lost.ShippingPatch{NotShipped: lost.Set("It is a knife.")})}))
		w.move(stays, lost.FeePaid)
		for what, i := range map[string]lost.Item{"no address": bare, "not to be shipped": stays} {
			if events := w.labels(i); len(events) != 1 || events[0].Payload.Files != nil {
				w.t.Errorf("%s: %d events", what, len(events))
			}
		}
		w.work()
		if len(w.labels(bare)) != 1 || len(w.labels(stays)) != 1 || w.asked("Buy") != 0 {
			w.t.Errorf("later: %d and %d events", len(w.labels(bare)), len(w.labels(stays)))
		}
		if got := w.till.pages(); len(got) != 0 {
			w.t.Errorf("what the desk has the fee for can still be paid on %q", got)
		}
	})
}

func TestEachChangeToFeePaidIsAnnouncedOnce(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		underWay, _ := w.paid("DE")
		w.move(underWay, lost.Shipped)
		w.move(underWay, lost.FeePaid)
		refused, s := w.paid("DE")
		w.fail("before Prepare", lost.E(lost.Invalid, "It is too heavy."))
		w.ship(s)
		w.move(refused, lost.Pending)
		w.move(refused, lost.FeePaid)
		stays, s := w.paid("DE")
		w.fail("before Prepare", lost.E(lost.Invalid, "It is forbidden."))
		w.ship(s)
		must(w.desk.UpdateItem(w.t.Context(), w.actor, w.where.ID, stays.ID, lost.ItemPatch{Shipping: lost.Set(lost.ShippingPatch{NotShipped: lost.Set("It is a knife.")})}))
		w.move(stays, lost.Pending)
		w.move(stays, lost.FeePaid)
		for range 2 {
			w.work()
			for what, i := range map[string]lost.Item{"while the label is under way": underWay, "after a refusal": refused, "what is not shipped after all": stays} {
				if n := len(w.labels(i)); n != 2 {
					w.t.Errorf("%s: %d events for two changes", what, n)
				}
			}
		}
	})
}

func TestOnlyWhoMayWriteSaysThatAFeeWasPaid(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		i := w.choose(w.find(), sendTo("DE"))
		reader, foreign, stranger := w.actor, w.actor, w.actor
		reader.ReadOnly, foreign.Locations, stranger.Account = true, []string{}, must(w.desk.CreateAccount(w.t.Context(), "Theirs")).ID
		for want, a := range map[lost.Code][]lost.Actor{lost.Forbidden: {reader}, lost.NotFound: {foreign, stranger}} {
			for _, a := range a {
				ctx, where := w.t.Context(), i.LocationID
				_, paid := w.desk.SetStatus(ctx, a, where, i.ID, lost.MovePatch{Status: lost.Set("FEE PAID")})
				_, refunded := w.desk.Refund(ctx, a, where, i.ID, lost.RefundPatch{}, lost.IdempotencyKey{})
				_, retried := w.desk.RetryLabel(ctx, a, where, i.ID, lost.IdempotencyKey{})
				if code(paid) != want || code(refunded) != want || code(retried) != want {
					w.t.Errorf("%v, %v, %v, want %s", paid, refunded, retried, want)
				}
			}
		}
		if got := w.path(i); !slices.Equal(got, []lost.Status{lost.InfoCompleted}) {
			w.t.Errorf("path %q", got)
		}
	})
}
