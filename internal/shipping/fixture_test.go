package shipping_test

import (
	"encoding/json"
	"log/slog"
	"slices"
	"testing"
	"time"

	"homeward/internal/courier"
	"homeward/internal/lost"
	"homeward/internal/outbox"
	"homeward/internal/payment"
	"homeward/internal/services"
	"homeward/internal/shipping"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
	v1 "homeward/internal/v1"
)

// fixture is testkit.Fixture with a carrier and a payment provider.
type fixture struct {
	*testkit.Fixture
	*testkit.Faults
	carrier  *fakeCarrier
	provider *fakeProvider
	files    *testkit.MemoryFiles
	out      *outbox.Outbox
}

// eachFixture runs fn as a subtest on every database, passing it a new hotel in Berlin that has a carrier and a
// payment provider. The clock starts on a Sunday.
func eachFixture(t *testing.T, fn func(w *fixture)) {
	t.Helper()
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		s := testkit.NewFaults()
		w := &fixture{
			Fixture: &testkit.Fixture{T: t, DB: db, Clock: clock}, Faults: s,
			carrier: &fakeCarrier{Faults: s, Tariff: courier.Tariff{Now: clock.Now}, bought: map[string][]string{}},
			provider: &fakeProvider{
				Faults: s, now: clock.Now, open: map[string]bool{}, refunded: map[string]bool{},
				paid: map[string]bool{},
			},
			files: testkit.NewMemoryFiles(s),
		}
		w.staff(w.carrier, w.provider)
		w.Actor = testkit.CreateFirstAccount(t, w.Services)
		w.Location = testkit.Must(w.Services.Locations.Create(t.Context(), w.Actor, adler(), lost.IdempotencyKey{}))
		fn(w)
	})
}

// staff replaces the services with new ones that use the given carrier and payment provider.
func (w *fixture) staff(c shipping.Carrier, by shipping.PaymentProvider) {
	noop := func() {}
	w.Services = services.New(services.Options{
		DB: w.DB, Wire: v1.Encoder{Base: "https://homeward.example"}, Uploads: testkit.NoUploads{},
		Hooks:     testkit.Hooks{},
		Messenger: testkit.Messenger{},
		Carrier:   c, PaymentProvider: by, Documents: fakePrinter{w.Faults}, Files: w.files,
		Now: w.Clock.Now, Wake: noop, WakeMessages: noop, WakeDeliveries: func(...store.EndpointQueue) {},
		Hashing: testkit.QuickHashing,
	})
	w.out = outbox.New(outbox.Options{
		DB: w.DB, Files: w.files, Messenger: testkit.Sender{}, Shipments: w.Services.ShippingSteps(),
		Base:    "https://homeward.example",
		Log:     slog.New(slog.DiscardHandler),
		Observe: func(lost.DeliveryState, time.Duration) {}, KeepDeliveries: 30 * 24 * time.Hour,
	})
}

// inTest replaces the services with new ones that use the built-in tariff and test payments.
func (w *fixture) inTest() {
	w.staff(courier.Tariff{Now: w.Clock.Now}, payment.Test{Now: w.Clock.Now})
}

func adler() lost.LocationPatch {
	return lost.LocationPatch{
		Name: lost.Set("Hotel Adler"), Address1: lost.Set("Unter den Linden 1"), City: lost.Set("Berlin"),
		ZipCode: lost.Set("10117"), Country: lost.Set("DE"),
		TimeZone: lost.Set("Europe/Berlin"),
		Contact: lost.Set(lost.ContactPatch{
			Email: lost.Set("desk@adler.example"), Email2: lost.Set("post@adler.example"),
		}),
		Shipping: lost.Set(lost.ShippingRulesPatch{Handling: lost.Set[int64](250), TaxRate: lost.Set(19.0)}),
	}
}

