package shipping_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

// A payment whose callback got lost is found by asking the provider.
func TestAPaymentWithoutACallbackIsPolled(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i := w.choose(w.find(), sendTo("DE"))
		s := w.checkout(i)
		w.Clock.Advance(16 * time.Minute)
		w.work() // the page is open, so nothing follows
		if i = w.look(i); i.Status != lost.InfoCompleted || w.Calls("Look") != 1 {
			w.T.Fatalf("%s, asked %d times", i.Status, w.Calls("Look"))
		}
		w.provider.found = paymentOf(s)
		w.provider.found.By = lost.PayStripe
		w.Clock.Advance(time.Hour)
		w.work()
		if i = w.look(i); i.Status != lost.FeePaid || len(w.labels(i)) != 1 {
			w.T.Errorf("%s, %d events", i.Status, len(w.labels(i)))
		}
		w.Clock.Advance(2 * time.Hour)
		w.work()
		if w.Calls("Look") != 2 {
			w.T.Errorf("asked %d times", w.Calls("Look"))
		}
	})
}

func TestAPaymentAfterAPaidMarkIsRecorded(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i := w.choose(w.find(), sendTo("DE"))
		s := w.checkout(i)
		w.provider.paid[s.Checkout.ID], w.provider.found = true, paymentOf(s)
		w.provider.found.By = lost.PayStripe
		w.Clock.Advance(24 * time.Hour) // the page has expired as far as we know
		bill := testkit.Must(w.Services.Payments.Bill(w.T.Context(), w.Token(i)))
		if _, err := w.Services.Payments.Checkout(w.T.Context(), w.Token(i), bill.Shipment.Offers[0].Key(),
			"en"); lost.CodeOf(err) != lost.Conflict {
			w.T.Errorf("another page: %v", err)
		}
		if i = w.look(i); i.Status != lost.FeePaid || w.Calls("Open") != 1 {
			w.T.Errorf("%s, %d pages", i.Status, w.Calls("Open"))
		}
	})
}

func TestADelayedPaymentIsAwaited(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i := w.choose(w.find(), sendTo("DE"))
		n := paymentOf(w.checkout(i))
		n.State = lost.PaymentWaiting
		w.hear(n)
		w.hear(n)
		if i = w.look(i); !i.Parcel.Awaited || i.Status != lost.InfoCompleted || len(w.notes(i, lost.Paid)) != 1 {
			w.T.Errorf("%s, %+v, %q", i.Status, i.Parcel, w.notes(i, lost.Paid))
		}
		n.State = lost.PaymentFailed
		w.hear(n)
		if i = w.look(i); i.Parcel.Awaited || len(w.notes(i, lost.Paid)) != 2 {
			w.T.Errorf("%+v, %q", i.Parcel, w.notes(i, lost.Paid))
		}
	})
}

func TestFeePaidIsAnnouncedIfTheItemMovesOnBeforeItsLabel(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		for what, leave := range map[string]func(lost.Item){
			"staff take it back":    func(i lost.Item) { w.move(i, lost.Pending) },
			"the owner collects it": func(i lost.Item) { w.move(i, lost.PickUp) },
			"the fee is given back": func(i lost.Item) { testkit.Must(0, w.refund(i)) },
			"and is paid once more": func(i lost.Item) { w.move(i, lost.Pending); w.move(i, lost.FeePaid) },
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
				w.T.Errorf("%s: %d events for %d changes", what, len(events), changes)
			}
			if sends := w.look(i).Status.IsShipping(); !sends &&
				testkit.Count(w.messages(i), "label to post@adler.example") != 0 {
				w.T.Errorf("%s: staff were asked to send it", what)
			}
		}
	})
}

func TestAFeeForAnItemThatIsNotShippedIsATask(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i, _ := w.sent("DE")
		w.move(i, lost.PickUp)
		if got := w.tasks(i); !slices.Equal(got, []lost.TaskKind{lost.RefundTask}) ||
			w.look(i).TaskReason(lost.RefundTask) == "" {
			w.T.Errorf("tasks: %q", got)
		}
		if err := w.refund(i); err != nil {
			w.T.Fatal(err)
		}
		w.work()
		if got := w.tasks(i); len(got) != 0 || w.look(i).Status != lost.PickUp {
			w.T.Errorf("given back: %q, %s", got, w.look(i).Status)
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
		w.hear(n)
		w.work()
		if i = w.look(i); i.Status != lost.InfoCompleted || !w.provider.refunded[n.Reference] || w.Calls("Buy") != 0 {
			w.T.Errorf("%s, given back %v", i.Status, w.provider.refunded)
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
		if got := w.provider.pages(); len(got) != 0 || w.look(i).Parcel.Price.Known() {
			w.T.Errorf("it can still be paid on %q: %+v", got, w.look(i).Parcel)
		}
		w.hear(old)
		w.work()
		if i = w.look(i); i.Status != lost.InfoCompleted || !w.provider.refunded[old.Reference] {
			w.T.Errorf("paid at the old price: %s, given back %v", i.Status, w.provider.refunded)
		}
		// which is its status
		testkit.Must(w.Services.Items.Update(w.T.Context(), w.Actor, w.Location.ID, i.ID,
			lost.ItemPatch{Shipping: lost.Set(weighs(20))}))
		if due, _, err := w.DB.CountJobs(w.T.Context()); err != nil || due != 1 { // the check of the payment
			w.T.Errorf("%d jobs are left by what changes nothing, %v", due, err)
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
			w.look(i).TaskReason(lost.ShippingTask) != "It cannot be paid online: The amount is too small." {
			w.T.Errorf("%q, %q", got, w.look(i).TaskReason(lost.ShippingTask))
		}
		w.move(i, lost.FeePaid)
		w.work()
		if got := w.tasks(i); !slices.Equal(got, []lost.TaskKind{lost.ShipTask}) {
			w.T.Errorf("collected by staff: %q", got)
		}
	})
}

func TestDocumentsThatCannotBePrintedAreATask(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i, s := w.paid("DE")
		w.Fail("before Print", errors.New("no such document"))
		w.work()
		if i = w.look(i); i.Status != lost.FeePaid ||
			i.TaskReason(lost.LabelTask) != "The documents could not be printed." || len(w.labels(i)) != 1 {
			w.T.Errorf("%s, %+v, %d events", i.Status, i.Parcel, len(w.labels(i)))
		}
		testkit.Must(w.retry(i))
		w.work()
		if i = w.look(i); len(i.Parcel.Documents) != 3 || len(w.carrier.bought[s.ID]) != 1 ||
			w.shipment(s).Invoice != 1 {
			w.T.Errorf("%+v, bought %q", i.Parcel, w.carrier.bought)
		}
	})
}

