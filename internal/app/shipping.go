package app

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"homeward/internal/courier"
	"homeward/internal/lost"
	"homeward/internal/media"
	"homeward/internal/payment"
	"homeward/internal/shipping"
)

// shippingBackends holds the configured carrier and payment provider.
type shippingBackends struct {
	carrier shipping.Carrier
	payment shipping.PaymentProvider
}

func newShippingBackends(cfg Config) (b shippingBackends, err error) {
	b.carrier = courier.Tariff{Now: cfg.now()}
	if cfg.Carrier == "easypost" {
		b.carrier, err = courier.NewEasyPost(courier.Options{
			Key: cfg.EasyPostKey, API: cfg.EasyPostAPI, WebhookSecret: cfg.EasyPostSecret, Now: cfg.now(),
		})
		if err != nil {
			return b, fmt.Errorf("HOMEWARD_EASYPOST_…: %w", err)
		}
	}
	b.payment, err = newPaymentProvider(cfg)
	return b, err
}

// newPaymentProvider returns the configured payment provider. If there is a Stripe key but another provider is
// selected, payments that were started with Stripe can still be completed.
func newPaymentProvider(cfg Config) (shipping.PaymentProvider, error) {
	var provider payment.Provider = payment.None{}
	if lost.PayBy(cfg.Payment) == lost.PayTest {
		provider = payment.Test{Now: cfg.now()}
	}
	if cfg.StripeKey == "" {
		return provider, nil
	}
	stripe, err := payment.NewStripe(payment.Options{
		Key: cfg.StripeKey, WebhookSecret: cfg.StripeSecret, API: cfg.StripeAPI,
	})
	if err != nil {
		return nil, fmt.Errorf("HOMEWARD_STRIPE_…: %w", err)
	}
	if lost.PayBy(cfg.Payment) == lost.PayStripe {
		return stripe, nil
	}
	return payment.WithFormerStripe{Provider: provider, Stripe: stripe}, nil
}

// documentFiles stores documents in the file store.
type documentFiles struct{ store media.Store }

// NewName returns a file name that cannot be guessed.
func (d documentFiles) NewName() string { return media.NewName("pdf") }

// Read returns the content of a file.
func (d documentFiles) Read(ctx context.Context, name string, limit int64) (content []byte, err error) {
	f, err := d.store.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	content, err = io.ReadAll(io.LimitReader(f.Content, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("the file %s has more than %d bytes", name, limit)
	}
	return content, err
}

// Save stores a PDF under its name.
func (d documentFiles) Save(ctx context.Context, name string, content []byte) error {
	return d.store.Put(ctx, name, bytes.NewReader(content), int64(len(content)), media.ContentType(name))
}