// find records a found item that belongs to Anna and weighs a kilogram.
func (w *fixture) find() lost.Item {
	w.T.Helper()
	p := testkit.ItemOwnedBy("Umbrella", "anna@example.com")
	p.Shipping = lost.Set(weighs(1))
	return testkit.Must(w.Services.Items.Create(w.T.Context(), w.Actor, w.Location.ID, p, lost.IdempotencyKey{}))
}

func weighs(kilograms float64) lost.ShippingPatch {
	return lost.ShippingPatch{Weight: lost.Set(kilograms), WeightUnit: lost.Set("kg")}
}

// sendTo returns a guest's choice to have an item shipped to an address in a country.
func sendTo(country string) lost.ChoicePatch {
	p := lost.RecipientPatch{
		Name: lost.Set("Anna Arden"), Address1: lost.Set("1 High Street"), City: lost.Set("Town"),
		Country: lost.Set(country),
	}
	zip := map[string]string{"DE": "80331", "FR": "75001", "US": "10001", "CH": "8001", "JP": "100-0001"}[country]
	p.ZipCode = lost.Set(zip)
	if lost.NeedsState(country) {
		p.State = lost.Set("Middle")
	}
	return lost.ChoicePatch{Choice: lost.ChooseShip, Recipient: p}
}

// choose makes a choice about an item on Anna's behalf.
func (w *fixture) choose(i lost.Item, p lost.ChoicePatch) lost.Item {
	w.T.Helper()
	return testkit.Must(w.Services.Guests.Choose(w.T.Context(), w.Token(i), p)).Item
}

// checkout accepts the first offer on Anna's behalf.
func (w *fixture) checkout(i lost.Item) lost.Shipment {
	w.T.Helper()
	bill := testkit.Must(w.Services.Payments.Bill(w.T.Context(), w.Token(i)))
	return testkit.Must(w.Services.Payments.Checkout(w.T.Context(), w.Token(i), bill.Shipment.Offers[0].Key(),
		"en")).Shipment
}

// paymentOf returns the update that reports a payment on a shipment's open page.
func paymentOf(s lost.Shipment) lost.PaymentUpdate {
	price := s.Quote.Price
	return lost.PaymentUpdate{
		Shipment: s.ID, Checkout: s.Checkout.ID, Reference: "pi_" + s.Checkout.ID, State: lost.PaymentPaid,
		Amount: price.Total(), Currency: price.Currency,
	}
}

// callBack sends a callback from the provider. If it reports a payment, the page can no longer be paid or closed.
func (w *fixture) callBack(n lost.PaymentUpdate) {
	w.T.Helper()
	if n.State == lost.PaymentPaid {
		w.provider.Locked(func() { w.provider.open[n.Checkout], w.provider.paid[n.Checkout] = false, true })
	}
	header, body := newCallback(n)
	if err := w.Services.Payments.HandleCallback(w.T.Context(), header, body); err != nil {
		w.T.Fatal(err)
	}
}

// paid returns an item and its shipment to a country, after Anna has paid the fee.
func (w *fixture) paid(country string) (lost.Item, lost.Shipment) {
	w.T.Helper()
	i := w.choose(w.find(), sendTo(country))
	s := w.checkout(i)
	w.callBack(paymentOf(s))
	return w.item(i), s
}

// sent returns an item and its shipment to a country, after the label was bought and printed.
func (w *fixture) sent(country string) (lost.Item, lost.Shipment) {
	w.T.Helper()
	i, s := w.paid(country)
	w.ship(s)
	return w.item(i), w.shipment(s)
}

func (w *fixture) item(i lost.Item) lost.Item {
	w.T.Helper()
	return testkit.Must(w.DB.Item(w.T.Context(), i.Account, i.LocationID, i.ID))
}

func (w *fixture) shipment(s lost.Shipment) lost.Shipment {
	w.T.Helper()
	return testkit.Must(w.DB.Shipment(w.T.Context(), s.Account, s.ID))
}

