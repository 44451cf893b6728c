package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/courier"
	"homeward/internal/lost"
	"homeward/internal/outbox"
	"homeward/internal/payment"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	v1 "homeward/internal/v1"
)

// fakeShipments returns the results that a test has set, and records the calls. Calls without a result succeed.
type fakeShipments struct {
	mu      sync.Mutex
	calls   []string
	results []func() (more bool, again time.Duration, err error)
}

func (s *fakeShipments) step(name string) (more bool, again time.Duration, err error) {
	s.mu.Lock()
	s.calls = append(s.calls, name)
	var result func() (bool, time.Duration, error)
	if len(s.results) > 0 {
		result, s.results = s.results[0], s.results[1:]
	}
	s.mu.Unlock()
	if result == nil {
		return false, 0, nil
	}
	return result()
}

func (s *fakeShipments) Ship(_ context.Context, account, id string) (bool, error) {
	more, _, err := s.step("ship " + account + " " + id)
	return more, err
}

func (s *fakeShipments) RefundShipment(_ context.Context, account, id string) (bool, error) {
	more, _, err := s.step("refund " + account + " " + id)
	return more, err
}

func (s *fakeShipments) Track(_ context.Context, account, id string) (time.Duration, error) {
	_, again, err := s.step("track " + account + " " + id)
	return again, err
}

func (s *fakeShipments) CheckPayment(_ context.Context, account string, about []string) (time.Duration, error) {
	_, again, err := s.step("check payment " + account + " " + strings.Join(about, " "))
	return again, err
}

func (s *fakeShipments) RefundPayment(_ context.Context, owed []string) error {
	_, _, err := s.step("refund payment " + strings.Join(owed, " "))
	return err
}

func (s *fakeShipments) CloseCheckout(_ context.Context, checkout string) error {
	_, _, err := s.step("close " + checkout)
	return err
}

// taken returns the calls made since the last call to taken.
func (s *fakeShipments) taken() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.calls
	s.calls = nil
	return all
}

func more() (bool, time.Duration, error) { return true, 0, nil }

func failing(err error) func() (bool, time.Duration, error) {
	return func() (bool, time.Duration, error) { return false, 0, err }
}

// eachShipments runs a test on every database with an outbox that uses fakeShipments.
func eachShipments(t *testing.T, fn func(t *testing.T, db *store.DB, clock *storetest.Clock, s *fakeShipments,
	o *outbox.Outbox)) {
	t.Helper()
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		s := &fakeShipments{}
		fn(t, db, clock, s,
			outbox.New(outbox.Options{
				DB: db, Files: newFiles(), Hooks: &hooks{}, Shipments: s, Log: discardLogger(), Observe: ignoreAttempt,
				KeepDeliveries: time.Hour,
			}))
	})
}

func TestAShipmentContinuesStepByStepUntilItIsDone(t *testing.T) {
	eachShipments(t, func(t *testing.T, db *store.DB, clock *storetest.Clock, s *fakeShipments, o *outbox.Outbox) {
		for kind, name := range map[string]string{
			store.JobShip: "ship acc_1 shp_1", store.JobRefund: "refund acc_1 shp_1",
		} {
			s.results = []func() (bool, time.Duration, error){more, failing(errors.New("timeout")), more,
				func() (bool, time.Duration, error) {
					panic("on purpose")
				}}
			write(t, db, func(tx *store.Tx) error { return tx.AddJob(account, kind, "shp_1", tx.Now()) })
			drain(t, o)
			if got := s.taken(); !slices.Equal(got, []string{name, name}) {
				t.Errorf("calls until the failure: %q", got)
			}
			clock.Advance(5 * time.Second)
			drain(t, o)
			if got := s.taken(); !slices.Equal(got, []string{name, name}) {
				t.Errorf("calls until the panic: %q", got)
			}
			clock.Advance(5 * time.Second) // progress resets the retry delay
			drain(t, o)
			if got := s.taken(); !slices.Equal(got, []string{name}) {
				t.Errorf("calls after the panic: %q", got)
			}
			if due, failed := countJobs(t, db); due+failed != 0 {
				t.Errorf("due %d, failed %d", due, failed)
			}
		}
	})
}

