package shipping_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

// If the callback for a payment is lost, the payment is found by polling the provider.
func TestAPaymentWithoutACallbackIsPolled(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i := w.choose(w.find(), sendTo("DE"))
		s := w.checkout(i)
		w.Clock.Advance(16 * time.Minute)
		w.work() // the page is still open, so nothing changes
		if i = w.item(i); i.Status != lost.InfoCompleted || w.Calls("CheckoutState") != 1 {
			w.T.Fatalf("got %s, polled %d times", i.Status, w.Calls("CheckoutState"))
		}
		w.provider.found = paymentOf(s)
		w.provider.found.By = lost.PayStripe
		w.Clock.Advance(time.Hour)
		w.work()
		if i = w.item(i); i.Status != lost.FeePaid || len(w.labels(i)) != 1 {
			w.T.Errorf("got %s, %d events", i.Status, len(w.labels(i)))
		}
		w.Clock.Advance(2 * time.Hour)
		w.work()
		if w.Calls("CheckoutState") != 2 {
			w.T.Errorf("polled %d times, want 2", w.Calls("CheckoutState"))
		}
	})
}

func TestAPaymentAfterAPaidMarkIsRecorded(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i := w.choose(w.find(), sendTo("DE"))
		s := w.checkout(i)
		w.provider.paid[s.Checkout.ID], w.provider.found = true, paymentOf(s)
		w.provider.found.By = lost.PayStripe
		w.Clock.Advance(24 * time.Hour) // our records say that the page has expired
		bill := testkit.Must(w.Services.Payments.Bill(w.T.Context(), w.Token(i)))
		if _, err := w.Services.Payments.Checkout(w.T.Context(), w.Token(i), bill.Shipment.Offers[0].Key(),
			"en"); lost.CodeOf(err) != lost.Conflict {
			w.T.Errorf("checkout after a payment: got %v, want a conflict", err)
		}
		if i = w.item(i); i.Status != lost.FeePaid || w.Calls("Open") != 1 {
			w.T.Errorf("got %s, %d pages", i.Status, w.Calls("Open"))
		}
	})
}

func TestADelayedPaymentIsAwaited(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i := w.choose(w.find(), sendTo("DE"))
		n := paymentOf(w.checkout(i))
		n.State = lost.PaymentWaiting
		w.callBack(n)
		w.callBack(n)
		if i = w.item(i); !i.Parcel.Awaited || i.Status != lost.InfoCompleted || len(w.notes(i, lost.Paid)) != 1 {
			w.T.Errorf("%s, %+v, %q", i.Status, i.Parcel, w.notes(i, lost.Paid))
		}
		n.State = lost.PaymentFailed
		w.callBack(n)
		if i = w.item(i); i.Parcel.Awaited || len(w.notes(i, lost.Paid)) != 2 {
			w.T.Errorf("%+v, %q", i.Parcel, w.notes(i, lost.Paid))
		}
	})
}

func TestFeePaidIsAnnouncedIfTheItemMovesOnBeforeItsLabel(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		for what, leave := range map[string]func(lost.Item){
			"staff reset the status":      func(i lost.Item) { w.move(i, lost.Pending) },
			"the owner collects it":       func(i lost.Item) { w.move(i, lost.PickUp) },
			"the fee is refunded":         func(i lost.Item) { testkit.Must(0, w.refund(i)) },
			"staff mark it as paid again": func(i lost.Item) { w.move(i, lost.Pending); w.move(i, lost.FeePaid) },
			"after the label was bought": func(i lost.Item) {
				s := w.shipment(lost.Shipment{Account: i.Account, ID: i.Parcel.ShipmentID})
				for range 2 {
					testkit.Must(w.Services.Labels.Ship(w.T.Context(), s.Account, s.ID))
				}
				w.move(i, lost.PickUp)
			},
		} {
			i, _ := w.paid("DE")
			leave(i)
			w.work()
			changes := 0
			for _, to := range w.path(i) {
				if to == lost.FeePaid {
					changes++
				}
			}
			events := w.labels(i)
			if len(events) != changes || events[0].Payload.Item.Status != string(lost.FeePaid) {
				w.T.Errorf("%s: got %d events for %d changes", what, len(events), changes)
			}
			if sends := w.item(i).Status.IsShipping(); !sends &&
				testkit.Count(w.messages(i), "label to post@adler.example") != 0 {
				w.T.Errorf("%s: staff got a label", what)
			}
		}
	})
}

