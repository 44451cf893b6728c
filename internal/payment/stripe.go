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
	Key           string // the secret key, or a restricted one that may write Checkout Sessions and Refunds
	WebhookSecret string // secret of the webhook for Stripe's events; without it, events are refused
	API           string // URL of the API; empty for Stripe's own
}

// Stripe takes payments on Stripe's page (Checkout). It is safe for concurrent use.
type Stripe struct {
	options Options
	client  *stripe.Client
}

const (
	// waitTime is the timeout of one call, including the second attempt.
	waitTime    = 15 * time.Second
	connectTime = 5 * time.Second
	maxResponse = 1 << 20 // maximum size of a response, in bytes
	attempts    = 2       // if there was no response, or it was not from Stripe
)

// NewStripe returns a Stripe. It does not contact Stripe.
func NewStripe(o Options) (*Stripe, error) {
	o.API = cmp.Or(o.API, stripe.APIURL)
	u, err := url.Parse(o.API)
	switch {
	case o.Key == "":
		return nil, errors.New("payments with Stripe need a secret key")
	case err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("the URL of Stripe must have the form https://host")
	}
	// The client has custom backends, because the default ones log Stripe's messages and report timings to Stripe.
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
		// Stripe does not redirect, and the key must not be sent elsewhere.
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

// bounded limits the size of responses, because the library reads them completely.
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

// withTimeout limits the duration of a call, so that a waiting guest gets an error if Stripe does not respond.
func withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, waitTime)
}

// Check checks the key without side effects: it requests a page that does not exist. With a key that may read pages,
// the response is "not found".
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
