package api

import (
	"reflect"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

// webhooks describes the requests that the service sends to webhooks.
func (s *schemas) webhooks() object {
	t := reflect.TypeFor[v1.EventBody]()
	event := func(name lost.EventType, change func(payload, item *object)) object {
		example := s.sample(t, false, false)
		payload, _ := example.get("payload").(object)
		item, _ := payload.get("item").(object)
		change(&payload, &item)
		payload.set("item", item)
		example.set("eventType", string(name))
		example.set("payload", payload)
		return example
	}
	chosen := event(lost.PickupEvent, func(payload, item *object) {
		item.set("status", string(lost.PickUp))
		payload.set("pickupDate", "2026-11-20")
		payload.set("pickupTime", "14:30")
	})
	filed := event(lost.RequestEvent, func(_, item *object) {
		item.set("source", string(lost.Request))
		claim := s.sample(reflect.TypeFor[v1.Claim](), false, false)
		claim.set("state", string(lost.RequestPending))
		claim.drop("matchedItemId")
		item.drop("discoveryPlace", "discoveryDate", "storagePlace", "notes", "imageUrl", "shipping", "storeUntil")
		item.set("images", []any{})
		item.set("request", claim)
	})
	paid := event(lost.LabelEvent, s.setPaidExample)
	return object{
		{"event", s.webhook("receive-event", "Receive an event",
			"A request to a registered address. Only 200 counts as received; after any other response, it is sent "+
				"again after 15, 60, 120, 240 and 480 s. An event may arrive more than once, and events may arrive "+
				"in any order: webhook-id identifies repeats, and eventTime gives the order. If the day or time of a "+
				"pick-up changes, pickup is sent again. There are two more "+
				"event types: test, which the account requests, and verification, which checks a new address. Their "+
				"payload is empty.", chosen)},
		{"request", s.webhook("receive-request", "Receive a request",
			"Sent when a claimant files a request, through the API or on the location's public page. payload.item is "+
				"the request: an item whose source is request. It is sent and signed like every event.", filed)},
		{"shipping-label", s.webhook("receive-shipping-label", "Receive a shipping label",
			"Sent after a fee was paid, as soon as the label and invoice are ready, and contains them. If there is no "+
				"address to ship to, it is sent immediately, without shippingDate, serviceName and files. If the "+
				"carrier permanently rejects the parcel, it has no files. It is sent and signed like every event.",
			paid)},
	}
}

// setPaidExample changes an example so that its fee is paid and it has a label.
func (s *schemas) setPaidExample(payload, item *object) {
	files := s.sample(reflect.TypeFor[v1.Files](), false, false)
	invoice, _ := files.get("invoice").(object)
	invoice.set("paper_size", "A4")
	invoice.set("url", "https://homeward.example/files/r7n1m8x2b4c6.pdf")
	files.set("invoice", invoice)
	shipping, _ := item.get("shipping").(object)
	shipping.set("recipient", s.sample(reflect.TypeFor[v1.Recipient](), false, false))
	shipping.set("service", "Standard parcel")
	shipping.set("price", s.sample(reflect.TypeFor[v1.Price](), false, false))
	shipping.set("payment", string(lost.PayStripe))
	shipping.set("shippingDate", "2026-11-20")
	document := s.sample(reflect.TypeFor[v1.Document](), false, false)
	shipping.set("documents", []any{document})
	item.set("shipping", shipping)
	item.set("status", string(lost.FeePaid))
	payload.set("shippingDate", "2026-11-20")
	payload.set("serviceName", "Standard parcel")
	payload.set("files", files)
}

// webhook describes one kind of request to a webhook.
func (s *schemas) webhook(id, summary, about string, example object) object {
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
