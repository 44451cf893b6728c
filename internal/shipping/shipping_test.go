package shipping_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"homeward/internal/courier"
	"homeward/internal/lost"
	"homeward/internal/payment"
	"homeward/internal/testkit"
)

func TestAChoiceToShipHasAPriceWithHandlingOnItsOwnLine(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		w.inTest()
		i := w.choose(w.find(), sendTo("DE"))
		if i.Status != lost.InfoCompleted || !i.Parcel.Offered || i.Parcel.PayBy != lost.PayTest || i.Parcel.Paid {
			w.T.Errorf("%s, %+v", i.Status, i.Parcel)
		}
		if got := w.messages(i); !slices.Equal(got,
			[]string{"choice to anna@example.com", "notice to anna@example.com"}) {
			w.T.Errorf("messages: %q", got)
		}
		bill := testkit.Must(w.Services.Payments.Bill(w.T.Context(), w.Token(i)))
		want := lost.Price{Postage: 590, Handling: 250, Currency: "EUR"}
		if len(bill.Shipment.Offers) != 1 || bill.Shipment.Offers[0].Price != want {
			w.T.Errorf("offers: %+v, want %+v", bill.Shipment.Offers, want)
		}
		if got := w.tasks(i); len(got) != 0 {
			w.T.Errorf("got tasks %q although staff wait for Anna", got)
		}
	})
}

// When the fee is paid, nobody is notified. When the documents have been printed, staff, the owner and API clients are
// notified once each.
func TestAPaidParcelHasDocumentsEventAndMessages(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		w.inTest()
		i := w.choose(w.find(), sendTo("DE"))
		s := w.checkout(i)
		for range 2 { // the guest taps twice
			if v := testkit.Must(w.Services.Payments.PayTest(w.T.Context(),
				w.Token(i))); v.Item.Status != lost.FeePaid {
				w.T.Errorf("paid: %s", v.Item.Status)
			}
		}
		history := w.history(i)
		if h := history[len(history)-1]; h.Actor.Kind != lost.ByService || h.Actor.Name != "test" ||
			h.From != lost.InfoCompleted || h.To != lost.FeePaid {
			w.T.Errorf("history: %+v", h)
		}
		if n := len(w.labels(i)); n != 0 {
			w.T.Errorf("got %d events before the label was printed, want 0", n)
		}
		w.work()
		w.expectSent(i, s)
		w.ship(s) // must change nothing
		w.work()
		w.expectSent(i, s)
	})
}

// expectSent checks the documents, the event and the messages of a parcel to Anna in Germany that was paid in test
// mode.
func (w *fixture) expectSent(i lost.Item, s lost.Shipment) {
	w.T.Helper()
	i, s = w.item(i), w.shipment(s)
	p := i.Parcel
	var kinds []lost.DocumentKind
	for _, d := range p.Documents {
		kinds = append(kinds, d.Kind)
		if !strings.HasPrefix(w.files.Stored[d.File], "%PDF") {
			w.T.Errorf("%s is not stored: %q", d.Kind, w.files.Stored[d.File])
		}
	}
	if !slices.Equal(kinds, []lost.DocumentKind{lost.LabelPaper, lost.InvoicePaper, lost.SlipPaper}) {
		w.T.Errorf("documents: got %q", kinds)
	}
	if s.State != lost.ShipmentReady || s.Invoice != 1 {
		w.T.Errorf("shipment: %+v", s)
	}
	price := lost.Price{Postage: 590, Handling: 250, Currency: "EUR"}
	if !p.Paid || p.Price != price || p.Service != "Standard parcel" || p.ShippingDate != "2026-11-16" {
		w.T.Errorf("parcel: %+v", p)
	}
	events := w.labels(i)
	if len(events) != 1 {
		w.T.Fatalf("%d events", len(events))
	}
	body := events[0].Payload
	if body.ShippingDate != "2026-11-16" || body.ServiceName != "Standard parcel" || body.Files == nil {
		w.T.Fatalf("event: %+v", body)
	}
	label, invoice := body.Files.Label, body.Files.Invoice
	if label.PaperSize != "A6" || label.FileType != "pdf" ||
		!strings.HasSuffix(label.URL, p.Document(lost.LabelPaper).File) ||
		!strings.HasSuffix(invoice.URL, p.Document(lost.InvoicePaper).File) {
		w.T.Errorf("files: %+v", body.Files)
	}
	want := []string{
		"choice to anna@example.com", "label to post@adler.example", "notice to anna@example.com",
		"receipt to anna@example.com",
	}
	if got := w.messages(i); !slices.Equal(got, want) {
		w.T.Errorf("messages: %q", got)
	}
	if got := w.tasks(i); !slices.Equal(got, []lost.TaskKind{lost.ShipTask}) {
		w.T.Errorf("tasks: %q", got)
	}
}

func TestALabelIsMailedToTheSecondOrFirstAddress(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		set := func(c lost.ContactPatch) {
			testkit.Must(w.Services.Locations.Update(w.T.Context(), w.Actor, w.Location.ID,
				lost.LocationPatch{Contact: lost.Set(c)}))
		}
		for _, want := range []string{"label to post@adler.example", "label to desk@adler.example", ""} {
			i, _ := w.sent("DE")
			var labels []string
			for _, m := range w.messages(i) {
				if strings.HasPrefix(m, "label") {
					labels = append(labels, m)
				}
			}
			if strings.Join(labels, ", ") != want {
				w.T.Errorf("%q, want %q", labels, want)
			}
			if set(lost.ContactPatch{Email2: lost.Clear[string]()}); want == "label to desk@adler.example" {
				set(lost.ContactPatch{Email: lost.Clear[string]()})
			}
		}
	})
}

