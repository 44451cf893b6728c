package desk_test

import (
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// track has the carrier tell where a parcel is.
func (w *wharf) track(n lost.ParcelNews) {
	w.t.Helper()
	header, body := told(n)
	if err := w.desk.HearParcel(w.t.Context(), header, body); err != nil {
		w.t.Fatal(err)
	}
}

func TestAParcelIsFollowedForwardOnly(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		i, s := w.sent("DE")
		other, _ := w.sent("DE")
		tell := func(state lost.ParcelState) lost.Item {
			w.t.Helper()
			for range 2 { // everything is told twice
				w.track(lost.ParcelNews{Tracker: s.Postage.Tracker, State: state, Why: "It was dropped."})
			}
			return w.look(i)
		}
		if got := tell(lost.ParcelWaiting); got.Status != lost.FeePaid {
			w.t.Errorf("waiting: %s", got.Status)
		}
		if got := tell(lost.ParcelTrouble); got.Status != lost.FeePaid || got.Parcel.Trouble(lost.ParcelTask) != "It was dropped." || !slices.Contains(w.tasks(got), lost.ParcelTask) {
			w.t.Errorf("trouble: %s, %+v", got.Status, got.Parcel.Troubles)
		}
		if got := tell(lost.ParcelMoving); got.Status != lost.Shipped || slices.Contains(w.tasks(got), lost.ParcelTask) {
			w.t.Errorf("moving: %s, tasks %q", got.Status, w.tasks(got))
		}
		if got := tell(lost.ParcelTrouble); got.Status != lost.Shipped || !slices.Contains(w.tasks(got), lost.ParcelTask) {
			w.t.Errorf("trouble on the way: %s, tasks %q", got.Status, w.tasks(got))
		}
		if got := tell(lost.ParcelDelivered); got.Status != lost.Delivered || len(w.tasks(got)) != 0 {
			w.t.Errorf("delivered: %s, tasks %q", got.Status, w.tasks(got))
		}
		for _, late := range []lost.ParcelState{lost.ParcelMoving, lost.ParcelTrouble, lost.ParcelWaiting} {
			if got := tell(late); got.Status != lost.Delivered || len(w.tasks(got)) != 0 {
				w.t.Errorf("%s after that: %s, tasks %q", late, got.Status, w.tasks(got))
			}
		}
		if got := w.path(i); !slices.Equal(got, []lost.Status{lost.InfoCompleted, lost.FeePaid, lost.Shipped, lost.Delivered}) {
			w.t.Errorf("path: %q", got)
		}
		if got := w.messages(i); count(got, "shipped to anna@example.com") != 1 || count(got, "delivered to anna@example.com") != 1 {
			w.t.Errorf("messages: %q", got)
		}
		if got := w.notes(i, lost.Updated); count(got, "It was dropped.") != 2 {
			w.t.Errorf("history: %q", got)
		}
		if got := w.look(other); got.Status != lost.FeePaid {
			w.t.Errorf("another parcel: %s", got.Status)
		}
	})
}

func TestAParcelThatIsFirstSeenAtItsEndIsDelivered(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		mine, s := w.sent("DE")
		home := w.actor
		w.actor = lost.Actor{Account: must(w.desk.CreateAccount(w.t.Context(), "Zoo")).ID, Kind: lost.ByUser, Role: lost.OwnerRole}
		w.where = must(w.desk.CreateLocation(w.t.Context(), w.actor, adler(), lost.IdempotencyKey{}))
		theirs, t := w.sent("DE")
		w.actor = home
		w.track(lost.ParcelNews{Tracker: s.Postage.Tracker, State: lost.ParcelDelivered, URL: "https://carrier.example/elsewhere"})
		if got := w.look(mine); got.Status != lost.Delivered || got.Parcel.TrackingURL != s.Postage.TrackingURL || count(w.messages(mine), "shipped to anna@example.com") != 0 {
			w.t.Errorf("%s, %+v", got.Status, got.Parcel)
		}
		if got := w.look(theirs); got.Status != lost.FeePaid {
			w.t.Errorf("another account's: %s", got.Status)
		}
		w.track(lost.ParcelNews{Tracker: t.Postage.Tracker, State: lost.ParcelMoving})
		if got := w.look(theirs); got.Status != lost.Shipped || w.look(mine).Status != lost.Delivered {
			w.t.Errorf("their own: %s", got.Status)
		}
	})
}

