package store_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

func addEndpoint(t testing.TB, db *store.DB, account string, events ...string) lost.Endpoint {
	t.Helper()
	p := lost.EndpointPatch{
		URL: lost.Set("https://hotel.example/hooks"), Headers: lost.Set(map[string]string{"X-Key": "hidden"}),
	}
	if len(events) > 0 {
		p.Events = lost.Set(events)
	}
	e, err := lost.NewEndpoint(account, p, db.Now())
	if err != nil {
		t.Fatal(err)
	}
	e.Secret = "whsec_AAAA"
	write(t, db, func(tx *store.Tx) error { return tx.InsertEndpoint(e) })
	return e
}

func addEvent(t testing.TB, db *store.DB, account string,
	kind lost.EventType) (e lost.Event, queues []store.EndpointQueue) {
	t.Helper()
	return addEventAt(t, db, account, "loc_1", kind)
}

func addEventAt(t testing.TB, db *store.DB, account, location string,
	kind lost.EventType) (e lost.Event, queues []store.EndpointQueue) {
	t.Helper()
	db.UseEvents(store.Events{Wake: func(added ...store.EndpointQueue) { queues = append(queues, added...) }})
	write(t, db, func(tx *store.Tx) error {
		e = lost.NewEvent(kind, lost.Item{Account: account, ID: "item_1", LocationID: location}, tx.Now())
		e.Body = []byte(`{"eventType":"` + string(kind) + `"}`)
		return tx.AddEvent(e)
	})
	return e, queues
}

// eachWithSecret runs test as a subtest on every database, with a service secret set, and passes it
// a clock.
func eachWithSecret(t *testing.T, test func(t *testing.T, db *store.DB, clock *storetest.Clock)) {
	t.Helper()
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		if err := db.UseSecret([]byte("a secret of the tests")); err != nil {
			t.Fatal(err)
		}
		test(t, db, clock)
	})
}

func claimDeliveries(t testing.TB, db *store.DB, l store.EndpointQueue, limit int) (out []store.ClaimedDelivery) {
	t.Helper()
	write(t, db, func(tx *store.Tx) (err error) {
		out, err = tx.ClaimDeliveries(l, limit, time.Minute)
		return err
	})
	return out
}

func TestAnEndpointIsStoredCompletelyAndEncrypted(t *testing.T) {
	eachWithSecret(t, func(t *testing.T, db *store.DB, _ *storetest.Clock) {
		e := addEndpoint(t, db, account, "pickup", "donate")
		e.Rotate("whsec_BBBB", db.Now().Add(time.Hour))
		e.Description = "PMS"
		e.Enabled = false
		e.FailingSince = db.Now()
		e.Reason = "because"
		write(t, db, func(tx *store.Tx) error { return tx.SaveEndpoint(e) })
		got, err := db.Endpoint(t.Context(), account, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(e, got); d != "" {
			t.Error(d)
		}
		if _, err := db.Endpoint(t.Context(), "acc_other", e.ID); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("Endpoint of another account: got error %v, want NotFound", err)
		}
		for _, text := range store.EncryptedTexts(t, db) {
			for _, secret := range []string{"whsec_", "hidden"} {
				if strings.Contains(text, secret) {
					t.Errorf("%q is stored in plain text", secret)
				}
			}
		}
	})
}

