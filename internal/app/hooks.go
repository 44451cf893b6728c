package app

import (
	"context"
	"time"

	"homeward/internal/demo"
	"homeward/internal/endpoint"
	"homeward/internal/lost"
	"homeward/internal/outbox"
	"homeward/internal/webhook"
)

// hooks implements the webhook interfaces of desk and outbox with package webhook.
type hooks struct {
	sender       *webhook.Sender
	allowPrivate bool
	unit         time.Duration
	demo         *demo.Receivers // nil if the service is not a demo
}

func newHooks(cfg Config) hooks {
	sender := webhook.NewSender(webhook.Options{
		AllowPrivate: cfg.AllowPrivate, ConnsPerHost: outbox.MaxConcurrentAttempts,
	})
	h := hooks{sender: sender, allowPrivate: cfg.AllowPrivate, unit: cfg.RetryUnit}
	if cfg.Demo {
		h.demo = &demo.Receivers{}
	}
	return h
}

// Webhooks delivers webhooks for the use cases and background jobs.
type Webhooks interface {
	endpoint.Hooks
	outbox.Hooks
}

// NewWebhooks returns the webhook sender that the service uses. Handler tests use it too.
func NewWebhooks(cfg Config) Webhooks { return newHooks(cfg) }

// Check returns the problems with an endpoint's URL and headers.
func (h hooks) Check(e lost.Endpoint) lost.Problems {
	return append(webhook.CheckURL(e.URL, h.allowPrivate), webhook.CheckHeaders(e.Headers)...)
}

// NewSecret returns a new random signing secret.
func (h hooks) NewSecret() string { return webhook.NewSecret() }

// Send makes one attempt to deliver a body.
func (h hooks) Send(ctx context.Context, e lost.Endpoint, d lost.Delivery, body []byte) lost.Attempt {
	if h.demo.Answers(e.URL) {
		return h.demo.Send(ctx, e, d, body)
	}
	at := time.Now() // the time in the signature
	o := h.sender.Send(ctx, webhook.Request{
		URL: e.URL, ID: d.ID, EventID: d.EventID, Secrets: e.Secrets(at), Headers: e.Headers, Body: body, At: at,
		Test: d.EventType == lost.TestEvent,
	})
	return lost.Attempt{Status: o.Status, Took: o.Took, Error: o.Err, Response: o.Response}
}

// Timeout returns how long an attempt may take.
func (h hooks) Timeout() time.Duration { return h.sender.Timeout() }

// Delay returns how long to wait after the given number of failed attempts. It returns false if the delivery should
// not be retried.
func (h hooks) Delay(failures int) (time.Duration, bool) { return webhook.Delay(failures, h.unit) }
