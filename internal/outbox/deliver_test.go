package outbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/outbox"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// hooks is a fake sender. It returns the results that a test has set, and counts the attempts.
type hooks struct {
	mu        sync.Mutex
	respond   func(e lost.Endpoint, delivery string) lost.Attempt // nil means that every attempt succeeds
	sent      map[string]int                                      // number of attempts, by delivery
	bodies    map[string]string
	maxActive map[string]int // the maximum number of concurrent attempts, by endpoint
	active    map[string]int
}

func (h *hooks) Send(_ context.Context, e lost.Endpoint, d lost.Delivery, body []byte) lost.Attempt {
	delivery := d.ID
	h.mu.Lock()
	if h.sent == nil {
		h.sent = map[string]int{}
		h.bodies = map[string]string{}
		h.maxActive = map[string]int{}
		h.active = map[string]int{}
	}
	h.sent[delivery]++
	if before, again := h.bodies[delivery]; again && before != string(body) {
		panic("the body changed between attempts")
	}
	h.bodies[delivery] = string(body)
	h.active[e.ID]++
	h.maxActive[e.ID] = max(h.maxActive[e.ID], h.active[e.ID])
	respond := h.respond
	h.mu.Unlock()
	a := lost.Attempt{Status: 200}
	if respond != nil {
		a = respond(e, delivery)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.active[e.ID]--
	return a
}

func (h *hooks) Timeout() time.Duration { return 15 * time.Second }

// Delay implements the documented retry schedule.
func (h *hooks) Delay(failures int) (time.Duration, bool) {
	waits := []time.Duration{15, 60, 120, 240, 480}
	if failures > len(waits) {
		return 0, false
	}
	return waits[failures-1] * time.Second, true
}

func (h *hooks) total() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, times := range h.sent {
		n += times
	}
	return n
}

func (h *hooks) set(respond func(lost.Endpoint, string) lost.Attempt) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.respond = respond
}

func refusing(lost.Endpoint, string) lost.Attempt {
	return lost.Attempt{Status: 500, Error: "responded with 500 Internal Server Error"}
}

// setSecret sets the service's secret, which encrypts endpoints' secrets.
func setSecret(t *testing.T, db *store.DB) {
	t.Helper()
	if err := db.UseSecret([]byte("a secret for tests")); err != nil {
		t.Fatal(err)
	}
}

func addEndpoint(t *testing.T, db *store.DB) lost.Endpoint {
	t.Helper()
	e, err := lost.NewEndpoint(account, lost.EndpointPatch{URL: lost.Set("https://hotel.example/hooks")}, db.Now())
	if err != nil {
		t.Fatal(err)
	}
	e.Secret = "whsec_AAAA"
	write(t, db, func(tx *store.Tx) error { return tx.InsertEndpoint(e) })
	return e
}

// addEvents adds events that every endpoint receives.
func addEvents(t *testing.T, db *store.DB, n int) {
	t.Helper()
	write(t, db, func(tx *store.Tx) error {
		for i := range n {
			e := lost.NewEvent(lost.PickupEvent, lost.Item{Account: account, ID: "item_1", LocationID: "loc_1"},
				tx.Now())
			e.Body = fmt.Appendf(nil, `{"eventType":"pickup","n":%d}`, i)
			if err := tx.AddEvent(e); err != nil {
				return err
			}
		}
		return nil
	})
}

func deliveries(t *testing.T, db *store.DB, e lost.Endpoint, states ...lost.DeliveryState) lost.List[lost.Delivery] {
	t.Helper()
	list, err := db.Deliveries(t.Context(), account,
		lost.DeliveryFilter{Endpoint: e.ID, States: states, Page: lost.Page{Number: 1, Limit: lost.MaxLimit}})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func newDeliveryOutbox(db *store.DB, h *hooks) *outbox.Outbox {
	return outbox.New(outbox.Options{
		DB: db, Files: newFiles(), Hooks: h, Log: discardLogger(), Observe: ignoreAttempt,
		KeepDeliveries: 30 * 24 * time.Hour,
	})
}

// eachWebhook runs a test on every database, with an endpoint and a clock that the test controls.
func eachWebhook(t *testing.T, test func(t *testing.T, db *store.DB, clock *storetest.Clock, e lost.Endpoint)) {
	t.Helper()
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		setSecret(t, db)
		test(t, db, clock, addEndpoint(t, db))
	})
}

