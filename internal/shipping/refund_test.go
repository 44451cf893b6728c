package shipping_test

import (
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

func TestARefundVoidsTheLabelAndLetsTheOwnerChooseAgain(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i, s := w.sent("DE")
		w.work() // there is nothing to do
		if err := w.refund(i); err != nil {
			w.T.Fatal(err)
		}
		if err := w.refund(i); lost.CodeOf(err) != lost.Conflict {
			w.T.Errorf("second refund: got %v, want a conflict", err)
		}
		if i = w.item(i); i.Status != lost.Pending || i.Parcel.Refund != lost.RefundWanted || i.Parcel.Paid {
			w.T.Errorf("%s, %+v", i.Status, i.Parcel)
		}
		w.Fail("after Refund", lost.E(lost.Unavailable, "Try again later."))
		w.Fail("after Void", lost.E(lost.Unavailable, "Try again later."))
		for range 3 {
			w.work()
			w.Clock.Advance(time.Minute)
		}
		if err := w.refund(i); lost.CodeOf(err) != lost.Conflict {
			w.T.Errorf("refund after the refund: got %v, want a conflict", err)
		}
		if !w.provider.refunded[s.Reference] || len(w.provider.refunded) != 1 {
			w.T.Errorf("got refunds %v", w.provider.refunded)
		}
		if is := w.shipment(s); !is.Voided || is.Refund != lost.RefundDone || is.State != lost.ShipmentCancelled {
			w.T.Errorf("%+v", is)
		}
		i = w.item(i)
		if i.Parcel.Refund != lost.RefundDone || testkit.Count(w.messages(i), "refund to anna@example.com") != 1 {
			w.T.Errorf("%+v, %q", i.Parcel, w.messages(i))
		}
		if got := w.notes(i, lost.Refunded); !slices.Equal(got, []string{"8.40 EUR was refunded."}) {
			w.T.Errorf("history: %q", got)
		}
		w.expectRefundOf("fee", i, paymentOf(s))

		i = w.choose(i, sendTo("DE"))
		again := w.checkout(i)
		w.callBack(paymentOf(again))
		w.ship(again)
		if is := w.shipment(again); again.ID == s.ID || is.Invoice != 2 || is.State != lost.ShipmentReady {
			w.T.Errorf("second choice: %+v", is)
		}
		if i = w.item(i); i.Status != lost.FeePaid || i.Parcel.Refund != "" || len(w.labels(i)) != 2 {
			w.T.Errorf("second choice: %s, %+v, %d events", i.Status, i.Parcel, len(w.labels(i)))
		}
	})
}

func TestASlowRefundDoesNotAffectTheNextShipment(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i, s := w.paid("DE")
		if err := w.refund(i); err != nil {
			w.T.Fatal(err)
		}
		i = w.choose(i, sendTo("DE"))
		next := w.checkout(i)
		w.work() // refunds the first fee
		if got := w.shipment(s); got.Refund != lost.RefundDone {
			w.T.Errorf("%+v", got)
		}
		if i = w.item(i); i.Parcel.Refund != "" || i.Status != lost.InfoCompleted || !i.Parcel.Offered {
			w.T.Errorf("next shipment: got %s, %+v", i.Status, i.Parcel)
		}
		w.callBack(paymentOf(next))
		w.work()
		if i = w.item(i); i.Status != lost.FeePaid || w.shipment(next).State != lost.ShipmentReady ||
			w.provider.refunded[w.shipment(next).Reference] {
			w.T.Errorf("%s, %+v", i.Status, w.shipment(next))
		}
	})
}

func TestARefusedRefundIsATaskAndCanBeRetried(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i, s := w.paid("DE")
		w.Fail("before Refund", lost.E(lost.Invalid, "The account is empty."))
		if err := w.refund(i); err != nil {
			w.T.Fatal(err)
		}
		w.work()
		i = w.item(i)
		if i.Parcel.Refund != lost.RefundFailed || i.Parcel.Problem(lost.RefundTask) != "The account is empty." ||
			!slices.Contains(w.tasks(i), lost.RefundTask) {
			w.T.Errorf("%+v", i.Parcel)
		}
		if err := w.refund(i); err != nil {
			w.T.Fatal(err)
		}
		w.work()
		if i = w.item(i); i.Parcel.Refund != lost.RefundDone || slices.Contains(w.tasks(i), lost.RefundTask) ||
			!w.provider.refunded[w.shipment(s).Reference] {
			w.T.Errorf("%+v, %v", i.Parcel, w.provider.refunded)
		}
	})
}

