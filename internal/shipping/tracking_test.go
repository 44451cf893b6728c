package shipping_test

import (
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
)

// track makes the carrier report where a parcel is.
func (w *fixture) track(n lost.ParcelUpdate) {
	w.T.Helper()
	header, body := newCallback(n)
	if err := w.Services.Tracking.HandleCallback(w.T.Context(), header, body); err != nil {
		w.T.Fatal(err)
	}
}

func TestTrackingNeverGoesBackwards(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i, s := w.sent("DE")
		other, _ := w.sent("DE")
		tell := func(state lost.ParcelState) lost.Item {
			w.T.Helper()
			for range 2 { // everything is reported twice
				w.track(lost.ParcelUpdate{Tracker: s.Postage.Tracker, State: state, Why: "It was dropped."})
			}
			return w.look(i)
		}
		if got := tell(lost.ParcelWaiting); got.Status != lost.FeePaid {
			w.T.Errorf("waiting: %s", got.Status)
		}
		if got := tell(lost.ParcelTrouble); got.Status != lost.FeePaid ||
			got.Parcel.Problem(lost.ParcelTask) != "It was dropped." ||
			!slices.Contains(w.tasks(got), lost.ParcelTask) {
			w.T.Errorf("trouble: %s, %+v", got.Status, got.Parcel.Troubles)
		}
		if got := tell(lost.ParcelMoving); got.Status != lost.Shipped ||
			slices.Contains(w.tasks(got), lost.ParcelTask) {
			w.T.Errorf("moving: %s, tasks %q", got.Status, w.tasks(got))
		}
		if got := tell(lost.ParcelTrouble); got.Status != lost.Shipped ||
			!slices.Contains(w.tasks(got), lost.ParcelTask) {
			w.T.Errorf("trouble on the way: %s, tasks %q", got.Status, w.tasks(got))
		}
		if got := tell(lost.ParcelDelivered); got.Status != lost.Delivered || len(w.tasks(got)) != 0 {
			w.T.Errorf("delivered: %s, tasks %q", got.Status, w.tasks(got))
		}
		for _, late := range []lost.ParcelState{lost.ParcelMoving, lost.ParcelTrouble, lost.ParcelWaiting} {
			if got := tell(late); got.Status != lost.Delivered || len(w.tasks(got)) != 0 {
				w.T.Errorf("%s after that: %s, tasks %q", late, got.Status, w.tasks(got))
			}
		}
		if got := w.path(i); !slices.Equal(got,
			[]lost.Status{lost.InfoCompleted, lost.FeePaid, lost.Shipped, lost.Delivered}) {
			w.T.Errorf("path: %q", got)
		}
		if got := w.messages(i); testkit.Count(got, "shipped to anna@example.com") != 1 ||
			testkit.Count(got, "delivered to anna@example.com") != 1 {
			w.T.Errorf("messages: %q", got)
		}
		if got := w.notes(i, lost.Updated); testkit.Count(got, "It was dropped.") != 2 {
			w.T.Errorf("history: %q", got)
		}
		if got := w.look(other); got.Status != lost.FeePaid {
			w.T.Errorf("another parcel: %s", got.Status)
		}
	})
}

func TestAParcelFirstTrackedOnDeliveryIsDelivered(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		mine, s := w.sent("DE")
		home := w.Actor
		w.Actor = lost.Actor{
			Account: testkit.Must(w.Services.Accounts.Create(w.T.Context(), "Zoo")).ID, Kind: lost.ByUser,
			Role: lost.OwnerRole,
		}
		w.Location = testkit.Must(w.Services.Locations.Create(w.T.Context(), w.Actor, adler(), lost.IdempotencyKey{}))
		theirs, t := w.sent("DE")
		w.Actor = home
		w.track(lost.ParcelUpdate{
			Tracker: s.Postage.Tracker, State: lost.ParcelDelivered, URL: "https://carrier.example/elsewhere",
		})
		if got := w.look(mine); got.Status != lost.Delivered || got.Parcel.TrackingURL != s.Postage.TrackingURL ||
			testkit.Count(w.messages(mine), "shipped to anna@example.com") != 0 {
			w.T.Errorf("%s, %+v", got.Status, got.Parcel)
		}
		if got := w.look(theirs); got.Status != lost.FeePaid {
			w.T.Errorf("another account's: %s", got.Status)
		}
		w.track(lost.ParcelUpdate{Tracker: t.Postage.Tracker, State: lost.ParcelMoving})
		if got := w.look(theirs); got.Status != lost.Shipped || w.look(mine).Status != lost.Delivered {
			w.T.Errorf("their own: %s", got.Status)
		}
	})
}

