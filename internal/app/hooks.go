package app

import (
	"context"
	"time"

	"homeward/internal/demo"
	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/outbox"
	"homeward/internal/webhook"
)

// hooks joins the webhook room to what the desk and the outbox ask of it.
type hooks struct {
	sender       *webhook.Sender
	allowPrivate bool
	unit         time.Duration
	demo         *demo.Receivers // nil but in a demo
}

func newHooks(cfg Config) hooks {
	sender := webhook.NewSender(webhook.Options{AllowPrivate: cfg.AllowPrivate, ConnsPerHost: outbox.AttemptsAtOnce})
	h := hooks{sender: sender, allowPrivate: cfg.AllowPrivate, unit: cfg.RetryUnit}
	if cfg.Demo {
		h.demo = &demo.Receivers{}
	}
	return h
}

// Hooks is what calls the addresses of client programs, for the desk and for background work.
type Hooks interface {
	desk.Hooks
	outbox.Hooks
}

// NewHooks makes it, for tests of the doors.
func NewHooks(cfg Config) Hooks { return newHooks(cfg) }

// Check tells what is wrong with an endpoint's address and headers.
func (h hooks) Check(e lost.Endpoint) lost.Problems {
	return append(webhook.CheckURL(e.URL, h.allowPrivate), webhook.CheckHeaders(e.Headers)...)
}

// NewSecret makes a secret that nobody can guess.
func (h hooks) NewSecret() string { return webhook.NewSecret() }

// Send makes one attempt to deliver a body.
func (h hooks) Send(ctx context.Context, e lost.Endpoint, d lost.Delivery, body []byte) lost.Attempt {
	if h.demo.Answers(e.URL) {
		return h.demo.Send(ctx, e, d, body)
	}
	at := time.Now() // of the signature
	o := h.sender.Send(ctx, webhook.Request{URL: e.URL, ID: d.ID, EventID: d.EventID, Secrets: e.Secrets(at), Headers: e.Headers, Body: body, At: at})
	return lost.Attempt{Status: o.Status, Took: o.Took, Error: o.Err, Response: o.Response}
}

// Timeout is the longest that an attempt takes.
func (h hooks) Timeout() time.Duration { return h.sender.Timeout() }

// Delay tells how long to wait after so many failed attempts, and whether to try again at all.
func (h hooks) Delay(failures int) (time.Duration, bool) { return webhook.Delay(failures, h.unit) }
