package shipping_test

import (
	"slices"
	"strings"
	"testing"

	"homeward/internal/courier"
	"homeward/internal/lost"
	"homeward/internal/payment"
	"homeward/internal/store"
	"homeward/internal/testkit"
)

func TestAFeeMarkedPaidByStaffIsShipped(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i := w.choose(w.find(), sendTo("DE"))
		page := w.checkout(i).Checkout.ID
		i = w.move(i, lost.FeePaid)
		if !i.Parcel.Paid || i.Parcel.PayBy != lost.PayDesk || len(w.labels(i)) != 0 {
			w.T.Errorf("%+v, %d events", i.Parcel, len(w.labels(i)))
		}
		w.work()
		i = w.item(i)
		if events := w.labels(i); len(events) != 1 || events[0].Payload.Files == nil || len(i.Parcel.Documents) != 3 ||
			i.Parcel.Price.Total() != 840 {
			w.T.Errorf("%+v, %d events", i.Parcel, len(events))
		}
		if got := w.provider.pages(); len(got) != 0 || w.provider.open[page] {
			w.T.Errorf("open pages: %q", got)
		}
		w.move(i, lost.Shipped)
		w.move(i, lost.FeePaid)
		if events := w.labels(i); len(events) != 2 || events[1].Payload.Files == nil {
			w.T.Errorf("after a repeated change: got %d events", len(events))
		}
		w.work()
		if events := w.labels(i); len(events) != 2 || w.Calls("Buy") != 1 {
			w.T.Errorf("later: got %d events, %d labels", len(events), w.Calls("Buy"))
		}
	})
}

// A fee that the desk collected is paid back by the desk, which has to be told, and to confirm it.
func TestTheDeskPaysBackWhatItCollected(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		w.staff(courier.Tariff{Now: w.Clock.Now}, payment.None{})
		refundDue := func(i lost.Item, want lost.RefundState) {
			w.T.Helper()
			due := slices.Contains(w.tasks(i), lost.RefundTask)
			if is := w.item(i); is.Parcel.Refund != want || due != (want != lost.RefundDone) {
				w.T.Errorf("got %q, task %t; want %q", is.Parcel.Refund, due, want)
			}
		}
		i := w.choose(w.find(), sendTo("DE"))
		w.checkout(i)
		i = w.move(i, lost.FeePaid)
		w.work()
		if err := w.refund(i); err != nil {
			w.T.Fatal(err)
		}
		for range 2 { // a job that is repeated tells nobody again
			w.work()
			refundDue(i, lost.RefundWanted)
			if err := w.DB.Write(w.T.Context(), func(tx *store.Tx) error {
				return tx.AddJob(i.Account, store.JobRefund, i.Parcel.ShipmentID, tx.Now())
			}); err != nil {
				w.T.Fatal(err)
			}
		}
		if why := w.item(i).TaskReason(lost.RefundTask); !strings.Contains(why, "The desk collected 8.40 EUR.") {
			w.T.Errorf("the task says %q", why)
		}
		if n := testkit.Count(w.messages(i), "refund to anna@example.com"); n != 1 {
			w.T.Errorf("the owner was told %d times, want once", n)
		}
		w.work()
		if err := w.refund(i); err != nil { // the desk confirms it
			w.T.Fatal(err)
		}
		w.work()
		refundDue(i, lost.RefundDone)
		if err := w.refund(i); lost.CodeOf(err) != lost.Conflict {
			w.T.Errorf("refund after the refund: got %v, want a conflict", err)
		}
	})
}

// The task stays when the owner chooses again, and its confirmation refunds nothing else.
func TestAnEarlierFeeIsPaidBackByTheDesk(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		w.staff(courier.Tariff{Now: w.Clock.Now}, payment.None{})
		i := w.choose(w.find(), sendTo("DE"))
		w.checkout(i)
		i = w.move(i, lost.FeePaid)
		if err := w.refund(i); err != nil {
			w.T.Fatal(err)
		}
		w.work()
		i = w.choose(w.item(i), sendTo("FR"))
		w.checkout(i)
		i = w.move(i, lost.FeePaid)
		w.work()
		if got := w.tasks(i); !slices.Contains(got, lost.RefundTask) {
			w.T.Errorf("got tasks %q after another choice", got)
		}
		if err := w.refund(i); err != nil {
			w.T.Fatal(err)
		}
		w.work()
		tasks, now := w.tasks(i), w.item(i)
		if slices.Contains(tasks, lost.RefundTask) || now.Parcel.Refund != "" || !now.Parcel.Paid {
			w.T.Errorf("got tasks %q and parcel %+v", tasks, now.Parcel)
		}
	})
}

func TestAGuestIsNotifiedWhenStaffCollectTheFee(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		w.staff(courier.Tariff{Now: w.Clock.Now}, payment.None{})
		i := w.choose(w.find(), sendTo("DE"))
		if s := w.checkout(i); s.Checkout.ID != "" || s.Quote.Price.Total() != 840 {
			w.T.Errorf("%+v", s)
		}
		if _, err := w.Services.Payments.PayTest(w.T.Context(), w.Token(i)); lost.CodeOf(err) != lost.NotFound {
			w.T.Errorf("test payment: got %v, want not found", err)
		}
		w.move(i, lost.FeePaid)
		w.work()
		if i = w.item(i); len(i.Parcel.Documents) != 3 || len(w.labels(i)) != 1 ||
			testkit.Count(w.messages(i), "receipt to anna@example.com") != 1 {
			w.T.Errorf("%+v, %d events, %q", i.Parcel, len(w.labels(i)), w.messages(i))
		}
	})
}

