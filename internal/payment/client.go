package payment

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	stripeURL = "https://api.stripe.com"

	// apiVersion is the version of Stripe's API that requests and responses have, whatever the account's default is.
	apiVersion = "2026-08-26.dahlia"

	// waitTime is the timeout for one call, including the second attempt.
	waitTime    = 15 * time.Second
	connectTime = 5 * time.Second
	maxResponse = 1 << 20 // largest response that is read, in bytes
	attempts    = 2       // a second attempt follows if there is no valid response
	retryDelay  = 500 * time.Millisecond
)

// client calls Stripe's API. Stripe's own library describes all of the API: it would take a tenth of the time to build
// the program, for four calls.
type client struct {
	http *http.Client
	url  string // without a slash at the end
	key  string
}

func newClient(url, key string) *client {
	return &client{url: strings.TrimSuffix(url, "/"), key: key, http: &http.Client{
		Timeout: waitTime,
		// Do not follow redirects: Stripe sends none, and the key must not be sent to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: connectTime}).DialContext,
			TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:   connectTime,
			ResponseHeaderTimeout: waitTime, MaxResponseHeaderBytes: maxResponse,
			IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
		},
	}}
}

// apiError is an error that Stripe returned.
type apiError struct {
	Status    int    `json:"-"`
	RequestID string `json:"-"`
	Code      string `json:"code"`
	Message   string `json:"message"`
}

// Error returns only the status, because Stripe's message may quote personal data.
func (e *apiError) Error() string { return fmt.Sprintf("Stripe returned status %d", e.Status) }

// get requests an object.
func (c *client) get(ctx context.Context, path string, result any) error {
	return c.call(ctx, http.MethodGet, path, "", "", result)
}

// post creates or changes an object. If the call is repeated with the same key, Stripe returns the first response. If
// the key is empty, a random one is used, so that the second attempt cannot do the same again.
func (c *client) post(ctx context.Context, path string, form url.Values, key string, result any) error {
	if key == "" {
		key = rand.Text()
	}
	return c.call(ctx, http.MethodPost, path, form.Encode(), key, result)
}

// call sends a request and decodes the response. The error is an *apiError if Stripe refused the request. Other errors
// mean that there was no valid response.
func (c *client) call(ctx context.Context, method, path, form, key string, result any) error {
	for attempt := 1; ; attempt++ {
		body, err := c.send(ctx, method, path, form, key)
		if err == nil {
			return json.Unmarshal(body, result)
		}
		if attempt == attempts || !worthRepeating(err) || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(retryDelay):
		}
	}
}

// send sends a request once.
func (c *client) send(ctx context.Context, method, path, form, key string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, strings.NewReader(form))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Stripe-Version", apiVersion)
	r.Header.Set("User-Agent", "Homeward")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Idempotency-Key", key)
	}
	res, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxResponse))
	if err != nil {
		return nil, err
	}
	if res.StatusCode < http.StatusBadRequest {
		return body, nil
	}
	var answer struct{ Error *apiError }
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	if answer.Error == nil {
		return nil, errors.New("the response has no error")
	}
	answer.Error.Status, answer.Error.RequestID = res.StatusCode, res.Header.Get("Request-Id")
	return nil, answer.Error
}

// worthRepeating reports whether a second attempt may succeed. Stripe's refusals are final, except when another
// request has locked the object, and so is a certificate that is not trusted. The caller repeats what failed at Stripe.
func worthRepeating(err error) bool {
	if e, ok := errors.AsType[*apiError](err); ok {
		return e.Code == "lock_timeout"
	}
	_, untrusted := errors.AsType[x509.UnknownAuthorityError](err)
	return !untrusted
}

// checkoutSession holds those fields of a Checkout Session that the service uses. They are the same in all versions of
// the API, because a webhook may be configured for any version.
type checkoutSession struct {
	ID                string   `json:"id"`
	URL               string   `json:"url"`
	ExpiresAt         int64    `json:"expires_at"`
	Status            string   `json:"status"`
	ClientReferenceID string   `json:"client_reference_id"`
	PaymentStatus     string   `json:"payment_status"`
	PaymentIntent     objectID `json:"payment_intent"`
	AmountTotal       int64    `json:"amount_total"`
	Currency          string   `json:"currency"`
}

// objectID is the ID of another object. Stripe sends the ID or the whole object.
type objectID string

// UnmarshalJSON decodes an ID, an object with an ID or null.
func (id *objectID) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(data, []byte("{")) {
		return json.Unmarshal(data, (*string)(id))
	}
	var object struct{ ID string }
	err := json.Unmarshal(data, &object)
	*id = objectID(object.ID)
	return err
}

// checkoutPath returns the path of a Checkout Session.
func checkoutPath(id string) string { return "/v1/checkout/sessions/" + url.PathEscape(id) }