func TestAnEventIsDeliveredToSubscribedEndpoints(t *testing.T) {
	eachWithSecret(t, func(t *testing.T, db *store.DB, _ *storetest.Clock) {
		all, pickups := addEndpoint(t, db, account), addEndpoint(t, db, account, "pickup")
		disabled := addEndpoint(t, db, account)
		disabled.Enabled = false
		write(t, db, func(tx *store.Tx) error { return tx.SaveEndpoint(disabled) })
		addEndpoint(t, db, "acc_other")
		want := map[lost.EventType][]string{lost.PickupEvent: {all.ID, pickups.ID}, lost.DonateEvent: {all.ID}}
		for kind, ids := range want {
			e, queues := addEvent(t, db, account, kind)
			var got []string
			for _, l := range queues {
				got = append(got, l.Endpoint)
			}
			slices.Sort(got)
			slices.Sort(ids)
			if !slices.Equal(got, ids) {
				t.Errorf("%s is delivered to %v, want %v", kind, got, ids)
			}
			stored, err := db.Event(t.Context(), account, e.ID)
			if err != nil || string(stored.Body) != string(e.Body) || stored.Type != kind {
				t.Errorf("stored event: got %+v, %v", stored, err)
			}
			if _, err := db.Event(t.Context(), "acc_other", e.ID); lost.CodeOf(err) != lost.NotFound {
				t.Errorf("Event of another account: got error %v, want NotFound", err)
			}
		}
		list, err := db.Events(t.Context(), account,
			lost.EventFilter{Types: []lost.EventType{lost.DonateEvent}, Item: "item_1", Page: lost.FirstPage()})
		if err != nil || list.Count != 1 || list.Data[0].Type != lost.DonateEvent {
			t.Errorf("Events: got %+v, %v, want one donate event", list, err)
		}
	})
}

// The database must select the same endpoints as lost.Endpoint.Receives.
func TestDeliveriesFollowTheFiltersOfEndpoints(t *testing.T) {
	eachWithSecret(t, func(t *testing.T, db *store.DB, _ *storetest.Clock) {
		var endpoints []lost.Endpoint
		for _, events := range [][]string{nil, {"pickup"}, {"item-updated", "status-changed"}, {"*"}} {
			for _, locations := range [][]string{nil, {"loc_1"}, {"loc_2", "loc_3"}} {
				e := addEndpoint(t, db, account, events...)
				e.Locations = locations
				write(t, db, func(tx *store.Tx) error { return tx.SaveEndpoint(e) })
				endpoints = append(endpoints, e)
			}
		}
		for _, kind := range append(lost.EventTypes(), "of a later version") {
			for _, location := range []string{"loc_1", "loc_3", "loc_9"} {
				var want, got []string
				for _, e := range endpoints {
					if e.Receives(kind, location) {
						want = append(want, e.ID)
					}
				}
				event, queues := addEventAt(t, db, account, location, kind)
				for _, l := range queues {
					got = append(got, l.Endpoint)
				}
				slices.Sort(got)
				slices.Sort(want)
				n, err := db.CountSubscribed(t.Context(), account, kind, location)
				if !slices.Equal(got, want) || err != nil || n != len(want) {
					t.Errorf("%s at %s is delivered to %v (%d, %v), want %v", kind, location, got, n, err, want)
				}
				deliveries, err := db.EventDeliveries(t.Context(), account, event.ID)
				for _, d := range deliveries {
					if !lost.IsID(lost.DeliveryID, d.ID) || d.EventType != kind || d.State != lost.DeliveryPending {
						t.Errorf("got the delivery %+v", d)
					}
				}
				if len(deliveries) != len(want) || err != nil {
					t.Errorf("%s at %s has %d deliveries, %v", kind, location, len(deliveries), err)
				}
			}
		}
	})
}