func TestInternationalParcelsHaveCustomsDocuments(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		for country, customs := range map[string]bool{"DE": false, "FR": false, "CH": true, "US": true, "JP": true} {
			i, _ := w.sent(country)
			if got := i.Parcel.Document(lost.CustomsPaper).File != ""; got != customs {
				w.T.Errorf("to %s: got customs document %t", country, got)
			}
		}
	})
}

func TestInvoicesAreNumberedWithoutGapsInEachAccount(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		const parcels = 20
		var all []lost.Shipment
		for range parcels {
			_, s := w.paid("DE")
			all = append(all, s)
		}
		var workers sync.WaitGroup
		for _, s := range all {
			workers.Go(func() { w.shipWithRetries(s) })
		}
		workers.Wait()
		var numbers []int64
		for _, s := range all {
			numbers = append(numbers, w.shipment(s).Invoice)
		}
		slices.Sort(numbers)
		for n, got := range numbers {
			if got != int64(n+1) {
				w.T.Fatalf("numbers: %d", numbers)
			}
		}
		account := testkit.Must(w.Services.Accounts.Create(w.T.Context(), "Zoo")).ID
		w.Actor = lost.Actor{Account: account, Kind: lost.ByUser, Role: lost.OwnerRole}
		w.Location = testkit.Must(w.Services.Locations.Create(w.T.Context(), w.Actor, adler(), lost.IdempotencyKey{}))
		if _, s := w.sent("DE"); s.Invoice != 1 {
			w.T.Errorf("another account: got invoice %d, want 1", s.Invoice)
		}
	})
}

// shipWithRetries performs all steps of a shipment and, like the outbox, retries after conflicts.
func (w *fixture) shipWithRetries(s lost.Shipment) {
	const limit = 200
	for range limit {
		more, err := w.Services.Labels.Ship(w.T.Context(), s.Account, s.ID)
		if err != nil && lost.CodeOf(err) != lost.Conflict {
			w.T.Error(err)
			return
		}
		if err == nil && !more {
			return
		}
	}
	w.T.Error("the shipment was not completed")
}

func TestAnUnpricedParcelWaitsForStaffAndTheOwnerGetsThePrice(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i := testkit.Must(w.Services.Items.Create(w.T.Context(), w.Actor, w.Location.ID,
			testkit.ItemOwnedBy("Statue", "anna@example.com"), lost.IdempotencyKey{}))
		i = w.choose(i, sendTo("DE"))
		if i.Status != lost.InfoCompleted || i.Parcel.Offered {
			w.T.Errorf("%s, %+v", i.Status, i.Parcel)
		}
		if got := w.tasks(i); !slices.Equal(got, []lost.TaskKind{lost.ShippingTask}) {
			w.T.Errorf("without a weight: %q", got)
		}
		if _, err := w.Services.Payments.Checkout(w.T.Context(), w.Token(i), "",
			"en"); lost.CodeOf(err) != lost.Conflict {
			w.T.Errorf("checkout without a price: got %v, want a conflict", err)
		}
		testkit.Must(w.Services.Items.Update(w.T.Context(), w.Actor, w.Location.ID, i.ID,
			lost.ItemPatch{Shipping: lost.Set(weighs(1))}))
		w.work()
		w.work()
		if i = w.item(i); !i.Parcel.Offered || i.Parcel.Price.Known() ||
			testkit.Count(w.messages(i), "price to anna@example.com") != 1 {
			w.T.Errorf("%+v, %q", i.Parcel, w.messages(i))
		}
		if got := w.tasks(i); len(got) != 0 {
			w.T.Errorf("with a price: %q", got)
		}
		w.staff(courier.Tariff{Now: w.Clock.Now}, payment.None{})
		other := w.choose(w.find(), sendTo("DE"))
		if got := w.tasks(other); !slices.Equal(got, []lost.TaskKind{lost.ShippingTask}) {
			w.T.Errorf("where the desk collects the fee: %q", got)
		}
	})
}

// A guest can enter an address even if the carrier does not respond. The price is requested again when the guest
// opens the bill.
func TestAGuestCanChooseWhileTheCarrierDoesNotRespond(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		noResponse := errors.New("no response")
		w.Fail("before Quotes", noResponse)
		i := w.choose(w.find(), sendTo("DE"))
		if i.Status != lost.InfoCompleted || i.Parcel.Offered {
			w.T.Errorf("%s, %+v", i.Status, i.Parcel)
		}
		w.Fail("before Quotes", noResponse)
		if _, err := w.Services.Payments.Bill(w.T.Context(), w.Token(i)); !errors.Is(err, noResponse) {
			w.T.Errorf("no response again: got %v", err)
		}
		if bill := testkit.Must(w.Services.Payments.Bill(w.T.Context(), w.Token(i))); len(bill.Shipment.Offers) != 1 ||
			!w.item(i).Parcel.Offered {
			w.T.Errorf("%+v", bill.Shipment)
		}
	})
}

func TestClearingShippingKeepsFieldsOfTheService(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i, s := w.sent("DE")
		got := testkit.Must(w.Services.Items.Update(w.T.Context(), w.Actor, w.Location.ID, i.ID,
			lost.ItemPatch{Shipping: lost.Clear[lost.ShippingPatch]()}))
		if got.Shipping.Weight != nil || got.Shipping.Recipient != s.To ||
			got.Shipping.TrackingNumber != s.Postage.TrackingNumber || !got.Parcel.Equal(i.Parcel) {
			w.T.Errorf("%+v, %+v", got.Shipping, got.Parcel)
		}
		if stored := w.item(i); stored.Shipping.TrackingNumber == "" || !stored.Parcel.Equal(i.Parcel) {
			w.T.Errorf("stored: %+v, %+v", stored.Shipping, stored.Parcel)
		}
	})
}