// A refund that fails does not keep other refunds from being made.
func TestAllOwedRefundsAreMadeTogether(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i, s := w.sent("DE")
		second := paymentOf(s)
		second.Reference = "pi_gone"
		w.hear(second)
		gone := lost.E(lost.Invalid, "No such payment.")
		w.Fail("before Refund", gone)
		w.work()
		w.Fail("before Refund", gone) // the unexpected payment comes first
		before, _, _ := w.DB.CountJobs(w.T.Context())
		if err := w.refund(i); err != nil {
			w.T.Fatal(err)
		}
		// two would refund the same money at once
		if due, _, err := w.DB.CountJobs(w.T.Context()); err != nil || due != before+1 {
			w.T.Errorf("%d jobs for what one shipment owes, %v", due-before, err)
		}
		w.work()
		if i = w.look(i); !w.provider.refunded[w.shipment(s).Reference] || i.Status != lost.Pending ||
			i.TaskReason(lost.RefundTask) != "No such payment." {
			w.T.Errorf("%s, given back %v, %+v", i.Status, w.provider.refunded, i.Parcel)
		}
	})
}

// Two workers that both agree with the carrier buy what was agreed on first.
func TestConcurrentPreparationsBuyOneLabel(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		_, s := w.paid("DE")
		w.Next("after Prepare", func() error { // another worker gets to the label in the meantime
			for range 2 {
				testkit.Must(w.Services.Labels.Ship(w.T.Context(), s.Account, s.ID))
			}
			return nil
		})
		w.ship(s)
		if got := w.carrier.bought[s.ID]; len(got) != 1 || w.shipment(s).Postage.Shipment != got[0] ||
			w.shipment(s).State != lost.ShipmentReady {
			w.T.Errorf("bought %q, kept %+v", got, w.shipment(s))
		}
	})
}

// An item without a price, because the location lacks an address, gets one as soon as the location has it, and its
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
		kept := w.find()
		if i.Parcel.Offered || i.Parcel.Unpriced != lost.NoCountry {
			w.T.Fatalf("%+v", i.Parcel)
		}
		set(lost.LocationPatch{Description: lost.Set("By the sea")})
		if w.look(i).Parcel.Offered {
			w.T.Error("there is a price, and no country")
		}
		set(lost.LocationPatch{Country: lost.Set("DE")})
		for _, each := range []lost.Item{i, j} {
			if each = w.look(each); !each.Parcel.Offered || each.Parcel.Unpriced != "" ||
				!slices.Contains(w.messages(each), "price to anna@example.com") {
				w.T.Errorf("%+v, messages %q", each.Parcel, w.messages(each))
			}
		}
		if !w.look(kept).Parcel.Equal(lost.Parcel{}) {
			w.T.Error("what is not to be sent was changed")
		}
		before := len(w.history(i))
		set(lost.LocationPatch{Shipping: lost.Set(lost.ShippingRulesPatch{Handling: lost.Set[int64](400)})})
		if len(w.history(i)) != before || len(w.messages(i)) != 3 {
			w.T.Errorf("who has a price is bothered again: %q", w.messages(i))
		}
	})
}

func TestAParcelIsQuotedOnceTheWeightIsKnown(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		w.inTest()
		i := testkit.Must(w.Services.Items.Create(w.T.Context(), w.Actor, w.Location.ID,
			testkit.Owned("Umbrella", "anna@example.com"), lost.IdempotencyKey{}))
		i = w.choose(i, sendTo("DE"))
		i = testkit.Must(w.Services.Items.Update(w.T.Context(), w.Actor, w.Location.ID, i.ID,
			lost.ItemPatch{Shipping: lost.Set(weighs(1))}))
		if got := i.TaskReason(lost.ShippingTask); got != "The price is being calculated." {
			w.T.Errorf("before it is: %q", got)
		}
		w.work()
		if i = w.look(i); !i.Parcel.Offered || i.Parcel.Unpriced != "" {
			w.T.Errorf("afterwards: %+v", i.Parcel)
		}
	})
}
