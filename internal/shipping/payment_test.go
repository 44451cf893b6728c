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
		w.hear(waiting)
		if i = w.look(i); i.Status != lost.InfoCompleted {
			w.T.Errorf("promised: %s", i.Status)
		}
		w.hear(n)
		for _, state := range []lost.PaymentState{
			lost.PaymentPaid, lost.PaymentExpired, lost.PaymentFailed, lost.PaymentWaiting,
		} {
			was, before := w.look(i), w.shipment(s)
			n.State = state
			w.hear(n)
			if is, after := w.look(i), w.shipment(s); !is.UpdatedAt.Equal(was.UpdatedAt) || is.Status != lost.FeePaid ||
				!after.UpdatedAt.Equal(before.UpdatedAt) {
				w.T.Errorf("%s after it was paid: %s, %+v", state, is.Status, after)
			}
		}
		w.work()
		n.State = lost.PaymentPaid
		w.hear(n)
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
			w.T.Errorf("forged: %v", err)
		}
		if err := w.Services.Tracking.HandleCallback(w.T.Context(), http.Header{},
			body); lost.CodeOf(err) != lost.Forbidden {
			w.T.Errorf("forged news of a parcel: %v", err)
		}
		n := paymentOf(s)
		n.Shipment = "shp_of_another_service"
		w.hear(n)
		w.track(lost.ParcelUpdate{Tracker: "trk_unknown", State: lost.ParcelDelivered})
		if i = w.look(i); i.Status != lost.InfoCompleted || len(w.shipment(s).Strays) != 0 {
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
			w.hear(left)
			second := w.checkout(i)
			if second.Checkout.ID == first.Checkout.ID || second.Checkout.ID == "" {
				w.T.Errorf("%s: %+v, then %+v", state, first.Checkout, second.Checkout)
			}
			w.hear(left) // of the older page, repeated
			if third := w.checkout(i); third.Checkout != second.Checkout {
				w.T.Errorf("%s: news of an older page replaces %+v by %+v", state, second.Checkout, third.Checkout)
			}
			w.hear(old) // it was paid after all: what was agreed on is paid
			if i = w.look(i); i.Status != lost.FeePaid || !i.Parcel.Paid || len(w.shipment(first).Strays) != 0 {
				w.T.Errorf("%s: paid late: %s, %+v", state, i.Status, i.Parcel)
			}
		}
	})
}

// unexpectedPayment is a payment that cannot be used for an item, and how it came about.
type unexpectedPayment struct {
	what   string
	status lost.Status // of the item then, which does not change
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
		{"another amount", lost.InfoCompleted, func(w *fixture) (lost.Item, lost.PaymentUpdate) {
			i, n := unpaid(w)
			n.Amount--
			return i, n
		}},
		{"another currency", lost.InfoCompleted, func(w *fixture) (lost.Item, lost.PaymentUpdate) {
			i, n := unpaid(w)
			n.Currency = "USD"
			return i, n
		}},
		{"the guest chose otherwise", lost.Donate, func(w *fixture) (lost.Item, lost.PaymentUpdate) {
			i, n := unpaid(w)
			return w.choose(i, lost.ChoicePatch{Choice: lost.ChooseDonate}), n
		}},
		{"the guest gave another address", lost.InfoCompleted, func(w *fixture) (lost.Item, lost.PaymentUpdate) {
			i, n := unpaid(w)
			return w.choose(i, sendTo("FR")), n
		}},
		{"staff moved it", lost.Discard, func(w *fixture) (lost.Item, lost.PaymentUpdate) {
			i, n := unpaid(w)
			return w.move(i, lost.Discard), n
		}},
		{"staff collected the fee", lost.FeePaid, func(w *fixture) (lost.Item, lost.PaymentUpdate) {
			i, n := unpaid(w)
			return w.move(i, lost.FeePaid), n
		}},
		{"the shipment is over", lost.Pending, func(w *fixture) (lost.Item, lost.PaymentUpdate) {
			i, s := w.paid("DE")
			if err := w.refund(i); err != nil {
				w.T.Fatal(err)
			}
			w.work()
			n := paymentOf(s)
			n.Reference = "pi_late_" + s.ID
			return w.look(i), n
		}},
	}
}

func TestUnexpectedPaymentsAreRefundedOnce(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		for _, c := range unexpectedPayments() {
			i, n := c.make(w)
			before := testkit.Count(w.messages(i), "refund to anna@example.com")
			for range 2 {
				w.hear(n)
			}
			if got := w.look(i); got.Status != c.status || slices.Contains(w.tasks(got), lost.RefundTask) {
				w.T.Errorf("%s: %s, tasks %q", c.what, got.Status, w.tasks(got))
			}
			w.work()
			w.hear(n)
			w.work()
			if got := w.provider.refunded[n.Reference]; !got {
				w.T.Errorf("%s: not given back", c.what)
			}
			i = w.look(i)
			if i.Status != c.status || slices.Contains(w.tasks(i), lost.RefundTask) {
				w.T.Errorf("%s, given back: %s, tasks %q", c.what, i.Status, w.tasks(i))
			}
			if got := testkit.Count(w.messages(i), "refund to anna@example.com") - before; got != 1 {
				w.T.Errorf("%s: told %d times", c.what, got)
			}
			w.expectRefundOf(c.what, i, n)
			if c.status == lost.InfoCompleted { // Anna can still pay what is due, on a page of its own
				if next := w.checkout(i).Checkout.ID; next == "" || next == n.Checkout {
					w.T.Errorf("%s: the next page is %q", c.what, next)
				}
			}
			if notes := w.notes(i, lost.Paid); len(notes) != 1 || !strings.HasSuffix(notes[0], " It is given back.") ||
				len(notes[0]) < 30 {
				w.T.Errorf("%s: history %q", c.what, notes)
			}
		}
	})
}

// expectRefundOf checks that the owner was notified of a refund.
func (w *fixture) expectRefundOf(what string, i lost.Item, n lost.PaymentUpdate) {
	w.T.Helper()
	for _, m := range testkit.Must(w.DB.Messages(w.T.Context(), i.Account, i.ID, lost.FirstPage())).Data {
		if m.Kind == lost.RefundMessage {
			if m.About.Quote.Price.Total() != n.Amount || m.About.Quote.Price.Currency != n.Currency {
				w.T.Errorf("%s: told of %+v", what, m.About.Quote)
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
		w.hear(n)
		out := lost.E(lost.Unavailable, "Try again later.")
		for _, moment := range []string{"before Refund", "after Refund"} {
			w.Fail(moment, out)
			if _, err := w.Services.Refunds.RefundShipment(w.T.Context(), s.Account,
				s.ID); lost.CodeOf(err) != lost.Unavailable ||
				w.shipment(s).Strays[0].Refund != lost.RefundWanted {
				w.T.Errorf("%s: %v, %+v", moment, err, w.shipment(s).Strays)
			}
		}
		w.Fail("before Refund", lost.E(lost.Invalid, "The card was closed."))
		w.work()
		i = w.look(i)
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
			w.T.Errorf("asked %d times", n)
		}
	})
}
