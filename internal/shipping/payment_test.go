package shipping_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

func TestARepeatedPaymentCallbackChangesNothing(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i := w.choose(w.find(), sendTo("DE"))
		s := w.checkout(i)
		n := paymentOf(s)
		waiting := n
		waiting.State = lost.PaymentWaiting
		w.callBack(waiting)
		if i = w.item(i); i.Status != lost.InfoCompleted {
			w.T.Errorf("pending payment: got %s", i.Status)
		}
		w.callBack(n)
		for _, state := range []lost.PaymentState{
			lost.PaymentPaid, lost.PaymentExpired, lost.PaymentFailed, lost.PaymentWaiting,
		} {
			was, before := w.item(i), w.shipment(s)
			n.State = state
			w.callBack(n)
			if is, after := w.item(i), w.shipment(s); !is.UpdatedAt.Equal(was.UpdatedAt) || is.Status != lost.FeePaid ||
				!after.UpdatedAt.Equal(before.UpdatedAt) {
				w.T.Errorf("%s after the payment: got %s, %+v", state, is.Status, after)
			}
		}
		w.work()
		n.State = lost.PaymentPaid
		w.callBack(n)
		w.work()
		if got := w.path(i); !slices.Equal(got, []lost.Status{lost.InfoCompleted, lost.FeePaid}) ||
			w.Calls("Refund") != 0 || len(w.labels(i)) != 1 {
			w.T.Errorf("path %q, %d refunds, %d events", got, w.Calls("Refund"), len(w.labels(i)))
		}
	})
}

func TestForgedCallbacksAreRefusedAndUnknownOnesIgnored(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i := w.choose(w.find(), sendTo("DE"))
		s := w.checkout(i)
		_, body := newCallback(paymentOf(s))
		if err := w.Services.Payments.HandleCallback(w.T.Context(), http.Header{},
			body); lost.CodeOf(err) != lost.Forbidden {
			w.T.Errorf("forged payment callback: got %v, want forbidden", err)
		}
		if err := w.Services.Tracking.HandleCallback(w.T.Context(), http.Header{},
			body); lost.CodeOf(err) != lost.Forbidden {
			w.T.Errorf("forged tracking callback: got %v, want forbidden", err)
		}
		n := paymentOf(s)
		n.Shipment = "shp_of_another_service"
		w.callBack(n)
		w.track(lost.ParcelUpdate{Tracker: "trk_unknown", State: lost.ParcelDelivered})
		if i = w.item(i); i.Status != lost.InfoCompleted || len(w.shipment(s).Strays) != 0 {
			w.T.Errorf("%s", i.Status)
		}
	})
}

func TestAnAbandonedCheckoutIsReplaced(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		for _, state := range []lost.PaymentState{lost.PaymentExpired, lost.PaymentFailed} {
			i := w.choose(w.find(), sendTo("DE"))
			first := w.checkout(i)
			old := paymentOf(first)
			left := old
			left.State, left.Reference = state, ""
			w.callBack(left)
			second := w.checkout(i)
			if second.Checkout.ID == first.Checkout.ID || second.Checkout.ID == "" {
				w.T.Errorf("%s: got %+v, then %+v", state, first.Checkout, second.Checkout)
			}
			w.callBack(left) // the callback for the older page arrives again
			if third := w.checkout(i); third.Checkout != second.Checkout {
				w.T.Errorf("%s: an outdated callback replaced %+v with %+v", state, second.Checkout, third.Checkout)
			}
			w.callBack(old) // the guest pays the agreed price on the older page
			if i = w.item(i); i.Status != lost.FeePaid || !i.Parcel.Paid || len(w.shipment(first).Strays) != 0 {
				w.T.Errorf("%s: after a late payment: got %s, %+v", state, i.Status, i.Parcel)
			}
		}
	})
}

// unexpectedPayment is a case in which a payment cannot be accepted for an item and has to be refunded.
type unexpectedPayment struct {
	what   string
	status lost.Status // the item's status before and after the payment
	make   func(w *fixture) (lost.Item, lost.PaymentUpdate)
}