func TestACheckoutIsClosedAndAParcelIsTrackedUntilTheEnd(t *testing.T) {
	eachShipments(t, func(t *testing.T, db *store.DB, clock *storetest.Clock, s *fakeShipments, o *outbox.Outbox) {
		write(t, db, func(tx *store.Tx) error { return tx.AddJob(account, store.JobCloseCheckout, "cs_1", tx.Now()) })
		drain(t, o)
		if got := s.taken(); !slices.Equal(got, []string{"close cs_1"}) {
			t.Errorf("%q", got)
		}
		hourly := func() (bool, time.Duration, error) { return false, time.Hour, nil }
		s.results = []func() (bool, time.Duration, error){hourly, hourly}
		write(t, db, func(tx *store.Tx) error { return tx.AddJob(account, store.JobTrack, "shp_1", tx.Now()) })
		for n := range 3 {
			drain(t, o)
			if got := s.taken(); !slices.Equal(got, []string{"track acc_1 shp_1"}) {
				t.Errorf("hour %d: %q", n, got)
			}
			clock.Advance(time.Hour - time.Second)
			drain(t, o)
			if got := s.taken(); len(got) != 0 {
				t.Errorf("before hour %d: %q", n+1, got)
			}
			clock.Advance(time.Second)
		}
		if due, failed := countJobs(t, db); due+failed != 0 {
			t.Errorf("due %d, failed %d", due, failed)
		}
	})
}

// documentStore stores documents in memory.
type documentStore struct {
	mu    sync.Mutex
	made  int
	files map[string]string
}

func (a *documentStore) NewName() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.made++
	return fmt.Sprintf("document%d.pdf", a.made)
}

func (a *documentStore) Save(_ context.Context, name string, content []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.files[name] = string(content)
	return nil
}

func (a *documentStore) Read(_ context.Context, name string, _ int64) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	content, found := a.files[name]
	if !found {
		return nil, lost.Missing("file")
	}
	return []byte(content), nil
}

func (a *documentStore) Delete(_ context.Context, names ...string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, name := range names {
		delete(a.files, name)
	}
	return nil
}

func (*documentStore) Thumbnail(context.Context, string) error { return nil }

func (*documentStore) Print(kind lost.DocumentKind, s lost.Shipment, _ lost.ParcelOrder) ([]byte, string, error) {
	return []byte("%PDF " + string(kind) + " of " + s.ID), "A4", nil
}

// recordingProvider is the test payment provider; it also records which checkout pages were closed.
type recordingProvider struct {
	payment.Test
	mu       sync.Mutex
	closed   []string
	refunded []string
}

func (w *recordingProvider) Close(_ context.Context, checkout string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = append(w.closed, checkout)
	return nil
}

// shippingFixture is a fixture with a location in Germany that ships parcels.
type shippingFixture struct {
	*fixture
	documents *documentStore
	provider  *recordingProvider
}

func eachShippingFixture(t *testing.T, fn func(q *shippingFixture)) {
	t.Helper()
	eachFixture(t, func(n *fixture) {
		q := &shippingFixture{
			fixture: n, documents: &documentStore{files: map[string]string{}},
			provider: &recordingProvider{Test: payment.Test{Now: n.clock.Now}},
		}
		ignore := func() {}
		q.desk = services.New(services.Options{
			DB: n.db, Wire: v1.Encoder{Base: "https://homeward.example"}, Carrier: courier.Tariff{Now: n.clock.Now},
			PaymentProvider: q.provider, Documents: q.documents, Files: q.documents,
			Now: n.clock.Now, Wake: ignore, WakeMessages: ignore, WakeDeliveries: func(...store.EndpointQueue) {},
		})
		q.out = q.newShippingInstance()
		where, err := q.desk.Locations.Update(n.t.Context(), n.actor, n.where.ID,
			lost.LocationPatch{Country: lost.Set("DE")})
		if err != nil {
			n.t.Fatal(err)
		}
		q.where = where
		fn(q)
	})
}

