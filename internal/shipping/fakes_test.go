package shipping_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"homeward/internal/courier"
	"homeward/internal/lost"
	"homeward/internal/testkit"
)

// signed parses a callback. It returns an error if the signature is not valid.
func signed[T any](header http.Header, body []byte) (update T, ours bool, err error) {
	if header.Get("Signature") != "good" {
		return update, false, lost.E(lost.Forbidden, "The signature is wrong.")
	}
	err = json.Unmarshal(body, &update)
	return update, err == nil, err
}

// newCallback returns the header and body of a signed callback.
func newCallback[T any](update T) (http.Header, []byte) {
	body, err := json.Marshal(update)
	if err != nil {
		panic(err)
	}
	return http.Header{"Signature": {"good"}}, body
}

// fakeCarrier is a carrier that has the prices of the built-in tariff, and optionally an express service. Its Buy
// method is idempotent for each shipment.
type fakeCarrier struct {
	courier.Tariff
	*testkit.Faults
	express  bool
	prepared int
	bought   map[string][]string // ids of the carrier's shipments that were bought, by our shipment id
	voided   []string
	where    lost.ParcelUpdate // what Track returns
}

func (p *fakeCarrier) Quotes(ctx context.Context, c lost.ParcelOrder) (offers []lost.Quote, err error) {
	err = p.Act("Quotes", func() { offers, err = p.Tariff.Quotes(ctx, c) })
	if len(offers) > 0 && p.express {
		fast := offers[0]
		fast.Service, fast.Rate = "Express", "rate_express"
		fast.Price.Postage += 1000
		offers = append(offers, fast)
	}
	return offers, err
}

func (p *fakeCarrier) Prepare(ctx context.Context, s lost.Shipment,
	c lost.ParcelOrder) (q lost.Quote, postage lost.Postage, err error) {
	failed := p.Act("Prepare", func() {
		q, postage, err = p.Tariff.Prepare(ctx, s, c)
		p.prepared++
		postage.Shipment, postage.Rate = fmt.Sprintf("carrier_%d", p.prepared), "rate_1"
	})
	if failed != nil {
		err = failed
	}
	return q, postage, err
}

func (p *fakeCarrier) Buy(_ context.Context, s lost.Shipment, _ lost.ParcelOrder) (postage lost.Postage, err error) {
	err = p.Act("Buy", func() {
		postage = s.Postage
		if !slices.Contains(p.bought[s.ID], postage.Shipment) {
			p.bought[s.ID] = append(p.bought[s.ID], postage.Shipment)
		}
		postage.Tracker, postage.TrackingNumber = "trk_"+s.ID, "TN-"+postage.Shipment
		postage.LabelURL, postage.TrackingURL = "https://carrier.example/label",
			"https://carrier.example/"+postage.Shipment
	})
	return postage, err
}

func (p *fakeCarrier) Label(context.Context, lost.Postage) (content []byte, paper string, err error) {
	return []byte("%PDF of the carrier"), "4x6", p.Act("Label", func() {})
}

func (p *fakeCarrier) Void(_ context.Context, postage lost.Postage) error {
	return p.Act("Void", func() {
		if !slices.Contains(p.voided, postage.Shipment) {
			p.voided = append(p.voided, postage.Shipment)
		}
	})
}

func (p *fakeCarrier) Track(_ context.Context, postage lost.Postage) (n lost.ParcelUpdate, err error) {
	err = p.Act("Track", func() { n = p.where })
	n.Tracker = postage.Tracker
	return n, err
}

func (*fakeCarrier) HasTracking() bool { return true }

func (*fakeCarrier) ParseEvent(header http.Header, body []byte) (lost.ParcelUpdate, bool, error) {
	return signed[lost.ParcelUpdate](header, body)
}

// fakeProvider is a fake payment provider. Its Refund method is idempotent for each payment.
type fakeProvider struct {
	*testkit.Faults
	now      func() time.Time
	open     map[string]bool // whether each page can be paid
	refunded map[string]bool // references of refunded payments
	paid     map[string]bool // pages that were paid and cannot be closed
	found    lost.PaymentUpdate
}

func (*fakeProvider) Method() lost.PayBy { return lost.PayStripe }

func (t *fakeProvider) Open(_ context.Context, b lost.CheckoutRequest) (c lost.Checkout, err error) {
	err = t.Act("Open", func() {
		id := "cs_" + b.Shipment.ID + "_" + strconv.Itoa(b.Round)
		t.open[id] = true
		c = lost.Checkout{ID: id, URL: "https://pay.example/" + id, ExpiresAt: t.now().Add(24 * time.Hour)}
	})
	return c, err
}

func (t *fakeProvider) Close(_ context.Context, checkout string) (err error) {
	failed := t.Act("Close", func() {
		if t.paid[checkout] {
			err = lost.E(lost.Conflict, "It was paid.")
			return
		}
		t.open[checkout] = false
	})
	if failed != nil {
		return failed
	}
	return err
}

func (*fakeProvider) Handles(by lost.PayBy) bool { return by == lost.PayStripe }

// CheckoutState returns the update that the test has set.
func (t *fakeProvider) CheckoutState(_ context.Context, checkout string) (n lost.PaymentUpdate, err error) {
	err = t.Act("CheckoutState", func() {
		n = t.found
		n.Checkout = checkout
	})
	return n, err
}

func (t *fakeProvider) Refund(_ context.Context, reference string) error {
	return t.Act("Refund", func() { t.refunded[reference] = true })
}

func (*fakeProvider) ParseEvent(header http.Header, body []byte) (lost.PaymentUpdate, bool, error) {
	n, ours, err := signed[lost.PaymentUpdate](header, body)
	n.By = lost.PayStripe
	return n, ours, err
}

// pages lists the ids of the open pages.
func (t *fakeProvider) pages() (all []string) {
	t.Locked(func() {
		for id, open := range t.open {
			if open {
				all = append(all, id)
			}
		}
	})
	slices.Sort(all)
	return all
}

// fakePrinter prints documents that consist of one line.
type fakePrinter struct{ *testkit.Faults }

func (p fakePrinter) Print(kind lost.DocumentKind, s lost.Shipment,
	_ lost.ParcelOrder) (content []byte, paper string, err error) {
	err = p.Act("Print", func() { content = fmt.Appendf(nil, "%%PDF %s %d of %s", kind, s.Invoice, s.ID) })
	paper = "A4"
	if kind == lost.LabelPaper || kind == lost.CustomsPaper {
		paper = "A6"
	}
	return content, paper, err
}