func TestRefundAndRetryAreIdempotent(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i, s := w.paid("DE")
		w.Fail("before Prepare", lost.E(lost.Invalid, "The street is unknown."))
		w.ship(s)
		for range 2 {
			if _, err := w.Services.Labels.RetryLabel(w.T.Context(), w.Actor, i.LocationID, i.ID,
				lost.IdempotencyKey{Key: "retry", Request: "the same"}); err != nil {
				w.T.Error(err)
			}
			w.work()
		}
		for range 2 {
			got, err := w.Services.Refunds.Refund(w.T.Context(), w.Actor, i.LocationID, i.ID, lost.RefundPatch{},
				lost.IdempotencyKey{Key: "refund", Request: "the same"})
			if err != nil || got.Status != lost.Pending || got.Parcel.Refund != lost.RefundWanted {
				w.T.Errorf("%v, %s, %+v", err, got.Status, got.Parcel)
			}
			w.work()
		}
		if got := w.notes(i, lost.Labelled); testkit.Count(got, "Tried again.") != 1 || len(w.provider.refunded) != 1 ||
			w.item(i).Parcel.Refund != lost.RefundDone {
			w.T.Errorf("%q, %v, %+v", got, w.provider.refunded, w.item(i).Parcel)
		}
		w.track(lost.ParcelUpdate{Tracker: "trk_" + s.ID, State: lost.ParcelMoving}) // for the cancelled shipment
		if got := w.item(i); got.Status != lost.Pending {
			w.T.Errorf("%s", got.Status)
		}
	})
}

func TestARefundDoesNotMoveAShippedItem(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i, s := w.sent("DE")
		w.track(lost.ParcelUpdate{Tracker: s.Postage.Tracker, State: lost.ParcelMoving})
		if err := w.refund(i); err != nil {
			w.T.Fatal(err)
		}
		w.work()
		if i = w.item(i); i.Status != lost.Shipped || i.Parcel.Refund != lost.RefundDone ||
			len(i.Parcel.Documents) != 3 || w.Calls("Void") != 0 {
			w.T.Errorf("%s, %+v", i.Status, i.Parcel)
		}
		w.track(lost.ParcelUpdate{Tracker: s.Postage.Tracker, State: lost.ParcelDelivered})
		if i = w.item(i); i.Status != lost.Delivered {
			w.T.Errorf("%s", i.Status)
		}
		open := w.choose(w.find(), sendTo("DE"))
		for what, unpaid := range map[string]lost.Item{"not paid": open, "no shipment": w.find()} {
			if err := w.refund(unpaid); lost.CodeOf(err) != lost.Conflict {
				w.T.Errorf("%s: %v", what, err)
			}
		}
	})
}

func TestALabelThatCannotBeVoidedIsInTheHistory(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i, _ := w.sent("DE")
		if err := w.refund(i); err != nil {
			w.T.Fatal(err)
		}
		w.Fail("before Void", lost.E(lost.Invalid, "It is too old."))
		w.work()
		w.work()
		want := []string{"", "The carrier refused to void the label: It is too old."}
		if got := w.notes(i, lost.Labelled); !slices.Equal(got, want) || w.Calls("Void") != 1 {
			w.T.Errorf("%q", got)
		}
	})
}

// Staff refund the fee while a worker is buying the label.
func TestALabelBoughtDuringARefundIsVoided(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		for _, moment := range []string{"before Buy", "after Buy"} {
			for _, failing := range []error{nil, lost.E(lost.Unavailable, "No response.")} {
				i, s := w.paid("DE")
				w.Next(moment, func() error { return w.refund(i) })
				if failing != nil { // the carrier sells the label, but its response is lost
					w.Fail("after Buy", failing)
					if moment == "after Buy" {
						w.Only("after Buy", func() error {
							_ = w.refund(i)
							return failing
						})
					}
				}
				w.voidAll(s)
				if got, bought := w.carrier.voided, w.carrier.bought[s.ID]; len(bought) != 1 ||
					!slices.Contains(got, bought[0]) {
					w.T.Errorf("%s, then %v: bought %q, voided %q", moment, failing, bought, got)
				}
				if got := w.notes(i, lost.Labelled); testkit.Count(got, "The label was voided.") != 1 {
					w.T.Errorf("%s: history %q", moment, got)
				}
				if is, i := w.shipment(s), w.item(i); is.State != lost.ShipmentCancelled ||
					is.Refund != lost.RefundDone ||
					i.Status != lost.Pending || len(w.labels(i)) != 1 || is.Invoice != 0 {
					w.T.Errorf("%s: %s, %+v, %d events", moment, i.Status, is, len(w.labels(i)))
				}
			}
		}
	})
}

// voidAll runs all jobs for a shipment, including retries.
func (w *fixture) voidAll(s lost.Shipment) {
	w.T.Helper()
	for range 4 {
		w.work()
		w.Clock.Advance(time.Minute)
	}
	w.Clock.Advance(time.Hour) // lets the job that polls the provider run a last time
	w.work()
	if due, failed, err := w.DB.CountJobs(w.T.Context()); due != 0 || failed != 0 || err != nil {
		w.T.Errorf("%s: %d jobs are due, %d failed, %v", s.ID, due, failed, err)
	}
}

func TestAFeeCollectedByStaffIsNotRefundedByTheProvider(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i := w.choose(w.find(), sendTo("DE"))
		w.move(i, lost.FeePaid)
		w.work()
		if err := w.refund(i); err != nil {
			w.T.Fatal(err)
		}
		w.work()
		i = w.item(i)
		if i.Parcel.Refund != lost.RefundWanted || i.Status != lost.Pending ||
			testkit.Count(w.messages(i), "refund to anna@example.com") != 1 || w.Calls("Refund") != 0 {
			w.T.Errorf("got %s, %+v, called Refund %d times", i.Status, i.Parcel, w.Calls("Refund"))
		}
	})
}