func TestAParcelIsTrackedUntilItArrives(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i, _ := w.paid("DE")
		w.work()
		hour := func(state lost.ParcelState, want lost.Status, asked int) {
			w.T.Helper()
			w.carrier.where = lost.ParcelUpdate{State: state}
			w.Clock.Advance(time.Hour)
			w.work()
			if got := w.look(i); got.Status != want || w.Calls("Track") != asked {
				w.T.Errorf("%s: %s, asked %d times, want %d", state, got.Status, w.Calls("Track"), asked)
			}
		}
		if w.Calls("Track") != 0 {
			w.T.Errorf("asked at once")
		}
		hour(lost.ParcelWaiting, lost.FeePaid, 1)
		w.Fail("before Track", lost.E(lost.Unavailable, "Try again later."))
		hour(lost.ParcelMoving, lost.FeePaid, 2)
		hour(lost.ParcelMoving, lost.Shipped, 3)
		hour(lost.ParcelMoving, lost.Shipped, 4)
		hour(lost.ParcelDelivered, lost.Delivered, 5)
		hour(lost.ParcelDelivered, lost.Delivered, 5)
		if due, failed, err := w.DB.CountJobs(w.T.Context()); due+failed != 0 || err != nil {
			w.T.Errorf("%d jobs are left, %d failed, %v", due, failed, err)
		}
	})
}

// What was promised is done, even if nothing else is left of the item.
func TestAnOwedFeeOfADeletedItemIsRefunded(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		owed, s := w.paid("DE")
		if err := w.refund(owed); err != nil {
			w.T.Fatal(err)
		}
		open := w.choose(w.find(), sendTo("DE"))
		n := paymentOf(w.checkout(open))
		n.Amount = 1
		w.hear(n)
		for _, i := range []lost.Item{owed, open} {
			if err := w.Services.Items.Delete(w.T.Context(), w.Actor, w.Location.ID, i.ID); err != nil {
				w.T.Error(err)
			}
		}
		w.work()
		if !w.provider.refunded[paymentOf(s).Reference] || !w.provider.refunded[n.Reference] {
			w.T.Errorf("given back: %v", w.provider.refunded)
		}
	})
}

func TestDeletingAnItemDeletesDocumentsAndClosesTheCheckout(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		done, s := w.sent("US")
		open := w.choose(w.find(), sendTo("DE"))
		page := w.checkout(open)
		if len(w.files.Kept) != 4 || len(w.provider.pages()) != 1 {
			w.T.Fatalf("%v, %q", w.files.Kept, w.provider.pages())
		}
		for _, i := range []lost.Item{done, open} {
			if err := w.Services.Items.Delete(w.T.Context(), w.Actor, w.Location.ID, i.ID); err != nil {
				w.T.Fatal(err)
			}
		}
		w.work()
		if len(w.files.Kept) != 0 || len(w.provider.pages()) != 0 {
			w.T.Errorf("left: %v, %q", w.files.Kept, w.provider.pages())
		}
		for _, s := range []lost.Shipment{s, page} {
			if _, err := w.DB.Shipment(w.T.Context(), s.Account, s.ID); lost.CodeOf(err) != lost.NotFound {
				w.T.Errorf("%s is still there: %v", s.ID, err)
			}
			_, named, err := w.DB.Lookup(w.T.Context(), store.ShipmentEntry, store.DirectoryHash(s.ID))
			// a guest who pays on an open page gets a refund
			if wanted := s.Checkout.ID != ""; named != wanted || err != nil {
				w.T.Errorf("%s is still named: %t, %v", s.ID, named, err)
			}
			for range 2 {
				w.hear(paymentOf(s))
			}
			w.work()
			if w.provider.refunded[paymentOf(s).Reference] != named {
				w.T.Errorf("%s, paid late: given back %v", s.ID, w.provider.refunded)
			}
			w.ship(s)
			if _, err := w.Services.Refunds.RefundShipment(w.T.Context(), s.Account, s.ID); err != nil {
				w.T.Error(err)
			}
			if again, err := w.Services.Tracking.Track(w.T.Context(), s.Account, s.ID); again != 0 || err != nil {
				w.T.Errorf("asked again after %v: %v", again, err)
			}
		}
		w.track(lost.ParcelUpdate{Tracker: s.Postage.Tracker, State: lost.ParcelDelivered})
	})
}
