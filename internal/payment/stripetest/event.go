package stripetest

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/stripe/stripe-go/v86"
	"github.com/stripe/stripe-go/v86/webhook"
)

// Event is a webhook request from Stripe: a body and its signature headers. It can be posted any number of times.
type Event struct {
	Type   string
	Body   []byte
	Header http.Header
}

// Request returns the HTTP request that posts the event.
func (e Event) Request(ctx context.Context, url string) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(e.Body))
	if err != nil {
		return nil, err
	}
	r.Header = e.Header.Clone()
	return r, nil
}

// EventOption changes an event before it is signed.
type EventOption func(*draft)

type draft struct {
	session map[string]any
	secret  string
	at      time.Time
	kind    string
}

// Amount changes the amount of the session, in Stripe's units.
func Amount(minor int64) EventOption { return func(d *draft) { d.session["amount_total"] = minor } }

// Currency changes the currency of the session.
func Currency(code string) EventOption { return func(d *draft) { d.session["currency"] = code } }

// Field changes any field of the session, by Stripe's name for it.
func Field(name string, value any) EventOption { return func(d *draft) { d.session[name] = value } }

// SignedAt changes the time in the signature.
func SignedAt(at time.Time) EventOption { return func(d *draft) { d.at = at } }

// SignedWith makes the server sign the event with another secret.
func SignedWith(secret string) EventOption { return func(d *draft) { d.secret = secret } }

// Kind changes the type of the event.
func Kind(kind string) EventOption { return func(d *draft) { d.kind = kind } }

// Pay pays an open session, like the button on its page, and returns the event checkout.session.completed. If the
// session was already paid, Pay returns the event again. If the session is closed, Pay panics.
func (s *Server) Pay(session string, options ...EventOption) Event {
	return s.apply(session, "checkout.session.completed", options, func(c *Session) {
		if c.PaymentStatus == "unpaid" {
			mustBe(c, "open")
			s.charge(c)
		}
	})
}

// CompleteUnpaid completes a session with a payment method that takes days. It returns the event
// checkout.session.completed, with the payment status unpaid.
func (s *Server) CompleteUnpaid(session string, options ...EventOption) Event {
	return s.apply(session, "checkout.session.completed", options, func(c *Session) {
		mustBe(c, "open")
		c.Status, c.PaymentIntent = "complete", s.name("pi")
	})
}

// AsyncSucceed makes a pending payment succeed, and returns the event checkout.session.async_payment_succeeded.
func (s *Server) AsyncSucceed(session string, options ...EventOption) Event {
	return s.apply(session, "checkout.session.async_payment_succeeded", options, func(c *Session) {
		mustBe(c, "complete")
		if !c.Charged {
			s.charge(c)
		}
	})
}

// AsyncFail makes a pending payment fail, and returns the event checkout.session.async_payment_failed.
func (s *Server) AsyncFail(session string, options ...EventOption) Event {
	return s.apply(session, "checkout.session.async_payment_failed", options, func(c *Session) {
		mustBe(c, "complete")
	})
}

// Expire makes an open session expire, and returns the event checkout.session.expired.
func (s *Server) Expire(session string, options ...EventOption) Event {
	return s.apply(session, "checkout.session.expired", options, func(c *Session) {
		if c.Status == "open" {
			c.Status = "expired"
		}
	})
}

func mustBe(c *Session, status string) {
	if c.Status != status {
		panic(fmt.Sprintf("stripetest: session %s is %s, not %s", c.ID, c.Status, status))
	}
}

// charge records a payment of the session's amount. If the amount is zero, it records no payment.
func (s *Server) charge(c *Session) {
	c.Status = "complete"
	if c.Amount == 0 {
		c.PaymentStatus = "no_payment_required"
		return
	}
	c.PaymentStatus, c.Charged = "paid", true
	if c.PaymentIntent == "" {
		c.PaymentIntent = s.name("pi")
	}
}

// apply changes a session, and returns the signed event about the change.
func (s *Server) apply(session, kind string, options []EventOption, change func(*Session)) Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, known := s.sessions[session]
	if !known {
		panic("stripetest: there is no session " + session)
	}
	change(c)
	d := &draft{session: s.object(c), secret: s.Secret, at: time.Now(), kind: kind}
	for _, option := range options {
		option(d)
	}
	e := Sign(d.kind, encode(map[string]any{
		"id": s.name("evt"), "object": "event", "type": d.kind, "api_version": stripe.APIVersion,
		"created": d.at.Unix(), "livemode": false,
		"data": map[string]any{"object": d.session},
	}), d.secret, d.at)
	s.events = append(s.events, e)
	return e
}

// Sign returns an event with any body, signed with a secret at the given time.
func Sign(kind string, body []byte, secret string, at time.Time) Event {
	signed := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: body, Secret: secret, Timestamp: at})
	return Event{
		Type: kind, Body: body,
		Header: http.Header{"Content-Type": {"application/json; charset=utf-8"}, "Stripe-Signature": {signed.Header}},
	}
}

// Events lists all events, oldest first, so that a test can post them again or in another order.
func (s *Server) Events() []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.events)
}

const postTime = 10 * time.Second

// Post posts an event to the URL that was set with Notify, and returns the status of the response.
func (s *Server) Post(ctx context.Context, e Event) (status int, err error) {
	s.mu.Lock()
	url := s.notify
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, postTime)
	defer cancel()
	r, err := e.Request(ctx, url)
	if err != nil {
		return 0, err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	return res.StatusCode, res.Body.Close()
}
