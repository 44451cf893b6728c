package api

import (
	"encoding/json"
	"reflect"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

// webhookTexts describes the events that webhooks receive.
var webhookTexts = map[lost.EventType]struct{ summary, about string }{
	lost.PickupEvent: {
		"Receive a pick-up", "Sent when the owner wants to collect an item, and again if the day or time changes.",
	},
	lost.DiscardEvent: {"Receive a discarded item", "Sent when the owner does not want the item back."},
	lost.DonateEvent:  {"Receive a donation", "Sent when the owner donates the item."},
	lost.LabelEvent: {
		"Receive a shipping label",
		"Sent after a fee was paid, as soon as the label and invoice are ready, and contains them. If there is no " +
			"address to ship to, it is sent immediately, without shippingDate, serviceName and files. If the " +
			"carrier permanently rejects the parcel, it has no files.",
	},
	lost.RequestEvent: {
		"Receive a request",
		"Sent when a claimant files a request, through the API or on the location's public page. payload.item is " +
			"the request: an item whose source is request.",
	},
	lost.ItemCreatedEvent: {"Receive a new item", "Sent when a found item is recorded." + optIn},
	lost.ItemUpdatedEvent: {
		"Receive a changed item",
		"Sent when anything but the status of a found item has changed: when its updatedAt has." + optIn,
	},
	lost.StatusChangedEvent: {
		"Receive a changed status",
		"Sent when a found item has another status, also if the owner has changed or withdrawn a choice. " +
			"payload.previousStatus is the status before. If the same change has also set other fields, " +
			"item-updated is sent too." + optIn,
	},
	lost.ItemDeletedEvent: {
		"Receive a deleted item",
		"Sent when a found item or a request is deleted, also with its location. It has no payload.item." + optIn,
	},
	lost.RequestUpdatedEvent: {"Receive a changed request", "Sent when a request was changed or decided." + optIn},
	lost.MessageReceivedEvent: {
		"Receive a message from a guest",
		"Sent when an owner or claimant wrote in the conversation about an item or request. payload.message is " +
			"what they wrote." + optIn,
	},
}

const optIn = " Only webhooks that list this type, or *, in events receive it."

// sending says how every event is sent.
const sending = " Only 200 counts as received; after any other response, it is sent again after 15, 60, 120, 240 " +
	"and 480 s. An event may arrive more than once, and events may arrive in any order: webhook-id identifies " +
	"repeats, and eventTime gives the order. There are two more event types: test, which the account requests, and " +
	"verification, which checks a new address. Their payload is empty."

// webhooks describes the requests that the service sends to webhooks. The examples are the samples that test-webhook
// sends.
func (s *schemas) webhooks() (out object, err error) {
	for _, t := range lost.EventTypes() {
		example, err := v1.SampleEvent(t)
		if err != nil {
			return nil, err
		}
		text := webhookTexts[t]
		out.set(string(t), s.webhook("receive-"+string(t), text.summary, text.about+sending, json.RawMessage(example)))
	}
	return out, nil
}

// webhook describes one kind of request to a webhook.
func (s *schemas) webhook(id, summary, about string, example json.RawMessage) object {
	header := func(name string, required bool, about, example string) object {
		return object{
			{"name", name}, {"in", "header"}, {"required", required}, {"description", about},
			{"schema", object{{"type", "string"}, {"examples", []any{example}}}},
		}
	}
	body := object{{"schema", s.ref(reflect.TypeFor[v1.EventBody](), inResponse)}, {"example", example}}
	return object{{"post", object{
		{"operationId", id},
		{"tags", []string{"Webhooks"}},
		{"summary", summary},
		{"description", about},
		{"security", []any{}},
		{"parameters", []any{
			header("svc-signature", true,
				"t=<unix seconds>,v1=<hex HMAC-SHA256 of t, a dot and the body, keyed with the whole secret>; "+
					"one v1 for each secret during a rotation.", "t=1794731400,v1=5257a869e7ec"),
			header("webhook-id", true, "Identifies the delivery; the same on every attempt.",
				"dlv_06f5q2k8h40v3w9d7n1m8x2b4c"),
			header("svc-event-id", false,
				"Identifies the event; the same in all its deliveries. Absent in verification requests.",
				"evt_06f5q2k8h40v3w9d7n1m8x2b4c"),
			header("svc-test", false, "true in test events, which may be samples. Absent in all others.", "true"),
			header("webhook-timestamp", true, "When the attempt was signed, in unix seconds.", "1794731400"),
			header("webhook-signature", true, "Signatures in the format of Standard Webhooks.",
				"v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="),
		}},
		{"requestBody", object{
			{"description", "The event. Its bytes are the same on every attempt."},
			{"required", true},
			{"content", object{{jsonType, body}}},
		}},
		{"responses", object{{"200", object{{"description", "The event was received."}}}}},
	}}}
}
