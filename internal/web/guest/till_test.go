package guest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"homeward/internal/courier"
	"homeward/internal/lost"
	"homeward/internal/media"
)

// carrier is the tariff, unless the test says otherwise.
type carrier struct {
	courier.Tariff
	offers    []lost.Quote // in place of the tariff's
	err       error
	byAddress bool
	asked     atomic.Int64
	refuses   error // to sell a label
	postage   lost.Postage
}

func (c *carrier) Quotes(ctx context.Context, what lost.Consignment) ([]lost.Quote, error) {
	c.asked.Add(1)
	if c.err != nil || c.offers != nil {
		return c.offers, c.err
	}
	return c.Tariff.Quotes(ctx, what)
}

func (c *carrier) NeedsAddress() bool { return c.byAddress }

func (c *carrier) Buy(ctx context.Context, s lost.Shipment, what lost.Consignment) (lost.Postage, error) {
	p, err := c.Tariff.Buy(ctx, s, what)
	p.TrackingNumber, p.TrackingURL = c.postage.TrackingNumber, c.postage.TrackingURL
	if c.refuses != nil {
		err = c.refuses
	}
	return p, err
}

// till takes payments in whatever way the test says, on a page that the test names.
type till struct {
	by                lost.PayBy
	now               func() time.Time
	page              string
	openErr, closeErr error
	news              lost.PaymentNews

	mu     sync.Mutex // a browser comes from elsewhere than the test
	opened []lost.Bill
}

func (t *till) By() lost.PayBy { return t.by }

func (t *till) Open(_ context.Context, b lost.Bill) (lost.Checkout, error) {
	if t.openErr != nil {
		return lost.Checkout{}, t.openErr
	}
	t.mu.Lock()
	t.opened = append(t.opened, b)
	t.mu.Unlock()
	c := lost.Checkout{ID: fmt.Sprint("page_", b.Shipment.ID, b.Round), ExpiresAt: t.now().Add(day)}
	if t.by == lost.PayStripe {
		c.URL = t.page
	}
	return c, nil
}

func (t *till) Close(context.Context, string) error { return t.closeErr }

func (t *till) Knows(by lost.PayBy) bool { return by == t.by }

func (*till) Look(context.Context, string) (lost.PaymentNews, error) { return lost.PaymentNews{}, nil }

func (*till) Refund(context.Context, string) error { return nil }

func (t *till) Hear(http.Header, []byte) (lost.PaymentNews, bool, error) { return t.news, true, nil }

// papers prints and keeps nothing.
type papers struct{}

func (papers) Print(lost.DocumentKind, lost.Shipment, lost.Consignment) (content []byte, paper string, err error) {
	return []byte("%PDF-1.7"), "A4", nil
}

func (papers) NewName() string { return media.NewName("pdf") }

func (papers) Keep(context.Context, string, []byte) error { return nil }

// weighed is an umbrella of which enough is known to tell a price.
func weighed() lost.ItemPatch {
	p := umbrella()
	p.Shipping = lost.Set(lost.ShippingPatch{Weight: lost.Set(0.8), WeightUnit: lost.Set("kg")})
	return p
}

// berlin is an address that the form takes.
func berlin() url.Values {
	return form("recipient.name", "Anna Berg", "recipient.address1", "Lindenweg 3", "recipient.zipCode", "10115", "recipient.city", "Berlin", "recipient.country", "DE")
}

// toPay is an item whose owner has given an address and is to pay, and the link.
func (h *house) toPay(by lost.PayBy) (lost.Item, string) {
	h.t.Helper()
	h.till.by, h.till.page = by, "https://pay.example/c/1"
	l := adler()
	l.Shipping = lost.Set(lost.ShippingRulesPatch{Handling: lost.Set[int64](250)})
	i := h.item(h.location(l), weighed())
	link := h.link(i)
	h.post(link+"/ship", berlin()).leads(h.t, link+"/pay")
	return h.now(i), link
}

// checkOut has the owner press the button of the bill.
func (h *house) checkOut(link string) answer {
	h.t.Helper()
	return h.post(link+"/pay", h.get(link+"/pay").fields())
}

// confirm has the payment provider tell that the last page was paid.
func (h *house) confirm() {
	h.t.Helper()
	h.till.mu.Lock()
	b := h.till.opened[len(h.till.opened)-1]
	h.till.mu.Unlock()
	due := b.Shipment.Quote.Price
	h.till.news = lost.PaymentNews{
		Shipment: b.Shipment.ID, Checkout: fmt.Sprint("page_", b.Shipment.ID, b.Round), Reference: "pi_" + b.Shipment.ID, State: lost.PaymentPaid,
		Amount: due.Total(), Currency: due.Currency,
	}
	must(0, h.desk.HearPayment(h.t.Context(), nil, nil))
}

// ship takes the shipment of an item as far as it goes.
func (h *house) ship(i lost.Item) {
	h.t.Helper()
	h.finish(i, h.desk.Ship)
}

// giveBack gives back what is to be given back of it.
func (h *house) giveBack(i lost.Item) {
	h.t.Helper()
	h.finish(i, h.desk.GiveBack)
}

// finish does what is done in steps to the shipment of an item, to the end.
func (h *house) finish(i lost.Item, step func(ctx context.Context, account, id string) (more bool, err error)) {
	h.t.Helper()
	for range 10 {
		if more := must(step(h.t.Context(), i.Account, h.now(i).Parcel.ShipmentID)); !more {
			return
		}
	}
	h.t.Fatal("it has no end")
}