// TestWaitingQueuesAreFoundInPages checks that PendingQueues lists each queue once across all
// pages, even if a queue has several deliveries.
func TestWaitingQueuesAreFoundInPages(t *testing.T) {
	eachWithSecret(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		var want []string
		for range 5 {
			want = append(want, addEndpoint(t, db, account).ID)
		}
		slices.Sort(want)
		first := db.Now()
		addEvent(t, db, account, lost.PickupEvent)
		clock.Advance(time.Minute)
		addEvent(t, db, account, lost.PickupEvent)
		var got []string
		for after := ""; ; {
			page, err := db.PendingQueues(t.Context(), after, 2)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range page {
				got = append(got, w.Endpoint)
				if w.Account != account || !w.Due.Equal(first) {
					t.Errorf("got %+v, want due at %v", w, first)
				}
			}
			if len(page) < 2 {
				break
			}
			after = page[1].Endpoint
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestADeliveryIsClaimedOnceAndInOrder(t *testing.T) {
	eachWithSecret(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		e := addEndpoint(t, db, account)
		queue := store.EndpointQueue{Account: account, Endpoint: e.ID}
		var events []string
		for range 5 {
			event, _ := addEvent(t, db, account, lost.PickupEvent)
			events = append(events, event.ID)
			clock.Advance(time.Second)
		}
		first := claimDeliveries(t, db, queue, 3)
		second := claimDeliveries(t, db, queue, 10)
		third := claimDeliveries(t, db, queue, 10)
		if len(first) != 3 || len(second) != 2 || len(third) != 0 {
			t.Fatal("the claims overlap or are incomplete")
		}
		for _, c := range first {
			if !slices.Contains(events[:3], c.EventID) || string(c.Body) != `{"eventType":"pickup"}` {
				t.Errorf("%+v was claimed out of order", c)
			}
		}
		otherQueue := store.EndpointQueue{Account: "acc_other", Endpoint: e.ID}
		if other := claimDeliveries(t, db, otherQueue, 10); len(other) > 0 {
			t.Errorf("another account claimed %d deliveries", len(other))
		}
		write(t, db, func(tx *store.Tx) error { return tx.ReleaseDelivery(first[0]) })
		if again := claimDeliveries(t, db, queue, 10); len(again) != 1 || again[0].ID != first[0].ID {
			t.Errorf("after ReleaseDelivery: got %+v, want the released delivery", again)
		}
		clock.Advance(time.Minute)
		if n := len(claimDeliveries(t, db, queue, 10)); n != 5 {
			t.Errorf("claimed %d deliveries after the leases, want 5", n)
		}
	})
}

func TestFailedDeliveriesAreReplayedSinceATime(t *testing.T) {
	eachWithSecret(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		e, other := addEndpoint(t, db, account), addEndpoint(t, db, account)
		queue := store.EndpointQueue{Account: account, Endpoint: e.ID}
		var since time.Time
		for n := range 10 {
			if n == 4 {
				since = db.Now()
			}
			addEvent(t, db, account, lost.PickupEvent)
			clock.Advance(time.Second)
		}
		for _, l := range []store.EndpointQueue{queue, {Account: account, Endpoint: other.ID}} {
			for _, c := range claimDeliveries(t, db, l, 10) {
				c.State = lost.DeliveryFailed
				c.DueAt = time.Time{}
				c.Failures = 6
				c.SettledAt = db.Now()
				write(t, db, func(tx *store.Tx) error { return tx.SaveClaimedDelivery(c) })
			}
		}
		after, total := "", 0
		for n := 4; n == 4; {
			write(t, db, func(tx *store.Tx) (err error) {
				after, n, err = tx.ReplayFailedDeliveries(queue, since, db.Now(), after, 4)
				return err
			})
			total += n
		}
		if again := claimDeliveries(t, db, queue, 100); total != 6 || len(again) != 6 || again[0].Failures != 0 {
			t.Errorf("got %d replayed and %d due, want 6 each", total, len(again))
		}
		if n := len(claimDeliveries(t, db, store.EndpointQueue{Account: account, Endpoint: other.ID}, 100)); n != 0 {
			t.Errorf("%d deliveries of another endpoint are due", n)
		}
	})
}

// TestALateResultDoesNotUndoAChange checks that the result of an attempt is saved if the delivery
// was canceled in the meantime, and ignored if it was replayed.
func TestALateResultDoesNotUndoAChange(t *testing.T) {
	eachWithSecret(t, func(t *testing.T, db *store.DB, _ *storetest.Clock) {
		e := addEndpoint(t, db, account)
		queue := store.EndpointQueue{Account: account, Endpoint: e.ID}
		addEvent(t, db, account, lost.PickupEvent)
		late := claimDeliveries(t, db, queue, 1)[0]
		saveLate := func(a lost.Attempt, want lost.DeliveryState, attempts int) {
			t.Helper()
			late := late
			late.Record(a, func(int) (time.Duration, bool) { return time.Minute, true }, db.Now())
			write(t, db, func(tx *store.Tx) error { return tx.ReleaseDelivery(late) })
			write(t, db, func(tx *store.Tx) error { return tx.SaveClaimedDelivery(late) })
			if d, err := db.Delivery(t.Context(), account, late.ID); err != nil || d.State != want ||
				len(d.Attempts) != attempts {
				t.Errorf("got %+v, %v, want state %s with %d attempts", d, err, want, attempts)
			}
		}
		failure, success := lost.Attempt{At: db.Now(), Error: "refused"}, lost.Attempt{At: db.Now(), Status: 200}
		if err := db.CancelDeliveries(t.Context(), queue); err != nil {
			t.Fatal(err)
		}
		if d, err := db.Delivery(t.Context(), account, late.ID); err != nil || d.State != lost.DeliveryPending {
			t.Fatalf("a delivery to an enabled endpoint was canceled: %+v, %v", d, err)
		}
		e.Enabled = false
		write(t, db, func(tx *store.Tx) error { return tx.SaveEndpoint(e) })
		if err := db.CancelDeliveries(t.Context(), queue); err != nil {
			t.Fatal(err)
		}
		saveLate(failure, lost.DeliveryCanceled, 1)
		saveLate(success, lost.DeliveryDelivered, 1)
		write(t, db, func(tx *store.Tx) error {
			d, err := tx.LockDelivery(account, late.ID)
			if err != nil {
				return err
			}
			if err := d.Replay(tx.Now()); err != nil {
				return err
			}
			return tx.ReplayDelivery(d)
		})
		saveLate(success, lost.DeliveryPending, 1) // this attempt started before the replay
	})
}

// TestConcurrentCancelsAndReplaysDoNotOverwrite checks that two transactions that cancel or replay
// at the same time do not undo each other's work.
func TestConcurrentCancelsAndReplaysDoNotOverwrite(t *testing.T) {
	eachWithSecret(t, func(t *testing.T, db *store.DB, _ *storetest.Clock) {
		e := addEndpoint(t, db, account)
		queue := store.EndpointQueue{Account: account, Endpoint: e.ID}
		const n = 60
		for range n {
			addEvent(t, db, account, lost.PickupEvent)
		}
		claimed := claimDeliveries(t, db, queue, n)
		e.Enabled = false
		write(t, db, func(tx *store.Tx) error { return tx.SaveEndpoint(e) })
		var wg sync.WaitGroup
		wg.Go(func() {
			for _, c := range claimed {
				c.Record(lost.Attempt{At: db.Now(), Status: 200}, nil, db.Now())
				write(t, db, func(tx *store.Tx) error { return tx.SaveClaimedDelivery(c) })
			}
		})
		wg.Go(func() {
			for range 10 {
				write(t, db, func(tx *store.Tx) error {
					_, err := tx.CancelDeliveryBatch(queue, 3)
					return err
				})
			}
		})
		wg.Wait()
		list, err := db.Deliveries(t.Context(), account,
			lost.DeliveryFilter{Endpoint: e.ID, Page: lost.Page{Number: 1, Limit: lost.MaxLimit}})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list.Data {
			if (d.State == lost.DeliveryDelivered) != (len(d.Attempts) == 1) || d.State == lost.DeliveryPending {
				t.Errorf("got a delivery in state %s with %d attempts", d.State, len(d.Attempts))
			}
		}
		var counts [2]int
		for _, d := range list.Data {
			d.State = lost.DeliveryFailed
			fail(t, db, d)
		}
		for i := range counts {
			wg.Go(func() {
				write(t, db, func(tx *store.Tx) (err error) {
					_, counts[i], err = tx.ReplayFailedDeliveries(queue, time.Time{}, db.Now(), "", n)
					return err
				})
			})
		}
		wg.Wait()
		if counts[0]+counts[1] != n {
			t.Errorf("replayed %v, want %d in total", counts, n)
		}
	})
}

// fail marks a delivery as failed.
func fail(t testing.TB, db *store.DB, d lost.Delivery) {
	t.Helper()
	write(t, db, func(tx *store.Tx) error {
		d.DueAt = tx.Now().Add(-time.Hour)
		return tx.ReplayDelivery(d)
	})
	for _, c := range claimDeliveries(t, db, store.EndpointQueue{Account: d.Account, Endpoint: d.EndpointID}, 1) {
		c.State, c.DueAt, c.SettledAt = lost.DeliveryFailed, time.Time{}, db.Now()
		write(t, db, func(tx *store.Tx) error { return tx.SaveClaimedDelivery(c) })
	}
}
