package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"homeward/internal/courier"
	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/media"
	"homeward/internal/payment"
)

// trade is who sends parcels and who takes the money for it, by the settings.
type trade struct {
	carrier desk.Carrier
	till    desk.Till
}

func newTrade(cfg Config) (t trade, err error) {
	t = trade{carrier: courier.Tariff{Now: time.Now}, till: payment.None{}}
	if cfg.Carrier == "easypost" {
		t.carrier, err = courier.NewEasyPost(courier.Options{Key: cfg.EasyPostKey, API: cfg.EasyPostAPI, WebhookSecret: cfg.EasyPostHook, Now: time.Now})
		if err != nil {
			return t, fmt.Errorf("HOMEWARD_EASYPOST_…: %w", err)
		}
	}
	switch lost.PayBy(cfg.Payment) {
	case lost.PayStripe:
		t.till, err = payment.NewStripe(payment.Options{Key: cfg.StripeKey, WebhookSecret: cfg.StripeSecret, API: cfg.StripeAPI})
		if err != nil {
			return t, fmt.Errorf("HOMEWARD_STRIPE_…: %w", err)
		}
	case lost.PayTest:
		t.till = payment.Test{Now: time.Now}
	case lost.PayDesk:
	}
	return t, nil
}

// cabinet keeps papers among the files.
type cabinet struct{ store media.Store }

// NewName makes a name that nobody can guess.
func (c cabinet) NewName() string { return media.NewName("pdf") }

// Keep keeps a PDF by its name.
func (c cabinet) Keep(ctx context.Context, name string, content []byte) error {
	return c.store.Put(ctx, name, bytes.NewReader(content), int64(len(content)), media.ContentType(name))
}

// Read gives a file of at most so many bytes.
func (p pictures) Read(ctx context.Context, name string, most int64) ([]byte, error) {
	f, err := p.store.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if f.Size > most {
		return nil, lost.E(lost.TooLarge, "The file is larger than %d bytes.", most)
	}
	return io.ReadAll(io.LimitReader(f.Content, most))
}
