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
	WebhookSecret string // of the endpoint for Stripe's events; without it, events are refused
	API           string // empty for Stripe's own address
}

// Stripe takes payments on Stripe's own page (Checkout). It is safe for concurrent use.
type Stripe struct {
	options Options
	client  *stripe.Client
}

const (
	// waitTime is the timeout of one call, including the second attempt.
	waitTime    = 15 * time.Second
	connectTime = 5 * time.Second
	maxAnswer   = 1 << 20 // of Stripe's answers, in bytes
	attempts    = 2       // if there was no answer, or none of Stripe's
)

// NewStripe returns a Stripe. It does not contact Stripe.
func NewStripe(o Options) (*Stripe, error) {
	o.API = cmp.Or(o.API, stripe.APIURL)
	u, err := url.Parse(o.API)
	switch {
	case o.Key == "":
		return nil, errors.New("payments by Stripe need its secret key")
	case err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("the address of Stripe must be written as https://host")
	}
	// The client has its own backends, because the library's default ones log what Stripe says, and
	// report timings to Stripe.
	backends := stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		URL: &o.API, HTTPClient: newClient(), MaxNetworkRetries: stripe.Int64(attempts - 1),
		EnableTelemetry: stripe.Bool(false), LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull},
	})
	return &Stripe{options: o, client: stripe.NewClient(o.Key, stripe.WithBackends(backends))}, nil
}

// Method returns the way to pay.
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
			ResponseHeaderTimeout: waitTime, MaxResponseHeaderBytes: maxAnswer,
			IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
		}},
	}
}

// bounded limits the size of answers: the library reads everything.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(res.Body, maxAnswer), res.Body}
	return res, nil
}

// withTimeout limits a call, so that a waiting guest learns that Stripe does not answer.
func withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, waitTime)
}

// Check asks Stripe for a page that does not exist: with a key that may read such pages, the answer
// is "not found". It changes nothing.
func (s *Stripe) Check(ctx context.Context) error {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	_, err := s.client.V1CheckoutSessions.Retrieve(ctx, "cs_test_none", nil)
	if err == nil || hasStatus(err, http.StatusNotFound) {
		return nil
	}
	if e, said := errors.AsType[*stripe.Error](err); said {
		return fmt.Errorf("Stripe answered %d: %s", e.HTTPStatusCode, s.quote(e))
	}
	return unanswered(err)
}
