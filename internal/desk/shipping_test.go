package desk_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"homeward/internal/courier"
	"homeward/internal/lost"
	"homeward/internal/payment"
)

func TestAChoiceToShipHasAPriceWithHandlingOnItsOwnLine(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		w.inTest()
		i := w.choose(w.find(), sendTo("DE"))
		if i.Status != lost.InfoCompleted || !i.Parcel.Offered || i.Parcel.PayBy != lost.PayTest || i.Parcel.Paid {
			w.t.Errorf("%s, %+v", i.Status, i.Parcel)
		}
		if got := w.messages(i); !slices.Equal(got, []string{"choice to anna@example.com", "notice to anna@example.com"}) {
			w.t.Errorf("messages: %q", got)
		}
		bill := must(w.desk.Bill(w.t.Context(), w.token(i)))
		want := lost.Price{Postage: 590, Handling: 250, Currency: "EUR"}
		if len(bill.Shipment.Offers) != 1 || bill.Shipment.Offers[0].Price != want {
			w.t.Errorf("offers: %+v, want %+v", bill.Shipment.Offers, want)
		}
		if got := w.tasks(i); len(got) != 0 {
			w.t.Errorf("it is Anna's turn, and the desk has %q", got)
		}
	})
}

// Nobody has told anybody anything when the fee arrives; when the papers are there, everybody hears of it once.
func TestAPaidParcelHasItsPapersItsEventAndItsMessages(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		w.inTest()
		i := w.choose(w.find(), sendTo("DE"))
		s := w.checkout(i)
		for range 2 { // a double tap
			if v := must(w.desk.PayTest(w.t.Context(), w.token(i))); v.Item.Status != lost.FeePaid {
				w.t.Errorf("paid: %s", v.Item.Status)
			}
		}
		history := w.history(i)
		if h := history[len(history)-1]; h.Actor.Kind != lost.ByService || h.Actor.Name != "test" || h.From != lost.InfoCompleted || h.To != lost.FeePaid {
			w.t.Errorf("history: %+v", h)
		}
		if n := len(w.labels(i)); n != 0 {
			w.t.Errorf("%d events before the label is there", n)
		}
		w.work()
		w.expectSent(i, s)
		w.ship(s) // nothing is left to do
		w.work()
		w.expectSent(i, s)
	})
}

// expectSent compares what is known of a parcel of Anna's within Germany that was paid in test mode, and what was told of it.
func (w *wharf) expectSent(i lost.Item, s lost.Shipment) {
	w.t.Helper()
	i, s = w.look(i), w.shipment(s)
	p := i.Parcel
	var kinds []lost.DocumentKind
	for _, d := range p.Documents {
		if kinds = append(kinds, d.Kind); !strings.HasPrefix(w.cabinet.kept[d.File], "%PDF") {
			w.t.Errorf("%s is not kept: %q", d.Kind, w.cabinet.kept[d.File])
		}
	}
	if !slices.Equal(kinds, []lost.DocumentKind{lost.LabelPaper, lost.InvoicePaper, lost.SlipPaper}) {
		w.t.Errorf("papers: %q", kinds)
	}
	if s.State != lost.ShipmentReady || s.Invoice != 1 {
		w.t.Errorf("shipment: %+v", s)
	}
	price := lost.Price{Postage: 590, Handling: 250, Currency: "EUR"}
	if !p.Paid || p.Price != price || p.Service != "Standard parcel" || p.ShippingDate != "2026-11-16" {
		w.t.Errorf("parcel: %+v", p)
	}
	events := w.labels(i)
	if len(events) != 1 {
		w.t.Fatalf("%d events", len(events))
	}
	body := events[0].Payload
	if body.ShippingDate != "2026-11-16" || body.ServiceName != "Standard parcel" || body.Files == nil {
		w.t.Fatalf("event: %+v", body)
	}
	label, invoice := body.Files.Label, body.Files.Invoice
	if label.PaperSize != "A6" || label.FileType != "pdf" || !strings.HasSuffix(label.URL, p.Document(lost.LabelPaper).File) || !strings.HasSuffix(invoice.URL, p.Document(lost.InvoicePaper).File) {
		w.t.Errorf("files: %+v", body.Files)
	}
	want := []string{"choice to anna@example.com", "label to post@adler.example", "notice to anna@example.com", "receipt to anna@example.com"}
	if got := w.messages(i); !slices.Equal(got, want) {
		w.t.Errorf("messages: %q", got)
	}
	if got := w.tasks(i); !slices.Equal(got, []lost.TaskKind{lost.ShipTask}) {
		w.t.Errorf("tasks: %q", got)
	}
}

func TestALabelGoesToTheSecondAddressOfTheDeskElseTheFirstElseNobody(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		set := func(c lost.ContactPatch) {
			must(w.desk.UpdateLocation(w.t.Context(), w.actor, w.where.ID, lost.LocationPatch{Contact: lost.Set(c)}))
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
				w.t.Errorf("%q, want %q", labels, want)
			}
			if set(lost.ContactPatch{Email2: lost.Clear[string]()}); want == "label to desk@adler.example" {
				set(lost.ContactPatch{Email: lost.Clear[string]()})
			}
		}
	})
}

func TestCustomsPapersAreMadeForWhatCrossesAFrontier(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		for country, customs := range map[string]bool{"DE": false, "FR": false, "CH": true, "US": true, "JP": true} {
			i, _ := w.sent(country)
			if got := i.Parcel.Document(lost.CustomsPaper).File != ""; got != customs {
				w.t.Errorf("to %s: customs paper %t", country, got)
			}
		}
	})
}

