package settings

import (
	"net/http"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

func deliveryPath(id string) string { return "/settings/deliveries/" + id }

// webhookDelivery is a delivery as shown on a page.
type webhookDelivery struct {
	lost.Delivery
	State frame.State
	Last  string // the result of the last attempt
}

func newWebhookDelivery(lang frame.Locale, d lost.Delivery) webhookDelivery {
	line := webhookDelivery{Delivery: d, Last: lang.Say("settings.delivery.not-sent")}
	if n := len(d.Attempts); n > 0 {
		line.Last = "200 OK"
		if !d.Attempts[n-1].Delivered() {
			line.Last = frame.Sentence(d.Attempts[n-1].Error)
		}
	}
	switch d.State {
	case lost.DeliveryDelivered:
		line.State = frame.State{Word: lang.Say("settings.delivery.delivered"), Shape: "done"}
	case lost.DeliveryFailed:
		line.State = frame.State{Word: lang.Say("settings.failed"), Shape: "bad"}
	case lost.DeliveryCanceled:
		line.State = frame.State{Word: lang.Say("settings.delivery.canceled"), Shape: "over"}
	default:
		line.State = frame.State{Word: lang.Say("settings.delivery.on-its-way"), Shape: "going"}
		if d.Failures > 0 {
			line.State = frame.State{Word: lang.Say("settings.delivery.retried"), Shape: "waiting"}
		}
	}
	return line
}

// attemptLine is one delivery attempt as shown on a page.
type attemptLine struct {
	At time.Time
	checkOutcome
	Good bool
}

type deliveryPage struct {
	settingsPage
	Delivery webhookDelivery
	Webhook  webhookLine   // empty if the webhook was deleted
	Attempts []attemptLine // newest first
	Waiting  bool          // the state may change soon
}

func (c *call) showDelivery() error {
	d, err := c.Services.Webhooks.Delivery(c.Context(), c.Actor(), c.Request.PathValue("delivery"))
	if err != nil {
		return err
	}
	e, err := c.Services.Webhooks.Endpoint(c.Context(), c.Actor(), d.EndpointID)
	if lost.IgnoreNotFound(err) != nil {
		return err
	}
	p := deliveryPage{
		settingsPage: newSettingsPage(c.Call, c.Say("settings.delivery")), Delivery: newWebhookDelivery(c.Locale, d),
		Webhook: newWebhookLine(c.Locale, e),
		Waiting: d.State == lost.DeliveryPending,
	}
	for n := len(d.Attempts) - 1; n >= 0; n-- {
		a := d.Attempts[n]
		p.Attempts = append(p.Attempts,
			attemptLine{At: a.At, checkOutcome: outcomeOf(c.Locale, a), Good: a.Delivered()})
	}
	return c.Render(http.StatusOK, "delivery", p)
}

func (c *call) replayDelivery() error {
	d, err := c.Services.Webhooks.ReplayDelivery(c.Context(), c.Actor(), c.Request.PathValue("delivery"),
		lost.IdempotencyKey{})
	if err != nil {
		return err
	}
	c.Flash(c.Say("settings.delivery.again"))
	return c.Redirect(deliveryPath(d.ID))
}
