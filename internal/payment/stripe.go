package payment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"homeward/internal/lost"
)

// Options configures Stripe.
type Options struct {
	Key           string // a secret key, or a restricted key that may write Checkout Sessions and Refunds
	WebhookSecret string // the webhook secret that signs Stripe's events; if empty, all events are rejected
	API           string // base URL of the API; empty for Stripe's own
}

// Stripe is the provider that collects payments on Stripe's checkout page. It is safe for concurrent use.
type Stripe struct {
	options Options
	client  *client
}

// NewStripe returns a Stripe provider, or an error that names the invalid setting. It does not contact Stripe.
func NewStripe(o Options) (*Stripe, error) {
	o.API = cmp.Or(o.API, stripeURL)
	u, err := url.Parse(o.API)
	switch {
	case o.Key == "":
		return nil, errors.New("payments with Stripe need a secret key")
	case err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("the Stripe URL must have the form https://host")
	}
	return &Stripe{options: o, client: newClient(o.API, o.Key)}, nil
}

// Method returns how the fee is paid.
func (*Stripe) Method() lost.PayBy { return lost.PayStripe }

// withTimeout limits the duration of a call, so that the guest does not wait too long if Stripe does not respond.
func withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, waitTime)
}

// Check checks the API key without side effects: it requests a checkout page that does not exist. If the key may read
// pages, Stripe responds with "not found". Otherwise Check returns an error.
func (s *Stripe) Check(ctx context.Context) error {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	err := s.client.get(ctx, checkoutPath("cs_test_none"), &checkoutSession{})
	if err == nil || hasStatus(err, http.StatusNotFound) {
		return nil
	}
	if e, ok := errors.AsType[*apiError](err); ok {
		return fmt.Errorf("Stripe returned status %d: %s", e.Status, s.quote(e))
	}
	return noResponse(err)
}
