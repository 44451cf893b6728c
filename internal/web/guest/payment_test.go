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

// carrier is a fake carrier that uses the built-in tariff unless a test sets offers or errors.
type carrier struct {
	courier.Tariff
	offers    []lost.Quote // instead of the tariff's
	err       error
	byAddress bool
	requests  atomic.Int64
	buyErr    error // returned when a label is bought
	postage   lost.Postage
}

func (c *carrier) Quotes(ctx context.Context, what lost.ParcelOrder) ([]lost.Quote, error) {
	c.requests.Add(1)
	if c.err != nil || c.offers != nil {
		return c.offers, c.err
	}
	return c.Tariff.Quotes(ctx, what)
}

func (c *carrier) NeedsAddress() bool { return c.byAddress }

func (c *carrier) Buy(ctx context.Context, s lost.Shipment, what lost.ParcelOrder) (lost.Postage, error) {
	p, err := c.Tariff.Buy(ctx, s, what)
	p.TrackingNumber, p.TrackingURL = c.postage.TrackingNumber, c.postage.TrackingURL
	if c.buyErr != nil {
		err = c.buyErr
	}
	return p, err
}

// paymentProvider is a fake payment provider. Tests configure its payment page and its errors.
type paymentProvider struct {
	by                lost.PayBy
	now               func() time.Time
	page              string
	openErr, closeErr error
	update            lost.PaymentUpdate

	mu     sync.Mutex // the browser's requests run in other goroutines
	opened []lost.CheckoutRequest
}

func (t *paymentProvider) Method() lost.PayBy { return t.by }

func (t *paymentProvider) Open(_ context.Context, b lost.CheckoutRequest) (lost.Checkout, error) {
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

func (t *paymentProvider) Close(context.Context, string) error { return t.closeErr }

func (t *paymentProvider) Handles(by lost.PayBy) bool { return by == t.by }

func (*paymentProvider) CheckoutState(context.Context, string) (lost.PaymentUpdate, error) {
	return lost.PaymentUpdate{}, nil
}

func (*paymentProvider) Refund(context.Context, string) error { return nil }

func (t *paymentProvider) ParseEvent(http.Header, []byte) (lost.PaymentUpdate, bool, error) {
	return t.update, true, nil
}

// documents is a fake that neither prints nor stores documents.
type documents struct{}

func (documents) Print(lost.DocumentKind, lost.Shipment, lost.ParcelOrder) (content []byte, paper string, err error) {
	return []byte("%PDF-1.7"), "A4", nil
}

func (documents) NewName() string { return media.NewName("pdf") }

func (documents) Save(context.Context, string, []byte) error { return nil }

// weighedUmbrella returns an umbrella with a weight, so that its shipping price can be computed.
func weighedUmbrella() lost.ItemPatch {
	p := umbrella()
	p.Shipping = lost.Set(lost.ShippingPatch{Weight: lost.Set(0.8), WeightUnit: lost.Set("kg")})
	return p
}

// berlin returns a valid address.
func berlin() url.Values {
	return form("recipient.name", "Anna Berg", "recipient.address1", "Lindenweg 3", "recipient.zipCode", "10115",
		"recipient.city", "Berlin", "recipient.country", "DE")
}

// toPay creates an item whose owner has entered an address and must pay, and returns it with the owner's link.
func (h *server) toPay(by lost.PayBy) (lost.Item, string) {
	h.t.Helper()
	h.provider.by, h.provider.page = by, "https://pay.example/c/1"
	l := adler()
	l.Shipping = lost.Set(lost.ShippingRulesPatch{Handling: lost.Set[int64](250)})
	i := h.item(h.location(l), weighedUmbrella())
	link := h.link(i)
	h.post(link+"/ship", berlin()).redirects(h.t, link+"/pay")
	return h.reload(i), link
}

// checkOut submits the owner's payment form.
func (h *server) checkOut(link string) response {
	h.t.Helper()
	return h.post(link+"/pay", h.get(link+"/pay").fields())
}

// confirm makes the payment provider report that the last checkout was paid.
func (h *server) confirm() {
	h.t.Helper()
	h.provider.mu.Lock()
	b := h.provider.opened[len(h.provider.opened)-1]
	h.provider.mu.Unlock()
	due := b.Shipment.Quote.Price
	h.provider.update = lost.PaymentUpdate{
		Shipment: b.Shipment.ID, Checkout: fmt.Sprint("page_", b.Shipment.ID, b.Round),
		Reference: "pi_" + b.Shipment.ID, State: lost.PaymentPaid,
		Amount: due.Total(), Currency: due.Currency,
	}
	must(0, h.desk.Payments.HandleCallback(h.t.Context(), nil, nil))
}

// ship runs the background jobs of an item's shipment.
func (h *server) ship(i lost.Item) {
	h.t.Helper()
	h.finish(i, h.desk.Labels.Ship)
}

// refund runs the background jobs of an item's refund.
func (h *server) refund(i lost.Item) {
	h.t.Helper()
	h.finish(i, h.desk.Refunds.RefundShipment)
}

// finish repeats a step of an item's shipment until nothing is left to do.
func (h *server) finish(i lost.Item, step func(ctx context.Context, account, id string) (more bool, err error)) {
	h.t.Helper()
	for range 10 {
		if more := must(step(h.t.Context(), i.Account, h.reload(i).Parcel.ShipmentID)); !more {
			return
		}
	}
	h.t.Fatal("the shipment does not finish")
}