// start runs an outbox in the background. It closes done when Run returns.
func start(ctx context.Context, o *outbox.Outbox) (done chan struct{}) {
	done = make(chan struct{})
	go func() {
		o.Run(ctx)
		close(done)
	}()
	return done
}

func await(t *testing.T, received chan string, failure string) {
	t.Helper()
	select {
	case <-received:
	case <-time.After(10 * time.Second):
		t.Fatal(failure)
	}
}

func TestADeliveryFollowsTheRetrySchedule(t *testing.T) {
	eachWebhook(t, func(t *testing.T, db *store.DB, clock *storetest.Clock, e lost.Endpoint) {
		h := &hooks{respond: refusing}
		o := newDeliveryOutbox(db, h)
		addEvents(t, db, 1)
		o.DeliverOnce(t.Context())
		for failures, wait := range []time.Duration{15, 60, 120, 240, 480} {
			d := deliveries(t, db, e).Data[0]
			if want := clock.Now().Add(wait * time.Second); d.State != lost.DeliveryPending ||
				!d.DueAt.Equal(want.Truncate(time.Microsecond)) {
				t.Fatalf("after %d failures: %s, due %v, want %v", failures+1, d.State, d.DueAt, want)
			}
			clock.Advance(wait*time.Second - time.Millisecond)
			o.DeliverOnce(t.Context())
			if n := h.total(); n != failures+1 {
				t.Fatalf("attempted %d times before the delay of %d s had passed, want %d", n, wait, failures+1)
			}
			clock.Advance(time.Millisecond)
			o.DeliverOnce(t.Context())
			if n := h.total(); n != failures+2 {
				t.Fatalf("attempted %d times after the delay of %d s, want %d", n, wait, failures+2)
			}
		}
		d := deliveries(t, db, e).Data[0]
		if d.State != lost.DeliveryFailed || len(d.Attempts) != 6 || d.Attempts[5].Error == "" {
			t.Fatalf("after the last attempt: %+v", d)
		}
		clock.Advance(24 * time.Hour)
		o.DeliverOnce(t.Context())
		if n := h.total(); n != 6 {
			t.Errorf("a failed delivery was attempted %d times, want 6", n)
		}
	})
}

func TestAFailedAttemptIsLoggedAsAWarningWithItsReason(t *testing.T) {
	eachWebhook(t, func(t *testing.T, db *store.DB, clock *storetest.Clock, e lost.Endpoint) {
		h := &hooks{respond: refusing}
		var logged bytes.Buffer
		o := outbox.New(outbox.Options{
			DB: db, Files: newFiles(), Hooks: h, Log: slog.New(slog.NewTextHandler(&logged, nil)),
			Observe: ignoreAttempt, KeepDeliveries: 30 * 24 * time.Hour,
		})
		addEvents(t, db, 1)
		o.DeliverOnce(t.Context())
		clock.Advance(15 * time.Second)
		o.DeliverOnce(t.Context())
		reason := deliveries(t, db, e).Data[0].Attempts[1].Error
		lines := strings.Split(strings.TrimSpace(logged.String()), "\n")
		if want := "error=" + strconv.Quote(reason); len(lines) != 2 || reason == "" ||
			!strings.Contains(lines[1], "level=WARN msg=delivery") || !strings.Contains(lines[1], " attempt=2 ") ||
			!strings.Contains(lines[1], want) {
			t.Errorf("want two warnings, the second with attempt 2 and %s:\n%s", want, &logged)
		}
	})
}