// newShippingInstance returns another outbox on the same database.
func (q *shippingFixture) newShippingInstance() *outbox.Outbox {
	return outbox.New(outbox.Options{
		DB: q.db, Files: q.documents, Hooks: &hooks{}, Messenger: q.messenger, Shipments: q.desk.ShippingSteps(),
		Erasures: q.desk.People,
		Base:     "https://homeward.example", Log: discardLogger(), Observe: ignoreAttempt, KeepDeliveries: time.Hour,
	})
}

const annasPhone = "+41441234567"

// requestPayment creates an item that Anna wants shipped to the given country, and starts the checkout.
func (q *shippingFixture) requestPayment(country, zip string) (lost.Item, string) {
	q.t.Helper()
	ctx := q.t.Context()
	weight := lost.ShippingPatch{Weight: lost.Set(1.0), WeightUnit: lost.Set("kg")}
	i := q.createOwned(anna)
	if _, err := q.desk.Items.Update(ctx, q.actor, q.where.ID, i.ID,
		lost.ItemPatch{Shipping: lost.Set(weight)}); err != nil {
		q.t.Fatal(err)
	}
	q.choose(i, lost.ChoicePatch{Choice: lost.ChooseShip, Recipient: lost.RecipientPatch{
		Name: lost.Set("Anna"), Address1: lost.Set("1 High Street"), City: lost.Set("Town"), ZipCode: lost.Set(zip),
		Country: lost.Set(country), Phone: lost.Set(annasPhone),
	}})
	link, _, err := q.db.LinkForAddress(ctx, i.Account, i.ID, i.Owner.Address())
	if err != nil {
		q.t.Fatal(err)
	}
	token, err := q.db.LinkToken(link)
	if err != nil {
		q.t.Fatal(err)
	}
	bill, err := q.desk.Payments.Bill(ctx, token)
	if err != nil {
		q.t.Fatal(err)
	}
	if _, err := q.desk.Payments.Checkout(ctx, token, bill.Shipment.Offers[0].Key(), "en"); err != nil {
		q.t.Fatal(err)
	}
	return i, token
}

// pay pays the shipping fee for the item that belongs to a guest token.
func (q *shippingFixture) pay(token string) {
	q.t.Helper()
	if _, err := q.desk.Payments.PayTest(q.t.Context(), token); err != nil {
		q.t.Fatal(err)
	}
}

// attachments returns the documents attached to the sent message of the given kind, and the message's data.
func (q *shippingFixture) attachments(kind lost.MessageKind) (attached []string, data lost.MessageData) {
	q.t.Helper()
	for _, l := range q.messenger.sent {
		if l.Kind == kind {
			data = l
			for _, e := range l.Enclosed {
				attached = append(attached, strings.Fields(string(e.Content))[1]+" as "+e.Name)
			}
		}
	}
	return attached, data
}

func TestDocumentsAreAttachedToTheirMessages(t *testing.T) {
	eachShippingFixture(t, func(q *shippingFixture) {
		i, token := q.requestPayment("CH", "8001")
		q.expectSent("chosen", "choice to "+anna)
		q.pay(token)
		q.runAll()
		ref := "-" + i.Reference + ".pdf"
		attached, receipt := q.attachments(lost.ReceiptMessage)
		if want := []string{"invoice as invoice" + ref}; !slices.Equal(attached, want) ||
			!strings.HasSuffix(receipt.URL, "/g/"+token) {
			q.t.Errorf("attached to the receipt: %q, %s", attached, receipt.URL)
		}
		attached, label := q.attachments(lost.LabelMessage)
		want := []string{
			"label as label" + ref, "invoice as invoice" + ref, "packing-slip as packing-slip" + ref,
			"customs as customs" + ref,
		}
		if !slices.Equal(attached, want) || label.URL != "" { // the message to the desk must not contain Anna's link
			q.t.Errorf("attached to the message with the label: %q, %q", attached, label.URL)
		}
		q.expectSent("paid", "label to desk@adler.example", "receipt to "+anna)
		q.expectSent("later")
		if due, failed := countJobs(q.t, q.db); due+failed != 0 {
			q.t.Errorf("due %d, failed %d", due, failed)
		}
	})
}