func TestAFeeForAnItemThatIsNotShippedIsATask(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i, _ := w.sent("DE")
		w.move(i, lost.PickUp)
		if got := w.tasks(i); !slices.Equal(got, []lost.TaskKind{lost.RefundTask}) ||
			w.item(i).TaskReason(lost.RefundTask) == "" {
			w.T.Errorf("tasks: %q", got)
		}
		if err := w.refund(i); err != nil {
			w.T.Fatal(err)
		}
		w.work()
		if got := w.tasks(i); len(got) != 0 || w.item(i).Status != lost.PickUp {
			w.T.Errorf("after the refund: got tasks %q, status %s", got, w.item(i).Status)
		}
	})
}

func TestACanceledShipmentCannotBePaid(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i := w.choose(w.find(), sendTo("DE"))
		n := paymentOf(w.checkout(i))
		testkit.Must(w.Services.Items.Update(w.T.Context(), w.Actor, w.Location.ID, i.ID,
			lost.ItemPatch{Shipping: lost.Set(lost.ShippingPatch{NotShipped: lost.Set("It is a knife.")})}))
		w.work()
		if got := w.provider.pages(); len(got) != 0 {
			w.T.Errorf("it can still be paid on %q", got)
		}
		w.callBack(n)
		w.work()
		if i = w.item(i); i.Status != lost.InfoCompleted || !w.provider.refunded[n.Reference] || w.Calls("Buy") != 0 {
			w.T.Errorf("got %s, refunded %v", i.Status, w.provider.refunded)
		}
	})
}

func TestACheckoutWithAnOutdatedPriceIsClosed(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i := w.choose(w.find(), sendTo("DE"))
		old := paymentOf(w.checkout(i))
		testkit.Must(w.Services.Items.Update(w.T.Context(), w.Actor, w.Location.ID, i.ID,
			lost.ItemPatch{Shipping: lost.Set(weighs(20))}))
		w.work()
		if got := w.provider.pages(); len(got) != 0 || w.item(i).Parcel.Price.Known() {
			w.T.Errorf("it can still be paid on %q: %+v", got, w.item(i).Parcel)
		}
		w.callBack(old)
		w.work()
		if i = w.item(i); i.Status != lost.InfoCompleted || !w.provider.refunded[old.Reference] {
			w.T.Errorf("paid at the old price: got %s, refunded %v", i.Status, w.provider.refunded)
		}
		// This update sets the weight to the value that it already has.
		testkit.Must(w.Services.Items.Update(w.T.Context(), w.Actor, w.Location.ID, i.ID,
			lost.ItemPatch{Shipping: lost.Set(weighs(20))}))
		if due, _, err := w.DB.CountJobs(w.T.Context()); err != nil || due != 1 { // the job that checks the payment
			w.T.Errorf("after an update without changes: got %d jobs, %v; want 1", due, err)
		}
	})
}

func TestStaffCollectFeesTheProviderRefuses(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i := w.choose(w.find(), sendTo("DE"))
		bill := testkit.Must(w.Services.Payments.Bill(w.T.Context(), w.Token(i)))
		for range 2 {
			w.Fail("before Open", lost.E(lost.Invalid, "The amount is too small."))
			if _, err := w.Services.Payments.Checkout(w.T.Context(), w.Token(i), bill.Shipment.Offers[0].Key(),
				"en"); lost.CodeOf(err) != lost.Invalid {
				w.T.Errorf("%v", err)
			}
		}
		if got := w.tasks(i); !slices.Equal(got, []lost.TaskKind{lost.ShippingTask}) ||
			w.item(i).TaskReason(lost.ShippingTask) != "The fee cannot be paid online: The amount is too small." {
			w.T.Errorf("%q, %q", got, w.item(i).TaskReason(lost.ShippingTask))
		}
		w.move(i, lost.FeePaid)
		w.work()
		if got := w.tasks(i); !slices.Equal(got, []lost.TaskKind{lost.ShipTask}) {
			w.T.Errorf("tasks after staff collected the fee: got %q", got)
		}
	})
}

func TestDocumentsThatCannotBePrintedAreATask(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i, s := w.paid("DE")
		w.Fail("before Print", errors.New("no such document"))
		w.work()
		if i = w.item(i); i.Status != lost.FeePaid ||
			i.TaskReason(lost.LabelTask) != "The documents could not be printed." || len(w.labels(i)) != 1 {
			w.T.Errorf("%s, %+v, %d events", i.Status, i.Parcel, len(w.labels(i)))
		}
		testkit.Must(w.retry(i))
		w.work()
		if i = w.item(i); len(i.Parcel.Documents) != 3 || len(w.carrier.bought[s.ID]) != 1 ||
			w.shipment(s).Invoice != 1 {
			w.T.Errorf("%+v, bought %q", i.Parcel, w.carrier.bought)
		}
	})
}