func TestADeliveryRecoversAndSoDoesItsEndpoint(t *testing.T) {
	eachWebhook(t, func(t *testing.T, db *store.DB, clock *storetest.Clock, e lost.Endpoint) {
		h := &hooks{respond: refusing}
		o := newDeliveryOutbox(db, h)
		addEvents(t, db, 1)
		began := db.Now()
		o.DeliverOnce(t.Context())
		failing, err := db.Endpoint(t.Context(), account, e.ID)
		if err != nil || !failing.FailingSince.Equal(began) {
			t.Fatalf("failing since %v, %v; want %v", failing.FailingSince, err, began)
		}
		h.set(nil)
		clock.Advance(15 * time.Second)
		o.DeliverOnce(t.Context())
		d := deliveries(t, db, e).Data[0]
		if d.State != lost.DeliveryDelivered || len(d.Attempts) != 2 || d.Attempts[1].Status != 200 {
			t.Errorf("%+v", d)
		}
		if healthy, err := db.Endpoint(t.Context(), account, e.ID); err != nil || !healthy.FailingSince.IsZero() {
			t.Errorf("failing since %v after a success, %v", healthy.FailingSince, err)
		}
	})
}

func TestABacklogIsDeliveredOnceWithLimitedConcurrency(t *testing.T) {
	eachWebhook(t, func(t *testing.T, db *store.DB, _ *storetest.Clock, e lost.Endpoint) {
		other := addEndpoint(t, db)
		h := &hooks{}
		addEvents(t, db, 700)
		newDeliveryOutbox(db, h).DeliverOnce(t.Context())
		if len(h.sent) != 1400 || h.total() != 1400 {
			t.Errorf("%d deliveries in %d attempts, want 1400 each", len(h.sent), h.total())
		}
		if h.maxActive[e.ID] > 8 || h.maxActive[other.ID] > 8 {
			t.Errorf("concurrent attempts by endpoint: %v, want at most 8", h.maxActive)
		}
		if n := deliveries(t, db, e, lost.DeliveryDelivered).Count; n != 700 {
			t.Errorf("%d delivered", n)
		}
	})
}

func TestAHangingEndpointDelaysNoOther(t *testing.T) {
	eachWebhook(t, func(t *testing.T, db *store.DB, _ *storetest.Clock, stuck lost.Endpoint) {
		ctx, stop := context.WithCancel(t.Context())
		free := make(chan struct{})
		received := make(chan string, 10)
		h := &hooks{respond: func(e lost.Endpoint, delivery string) lost.Attempt {
			if e.ID == stuck.ID {
				<-free
			} else {
				received <- delivery
			}
			return lost.Attempt{Status: 200}
		}}
		addEvents(t, db, 50)
		o := newDeliveryOutbox(db, h)
		done := start(ctx, o)
		healthy := addEndpoint(t, db)
		for range 3 { // each arrives while all slots of the hanging endpoint are taken
			addEvents(t, db, 1)
			o.WakeDeliveries(store.EndpointQueue{Account: account, Endpoint: healthy.ID})
			await(t, received, "a hanging endpoint delayed another endpoint")
		}
		stop()
		close(free)
		<-done
	})
}

// TestAHangingAttemptDoesNotBlockItsEndpoint checks that a worker starts new attempts while one hangs.
func TestAHangingAttemptDoesNotBlockItsEndpoint(t *testing.T) {
	eachWebhook(t, func(t *testing.T, db *store.DB, _ *storetest.Clock, e lost.Endpoint) {
		ctx, stop := context.WithCancel(t.Context())
		free, received := make(chan struct{}), make(chan string, 10)
		first := true
		var mu sync.Mutex
		h := &hooks{respond: func(_ lost.Endpoint, delivery string) lost.Attempt {
			mu.Lock()
			hang := first
			first = false
			mu.Unlock()
			received <- delivery
			if hang {
				<-free
			}
			return lost.Attempt{Status: 200}
		}}
		o := newDeliveryOutbox(db, h)
		done := start(ctx, o)
		for range 3 {
			addEvents(t, db, 1)
			o.WakeDeliveries(store.EndpointQueue{Account: account, Endpoint: e.ID})
			await(t, received, "a hanging attempt delayed another delivery to its endpoint")
		}
		stop()
		close(free)
		<-done
	})
}

