package payment

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

const (
	// maxName is the maximum length of a product name, in characters. Stripe allows more, but nobody reads more.
	maxName        = 250
	maxDescription = 500

	// The states of a Checkout Session that is not open any more.
	statusComplete = "complete"
	statusExpired  = "expired"
)

// Open opens a checkout page for a shipment. Calls with the same shipment and b.Round return the same page.
//
// The page expires after Stripe's default of one day. Open sets no expiry time, because it would be different in a
// retry, and Stripe rejects an idempotency key that is used again with different parameters.
func (s *Stripe) Open(ctx context.Context, b lost.CheckoutRequest) (lost.Checkout, error) {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	page, err := pageOf(b)
	if err != nil {
		return lost.Checkout{}, err
	}
	key := "checkout " + b.Shipment.ID + " " + strconv.Itoa(b.Round)
	var session checkoutSession
	err = s.client.post(ctx, "/v1/checkout/sessions", page, key, &session)
	switch {
	case err != nil:
		return lost.Checkout{}, s.refusal(err)
	case session.ID == "" || session.URL == "":
		return lost.Checkout{}, lost.E(lost.Unavailable, "Stripe did not open a checkout page.")
	}
	return lost.Checkout{ID: session.ID, URL: session.URL, ExpiresAt: time.Unix(session.ExpiresAt, 0).UTC()}, nil
}

// pageOf returns the parameters for a checkout page. The same request always has the same parameters. Empty texts are
// omitted, because Stripe rejects empty parameters.
func pageOf(b lost.CheckoutRequest) (url.Values, error) {
	quote, title, language := b.Shipment.Quote, line(b.Title, maxDescription), i18n.Choose(b.Language)
	page := form{}
	postage := firstOf(line(language.Service(quote.Service), maxName), line(b.Title, maxName), b.Shipment.ID)
	if err := page.addItem(0, postage, title, quote.Price.Postage, quote.Price.Currency); err != nil {
		return nil, err
	}
	if quote.Price.Handling != 0 {
		name := line(language.Say("guest.pay.handling"), maxName)
		if err := page.addItem(1, name, "", quote.Price.Handling, quote.Price.Currency); err != nil {
			return nil, err
		}
	}
	for _, object := range []string{"metadata", "payment_intent_data[metadata]"} {
		page.set(object+"[shipment]", b.Shipment.ID)
		page.set(object+"[round]", strconv.Itoa(b.Round))
	}
	page.set("mode", "payment")
	page.set("client_reference_id", b.Shipment.ID)
	page.set("payment_intent_data[description]", title)
	page.set("customer_email", email(b.Email))
	page.set("locale", locale(b.Language))
	page.set("success_url", b.Done)
	page.set("cancel_url", b.Back)
	// Disabled, because the guest must pay the offered amount in the offered currency.
	page.set("adaptive_pricing[enabled]", "false")
	return url.Values(page), nil
}

// form holds the parameters of a request. Parameters of nested objects have names such as a[b].
type form url.Values

// set sets a parameter unless its value is empty.
func (f form) set(name, value string) {
	if value != "" {
		url.Values(f).Set(name, value)
	}
}

// addItem adds a line to the page.
func (f form) addItem(number int, name, description string, amount int64, currency string) error {
	counted, exact := toStripe(amount, currency)
	if !exact {
		return lost.E(lost.Invalid,
			"Stripe cannot charge exactly %d %s (in minor units, such as cents). Collect the fee at the desk.",
			amount, currency)
	}
	item := "line_items[" + strconv.Itoa(number) + "]"
	f.set(item+"[quantity]", "1")
	f.set(item+"[price_data][currency]", strings.ToLower(currency))
	f.set(item+"[price_data][unit_amount]", strconv.FormatInt(counted, 10))
	f.set(item+"[price_data][product_data][name]", name)
	f.set(item+"[price_data][product_data][description]", description)
	return nil
}

func firstOf(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

// Close closes a page, so that nobody can pay on it. The error is Conflict if the page was paid, or if a payment is
// in progress, which may take days.
func (s *Stripe) Close(ctx context.Context, checkout string) error {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	err := s.client.post(ctx, checkoutPath(checkout)+"/expire", nil, "", &checkoutSession{})
	if !hasStatus(err, http.StatusBadRequest) {
		return s.refusal(err)
	}
	// Stripe refuses to close a page that is not open. Its error does not contain the page's state in a form that a
	// program can read, so request the page.
	var session checkoutSession
	err = s.client.get(ctx, checkoutPath(checkout), &session)
	switch {
	case err != nil:
		return s.refusal(err)
	case session.Status == statusExpired:
		return nil
	case session.Status == statusComplete:
		return lost.E(lost.Conflict, "The fee was already paid, or the payment is in progress.")
	default:
		return lost.E(lost.Unavailable, "Stripe cannot close the page at the moment.")
	}
}

// Handles reports whether a payment was made through Stripe.
func (s *Stripe) Handles(by lost.PayBy) bool { return by == lost.PayStripe }

// CheckoutState requests the state of a page from Stripe, in case its event was lost. The state in the update is
// empty while the page is open.
func (s *Stripe) CheckoutState(ctx context.Context, checkout string) (lost.PaymentUpdate, error) {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	var object checkoutSession
	if err := s.client.get(ctx, checkoutPath(checkout), &object); err != nil {
		return lost.PaymentUpdate{}, s.refusal(err)
	}
	switch object.Status {
	case statusComplete:
		return object.update(object.state("completed"))
	case statusExpired:
		return object.update(lost.PaymentExpired)
	default:
		return lost.PaymentUpdate{}, nil
	}
}
