package desk_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
)

func TestAnOfferThatIsTakenTwiceHasOnePageAndAnotherOfferReplacesIt(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		w.carrier.express = true
		i := w.choose(w.find(), sendTo("DE"))
		token := w.token(i)
		offers := must(w.desk.Bill(w.t.Context(), token)).Shipment.Offers
		if len(offers) != 2 {
			w.t.Fatalf("offers: %+v", offers)
		}
		first := must(w.desk.Checkout(w.t.Context(), token, offers[0].Key(), "en")).Shipment.Checkout
		again := must(w.desk.Checkout(w.t.Context(), token, offers[0].Key(), "en")).Shipment.Checkout
		if first.URL == "" || again.ID != first.ID || w.asked("Open") != 1 {
			w.t.Errorf("%+v, then %+v; opened %d", first, again, w.asked("Open"))
		}
		express := must(w.desk.Checkout(w.t.Context(), token, offers[1].Key(), "en"))
		if got := w.till.pages(); !slices.Equal(got, []string{express.Shipment.Checkout.ID}) || got[0] == first.ID {
			w.t.Errorf("open pages: %q", got)
		}
		if p := express.Item.Parcel; p.Service != "Express" || p.Price.Total() != 1840 {
			w.t.Errorf("parcel: %+v", p)
		}
		w.clock.Advance(24 * time.Hour) // the page is over
		if late := must(w.desk.Checkout(w.t.Context(), token, offers[1].Key(), "en")).Shipment.Checkout; late.ID == express.Shipment.Checkout.ID {
			w.t.Error("a page that is over is still shown")
		}
		w.till.paid[w.till.pages()[0]] = true
		if _, err := w.desk.Checkout(w.t.Context(), token, offers[0].Key(), "en"); lost.CodeOf(err) != lost.Conflict || w.asked("Open") != 3 {
			w.t.Errorf("a page that was paid is replaced: %v", err)
		}
	})
}

func TestOfTwoWindowsThatPayAtOnceOnePageIsLeft(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		i := w.choose(w.find(), sendTo("DE"))
		token := w.token(i)
		key := must(w.desk.Bill(w.t.Context(), token)).Shipment.Offers[0].Key()
		for _, moment := range []string{"before Open", "after Open"} {
			var other desk.Bill
			w.next(moment, func() (err error) {
				other, err = w.desk.Checkout(w.t.Context(), token, key, "en")
				return err
			})
			if _, err := w.desk.Checkout(w.t.Context(), token, key, "en"); lost.CodeOf(err) != lost.Conflict {
				w.t.Errorf("%s, the slower window: %v", moment, err)
			}
			if got := w.till.pages(); !slices.Equal(got, []string{other.Shipment.Checkout.ID}) {
				w.t.Errorf("%s: open pages %q, want %q", moment, got, other.Shipment.Checkout.ID)
			}
			if err := w.till.Close(w.t.Context(), other.Shipment.Checkout.ID); err != nil {
				w.t.Fatal(err)
			}
			w.hear(lost.PaymentNews{Shipment: other.Shipment.ID, Checkout: other.Shipment.Checkout.ID, State: lost.PaymentExpired})
		}
		var windows sync.WaitGroup
		errs := make([]error, 6)
		for n := range errs {
			windows.Go(func() { _, errs[n] = w.desk.Checkout(w.t.Context(), token, key, "en") })
		}
		windows.Wait()
		for _, err := range errs {
			if err != nil && lost.CodeOf(err) != lost.Conflict {
				w.t.Error(err)
			}
		}
		if got := w.till.pages(); len(got) > 1 {
			w.t.Errorf("open pages: %q", got)
		}
	})
}

func TestNobodyPaysAPriceThatHasChanged(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		i := w.choose(w.find(), sendTo("DE"))
		token := w.token(i)
		refused := func(what, key string, total int64) {
			w.t.Helper()
			bill, err := w.desk.Checkout(w.t.Context(), token, key, "en")
			if lost.CodeOf(err) != lost.Conflict {
				w.t.Errorf("%s: %v", what, err)
			}
			if len(bill.Shipment.Offers) != 1 || bill.Shipment.Offers[0].Price.Total() != total {
				w.t.Errorf("%s: the bill is %+v, want %d", what, bill.Shipment.Offers, total)
			}
		}
		key := func() string { return must(w.desk.Bill(w.t.Context(), token)).Shipment.Offers[0].Key() }
		old := key()
		rules := lost.ShippingRulesPatch{Handling: lost.Set[int64](300)}
		must(w.desk.UpdateLocation(w.t.Context(), w.actor, w.where.ID, lost.LocationPatch{Shipping: lost.Set(rules)}))
		refused("another tariff", old, 890)
		old = key()
		must(w.desk.UpdateItem(w.t.Context(), w.actor, w.where.ID, i.ID, lost.ItemPatch{Shipping: lost.Set(weighs(5))}))
		refused("another weight", old, 1190)
		refused("a forged offer", "Standard parcel 1 0 EUR", 1190)
		refused("no offer", "", 1190)
		if n := w.asked("Open"); n != 0 {
			w.t.Errorf("%d pages were opened", n)
		}
	})
}

func TestWhoeverChoosesOtherwisePaysOnNoOldPage(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		for what, p := range map[string]lost.ChoicePatch{"another address": sendTo("FR"), "no parcel": {Choice: lost.ChooseDonate}} {
			i := w.choose(w.find(), sendTo("DE"))
			old := w.checkout(i)
			w.choose(i, p)
			w.work()
			if got := w.shipment(old); got.State != lost.ShipmentOver || slices.Contains(w.till.pages(), old.Checkout.ID) {
				w.t.Errorf("%s: %s, open pages %q", what, got.State, w.till.pages())
			}
		}
	})
}