// ship performs all steps of a shipment.
func (w *fixture) ship(s lost.Shipment) {
	w.T.Helper()
	for more := true; more; {
		more = testkit.Must(w.Services.Labels.Ship(w.T.Context(), s.Account, s.ID))
	}
}

// work runs all jobs that are due, and the jobs that they add.
func (w *fixture) work() {
	w.T.Helper()
	w.Clock.Advance(time.Second) // two changes to one record must have different times
	const limit = 200
	for range limit {
		if testkit.Must(w.out.CheckItemsOnce(w.T.Context()))+testkit.Must(w.out.RunOnce(w.T.Context())) == 0 {
			return
		}
	}
	w.T.Fatal("there is always another job to run")
}

// tasks lists the kinds of an item's tasks.
func (w *fixture) tasks(i lost.Item) []lost.TaskKind {
	w.T.Helper()
	w.Clock.Advance(time.Second)
	for checked := 1; checked > 0; {
		checked = testkit.Must(w.out.CheckItemsOnce(w.T.Context()))
	}
	var kinds []lost.TaskKind
	for _, task := range testkit.Must(w.Services.Reports.Tasks(w.T.Context(), w.Actor, i.LocationID,
		lost.Page{Number: 1, Limit: 100})).Data {
		if task.ItemID == i.ID {
			kinds = append(kinds, task.Kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// messages lists the messages about an item, sorted, as "kind to address".
func (w *fixture) messages(i lost.Item) []string {
	w.T.Helper()
	var all []string
	for _, m := range testkit.Must(w.DB.Messages(w.T.Context(), i.Account, i.ID,
		lost.Page{Number: 1, Limit: 100})).Data {
		all = append(all, string(m.Kind)+" to "+m.To)
	}
	slices.Sort(all)
	return all
}

func (w *fixture) history(i lost.Item) []lost.Entry {
	w.T.Helper()
	all := testkit.Must(w.DB.History(w.T.Context(), i.Account, i.ID, lost.Page{Number: 1, Limit: 100})).Data
	slices.Reverse(all)
	return all
}

// path lists the statuses that an item has had after its initial one, oldest first.
func (w *fixture) path(i lost.Item) (all []lost.Status) {
	w.T.Helper()
	for _, e := range w.history(i) {
		if e.To != "" {
			all = append(all, e.To)
		}
	}
	return all
}

// notes lists the notes of the history entries with an action, oldest first.
func (w *fixture) notes(i lost.Item, action lost.Action) (all []string) {
	w.T.Helper()
	for _, e := range w.history(i) {
		if e.Action == action {
			all = append(all, e.Note)
		}
	}
	return all
}

// labels returns the bodies of the shipping-label events about an item, oldest first.
func (w *fixture) labels(i lost.Item) (all []v1.EventBody) {
	w.T.Helper()
	for _, e := range testkit.Must(w.Services.Webhooks.Events(w.T.Context(), w.Actor,
		lost.EventFilter{Page: lost.Page{Number: 1, Limit: 100}})).Data {
		var body v1.EventBody
		if err := json.Unmarshal(e.Body, &body); err != nil {
			w.T.Fatal(err)
		}
		if e.Type == lost.LabelEvent && body.Payload.Item.ID == i.ID {
			all = append(all, body)
		}
	}
	slices.Reverse(all)
	return all
}

// move sets an item's status on behalf of staff.
func (w *fixture) move(i lost.Item, to lost.Status) lost.Item {
	w.T.Helper()
	return testkit.Must(w.Services.Items.SetStatus(w.T.Context(), w.Actor, i.LocationID, i.ID,
		lost.MovePatch{Status: lost.Set(string(to))}))
}

// refund refunds an item's fee on behalf of staff.
func (w *fixture) refund(i lost.Item) error {
	_, err := w.Services.Refunds.Refund(w.T.Context(), w.Actor, i.LocationID, i.ID,
		lost.RefundPatch{Reason: lost.Set("Broken.")}, lost.IdempotencyKey{})
	return err
}
