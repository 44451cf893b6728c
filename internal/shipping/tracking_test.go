package shipping_test

import (
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
)

// track sends a callback from the carrier about a parcel.
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
		report := func(state lost.ParcelState) lost.Item {
			w.T.Helper()
			for range 2 { // the carrier sends each callback twice
				w.track(lost.ParcelUpdate{Tracker: s.Postage.Tracker, State: state, Why: "It was dropped."})
			}
			return w.item(i)
		}
		if got := report(lost.ParcelWaiting); got.Status != lost.FeePaid {
			w.T.Errorf("waiting: %s", got.Status)
		}
		if got := report(lost.ParcelTrouble); got.Status != lost.FeePaid ||
			got.Parcel.Problem(lost.ParcelTask) != "It was dropped." ||
			!slices.Contains(w.tasks(got), lost.ParcelTask) {
			w.T.Errorf("trouble: %s, %+v", got.Status, got.Parcel.Troubles)
		}
		if got := report(lost.ParcelMoving); got.Status != lost.Shipped ||
			slices.Contains(w.tasks(got), lost.ParcelTask) {
			w.T.Errorf("moving: %s, tasks %q", got.Status, w.tasks(got))
		}
		if got := report(lost.ParcelTrouble); got.Status != lost.Shipped ||
			!slices.Contains(w.tasks(got), lost.ParcelTask) {
			w.T.Errorf("trouble on the way: %s, tasks %q", got.Status, w.tasks(got))
		}
		if got := report(lost.ParcelDelivered); got.Status != lost.Delivered || len(w.tasks(got)) != 0 {
			w.T.Errorf("delivered: %s, tasks %q", got.Status, w.tasks(got))
		}
		for _, late := range []lost.ParcelState{lost.ParcelMoving, lost.ParcelTrouble, lost.ParcelWaiting} {
			if got := report(late); got.Status != lost.Delivered || len(w.tasks(got)) != 0 {
				w.T.Errorf("%s after delivery: got %s, tasks %q", late, got.Status, w.tasks(got))
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
		if got := w.item(other); got.Status != lost.FeePaid {
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
		other, t := w.sent("DE")
		w.Actor = home
		w.track(lost.ParcelUpdate{
			Tracker: s.Postage.Tracker, State: lost.ParcelDelivered, URL: "https://carrier.example/elsewhere",
		})
		if got := w.item(mine); got.Status != lost.Delivered || got.Parcel.TrackingURL != s.Postage.TrackingURL ||
			testkit.Count(w.messages(mine), "shipped to anna@example.com") != 0 {
			w.T.Errorf("%s, %+v", got.Status, got.Parcel)
		}
		if got := w.item(other); got.Status != lost.FeePaid {
			w.T.Errorf("parcel of another account: got %s", got.Status)
		}
		w.track(lost.ParcelUpdate{Tracker: t.Postage.Tracker, State: lost.ParcelMoving})
		if got := w.item(other); got.Status != lost.Shipped || w.item(mine).Status != lost.Delivered {
			w.T.Errorf("tracked parcel of another account: got %s", got.Status)
		}
	})
}

func TestAParcelIsTrackedUntilItArrives(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i, _ := w.paid("DE")
		w.work()
		hour := func(state lost.ParcelState, want lost.Status, polls int) {
			w.T.Helper()
			w.carrier.where = lost.ParcelUpdate{State: state}
			w.Clock.Advance(time.Hour)
			w.work()
			if got := w.item(i); got.Status != want || w.Calls("Track") != polls {
				w.T.Errorf("%s: got %s, polled %d times, want %d", state, got.Status, w.Calls("Track"), polls)
			}
		}
		if w.Calls("Track") != 0 {
			w.T.Errorf("tracked immediately")
		}
		hour(lost.ParcelWaiting, lost.FeePaid, 1)
		w.Fail("before Track", lost.E(lost.Unavailable, "Try again later."))
		hour(lost.ParcelMoving, lost.FeePaid, 2)
		hour(lost.ParcelMoving, lost.Shipped, 3)
		hour(lost.ParcelMoving, lost.Shipped, 4)
		hour(lost.ParcelDelivered, lost.Delivered, 5)
		hour(lost.ParcelDelivered, lost.Delivered, 5)
		if due, failed, err := w.DB.CountJobs(w.T.Context()); due+failed != 0 || err != nil {
			w.T.Errorf("got %d jobs, %d failed, %v; want none", due, failed, err)
		}
	})
}

