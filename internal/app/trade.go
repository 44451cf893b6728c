package app

import (
	"bytes"
	"context"
	"fmt"

	"homeward/internal/courier"
	"homeward/internal/lost"
	"homeward/internal/media"
	"homeward/internal/payment"
	"homeward/internal/shipping"
)

// shippingBackends is the carrier and the payment provider of the settings.
type shippingBackends struct {
	carrier shipping.Carrier
	till    shipping.PaymentProvider
}

func newShippingBackends(cfg Config) (t shippingBackends, err error) {
	t.carrier = courier.Tariff{Now: cfg.now()}
	if cfg.Carrier == "easypost" {
		t.carrier, err = courier.NewEasyPost(courier.Options{
			Key: cfg.EasyPostKey, API: cfg.EasyPostAPI, WebhookSecret: cfg.EasyPostSecret, Now: cfg.now(),
		})
		if err != nil {
			return t, fmt.Errorf("HOMEWARD_EASYPOST_…: %w", err)
		}
	}
	t.till, err = newPaymentProvider(cfg)
	return t, err
}

// newPaymentProvider makes the payment provider. If Stripe is set up but no longer used, payments that were begun with
// it are still completed.
func newPaymentProvider(cfg Config) (shipping.PaymentProvider, error) {
	var till payment.Provider = payment.None{}
	if lost.PayBy(cfg.Payment) == lost.PayTest {
		till = payment.Test{Now: cfg.now()}
	}
	if cfg.StripeKey == "" {
		return till, nil
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
	return payment.Former{Provider: till, Stripe: stripe}, nil
}

// documentFiles stores documents among the files.
type documentFiles struct{ store media.Store }

// NewName makes a name that nobody can guess.
func (c documentFiles) NewName() string { return media.NewName("pdf") }

// Keep stores a PDF under its name.
func (c documentFiles) Keep(ctx context.Context, name string, content []byte) error {
	return c.store.Put(ctx, name, bytes.NewReader(content), int64(len(content)), media.ContentType(name))
}
