package payment

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/stripe/stripe-go/v86"

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
	client  *stripe.Client
}

const (
	// waitTime is the timeout for one call, including the second attempt.
	waitTime    = 15 * time.Second
	connectTime = 5 * time.Second
	maxResponse = 1 << 20 // largest response that is read, in bytes
	attempts    = 2       // a second attempt follows if there is no valid response
)

// NewStripe returns a Stripe provider, or an error that names the invalid setting. It does not contact Stripe.
func NewStripe(o Options) (*Stripe, error) {
	o.API = cmp.Or(o.API, stripe.APIURL)
	u, err := url.Parse(o.API)
	switch {
	case o.Key == "":
		return nil, errors.New("payments with Stripe need a secret key")
	case err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("the Stripe URL must have the form https://host")
	}
	// The default backends would log Stripe's messages and report timings to Stripe, so use custom ones.
	backends := stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		URL: &o.API, HTTPClient: newClient(), MaxNetworkRetries: stripe.Int64(attempts - 1),
		EnableTelemetry: stripe.Bool(false), LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull},
	})
	return &Stripe{options: o, client: stripe.NewClient(o.Key, stripe.WithBackends(backends))}, nil
}

// Method returns how the fee is paid.
func (*Stripe) Method() lost.PayBy { return lost.PayStripe }

func newClient() *http.Client {
	return &http.Client{
		Timeout: waitTime,
		// Do not follow redirects: Stripe sends none, and the key must not be sent to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: bounded{&http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: connectTime}).DialContext,
			TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:   connectTime,
			ResponseHeaderTimeout: waitTime, MaxResponseHeaderBytes: maxResponse,
			IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
		}},
	}
}

// bounded limits the size of responses, because Stripe's library reads them into memory completely.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(res.Body, maxResponse), res.Body}
	return res, nil
}

// withTimeout limits the duration of a call, so that the guest does not wait too long if Stripe does not respond.
func withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, waitTime)
}

// Check checks the API key without side effects: it requests a checkout page that does not exist. If the key may read
// pages, Stripe responds with "not found". Otherwise Check returns an error.
func (s *Stripe) Check(ctx context.Context) error {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	_, err := s.client.V1CheckoutSessions.Retrieve(ctx, "cs_test_none", nil)
	if err == nil || hasStatus(err, http.StatusNotFound) {
		return nil
	}
	if e, ok := errors.AsType[*stripe.Error](err); ok {
		return fmt.Errorf("Stripe returned status %d: %s", e.HTTPStatusCode, s.quote(e))
	}
	return noResponse(err)
}