func TestAParcelIsAskedForUntilItHasArrived(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		i, _ := w.paid("DE")
		w.work()
		hour := func(state lost.ParcelState, want lost.Status, asked int) {
			w.t.Helper()
			w.carrier.where = lost.ParcelNews{State: state}
			w.clock.Advance(time.Hour)
			w.work()
			if got := w.look(i); got.Status != want || w.asked("Track") != asked {
				w.t.Errorf("%s: %s, asked %d times, want %d", state, got.Status, w.asked("Track"), asked)
			}
		}
		if w.asked("Track") != 0 {
			w.t.Errorf("asked at once")
		}
		hour(lost.ParcelWaiting, lost.FeePaid, 1)
		w.fail("before Track", lost.E(lost.Unavailable, "Try again later."))
		hour(lost.ParcelMoving, lost.FeePaid, 2)
		hour(lost.ParcelMoving, lost.Shipped, 3)
		hour(lost.ParcelMoving, lost.Shipped, 4)
		hour(lost.ParcelDelivered, lost.Delivered, 5)
		hour(lost.ParcelDelivered, lost.Delivered, 5)
		if due, failed, err := w.db.Jobs(w.t.Context()); due+failed != 0 || err != nil {
			w.t.Errorf("%d jobs are left, %d failed, %v", due, failed, err)
		}
	})
}

// What was promised is done, also when nothing else is left of it.
func TestAFeeThatIsOwedIsGivenBackThoughItsItemIsDeleted(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		owed, s := w.paid("DE")
		if err := w.refund(owed); err != nil {
			w.t.Fatal(err)
		}
		open := w.choose(w.find(), sendTo("DE"))
		n := paymentOf(w.checkout(open))
		n.Amount = 1
		w.hear(n)
		for _, i := range []lost.Item{owed, open} {
			if err := w.desk.DeleteItem(w.t.Context(), w.actor, w.where.ID, i.ID); err != nil {
				w.t.Error(err)
			}
		}
		w.work()
		if !w.till.refunded[paymentOf(s).Reference] || !w.till.refunded[n.Reference] {
			w.t.Errorf("given back: %v", w.till.refunded)
		}
	})
}

func TestADeletedItemTakesItsPapersAndItsPageAlong(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		done, s := w.sent("US")
		open := w.choose(w.find(), sendTo("DE"))
		page := w.checkout(open)
		if len(w.cabinet.kept) != 4 || len(w.till.pages()) != 1 {
			w.t.Fatalf("%v, %q", w.cabinet.kept, w.till.pages())
		}
		for _, i := range []lost.Item{done, open} {
			if err := w.desk.DeleteItem(w.t.Context(), w.actor, w.where.ID, i.ID); err != nil {
				w.t.Fatal(err)
			}
		}
		w.work()
		if len(w.cabinet.kept) != 0 || len(w.till.pages()) != 0 {
			w.t.Errorf("left: %v, %q", w.cabinet.kept, w.till.pages())
		}
		for _, s := range []lost.Shipment{s, page} {
			if _, err := w.db.Shipment(w.t.Context(), s.Account, s.ID); lost.CodeOf(err) != lost.NotFound {
				w.t.Errorf("%s is still there: %v", s.ID, err)
			}
			_, named, err := w.db.Lookup(w.t.Context(), store.ShipmentEntry, store.DirectoryHash(s.ID))
			if wanted := s.Checkout.ID != ""; named != wanted || err != nil { // who pays on a page that was open gets it back
				w.t.Errorf("%s is still named: %t, %v", s.ID, named, err)
			}
			for range 2 {
				w.hear(paymentOf(s))
			}
			w.work()
			if w.till.refunded[paymentOf(s).Reference] != named {
				w.t.Errorf("%s, paid late: given back %v", s.ID, w.till.refunded)
			}
			w.ship(s)
			if _, err := w.desk.GiveBack(w.t.Context(), s.Account, s.ID); err != nil {
				w.t.Error(err)
			}
			if again, err := w.desk.Track(w.t.Context(), s.Account, s.ID); again != 0 || err != nil {
				w.t.Errorf("asked again after %v: %v", again, err)
			}
		}
		w.track(lost.ParcelNews{Tracker: s.Postage.Tracker, State: lost.ParcelDelivered})
	})
}