// A refund that was requested is made even if the item is deleted at the same time: the API refuses that, so this test
// deletes the rows.
func TestARequestedRefundOfADeletedItemIsMade(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		refunded, s := w.paid("DE")
		if err := w.refund(refunded); err != nil {
			w.T.Fatal(err)
		}
		open := w.choose(w.find(), sendTo("DE"))
		n := paymentOf(w.checkout(open))
		n.Amount = 1
		w.callBack(n)
		err := w.Services.Items.Delete(w.T.Context(), w.Actor, w.Location.ID, refunded.ID)
		if lost.CodeOf(err) != lost.Conflict {
			w.T.Errorf("delete before the refund is done: got %v, want a conflict", err)
		}
		for _, i := range []lost.Item{refunded, open} {
			if err := w.DB.Write(w.T.Context(), func(tx *store.Tx) error {
				i, err := tx.LockItem(i.Account, i.LocationID, i.ID)
				if err != nil {
					return err
				}
				if _, err := tx.DeleteShipments(i.Account, []string{i.ID}); err != nil {
					return err
				}
				return tx.DeleteItem(i)
			}); err != nil {
				w.T.Error(err)
			}
		}
		w.work()
		if !w.provider.refunded[paymentOf(s).Reference] || !w.provider.refunded[n.Reference] {
			w.T.Errorf("got refunds %v", w.provider.refunded)
		}
	})
}

func TestDeletingAnItemDeletesDocumentsAndClosesTheCheckout(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		done, s := w.sent("US")
		done = w.move(done, lost.Delivered)
		open := w.choose(w.find(), sendTo("DE"))
		page := w.checkout(open)
		if len(w.files.Stored) != 4 || len(w.provider.pages()) != 1 {
			w.T.Fatalf("%v, %q", w.files.Stored, w.provider.pages())
		}
		for _, i := range []lost.Item{done, open} {
			if err := w.Services.Items.Delete(w.T.Context(), w.Actor, w.Location.ID, i.ID); err != nil {
				w.T.Fatal(err)
			}
		}
		w.work()
		if len(w.files.Stored) != 0 || len(w.provider.pages()) != 0 {
			w.T.Errorf("after deletion: got files %v, pages %q", w.files.Stored, w.provider.pages())
		}
		for _, s := range []lost.Shipment{s, page} {
			if _, err := w.DB.Shipment(w.T.Context(), s.Account, s.ID); lost.CodeOf(err) != lost.NotFound {
				w.T.Errorf("shipment %s: got %v, want not found", s.ID, err)
			}
			_, listed, err := w.DB.Lookup(w.T.Context(), store.ShipmentEntry, store.DirectoryHash(s.ID))
			// If a page was opened, the directory entry is kept, so that a late payment can be refunded.
			if wanted := s.Checkout.ID != ""; listed != wanted || err != nil {
				w.T.Errorf("entry of %s: got %t, %v", s.ID, listed, err)
			}
			for range 2 {
				w.callBack(paymentOf(s))
			}
			w.work()
			if w.provider.refunded[paymentOf(s).Reference] != listed {
				w.T.Errorf("%s, late payment: got refunds %v", s.ID, w.provider.refunded)
			}
			w.ship(s)
			if _, err := w.Services.Refunds.RefundShipment(w.T.Context(), s.Account, s.ID); err != nil {
				w.T.Error(err)
			}
			if again, err := w.Services.Tracking.Track(w.T.Context(), s.Account, s.ID); again != 0 || err != nil {
				w.T.Errorf("tracking a deleted shipment: got %v, %v", again, err)
			}
		}
		w.track(lost.ParcelUpdate{Tracker: s.Postage.Tracker, State: lost.ParcelDelivered})
	})
}