func unexpectedPayments() []unexpectedPayment {
	unpaid := func(w *fixture) (lost.Item, lost.PaymentUpdate) {
		i := w.choose(w.find(), sendTo("DE"))
		return i, paymentOf(w.checkout(i))
	}
	return []unexpectedPayment{
		{"paid twice", lost.FeePaid, func(w *fixture) (lost.Item, lost.PaymentUpdate) {
			i, s := w.sent("DE")
			n := paymentOf(s)
			n.Reference, n.Checkout = "pi_second", "cs_other"
			n.Amount, n.Currency = 840, "EUR"
			return i, n
		}},
		{"wrong amount", lost.InfoCompleted, func(w *fixture) (lost.Item, lost.PaymentUpdate) {
			i, n := unpaid(w)
			n.Amount--
			return i, n
		}},
		{"wrong currency", lost.InfoCompleted, func(w *fixture) (lost.Item, lost.PaymentUpdate) {
			i, n := unpaid(w)
			n.Currency = "USD"
			return i, n
		}},
		{"the guest changed the choice", lost.Donate, func(w *fixture) (lost.Item, lost.PaymentUpdate) {
			i, n := unpaid(w)
			return w.choose(i, lost.ChoicePatch{Choice: lost.ChooseDonate}), n
		}},
		{"the guest changed the address", lost.InfoCompleted, func(w *fixture) (lost.Item, lost.PaymentUpdate) {
			i, n := unpaid(w)
			return w.choose(i, sendTo("FR")), n
		}},
		{"staff changed the status", lost.Discard, func(w *fixture) (lost.Item, lost.PaymentUpdate) {
			i, n := unpaid(w)
			return w.move(i, lost.Discard), n
		}},
		{"staff collected the fee", lost.FeePaid, func(w *fixture) (lost.Item, lost.PaymentUpdate) {
			i, n := unpaid(w)
			return w.move(i, lost.FeePaid), n
		}},
		{"the shipment was refunded", lost.Pending, func(w *fixture) (lost.Item, lost.PaymentUpdate) {
			i, s := w.paid("DE")
			if err := w.refund(i); err != nil {
				w.T.Fatal(err)
			}
			w.work()
			n := paymentOf(s)
			n.Reference = "pi_late_" + s.ID
			return w.item(i), n
		}},
	}
}

func TestUnexpectedPaymentsAreRefundedOnce(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		for _, c := range unexpectedPayments() {
			i, n := c.make(w)
			before := testkit.Count(w.messages(i), "refund to anna@example.com")
			for range 2 {
				w.callBack(n)
			}
			if got := w.item(i); got.Status != c.status || slices.Contains(w.tasks(got), lost.RefundTask) {
				w.T.Errorf("%s: got %s, tasks %q", c.what, got.Status, w.tasks(got))
			}
			w.work()
			w.callBack(n)
			w.work()
			if got := w.provider.refunded[n.Reference]; !got {
				w.T.Errorf("%s: not refunded", c.what)
			}
			i = w.item(i)
			if i.Status != c.status || slices.Contains(w.tasks(i), lost.RefundTask) {
				w.T.Errorf("%s, after the refund: got %s, tasks %q", c.what, i.Status, w.tasks(i))
			}
			if got := testkit.Count(w.messages(i), "refund to anna@example.com") - before; got != 1 {
				w.T.Errorf("%s: got %d messages about the refund, want 1", c.what, got)
			}
			w.expectRefundOf(c.what, i, n)
			if c.status == lost.InfoCompleted { // Anna must be able to pay the fee on a new page
				if next := w.checkout(i).Checkout.ID; next == "" || next == n.Checkout {
					w.T.Errorf("%s: got next page %q", c.what, next)
				}
			}
			if notes := w.notes(i, lost.Paid); len(notes) != 1 ||
				!strings.HasSuffix(notes[0], " It will be refunded.") || len(notes[0]) < 30 {
				w.T.Errorf("%s: history %q", c.what, notes)
			}
		}
	})
}

// expectRefundOf checks that the owner got a message about the refund of a payment, with its amount.
func (w *fixture) expectRefundOf(what string, i lost.Item, n lost.PaymentUpdate) {
	w.T.Helper()
	for _, m := range testkit.Must(w.DB.Messages(w.T.Context(), i.Account, i.ID, lost.FirstPage())).Data {
		if m.Kind == lost.RefundMessage {
			if m.About.Quote.Price.Total() != n.Amount || m.About.Quote.Price.Currency != n.Currency {
				w.T.Errorf("%s: the message has the amount %+v", what, m.About.Quote)
			}
			return
		}
	}
	w.T.Errorf("%s: the owner was not notified", what)
}

func TestAnImpossibleRefundIsATaskAndATemporaryFailureIsRetried(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i := w.choose(w.find(), sendTo("DE"))
		s := w.checkout(i)
		n := paymentOf(s)
		n.Amount = 1
		w.callBack(n)
		unavailable := lost.E(lost.Unavailable, "Try again later.")
		for _, moment := range []string{"before Refund", "after Refund"} {
			w.Fail(moment, unavailable)
			if _, err := w.Services.Refunds.RefundShipment(w.T.Context(), s.Account,
				s.ID); lost.CodeOf(err) != lost.Unavailable ||
				w.shipment(s).Strays[0].Refund != lost.RefundWanted {
				w.T.Errorf("%s: %v, %+v", moment, err, w.shipment(s).Strays)
			}
		}
		w.Fail("before Refund", lost.E(lost.Invalid, "The card was closed."))
		w.work()
		i = w.item(i)
		if w.shipment(s).Strays[0].Refund != lost.RefundFailed ||
			i.Parcel.Problem(lost.RefundTask) != "The card was closed." ||
			!slices.Contains(w.tasks(i), lost.RefundTask) {
			w.T.Errorf("%+v, %+v", w.shipment(s).Strays, i.Parcel)
		}
		if got := w.notes(i, lost.Refunded); !slices.Equal(got, []string{"Refused: The card was closed."}) ||
			testkit.Count(w.messages(i), "refund to anna@example.com") != 0 {
			w.T.Errorf("history %q, messages %q", got, w.messages(i))
		}
		w.work()
		if n := w.Calls("Refund"); n != 3 {
			w.T.Errorf("called Refund %d times, want 3", n)
		}
	})
}
