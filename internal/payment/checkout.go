package payment

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v86"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

const (
	// maxName is the maximum length of a product name, in characters. Stripe allows more, but nobody reads more.
	maxName        = 250
	maxDescription = 500
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
	page.IdempotencyKey = &key
	session, err := s.client.V1CheckoutSessions.Create(ctx, page)
	switch {
	case err != nil:
		return lost.Checkout{}, s.refusal(err)
	case session.ID == "" || session.URL == "":
		return lost.Checkout{}, lost.E(lost.Unavailable, "Stripe did not open a checkout page.")
	}
	return lost.Checkout{ID: session.ID, URL: session.URL, ExpiresAt: time.Unix(session.ExpiresAt, 0).UTC()}, nil
}

// pageOf returns the parameters for a checkout page. The same request always has the same parameters.
func pageOf(b lost.CheckoutRequest) (*stripe.CheckoutSessionCreateParams, error) {
	quote, title := b.Shipment.Quote, line(b.Title, maxDescription)
	postage, err := lineItem(firstOf(line(i18n.Choose(b.Language).Service(quote.Service), maxName),
		line(b.Title, maxName), b.Shipment.ID), quote.Price.Postage, quote.Price.Currency)
	if err != nil {
		return nil, err
	}
	postage.PriceData.ProductData.Description = optional(title)
	items := []*stripe.CheckoutSessionCreateLineItemParams{postage}
	if quote.Price.Handling != 0 {
		handling, err := lineItem(line(i18n.Choose(b.Language).Say("guest.pay.handling"), maxName),
			quote.Price.Handling, quote.Price.Currency)
		if err != nil {
			return nil, err
		}
		items = append(items, handling)
	}
	object := func() map[string]string {
		return map[string]string{"shipment": b.Shipment.ID, "round": strconv.Itoa(b.Round)}
	}
	return &stripe.CheckoutSessionCreateParams{
		Mode:              stripe.String(stripe.CheckoutSessionModePayment),
		LineItems:         items,
		ClientReferenceID: &b.Shipment.ID, Metadata: object(),
		PaymentIntentData: &stripe.CheckoutSessionCreatePaymentIntentDataParams{
			Description: optional(title), Metadata: object(),
		},
		CustomerEmail: optional(email(b.Email)), Locale: stripe.String(locale(b.Language)),
		SuccessURL: &b.Done, CancelURL: optional(b.Back),
		// Disabled, because the guest must pay the offered amount in the offered currency.
		AdaptivePricing: &stripe.CheckoutSessionCreateAdaptivePricingParams{Enabled: stripe.Bool(false)},
	}, nil
}

func lineItem(name string, amount int64, currency string) (*stripe.CheckoutSessionCreateLineItemParams, error) {
	counted, exact := toStripe(amount, currency)
	if !exact {
		return nil,
			lost.E(lost.Invalid,
				"Stripe cannot charge exactly %d %s (in minor units, such as cents). Collect the fee at the desk.",
				amount, currency)
	}
	return &stripe.CheckoutSessionCreateLineItemParams{
		Quantity: stripe.Int64(1),
		PriceData: &stripe.CheckoutSessionCreateLineItemPriceDataParams{
			Currency: stripe.String(strings.ToLower(currency)), UnitAmount: &counted,
			ProductData: &stripe.CheckoutSessionCreateLineItemPriceDataProductDataParams{Name: &name},
		},
	}, nil
}

func firstOf(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

// optional returns nil for an empty text, because Stripe rejects empty parameters.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Close closes a page, so that nobody can pay on it. The error is Conflict if the page was paid, or if a payment is
// in progress, which may take days.
func (s *Stripe) Close(ctx context.Context, checkout string) error {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	_, err := s.client.V1CheckoutSessions.Expire(ctx, checkout, nil)
	if !hasStatus(err, http.StatusBadRequest) {
		return s.refusal(err)
	}
	// Stripe refuses to close a page that is not open. Its error does not contain the page's state in a form that a
	// program can read, so request the page.
	session, err := s.client.V1CheckoutSessions.Retrieve(ctx, checkout, nil)
	switch {
	case err != nil:
		return s.refusal(err)
	case session.Status == stripe.CheckoutSessionStatusExpired:
		return nil
	case session.Status == stripe.CheckoutSessionStatusComplete:
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
	found, err := s.client.V1CheckoutSessions.Retrieve(ctx, checkout, nil)
	if err != nil {
		return lost.PaymentUpdate{}, s.refusal(err)
	}
	object := session{
		ID: found.ID, ClientReferenceID: found.ClientReferenceID, PaymentStatus: string(found.PaymentStatus),
		PaymentIntent: found.PaymentIntent,
		AmountTotal:   found.AmountTotal, Currency: string(found.Currency),
	}
	switch found.Status {
	case stripe.CheckoutSessionStatusComplete:
		return object.update(object.state("completed"))
	case stripe.CheckoutSessionStatusExpired:
		return object.update(lost.PaymentExpired)
	default:
		return lost.PaymentUpdate{}, nil
	}
}
