package shipping_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/shipping"
	"homeward/internal/testkit"
)

func TestAnOfferHasOneCheckoutAndAnotherOfferReplacesIt(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		w.carrier.express = true
		i := w.choose(w.find(), sendTo("DE"))
		token := w.Token(i)
		offers := testkit.Must(w.Services.Payments.Bill(w.T.Context(), token)).Shipment.Offers
		if len(offers) != 2 {
			w.T.Fatalf("offers: %+v", offers)
		}
		first := testkit.Must(w.Services.Payments.Checkout(w.T.Context(), token, offers[0].Key(),
			"en")).Shipment.Checkout
		again := testkit.Must(w.Services.Payments.Checkout(w.T.Context(), token, offers[0].Key(),
			"en")).Shipment.Checkout
		if first.URL == "" || again.ID != first.ID || w.Calls("Open") != 1 {
			w.T.Errorf("got %+v, then %+v; opened %d pages", first, again, w.Calls("Open"))
		}
		express := testkit.Must(w.Services.Payments.Checkout(w.T.Context(), token, offers[1].Key(), "en"))
		if got := w.provider.pages(); !slices.Equal(got, []string{express.Shipment.Checkout.ID}) || got[0] == first.ID {
			w.T.Errorf("open pages: %q", got)
		}
		if p := express.Item.Parcel; p.Service != "Express" || p.Price.Total() != 1840 {
			w.T.Errorf("parcel: %+v", p)
		}
		w.Clock.Advance(24 * time.Hour) // the page has expired
		if late := testkit.Must(w.Services.Payments.Checkout(w.T.Context(), token, offers[1].Key(),
			"en")).Shipment.Checkout; late.ID == express.Shipment.Checkout.ID {
			w.T.Error("an expired page is still used")
		}
		w.provider.paid[w.provider.pages()[0]] = true
		if _, err := w.Services.Payments.Checkout(w.T.Context(), token, offers[0].Key(),
			"en"); lost.CodeOf(err) != lost.Conflict || w.Calls("Open") != 3 {
			w.T.Errorf("checkout after a payment: got %v, want a conflict", err)
		}
	})
}

func TestConcurrentCheckoutsLeaveOneOpen(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i := w.choose(w.find(), sendTo("DE"))
		token := w.Token(i)
		key := testkit.Must(w.Services.Payments.Bill(w.T.Context(), token)).Shipment.Offers[0].Key()
		for _, moment := range []string{"before Open", "after Open"} {
			var other shipping.Bill
			w.Next(moment, func() (err error) {
				other, err = w.Services.Payments.Checkout(w.T.Context(), token, key, "en")
				return err
			})
			slower, err := w.Services.Payments.Checkout(w.T.Context(), token, key, "en")
			if err != nil || slower.Shipment.Checkout.ID != other.Shipment.Checkout.ID {
				w.T.Errorf("%s, slower browser window: got page %q, %v, want %q", moment,
					slower.Shipment.Checkout.ID, err, other.Shipment.Checkout.ID)
			}
			if got := w.provider.pages(); !slices.Equal(got, []string{other.Shipment.Checkout.ID}) {
				w.T.Errorf("%s: got open pages %q, want %q", moment, got, other.Shipment.Checkout.ID)
			}
			if err := w.provider.Close(w.T.Context(), other.Shipment.Checkout.ID); err != nil {
				w.T.Fatal(err)
			}
			w.callBack(lost.PaymentUpdate{
				Shipment: other.Shipment.ID, Checkout: other.Shipment.Checkout.ID, State: lost.PaymentExpired,
			})
		}
		var windows sync.WaitGroup
		errs := make([]error, 12)
		for n := range errs {
			windows.Go(func() { _, errs[n] = w.Services.Payments.Checkout(w.T.Context(), token, key, "en") })
		}
		windows.Wait()
		for _, err := range errs {
			if err != nil {
				w.T.Error(err)
			}
		}
		if got := w.provider.pages(); len(got) != 1 {
			w.T.Errorf("open pages: %q", got)
		}
	})
}

func TestNobodyPaysAPriceThatHasChanged(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i := w.choose(w.find(), sendTo("DE"))
		token := w.Token(i)
		refused := func(what, key string, total int64) {
			w.T.Helper()
			bill, err := w.Services.Payments.Checkout(w.T.Context(), token, key, "en")
			if lost.CodeOf(err) != lost.Conflict {
				w.T.Errorf("%s: got %v, want a conflict", what, err)
			}
			if len(bill.Shipment.Offers) != 1 || bill.Shipment.Offers[0].Price.Total() != total {
				w.T.Errorf("%s: got offers %+v, want %d", what, bill.Shipment.Offers, total)
			}
		}
		key := func() string {
			return testkit.Must(w.Services.Payments.Bill(w.T.Context(), token)).Shipment.Offers[0].Key()
		}
		old := key()
		rules := lost.ShippingRulesPatch{Handling: lost.Set[int64](300)}
		testkit.Must(w.Services.Locations.Update(w.T.Context(), w.Actor, w.Location.ID,
			lost.LocationPatch{Shipping: lost.Set(rules)}))
		refused("new tariff", old, 890)
		old = key()
		testkit.Must(w.Services.Items.Update(w.T.Context(), w.Actor, w.Location.ID, i.ID,
			lost.ItemPatch{Shipping: lost.Set(weighs(5))}))
		refused("new weight", old, 1190)
		refused("forged offer", "Standard parcel 1 0 EUR", 1190)
		refused("no offer", "", 1190)
		if n := w.Calls("Open"); n != 0 {
			w.T.Errorf("%d pages were opened, want 0", n)
		}
	})
}

func TestAChangedChoiceClosesTheCheckout(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		for what, p := range map[string]lost.ChoicePatch{
			"new address": sendTo("FR"), "no shipping": {Choice: lost.ChooseDonate},
		} {
			i := w.choose(w.find(), sendTo("DE"))
			old := w.checkout(i)
			w.choose(i, p)
			w.work()
			if got := w.shipment(old); got.State != lost.ShipmentCancelled ||
				slices.Contains(w.provider.pages(), old.Checkout.ID) {
				w.T.Errorf("%s: got %s, open pages %q", what, got.State, w.provider.pages())
			}
		}
	})
}
