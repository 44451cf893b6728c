package api

import (
	"net/url"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

func (a *API) createWebhook(c *call) error {
	patch, key, err := read(c, v1.DecodeWebhook)
	if err != nil {
		return err
	}
	e, err := a.desk.CreateEndpoint(c.r.Context(), c.actor, patch, key)
	if err != nil {
		return err
	}
	return c.writeCreated("/v1/webhooks/"+e.ID, a.wire.WebhookWithSecret(e))
}

func (a *API) getWebhook(c *call) error {
	e, err := a.desk.Endpoint(c.r.Context(), c.actor, c.path("id"))
	return writeRecord(c, e, err, a.wire.Webhook)
}

func (a *API) listWebhooks(c *call) error {
	page, err := c.page()
	if err != nil {
		return err
	}
	l, err := a.desk.Endpoints(c.r.Context(), c.actor, page)
	return writeList(c, l, err, a.wire.Webhook)
}

func (a *API) updateWebhook(c *call) error {
	patch, _, err := read(c, v1.DecodeWebhook)
	if err != nil {
		return err
	}
	e, err := a.desk.UpdateEndpoint(c.r.Context(), c.actor, c.path("id"), patch)
	return writeRecord(c, e, err, a.wire.Webhook)
}

func (a *API) deleteWebhook(c *call) error {
	return c.writeDeleted(a.desk.DeleteEndpoint(c.r.Context(), c.actor, c.path("id")))
}

func (a *API) getSecret(c *call) error {
	e, err := a.desk.Secret(c.r.Context(), c.actor, c.path("id"))
	return writeRecord(c, e, err, a.wire.Secrets)
}

func (a *API) rotateSecret(c *call) error {
	key, err := c.emptyBody()
	if err != nil {
		return err
	}
	e, err := a.desk.RotateSecret(c.r.Context(), c.actor, c.path("id"), key)
	return writeRecord(c, e, err, a.wire.Secrets)
}

func (a *API) testWebhook(c *call) error {
	key, err := c.emptyBody()
	if err != nil {
		return err
	}
	d, err := a.desk.TestEndpoint(c.r.Context(), c.actor, c.path("id"), key)
	if err != nil {
		return err
	}
	return c.writeCreated("/v1/deliveries/"+url.PathEscape(d.ID), a.wire.Delivery(d))
}

func (a *API) listDeliveries(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	f := lost.DeliveryFilter{
		Endpoint: c.path("id"), Event: q.identifier("eventId"), Page: q.page(),
		States: oneOf(q, "state", lost.DeliveryStates()), Types: oneOf(q, "eventType", everyEvent()),
	}
	if err := q.bad.Err(); err != nil {
		return err
	}
	l, err := a.desk.Deliveries(c.r.Context(), c.actor, f)
	return writeList(c, l, err, a.wire.Delivery)
}

func (a *API) replayWebhook(c *call) error {
	patch, key, err := read(c, v1.DecodeReplay)
	if err != nil {
		return err
	}
	n, err := a.desk.Replay(c.r.Context(), c.actor, c.path("id"), patch, key)
	return writeRecord(c, n, err, func(n int) v1.Replayed { return v1.Replayed{Replayed: n} })
}

func (a *API) listEvents(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	f := lost.EventFilter{Types: oneOf(q, "eventType", everyEvent()), Item: q.identifier("itemId"), Page: q.page()}
	if err := q.bad.Err(); err != nil {
		return err
	}
	l, err := a.desk.Events(c.r.Context(), c.actor, f)
	return writeList(c, l, err, a.wire.Event)
}

func (a *API) getEvent(c *call) error {
	e, err := a.desk.Event(c.r.Context(), c.actor, c.path("id"))
	return writeRecord(c, e, err, a.wire.Event)
}

func (a *API) getDelivery(c *call) error {
	d, err := a.desk.Delivery(c.r.Context(), c.actor, c.path("id"))
	return writeRecord(c, d, err, a.wire.Delivery)
}

func (a *API) replayDelivery(c *call) error {
	key, err := c.emptyBody()
	if err != nil {
		return err
	}
	d, err := a.desk.ReplayDelivery(c.r.Context(), c.actor, c.path("id"), key)
	return writeRecord(c, d, err, a.wire.Delivery)
}
