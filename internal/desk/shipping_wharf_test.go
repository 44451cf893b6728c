package desk_test

import (
	"encoding/json"
	"log/slog"
	"slices"
	"testing"
	"time"

	"homeward/internal/courier"
	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/outbox"
	"homeward/internal/payment"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	v1 "homeward/internal/v1"
)

// wharf is a lobby that sends parcels.
type wharf struct {
	*lobby
	*script
	carrier *parcels
	till    *till
	cabinet *cabinet
	out     *outbox.Outbox
}

// eachWharf runs a test on each database with a hotel in Berlin that sends parcels by a carrier and takes money by a provider. It is Sunday.
func eachWharf(t *testing.T, fn func(w *wharf)) {
	t.Helper()
	each(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		s := &script{calls: map[string]int{}, plan: map[string][]func() error{}}
		w := &wharf{
			lobby: &lobby{t: t, db: db, clock: clock}, script: s,
			carrier: &parcels{script: s, Tariff: courier.Tariff{Now: clock.Now}, bought: map[string][]string{}},
			till:    &till{script: s, now: clock.Now, open: map[string]bool{}, refunded: map[string]bool{}, paid: map[string]bool{}},
			cabinet: &cabinet{script: s, kept: map[string]string{}},
		}
		w.staff(w.carrier, w.till)
		w.actor = begin(t, w.desk)
		w.where = must(w.desk.CreateLocation(t.Context(), w.actor, adler(), lost.IdempotencyKey{}))
		fn(w)
	})
}

// staff has the desk work with a carrier and a till from now on.
func (w *wharf) staff(c desk.Carrier, by desk.PaymentProvider) {
	nothing := func() {}
	w.desk = desk.New(desk.Options{
		DB: w.db, Wire: v1.Wire{Base: "https://homeward.example"}, Uploads: noUploads{}, Hooks: allHooks{}, Messenger: scribe{},
		Carrier: c, PaymentProvider: by, Papers: press{w.script}, Files: w.cabinet,
		Now: w.clock.Now, Nudge: nothing, NudgeLetters: nothing, NudgeLanes: func(...store.Lane) {}, Hashing: quick,
	})
	w.out = outbox.New(outbox.Options{
		DB: w.db, Files: w.cabinet, Post: letterbox{}, Shipments: w.desk, Base: "https://homeward.example", Log: slog.New(slog.DiscardHandler),
		Observe: func(lost.DeliveryState, time.Duration) {}, KeepDeliveries: 30 * 24 * time.Hour,
	})
}

// inTest has the desk work with what is built in: the tariff, and a page that is only a test.
func (w *wharf) inTest() {
	w.staff(courier.Tariff{Now: w.clock.Now}, payment.Test{Now: w.clock.Now})
}

func adler() lost.LocationPatch {
	return lost.LocationPatch{
		Name: lost.Set("Hotel Adler"), Address1: lost.Set("Unter den Linden 1"), City: lost.Set("Berlin"), ZipCode: lost.Set("10117"), Country: lost.Set("DE"),
		TimeZone: lost.Set("Europe/Berlin"),
		Contact:  lost.Set(lost.ContactPatch{Email: lost.Set("desk@adler.example"), Email2: lost.Set("post@adler.example")}),
		Shipping: lost.Set(lost.ShippingRulesPatch{Handling: lost.Set[int64](250), TaxRate: lost.Set(19.0)}),
	}
}

// find records something of Anna's that weighs a kilogram.
func (w *wharf) find() lost.Item {
	w.t.Helper()
	p := owned("Umbrella", "anna@example.com")
	p.Shipping = lost.Set(weighs(1))
	return must(w.desk.CreateItem(w.t.Context(), w.actor, w.where.ID, p, lost.IdempotencyKey{}))
}

func weighs(kilograms float64) lost.ShippingPatch {
	return lost.ShippingPatch{Weight: lost.Set(kilograms), WeightUnit: lost.Set("kg")}
}

// sendTo is the choice to have an item sent to a country.
func sendTo(country string) lost.ChoicePatch {
	p := lost.RecipientPatch{Name: lost.Set("Anna Arden"), Address1: lost.Set("1 High Street"), City: lost.Set("Town"), Country: lost.Set(country)}
	zip := map[string]string{"DE": "80331", "FR": "75001", "US": "10001", "CH": "8001", "JP": "100-0001"}[country]
	if p.ZipCode = lost.Set(zip); lost.NeedsState(country) {
		p.State = lost.Set("Middle")
	}
	return lost.ChoicePatch{Choice: lost.ChooseShip, Recipient: p}
}

// choose is Anna's choice about an item.
func (w *wharf) choose(i lost.Item, p lost.ChoicePatch) lost.Item {
	w.t.Helper()
	return must(w.desk.Choose(w.t.Context(), w.token(i), p)).Item
}

// checkout has Anna take the first offer there is.
func (w *wharf) checkout(i lost.Item) lost.Shipment {
	w.t.Helper()
	bill := must(w.desk.Bill(w.t.Context(), w.token(i)))
	return must(w.desk.Checkout(w.t.Context(), w.token(i), bill.Shipment.Offers[0].Key(), "en")).Shipment
}

// paymentOf is what the provider tells when a shipment was paid on its open page.
func paymentOf(s lost.Shipment) lost.PaymentNews {
	price := s.Quote.Price
	return lost.PaymentNews{
		Shipment: s.ID, Checkout: s.Checkout.ID, Reference: "pi_" + s.Checkout.ID, State: lost.PaymentPaid, Amount: price.Total(), Currency: price.Currency,
	}
}

