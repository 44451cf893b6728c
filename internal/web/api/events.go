package api

import (
	"net/http"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

// eventHandlers serves the operations on events and deliveries.
type eventHandlers struct{ handlers }

func (h eventHandlers) operations() []operation {
	const group = "Events and deliveries"
	return []operation{
		{
			method: http.MethodGet, path: "/v1/events", handle: h.listEvents,
			id: "list-events", group: group, summary: "List events",
			about: "Lists events, newest first, whether or not a webhook subscribes to them, and test events that " +
				"you requested. Without types, it lists those that webhooks receive by default, and tests. Events " +
				"are kept for as long as deliveries. Other types are kept for 30 days at most, unless they were sent.",
			query: append([]parameter{
				choice("types", "Only events of this type; * stands for all types, including those of later "+
					"versions. Can be repeated.", listedEventTypes()),
				choice("eventType", "The same as types, which is preferred.", allEventTypes()),
				identifier("itemId", "Only events of this item.", "item_06f5q2k8h40v3w9d7n1m8x2b4c"),
				since("since", "Only events since this time."),
			}, cursorPaging()...),
			status: http.StatusOK, response: v1.List[v1.Event]{},
		},
		{
			method: http.MethodGet, path: "/v1/events/{id}", handle: h.getEvent,
			id: "get-event", group: group, summary: "Retrieve an event",
			about:  "Returns one event.",
			status: http.StatusOK, response: v1.Event{},
		},
		{
			method: http.MethodGet, path: "/v1/deliveries/{id}", handle: h.getDelivery,
			id: "get-delivery", group: group, summary: "Retrieve a delivery",
			about:  "Returns one delivery with every attempt.",
			status: http.StatusOK, response: v1.Delivery{},
		},
		{
			method: http.MethodPost, path: "/v1/deliveries/{id}/replay", handle: h.replayDelivery,
			id: "replay-delivery", group: group, summary: "Replay a delivery",
			about: "Repeats a delivery that has succeeded or failed, including its retries. " +
				"Its body and its webhook-id stay the same.",
			status: http.StatusOK, response: v1.Delivery{},
			refuses: []lost.Code{lost.Conflict},
		},
	}
}

// listedEventTypes returns the values that select events of a list.
func listedEventTypes() []lost.EventType { return append(allEventTypes(), lost.AllEvents) }

func (h eventHandlers) listEvents(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	since := q.since("since")
	f := lost.EventFilter{
		Types: append(oneOf(q, "types", listedEventTypes()), oneOf(q, "eventType", allEventTypes())...),
		Item:  q.identifier("itemId"), Page: q.page(),
	}
	if err := q.err(); err != nil {
		return err
	}
	if q.changes {
		l, err := h.services.Webhooks.EventsSince(c.r.Context(), c.actor, f, since)
		return writeChanges(c, l, err, h.wire.Event)
	}
	l, err := h.services.Webhooks.Events(c.r.Context(), c.actor, f)
	return writeList(c, l, err, h.wire.Event)
}

func (h eventHandlers) getEvent(c *call) error {
	e, err := h.services.Webhooks.Event(c.r.Context(), c.actor, c.path("id"))
	return writeRecord(c, e, err, h.wire.Event)
}

func (h eventHandlers) getDelivery(c *call) error {
	d, err := h.services.Webhooks.Delivery(c.r.Context(), c.actor, c.path("id"))
	return writeRecord(c, d, err, h.wire.Delivery)
}

func (h eventHandlers) replayDelivery(c *call) error {
	key, err := c.emptyBody()
	if err != nil {
		return err
	}
	d, err := h.services.Webhooks.ReplayDelivery(c.r.Context(), c.actor, c.path("id"), key)
	return writeRecord(c, d, err, h.wire.Delivery)
}