func TestAnExpiredLeaseIsClaimedAgainAndTheLateOutcomeIsIgnored(t *testing.T) {
	eachWebhook(t, func(t *testing.T, db *store.DB, clock *storetest.Clock, e lost.Endpoint) {
		addEvents(t, db, 1)
		queue := store.EndpointQueue{Account: account, Endpoint: e.ID}
		var late []store.ClaimedDelivery
		claim := func(tx *store.Tx) (err error) {
			late, err = tx.ClaimDeliveries(queue, 10, 45*time.Second)
			return err
		}
		write(t, db, claim)
		h := &hooks{}
		o := newDeliveryOutbox(db, h)
		clock.Advance(45*time.Second - time.Millisecond)
		o.DeliverOnce(t.Context())
		if h.total() != 0 {
			t.Fatal("attempted while another worker held the lease")
		}
		clock.Advance(time.Millisecond)
		o.DeliverOnce(t.Context())
		if h.total() != 1 {
			t.Fatalf("attempted %d times after the lease expired, want 1", h.total())
		}
		late[0].Record(lost.Attempt{Error: "too late"}, h.Delay, db.Now())
		write(t, db, func(tx *store.Tx) error { return tx.SaveClaimedDelivery(late[0]) })
		if d := deliveries(t, db, e).Data[0]; d.State != lost.DeliveryDelivered || len(d.Attempts) != 1 ||
			d.Attempts[0].Error != "" {
			t.Errorf("the late outcome was recorded: %+v", d)
		}
	})
}

func TestUnsentDeliveriesAreReleasedAtShutdown(t *testing.T) {
	eachWebhook(t, func(t *testing.T, db *store.DB, _ *storetest.Clock, e lost.Endpoint) {
		ctx, stop := context.WithCancel(t.Context())
		started, free := make(chan struct{}, 100), make(chan struct{})
		h := &hooks{respond: func(lost.Endpoint, string) lost.Attempt {
			started <- struct{}{}
			<-free
			return lost.Attempt{Status: 200}
		}}
		addEvents(t, db, 16)
		done := start(ctx, newDeliveryOutbox(db, h))
		for range 8 {
			<-started
		}
		stop()
		close(free)
		<-done
		if n := deliveries(t, db, e, lost.DeliveryDelivered).Count; n != 8 {
			t.Errorf("%d delivered, want the 8 in progress", n)
		}
		h.set(nil)
		newDeliveryOutbox(db, h).DeliverOnce(t.Context()) // need not wait for the leases to expire
		if n := deliveries(t, db, e, lost.DeliveryDelivered).Count; n != 16 || h.total() != 16 {
			t.Errorf("%d delivered in %d attempts, want 16", n, h.total())
		}
	})
}

func TestDeliveriesOfADisabledOrDeletedEndpointAreCanceled(t *testing.T) {
	eachWebhook(t, func(t *testing.T, db *store.DB, _ *storetest.Clock, e lost.Endpoint) {
		deleted := addEndpoint(t, db)
		addEvents(t, db, 3)
		write(t, db, func(tx *store.Tx) error { // simulates a change while events are being added
			e.Enabled = false
			return errors.Join(tx.SaveEndpoint(e), tx.DeleteEndpoint(account, deleted.ID))
		})
		h := &hooks{}
		newDeliveryOutbox(db, h).DeliverOnce(t.Context())
		for _, p := range []lost.Endpoint{e, deleted} {
			if n := deliveries(t, db, p, lost.DeliveryCanceled).Count; n != 3 || h.total() != 0 {
				t.Errorf("%d canceled, %d attempted", n, h.total())
			}
		}
	})
}

