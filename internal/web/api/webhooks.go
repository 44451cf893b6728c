package api

import (
	"net/http"
	"net/url"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

// webhookHandlers serves the operations on webhooks.
type webhookHandlers struct{ handlers }

func (h webhookHandlers) operations() []operation {
	const group, path, one = "Webhooks", "/v1/webhooks", "/v1/webhooks/{id}"
	return []operation{
		{
			method: http.MethodPost, path: path, handle: h.createWebhook,
			id: "create-webhook", group: group, summary: "Register a webhook",
			about: "Registers an address that receives events of the types in events, at the locations in locations. " +
				"The service first sends a signed POST of " +
				"{\"eventType\":\"verification\",…} to it, and registers it only if it returns 200. The response " +
				"contains the signing secret. Every request has svc-signature and the Standard Webhooks headers.",
			body: v1.Webhook{}, status: http.StatusCreated, response: v1.Webhook{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodGet, path: path, handle: h.listWebhooks,
			id: "list-webhooks", group: group, summary: "List webhooks",
			about: "Lists the account's webhooks, oldest first.",
			query: paging(), status: http.StatusOK, response: v1.List[v1.Webhook]{},
		},
		{
			method: http.MethodGet, path: one, handle: h.getWebhook,
			id: "get-webhook", group: group, summary: "Retrieve a webhook",
			about:  "Returns one webhook, without its secret.",
			status: http.StatusOK, response: v1.Webhook{},
		},
		{
			method: http.MethodPut, path: one, handle: h.updateWebhook,
			conditional: true, id: "update-webhook", group: group, summary: "Update a webhook",
			about: "Changes only the fields that are sent. A new url is checked as at registration. headers are " +
				"replaced as a whole. Disabling the webhook cancels its pending deliveries; enabling it again resets " +
				"the failure count.",
			body: v1.Webhook{}, partial: true, status: http.StatusOK, response: v1.Webhook{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodDelete, path: one, handle: h.deleteWebhook,
			conditional: true, id: "delete-webhook", group: group, summary: "Delete a webhook",
			about:  "Deletes the webhook and cancels its pending deliveries.",
			status: http.StatusNoContent,
		},
	}
}

func (h webhookHandlers) actions() []operation {
	const group, one = "Webhooks", "/v1/webhooks/{id}"
	return []operation{
		{
			method: http.MethodGet, path: one + "/secret", handle: h.getSecret,
			id: "get-webhook-secret", group: group, summary: "Retrieve a webhook's secret",
			about: "Returns the signing secret, and during a rotation the previous one. " +
				"Read-only keys are not allowed to see it.",
			status: http.StatusOK, response: v1.Secrets{},
		},
		{
			method: http.MethodPost, path: one + "/rotate-secret", handle: h.rotateSecret,
			id: "rotate-webhook-secret", group: group, summary: "Rotate a webhook's secret",
			about: "Creates a new secret. For 24 hours, requests are signed with both secrets, so that the receiver " +
				"can switch without losing an event.",
			status: http.StatusOK, response: v1.Secrets{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodPost, path: one + "/test", handle: h.testWebhook,
			id: "test-webhook", group: group, summary: "Send a test event",
			about: "Sends a test event to this webhook, whichever events it subscribes to. Without a body, its type " +
				"is test and its payload is empty. With eventType, it is the sample of that type that this document " +
				"shows under Webhooks. Every test has the header svc-test: true. The service stores it as an event " +
				"of the type test. The delivery shows the result.",
			body: v1.WebhookTest{}, optional: true, status: http.StatusCreated, response: v1.Delivery{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodGet, path: one + "/deliveries", handle: h.listDeliveries,
			id: "list-deliveries", group: group, summary: "List a webhook's deliveries",
			about: "Lists what was sent to the webhook, newest first, with every attempt. " +
				"Deliveries are kept for 30 days, unless the operator has set a different period.",
			query: append([]parameter{
				choice("state", "Only deliveries in this state. Can be repeated.", lost.DeliveryStates()),
				choice("eventType", "Only deliveries of this event type. Can be repeated.", allEventTypes()),
				identifier("eventId", "Only deliveries of this event.", "evt_06f5q2k8h40v3w9d7n1m8x2b4c"),
			}, cursorPaging()...),
			status: http.StatusOK, response: v1.List[v1.Delivery]{},
		},
		{
			method: http.MethodPost, path: one + "/replay", handle: h.replayWebhook,
			id: "replay-webhook", group: group, summary: "Replay deliveries",
			about: "Repeats deliveries to this webhook: with since, all failed deliveries created at that time or " +
				"later; with eventId, only that event, even if it was never delivered to this webhook.",
			body: v1.Replay{}, status: http.StatusOK, response: v1.Replayed{},
			refuses: []lost.Code{lost.Conflict},
		},
	}
}

func (h webhookHandlers) createWebhook(c *call) error {
	patch, key, err := read(c, v1.DecodeWebhook)
	if err != nil {
		return err
	}
	e, err := h.services.Webhooks.CreateEndpoint(c.r.Context(), c.actor, patch, key)
	if err != nil {
		return err
	}
	tag, err := v1.TagOf(h.wire.Webhook(e)) // the tag of the record as it is retrieved, without the secret
	if err != nil {
		return err
	}
	c.w.Header().Set("ETag", tag)
	c.w.Header().Set("Location", "/v1/webhooks/"+e.ID)
	return respond.JSON(c.w, http.StatusCreated, h.wire.WebhookWithSecret(e))
}

func (h webhookHandlers) getWebhook(c *call) error {
	e, err := h.services.Webhooks.Endpoint(c.r.Context(), c.actor, c.path("id"))
	return writeRecord(c, e, err, h.wire.Webhook)
}

func (h webhookHandlers) listWebhooks(c *call) error {
	page, err := c.page()
	if err != nil {
		return err
	}
	l, err := h.services.Webhooks.Endpoints(c.r.Context(), c.actor, page)
	return writeList(c, l, err, h.wire.Webhook)
}

func (h webhookHandlers) updateWebhook(c *call) error {
	patch, _, err := read(c, v1.DecodeWebhook)
	if err != nil {
		return err
	}
	unchanged, err := ifMatch(c, h.wire.Webhook)
	if err != nil {
		return err
	}
	e, err := h.services.Webhooks.UpdateEndpoint(c.r.Context(), c.actor, c.path("id"), patch, unchanged...)
	return writeRecord(c, e, err, h.wire.Webhook)
}

func (h webhookHandlers) deleteWebhook(c *call) error {
	unchanged, err := ifMatch(c, h.wire.Webhook)
	if err != nil {
		return err
	}
	return c.writeDeleted(h.services.Webhooks.DeleteEndpoint(c.r.Context(), c.actor, c.path("id"), unchanged...))
}

func (h webhookHandlers) getSecret(c *call) error {
	e, err := h.services.Webhooks.Secret(c.r.Context(), c.actor, c.path("id"))
	return writeRecord(c, e, err, h.wire.Secrets)
}

func (h webhookHandlers) rotateSecret(c *call) error {
	key, err := c.emptyBody()
	if err != nil {
		return err
	}
	e, err := h.services.Webhooks.RotateSecret(c.r.Context(), c.actor, c.path("id"), key)
	return writeRecord(c, e, err, h.wire.Secrets)
}

func (h webhookHandlers) testWebhook(c *call) error {
	patch, key, err := readOptional(c, v1.DecodeWebhookTest)
	if err != nil {
		return err
	}
	sample, err := patch.Sample()
	if err != nil {
		return err
	}
	d, err := h.services.Webhooks.TestEndpoint(c.r.Context(), c.actor, c.path("id"), sample, key)
	if err != nil {
		return err
	}
	return c.writeCreated("/v1/deliveries/"+url.PathEscape(d.ID), h.wire.Delivery(d))
}

func (h webhookHandlers) listDeliveries(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	f := lost.DeliveryFilter{
		Endpoint: c.path("id"), Event: q.identifier("eventId"), Page: q.page(),
		States: oneOf(q, "state", lost.DeliveryStates()), Types: oneOf(q, "eventType", allEventTypes()),
	}
	if err := q.err(); err != nil {
		return err
	}
	l, err := h.services.Webhooks.Deliveries(c.r.Context(), c.actor, f)
	return writeList(c, l, err, h.wire.Delivery)
}

func (h webhookHandlers) replayWebhook(c *call) error {
	patch, key, err := read(c, v1.DecodeReplay)
	if err != nil {
		return err
	}
	n, err := h.services.Webhooks.Replay(c.r.Context(), c.actor, c.path("id"), patch, key)
	return writeRecord(c, n, err, func(n int) v1.Replayed { return v1.Replayed{Replayed: n} })
}