func TestInvoicesAreNumberedWithoutGapsInEachAccount(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		const most = 20
		var all []lost.Shipment
		for range most {
			_, s := w.paid("DE")
			all = append(all, s)
		}
		var paying sync.WaitGroup
		for _, s := range all {
			paying.Go(func() { w.shipAtLast(s) })
		}
		paying.Wait()
		var numbers []int64
		for _, s := range all {
			numbers = append(numbers, w.shipment(s).Invoice)
		}
		slices.Sort(numbers)
		for n, got := range numbers {
			if got != int64(n+1) {
				w.t.Fatalf("numbers: %d", numbers)
			}
		}
		account := must(w.desk.CreateAccount(w.t.Context(), "Zoo")).ID
		w.actor = lost.Actor{Account: account, Kind: lost.ByUser, Role: lost.OwnerRole}
		w.where = must(w.desk.CreateLocation(w.t.Context(), w.actor, adler(), lost.IdempotencyKey{}))
		if _, s := w.sent("DE"); s.Invoice != 1 {
			w.t.Errorf("another account begins with %d", s.Invoice)
		}
	})
}

// shipAtLast takes a shipment further as the outbox does: what others were in the way of is done again.
func (w *wharf) shipAtLast(s lost.Shipment) {
	const most = 200
	for range most {
		more, err := w.desk.Ship(w.t.Context(), s.Account, s.ID)
		if err != nil && lost.CodeOf(err) != lost.Conflict {
			w.t.Error(err)
			return
		}
		if err == nil && !more {
			return
		}
	}
	w.t.Error("there is always more to do")
}

func TestWhatCannotBePricedWaitsForTheDeskAndItsOwnerHearsThePrice(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		i := must(w.desk.CreateItem(w.t.Context(), w.actor, w.where.ID, owned("Statue", "anna@example.com"), lost.IdempotencyKey{}))
		i = w.choose(i, sendTo("DE"))
		if i.Status != lost.InfoCompleted || i.Parcel.Offered {
			w.t.Errorf("%s, %+v", i.Status, i.Parcel)
		}
		if got := w.tasks(i); !slices.Equal(got, []lost.TaskKind{lost.ShippingTask}) {
			w.t.Errorf("without a weight: %q", got)
		}
		if _, err := w.desk.Checkout(w.t.Context(), w.token(i), "", "en"); lost.CodeOf(err) != lost.Conflict {
			w.t.Errorf("paid without a price: %v", err)
		}
		must(w.desk.UpdateItem(w.t.Context(), w.actor, w.where.ID, i.ID, lost.ItemPatch{Shipping: lost.Set(weighs(1))}))
		w.work()
		w.work()
		if i = w.look(i); !i.Parcel.Offered || i.Parcel.Price.Known() || count(w.messages(i), "price to anna@example.com") != 1 {
			w.t.Errorf("%+v, %q", i.Parcel, w.messages(i))
		}
		if got := w.tasks(i); len(got) != 0 {
			w.t.Errorf("with a price: %q", got)
		}
		w.staff(courier.Tariff{Now: w.clock.Now}, payment.None{})
		other := w.choose(w.find(), sendTo("DE"))
		if got := w.tasks(other); !slices.Equal(got, []lost.TaskKind{lost.ShippingTask}) {
			w.t.Errorf("where the desk collects the fee: %q", got)
		}
	})
}

// A carrier that does not answer keeps nobody from giving an address; it is asked again when the bill is looked at.
func TestACarrierThatDoesNotAnswerKeepsNobodyFromChoosing(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		silent := errors.New("no answer")
		w.fail("before Quotes", silent)
		i := w.choose(w.find(), sendTo("DE"))
		if i.Status != lost.InfoCompleted || i.Parcel.Offered {
			w.t.Errorf("%s, %+v", i.Status, i.Parcel)
		}
		w.fail("before Quotes", silent)
		if _, err := w.desk.Bill(w.t.Context(), w.token(i)); !errors.Is(err, silent) {
			w.t.Errorf("still silent: %v", err)
		}
		if bill := must(w.desk.Bill(w.t.Context(), w.token(i))); len(bill.Shipment.Offers) != 1 || !w.look(i).Parcel.Offered {
			w.t.Errorf("%+v", bill.Shipment)
		}
	})
}

func TestClearingWhatIsSaidOfShippingKeepsWhatTheServiceKnows(t *testing.T) {
	eachWharf(t, func(w *wharf) {
		i, s := w.sent("DE")
		got := must(w.desk.UpdateItem(w.t.Context(), w.actor, w.where.ID, i.ID, lost.ItemPatch{Shipping: lost.Clear[lost.ShippingPatch]()}))
		if got.Shipping.Weight != nil || got.Shipping.Recipient != s.To || got.Shipping.TrackingNumber != s.Postage.TrackingNumber || !got.Parcel.Equal(i.Parcel) {
			w.t.Errorf("%+v, %+v", got.Shipping, got.Parcel)
		}
		if stored := w.look(i); stored.Shipping.TrackingNumber == "" || !stored.Parcel.Equal(i.Parcel) {
			w.t.Errorf("stored: %+v, %+v", stored.Shipping, stored.Parcel)
		}
	})
}