// hear has the provider tell something. A page that was paid on is neither open any more nor can it be closed.
func (w *wharf) hear(n lost.PaymentNews) {
	w.t.Helper()
	if n.State == lost.PaymentPaid {
		w.till.mu.Lock()
		w.till.open[n.Checkout], w.till.paid[n.Checkout] = false, true
		w.till.mu.Unlock()
	}
	header, body := told(n)
	if err := w.desk.HearPayment(w.t.Context(), header, body); err != nil {
		w.t.Fatal(err)
	}
}

// paid is an item of Anna's that she has paid to be sent to a country.
func (w *wharf) paid(country string) (lost.Item, lost.Shipment) {
	w.t.Helper()
	i := w.choose(w.find(), sendTo(country))
	s := w.checkout(i)
	w.hear(paymentOf(s))
	return w.look(i), s
}

// sent is one whose label was bought and printed.
func (w *wharf) sent(country string) (lost.Item, lost.Shipment) {
	w.t.Helper()
	i, s := w.paid(country)
	w.ship(s)
	return w.look(i), w.shipment(s)
}

func (w *wharf) look(i lost.Item) lost.Item {
	w.t.Helper()
	return must(w.db.Item(w.t.Context(), i.Account, i.LocationID, i.ID))
}

func (w *wharf) shipment(s lost.Shipment) lost.Shipment {
	w.t.Helper()
	return must(w.db.Shipment(w.t.Context(), s.Account, s.ID))
}

// ship takes a shipment further until there is nothing left to do.
func (w *wharf) ship(s lost.Shipment) {
	w.t.Helper()
	for more := true; more; {
		more = must(w.desk.Ship(w.t.Context(), s.Account, s.ID))
	}
}

// work has the jobs done that are due, and what follows from them.
func (w *wharf) work() {
	w.t.Helper()
	w.clock.Advance(time.Second) // changes of one record are a moment apart, also while the clock stands
	const most = 200
	for range most {
		if must(w.out.LookOnce(w.t.Context()))+must(w.out.RunOnce(w.t.Context())) == 0 {
			return
		}
	}
	w.t.Fatal("there is always more to do")
}

// tasks lists what an item has waiting for the desk.
func (w *wharf) tasks(i lost.Item) []lost.TaskKind {
	w.t.Helper()
	w.clock.Advance(time.Second)
	for looked := 1; looked > 0; {
		looked = must(w.out.LookOnce(w.t.Context()))
	}
	var kinds []lost.TaskKind
	for _, task := range must(w.desk.Tasks(w.t.Context(), w.actor, i.LocationID, lost.Page{Number: 1, Limit: 100})).Data {
		if task.ItemID == i.ID {
			kinds = append(kinds, task.Kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// messages lists what was written about an item, sorted, as "kind to address".
func (w *wharf) messages(i lost.Item) []string {
	w.t.Helper()
	var all []string
	for _, m := range must(w.db.Messages(w.t.Context(), i.Account, i.ID, lost.Page{Number: 1, Limit: 100})).Data {
		all = append(all, string(m.Kind)+" to "+m.To)
	}
	slices.Sort(all)
	return all
}

// count is how often a text is among others.
func count(all []string, text string) (n int) {
	for _, one := range all {
		if one == text {
			n++
		}
	}
	return n
}

func (w *wharf) history(i lost.Item) []lost.Entry {
	w.t.Helper()
	all := must(w.db.History(w.t.Context(), i.Account, i.ID, lost.Page{Number: 1, Limit: 100})).Data
	slices.Reverse(all)
	return all
}

// path lists the statuses that an item had after its first, oldest first.
func (w *wharf) path(i lost.Item) (all []lost.Status) {
	w.t.Helper()
	for _, e := range w.history(i) {
		if e.To != "" {
			all = append(all, e.To)
		}
	}
	return all
}

// notes lists the remarks on an item's history that an action left, oldest first.
func (w *wharf) notes(i lost.Item, action lost.Action) (all []string) {
	w.t.Helper()
	for _, e := range w.history(i) {
		if e.Action == action {
			all = append(all, e.Note)
		}
	}
	return all
}

// labels gives the bodies of the shipping-label events about an item, oldest first.
func (w *wharf) labels(i lost.Item) (all []v1.EventBody) {
	w.t.Helper()
	for _, e := range must(w.desk.Events(w.t.Context(), w.actor, lost.EventFilter{Page: lost.Page{Number: 1, Limit: 100}})).Data {
		var body v1.EventBody
		if err := json.Unmarshal(e.Body, &body); err != nil {
			w.t.Fatal(err)
		}
		if e.Type == lost.LabelEvent && body.Payload.Item.ID == i.ID {
			all = append(all, body)
		}
	}
	slices.Reverse(all)
	return all
}

// move sets an item's status as the desk does.
func (w *wharf) move(i lost.Item, to lost.Status) lost.Item {
	w.t.Helper()
	return must(w.desk.SetStatus(w.t.Context(), w.actor, i.LocationID, i.ID, lost.MovePatch{Status: lost.Set(string(to))}))
}

// refund has the desk give a fee back.
func (w *wharf) refund(i lost.Item) error {
	_, err := w.desk.Refund(w.t.Context(), w.actor, i.LocationID, i.ID, lost.RefundPatch{Because: lost.Set("Broken.")}, lost.IdempotencyKey{})
	return err
}