func TestAChoiceEnteredByStaffShipsLikeTheGuestsOwn(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i, to := w.find(), sendTo("DE").Recipient
		half := to
		half.ZipCode = lost.Set("1")
		if _, err := w.Services.Payments.SetAddress(w.T.Context(), w.Actor, i.LocationID, i.ID,
			half); !lost.ProblemsOf(err).Has("recipient.zipCode") || w.item(i).Status != lost.Pending {
			w.T.Errorf("incomplete address: got %v", err)
		}
		i = testkit.Must(w.Services.Payments.SetAddress(w.T.Context(), w.Actor, i.LocationID, i.ID, to))
		if i.Status != lost.InfoCompleted || i.Shipping.Recipient.Country != "DE" || i.MovedBy != w.Actor.Kind {
			w.T.Errorf("got status %s, parcel %+v", i.Status, i.Shipping.Recipient)
		}
		w.work()
		if i = w.item(i); !i.Parcel.Offered || testkit.Count(w.messages(i), "price to anna@example.com") != 1 {
			w.T.Errorf("%+v, %q", i.Parcel, w.messages(i))
		}
		again := testkit.Must(w.Services.Payments.SetAddress(w.T.Context(), w.Actor, i.LocationID, i.ID, to))
		if again.Parcel.ShipmentID != i.Parcel.ShipmentID {
			w.T.Error("the same address created another shipment")
		}
		w.move(i, lost.FeePaid)
		w.work()
		if i = w.item(i); len(i.Parcel.Documents) != 3 {
			w.T.Errorf("the label is missing: %+v", i.Parcel)
		}
		if _, err := w.Services.Payments.SetAddress(w.T.Context(), w.Actor, i.LocationID, i.ID,
			to); lost.CodeOf(err) != lost.Conflict {
			w.T.Errorf("new address after the label was bought: got %v, want a conflict", err)
		}
	})
}

func TestAPaidItemWithoutAnAddressIsAnnouncedImmediately(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		bare := w.find()
		w.move(bare, lost.FeePaid)
		stays := w.choose(w.find(), sendTo("DE"))
		w.checkout(stays)
		testkit.Must(w.Services.Items.Update(w.T.Context(), w.Actor, w.Location.ID, stays.ID,
			lost.ItemPatch{Shipping: lost.Set(lost.ShippingPatch{NotShipped: lost.Set("It is a knife.")})}))
		w.move(stays, lost.FeePaid)
		for what, i := range map[string]lost.Item{"no address": bare, "not shippable": stays} {
			if events := w.labels(i); len(events) != 1 || events[0].Payload.Files != nil {
				w.T.Errorf("%s: got %d events, want 1", what, len(events))
			}
		}
		w.work()
		if len(w.labels(bare)) != 1 || len(w.labels(stays)) != 1 || w.Calls("Buy") != 0 {
			w.T.Errorf("later: got %d and %d events, want 1 each", len(w.labels(bare)), len(w.labels(stays)))
		}
		if got := w.provider.pages(); len(got) != 0 {
			w.T.Errorf("a fee that was paid at the desk can still be paid on %q", got)
		}
	})
}

func TestEachChangeToFeePaidIsAnnouncedOnce(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		early, _ := w.paid("DE")
		w.move(early, lost.Shipped)
		w.move(early, lost.FeePaid)
		refused, s := w.paid("DE")
		w.Fail("before Prepare", lost.E(lost.Invalid, "It is too heavy."))
		w.ship(s)
		w.move(refused, lost.Pending)
		w.move(refused, lost.FeePaid)
		stays, s := w.paid("DE")
		w.Fail("before Prepare", lost.E(lost.Invalid, "It is forbidden."))
		w.ship(s)
		testkit.Must(w.Services.Items.Update(w.T.Context(), w.Actor, w.Location.ID, stays.ID,
			lost.ItemPatch{Shipping: lost.Set(lost.ShippingPatch{NotShipped: lost.Set("It is a knife.")})}))
		w.move(stays, lost.Pending)
		w.move(stays, lost.FeePaid)
		for range 2 {
			w.work()
			for what, i := range map[string]lost.Item{
				"before the label was bought": early, "after a refusal": refused,
				"not shippable": stays,
			} {
				if n := len(w.labels(i)); n != 2 {
					w.T.Errorf("%s: got %d events, want 2", what, n)
				}
			}
		}
	})
}

func TestMarkingAFeePaidNeedsPermission(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i := w.choose(w.find(), sendTo("DE"))
		reader, foreign, stranger := w.Actor, w.Actor, w.Actor
		reader.ReadOnly, foreign.Locations, stranger.Account = true, []string{},
			testkit.Must(w.Services.Accounts.Create(w.T.Context(), "Theirs")).ID
		for want, a := range map[lost.Code][]lost.Actor{lost.Forbidden: {reader}, lost.NotFound: {foreign, stranger}} {
			for _, a := range a {
				ctx, where := w.T.Context(), i.LocationID
				_, paid := w.Services.Items.SetStatus(ctx, a, where, i.ID, lost.MovePatch{Status: lost.Set("FEE PAID")})
				_, refunded := w.Services.Refunds.Refund(ctx, a, where, i.ID, lost.RefundPatch{}, lost.IdempotencyKey{})
				_, retried := w.Services.Labels.RetryLabel(ctx, a, where, i.ID, lost.IdempotencyKey{})
				if testkit.Code(paid) != want || testkit.Code(refunded) != want || testkit.Code(retried) != want {
					w.T.Errorf("got %v, %v, %v, want %s", paid, refunded, retried, want)
				}
			}
		}
		if got := w.path(i); !slices.Equal(got, []lost.Status{lost.InfoCompleted}) {
			w.T.Errorf("path %q", got)
		}
	})
}