// If one refund fails, the others are still made.
func TestAllDueRefundsAreRequestedTogether(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i, s := w.sent("DE")
		second := paymentOf(s)
		second.Reference = "pi_unknown"
		w.callBack(second)
		unknown := lost.E(lost.Invalid, "No such payment.")
		w.Fail("before Refund", unknown)
		w.work()
		w.Fail("before Refund", unknown) // fails the refund of the unexpected payment, which comes first
		before, _, _ := w.DB.CountJobs(w.T.Context())
		if err := w.refund(i); err != nil {
			w.T.Fatal(err)
		}
		// Each shipment must have only one refund job, because two jobs could refund the same payment.
		if due, _, err := w.DB.CountJobs(w.T.Context()); err != nil || due != before+1 {
			w.T.Errorf("got %d refund jobs for one shipment, %v; want 1", due-before, err)
		}
		w.work()
		if i = w.item(i); !w.provider.refunded[w.shipment(s).Reference] || i.Status != lost.Pending ||
			i.TaskReason(lost.RefundTask) != "No such payment." {
			w.T.Errorf("got %s, refunded %v, %+v", i.Status, w.provider.refunded, i.Parcel)
		}
	})
}

// If two workers prepare the same shipment, both buy the label that was prepared first.
func TestConcurrentPreparationsBuyOneLabel(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		_, s := w.paid("DE")
		w.Next("after Prepare", func() error { // another worker buys the label in the meantime
			for range 2 {
				testkit.Must(w.Services.Labels.Ship(w.T.Context(), s.Account, s.ID))
			}
			return nil
		})
		w.ship(s)
		if got := w.carrier.bought[s.ID]; len(got) != 1 || w.shipment(s).Postage.Shipment != got[0] ||
			w.shipment(s).State != lost.ShipmentReady {
			w.T.Errorf("bought %q, saved %+v", got, w.shipment(s))
		}
	})
}

// An item has no price while its location has no country. When the country is set, the item gets a price and its
// owner gets a message.
func TestUnpricedParcelsAreQuotedAgainWhenTheLocationChanges(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		w.inTest()
		set := func(p lost.LocationPatch) {
			w.T.Helper()
			testkit.Must(w.Services.Locations.Update(w.T.Context(), w.Actor, w.Location.ID, p))
			w.work()
		}
		set(lost.LocationPatch{Country: lost.Clear[string]()})
		i, j := w.choose(w.find(), sendTo("DE")), w.choose(w.find(), sendTo("DE"))
		unsent := w.find()
		if i.Parcel.Offered || i.Parcel.Unpriced != lost.NoCountry {
			w.T.Fatalf("%+v", i.Parcel)
		}
		set(lost.LocationPatch{Description: lost.Set("By the sea")})
		if w.item(i).Parcel.Offered {
			w.T.Error("there is a price without a country")
		}
		set(lost.LocationPatch{Country: lost.Set("DE")})
		for _, each := range []lost.Item{i, j} {
			if each = w.item(each); !each.Parcel.Offered || each.Parcel.Unpriced != "" ||
				!slices.Contains(w.messages(each), "price to anna@example.com") {
				w.T.Errorf("%+v, messages %q", each.Parcel, w.messages(each))
			}
		}
		if !w.item(unsent).Parcel.Equal(lost.Parcel{}) {
			w.T.Error("an item without a shipment was changed")
		}
		before := len(w.history(i))
		set(lost.LocationPatch{Shipping: lost.Set(lost.ShippingRulesPatch{Handling: lost.Set[int64](400)})})
		if len(w.history(i)) != before || len(w.messages(i)) != 3 {
			w.T.Errorf("an owner who has a price got another message: %q", w.messages(i))
		}
	})
}

func TestAParcelIsQuotedOnceTheWeightIsKnown(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		w.inTest()
		i := testkit.Must(w.Services.Items.Create(w.T.Context(), w.Actor, w.Location.ID,
			testkit.ItemOwnedBy("Umbrella", "anna@example.com"), lost.IdempotencyKey{}))
		i = w.choose(i, sendTo("DE"))
		i = testkit.Must(w.Services.Items.Update(w.T.Context(), w.Actor, w.Location.ID, i.ID,
			lost.ItemPatch{Shipping: lost.Set(weighs(1))}))
		if got := i.TaskReason(lost.ShippingTask); got != "The price is being calculated." {
			w.T.Errorf("before the quote: got %q", got)
		}
		w.work()
		if i = w.item(i); !i.Parcel.Offered || i.Parcel.Unpriced != "" {
			w.T.Errorf("after the quote: got %+v", i.Parcel)
		}
	})
}