// Events about every change are kept for 30 days at most, even if deliveries are kept for longer, unless they have one.
func TestEventsAboutChangesAreKeptForThirtyDays(t *testing.T) {
	eachWebhook(t, func(t *testing.T, db *store.DB, clock *storetest.Clock, e lost.Endpoint) {
		o := outbox.New(outbox.Options{
			DB: db, Files: newFiles(), Hooks: &hooks{}, Log: discardLogger(), Observe: ignoreAttempt,
			KeepDeliveries: 90 * 24 * time.Hour,
		})
		var sent, unsent, rare lost.Event
		write(t, db, func(tx *store.Tx) error {
			i := lost.Item{Account: account, ID: "item_1", LocationID: "loc_1"}
			sent = lost.NewEvent(lost.ItemUpdatedEvent, i, tx.Now())
			unsent = lost.NewEvent(lost.ItemUpdatedEvent, i, tx.Now())
			rare = lost.NewEvent(lost.DonateEvent, i, tx.Now())
			_, err := tx.AddEventForEndpoint(sent, e.ID)
			return errors.Join(err, tx.AddEvent(unsent), tx.AddEvent(rare))
		})
		exist := func() (found []bool) {
			for _, event := range []lost.Event{sent, unsent, rare} {
				_, err := db.Event(t.Context(), account, event.ID)
				found = append(found, err == nil)
			}
			return found
		}
		for _, step := range []struct {
			wait time.Duration
			want []bool
		}{
			{lost.ChangeEventRetention - time.Hour, []bool{true, true, true}},
			{2 * time.Hour, []bool{true, false, true}},
		} {
			clock.Advance(step.wait)
			o.RunUpkeepOnce(t.Context())
			if got := exist(); !slices.Equal(got, step.want) {
				t.Errorf("the events exist: %v, want %v", got, step.want)
			}
		}
	})
}