func TestSeveralInstancesProcessEachParcelOnce(t *testing.T) {
	eachShippingFixture(t, func(q *shippingFixture) {
		var items []lost.Item
		for range 5 {
			i, token := q.requestPayment("DE", "80331")
			q.pay(token)
			items = append(items, i)
		}
		q.clock.Advance(time.Second)
		var instances sync.WaitGroup
		for range 3 {
			o := q.newShippingInstance()
			instances.Go(func() { drain(q.t, o) })
		}
		instances.Wait()
		for range 5 { // jobs that were blocked by other instances are retried
			q.clock.Advance(time.Minute)
			q.runAll()
		}
		events, err := q.desk.Webhooks.Events(q.t.Context(), q.actor,
			lost.EventFilter{Page: lost.Page{Number: 1, Limit: 100}})
		if err != nil || len(events.Data) != len(items) {
			q.t.Errorf("%d events, %v", len(events.Data), err)
		}
		sent := q.messenger.taken()
		for _, kind := range []string{"receipt to " + anna, "label to desk@adler.example"} {
			n := 0
			for _, s := range sent {
				if s == kind {
					n++
				}
			}
			if n != len(items) {
				q.t.Errorf("%s: %d times", kind, n)
			}
		}
		if due, failed := countJobs(q.t, q.db); due+failed != 0 || len(q.documents.files) != 3*len(items) {
			q.t.Errorf("due %d, failed %d, %d documents", due, failed, len(q.documents.files))
		}
	})
}

func TestDeletingALocationRemovesDocumentsAndClosesCheckouts(t *testing.T) {
	eachShippingFixture(t, func(q *shippingFixture) {
		i, token := q.requestPayment("DE", "80331")
		q.pay(token)
		q.runAll()
		q.move(i, lost.MovePatch{Status: lost.Set("DELIVERED")})
		open, _ := q.requestPayment("DE", "80331")
		open, err := q.desk.Items.Get(q.t.Context(), q.actor, q.where.ID, open.ID)
		if err != nil || len(q.documents.files) != 3 || len(q.provider.closed) != 0 {
			q.t.Fatalf("%v, %d documents, closed %q", err, len(q.documents.files), q.provider.closed)
		}
		i, err = q.desk.Items.Get(q.t.Context(), q.actor, q.where.ID, i.ID)
		if err != nil {
			q.t.Fatal(err)
		}
		if err := q.desk.Locations.Delete(q.t.Context(), q.actor, q.where.ID); err != nil {
			q.t.Fatal(err)
		}
		q.runAll()
		if len(q.documents.files) != 0 ||
			!slices.Equal(q.provider.closed, []string{"test_" + open.Parcel.ShipmentID + "1"}) {
			q.t.Errorf("remaining documents: %v, closed %q", q.documents.files, q.provider.closed)
		}
		for _, id := range []string{i.Parcel.ShipmentID, open.Parcel.ShipmentID} {
			if _, err := q.db.Shipment(q.t.Context(), q.where.Account, id); lost.CodeOf(err) != lost.NotFound {
				q.t.Errorf("%s still exists: %v", id, err)
			}
			if _, listed, err := q.db.Lookup(q.t.Context(), store.ShipmentEntry,
				store.DirectoryHash(id)); listed != (id == open.Parcel.ShipmentID) || err != nil {
				q.t.Errorf("%s is in the directory: %t, %v", id, listed, err)
			}
			if more, err := q.desk.Labels.Ship(q.t.Context(), q.where.Account, id); more || err != nil {
				q.t.Errorf("%s continues: %v", id, err)
			}
		}
		if due, failed := countJobs(q.t, q.db); due+failed != 0 {
			q.t.Errorf("due %d, failed %d", due, failed)
		}
	})
}
