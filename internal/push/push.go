// Package push sends push messages to browsers (RFC 8030). Messages are encrypted for the browser (RFC 8291), and the
// service proves with its own key (RFC 8292) that it is the one that the browser has subscribed to.
package push

import (
	"context"
	"crypto/ecdh"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"time"

	webpush "github.com/SherClockHolmes/webpush-go"

	"homeward/internal/lost"
	"homeward/internal/lost/notice"
)

// Options configures a Sender.
type Options struct {
	// Transport must not connect to private addresses: a browser names the address of its push service.
	Transport http.RoundTripper
	// CheckURL returns the problems with the address of a push service.
	CheckURL func(string) lost.Problems
	// Key derives a secret of 32 bytes, another one for each number. It is the same for all instances of the service.
	Key     func(n int) ([]byte, error)
	Contact string // a URL or e-mail address at which push services reach the operator
}

// Sender sends push messages. It is safe for concurrent use.
type Sender struct {
	client          *http.Client
	checkURL        func(string) lost.Problems
	public, private string
	contact         string
}

const (
	timeout = 15 * time.Second
	ttl     = 24 * time.Hour // after that, a browser that was switched off shows nothing
	maxBody = 4 << 10        // of a response
)

// New returns a Sender.
func New(o Options) (*Sender, error) {
	s := &Sender{
		client: &http.Client{
			Transport: o.Transport, Timeout: timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		checkURL: o.CheckURL, contact: o.Contact,
	}
	const attempts = 10
	for n := range attempts {
		secret, err := o.Key(n)
		if err != nil {
			return nil, fmt.Errorf("derive the key for push messages: %w", err)
		}
		key, err := ecdh.P256().NewPrivateKey(secret)
		if err != nil {
			continue // one in four billion numbers is not a key
		}
		s.private = base64.RawURLEncoding.EncodeToString(key.Bytes())
		s.public = base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes())
		return s, nil
	}
	return nil, fmt.Errorf("derive the key for push messages: none of %d numbers is a key", attempts)
}

// PublicKey returns the key that browsers subscribe to, in base64url.
func (s *Sender) PublicKey() string { return s.public }

// Check returns the problems with a subscription.
func (s *Sender) Check(to notice.Subscription) lost.Problems {
	problems := s.checkURL(to.Endpoint)
	point, err := base64.RawURLEncoding.DecodeString(to.PublicKey)
	if err == nil {
		_, err = ecdh.P256().NewPublicKey(point)
	}
	const secretLength = 16
	secret, secretErr := base64.RawURLEncoding.DecodeString(to.AuthSecret)
	if err != nil || secretErr != nil || len(secret) != secretLength {
		problems.Add("keys", "not-allowed", "must be those of a browser's push subscription")
	}
	return problems
}

// Push sends a message. A NotFound error means that the browser has ended the subscription, and an Invalid error that
// another attempt would fail too.
func (s *Sender) Push(ctx context.Context, to notice.Subscription, payload []byte) error {
	if err := s.Check(to).Err(); err != nil {
		return err // the operator may no longer allow private addresses
	}
	// The library appends to the payload.
	res, err := webpush.SendNotificationWithContext(ctx, append([]byte(nil), payload...), &webpush.Subscription{
		Endpoint: to.Endpoint, Keys: webpush.Keys{P256dh: to.PublicKey, Auth: to.AuthSecret},
	}, &webpush.Options{
		HTTPClient: s.client, Subscriber: s.contact, TTL: int(ttl.Seconds()), Urgency: webpush.UrgencyNormal,
		VAPIDPublicKey: s.public, VAPIDPrivateKey: s.private,
	})
	if err != nil {
		return fmt.Errorf("send a push message: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxBody)) // so that the connection can be used again
	switch code := res.StatusCode; {
	case code >= http.StatusOK && code < http.StatusMultipleChoices:
		return nil
	case code == http.StatusNotFound || code == http.StatusGone:
		return lost.Missing("push subscription")
	case code == http.StatusTooManyRequests || code >= http.StatusInternalServerError:
		return fmt.Errorf("the push service answered %d", code)
	default:
		return lost.E(lost.Invalid, "The push service answered %d.", code)
	}
}