func TestAnEndpointThatFailsForFiveDaysIsDisabled(t *testing.T) {
	eachWebhook(t, func(t *testing.T, db *store.DB, clock *storetest.Clock, e lost.Endpoint) {
		h, mail := &hooks{respond: refusing}, &fakeMessenger{}
		o := outbox.New(outbox.Options{
			DB: db, Files: newFiles(), Hooks: h, Messenger: mail, Log: discardLogger(), Observe: ignoreAttempt,
			KeepDeliveries: 30 * 24 * time.Hour,
		})
		for _, address := range []string{"unknown@hotel.example", "anna@hotel.example"} {
			u := lost.User{
				Account: account, ID: lost.NewID(lost.UserID, db.Now()), Role: lost.OwnerRole, Email: address,
				Name: "Anna", CreatedAt: db.Now(),
			}
			write(t, db, func(tx *store.Tx) error { return tx.InsertUser(u) })
		}
		fail := func() {
			t.Helper()
			addEvents(t, db, 1)
			o.DeliverOnce(t.Context())
			o.RunUpkeepOnce(t.Context())
		}
		fail()
		clock.Advance(lost.SwitchOffAfter - time.Second)
		fail()
		clock.Advance(30 * 24 * time.Hour) // no deliveries means no failures
		o.RunUpkeepOnce(t.Context())
		if on, err := db.Endpoint(t.Context(), account, e.ID); err != nil || !on.Enabled {
			t.Fatalf("disabled too early: %+v, %v", on, err)
		}
		fail()
		off, err := db.Endpoint(t.Context(), account, e.ID)
		if err != nil || off.Enabled || off.Reason == "" {
			t.Fatalf("%+v, %v", off, err)
		}
		if n := deliveries(t, db, e, lost.DeliveryPending).Count; n != 0 {
			t.Errorf("%d still pending", n)
		}
		for n := 1; n > 0; {
			if n, err = o.RunOnce(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if mails := mail.mails; len(mails) != 1 ||
			!strings.HasPrefix(mails[0], "anna@hotel.example A webhook was switched off") ||
			!strings.Contains(mails[0], e.URL) {
			t.Errorf("e-mails: %q", mails)
		}
	})
}

func TestOldDeliveriesAndTheirEventsArePruned(t *testing.T) {
	eachWebhook(t, func(t *testing.T, db *store.DB, clock *storetest.Clock, e lost.Endpoint) {
		h := &hooks{}
		o := newDeliveryOutbox(db, h)
		addEvents(t, db, 1200)
		o.DeliverOnce(t.Context())
		clock.Advance(29 * 24 * time.Hour)
		addEvents(t, db, 2)
		o.DeliverOnce(t.Context())
		o.RunUpkeepOnce(t.Context())
		if n := deliveries(t, db, e).Count; n != 1202 {
			t.Fatalf("got %d deliveries after 29 days, want 1202", n)
		}
		clock.Advance(25 * time.Hour)
		o.RunUpkeepOnce(t.Context())
		events, err := db.Events(t.Context(), account, lost.EventFilter{Page: lost.FirstPage()})
		if n := deliveries(t, db, e).Count; n != 2 || err != nil || events.Count != 2 {
			t.Errorf("got %d deliveries and %d events, want 2 each; %v", n, events.Count, err)
		}
	})
}

// TestUndeliveredEventsAreNotPruned checks that an undelivered event is kept beyond the retention period.
func TestUndeliveredEventsAreNotPruned(t *testing.T) {
	eachWebhook(t, func(t *testing.T, db *store.DB, clock *storetest.Clock, e lost.Endpoint) {
		addEvents(t, db, 1) // after this, the service is stopped for a long time
		clock.Advance(60 * 24 * time.Hour)
		h := &hooks{}
		o := newDeliveryOutbox(db, h)
		o.RunUpkeepOnce(t.Context())
		o.DeliverOnce(t.Context())
		if n := deliveries(t, db, e, lost.DeliveryDelivered).Count; n != 1 || h.total() != 1 {
			t.Errorf("%d delivered in %d attempts", n, h.total())
		}
	})
}

// TestASuccessEndsAFailure checks that a success ends the failing state, even if the endpoint was not failing when
// the delivery was claimed.
func TestASuccessEndsAFailure(t *testing.T) {
	eachWebhook(t, func(t *testing.T, db *store.DB, _ *storetest.Clock, e lost.Endpoint) {
		failed := make(chan struct{})
		first := sync.OnceFunc(func() { close(failed) })
		var once sync.Once
		h := &hooks{respond: func(lost.Endpoint, string) lost.Attempt {
			a := lost.Attempt{Status: 200}
			once.Do(func() { a = lost.Attempt{Status: 500, Error: "responded with 500"} })
			if a.Error != "" {
				first()
				return a
			}
			<-failed
			return a
		}}
		addEvents(t, db, 6)
		newDeliveryOutbox(db, h).DeliverOnce(t.Context())
		addEvents(t, db, 1)
		newDeliveryOutbox(db, h).DeliverOnce(t.Context())
		if healthy, err := db.Endpoint(t.Context(), account, e.ID); err != nil || !healthy.FailingSince.IsZero() {
			t.Errorf("failing since %v after a success, %v", healthy.FailingSince, err)
		}
	})
}

func TestAPanicIsAFailedAttempt(t *testing.T) {
	eachWebhook(t, func(t *testing.T, db *store.DB, _ *storetest.Clock, e lost.Endpoint) {
		h := &hooks{respond: func(lost.Endpoint, string) lost.Attempt { panic("on purpose") }}
		addEvents(t, db, 1)
		newDeliveryOutbox(db, h).DeliverOnce(t.Context())
		if d := deliveries(t, db, e).Data[0]; d.State != lost.DeliveryPending || d.Failures != 1 ||
			d.Attempts[0].Error == "" {
			t.Errorf("%+v", d)
		}
	})
}

// TestWakeMayBeCalledAtAnyTime calls WakeDeliveries while the outbox starts and stops.
func TestWakeMayBeCalledAtAnyTime(t *testing.T) {
	eachWebhook(t, func(t *testing.T, db *store.DB, _ *storetest.Clock, e lost.Endpoint) {
		o := newDeliveryOutbox(db, &hooks{})
		done := make(chan struct{})
		var notifying sync.WaitGroup
		for range 4 {
			notifying.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
						o.WakeDeliveries(store.EndpointQueue{Account: account, Endpoint: e.ID})
					}
				}
			})
		}
		for range 20 {
			addEvents(t, db, 1)
			o.DeliverOnce(t.Context())
		}
		close(done)
		notifying.Wait()
		if n := deliveries(t, db, e, lost.DeliveryDelivered).Count; n != 20 {
			t.Errorf("%d delivered", n)
		}
	})
}
