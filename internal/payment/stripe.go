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

// Options set Stripe up.
type Options struct {
	Key           string // the secret key, or a restricted one that may write Checkout Sessions and Refunds
	WebhookSecret string // of the endpoint that Stripe tells of payments; without it nothing that is told is believed
	API           string // empty for Stripe's own address
}

// Stripe takes payments on Stripe's own page (Checkout). It is safe for concurrent use.
type Stripe struct {
	options Options
	client  *stripe.Client
}

const (
	// waitTime bounds everything that one call does, the second attempt too.
	waitTime    = 15 * time.Second
	connectTime = 5 * time.Second
	maxAnswer   = 1 << 20 // of Stripe, in bytes
	attempts    = 2       // where nobody was there, or what answered was not Stripe
)

// NewStripe readies Stripe. Nothing is asked of it yet.
func NewStripe(o Options) (*Stripe, error) {
	o.API = cmp.Or(o.API, stripe.APIURL)
	u, err := url.Parse(o.API)
	switch {
	case o.Key == "":
		return nil, errors.New("payments by Stripe need its secret key")
	case err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("the address of Stripe is not https://host")
	}
	// All of it is this client's own. The library's usual one logs what Stripe says, and tells Stripe how long it took.
	backends := stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		URL: &o.API, HTTPClient: newClient(), MaxNetworkRetries: stripe.Int64(attempts - 1),
		EnableTelemetry: stripe.Bool(false), LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull},
	})
	return &Stripe{options: o, client: stripe.NewClient(o.Key, stripe.WithBackends(backends))}, nil
}

// By names the way to pay.
func (*Stripe) By() lost.PayBy { return lost.PayStripe }

func newClient() *http.Client {
	return &http.Client{
		Timeout: waitTime,
		// Stripe does not send its callers elsewhere, and the key goes nowhere else.
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

// bounded reads no more of an answer than fits: the library reads all that there is.
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

// soon bounds a call, so that a guest who waits for it hears of a Stripe that does not answer.
func soon(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, waitTime)
}

// Try asks Stripe for a page that does not exist: whoever has the right key, and may read such pages, is told so. Nothing changes by it.
func (s *Stripe) Try(ctx context.Context) error {
	ctx, cancel := soon(ctx)
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
