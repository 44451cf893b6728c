package v1

// webhookDescriptions describes the fields of the types in webhook.go.
var webhookDescriptions = map[string]Description{
	"EventBody.eventType": {"What happened.", "pickup"},
	"EventBody.eventTime": {"When it happened.", "2026-11-15T08:30:00.000Z"},
	"EventBody.payload":   {"Details of the event.", ""},

	"Payload.item": {
		"The item as it was when the event happened, in the format of get-item. Absent in test events and in " +
			"item-deleted.",
		"",
	},
	"Payload.message":        {"With message-received: the message from the guest.", ""},
	"Payload.previousStatus": {"The status before the change. Only for status-changed.", "PENDING"},
	"Payload.id": {
		"Identifier of the deleted item or request. Only for item-deleted.", "item_06f5q2k8h40v3w9d7n1m8x2b4c",
	},
	"Payload.locationId": {
		"The location that it was at. Only for item-deleted.", "loc_06f5q2k8h40v3w9d7n1m8x2b4c",
	},
	"Payload.deleted":   {"Always true. Only for item-deleted.", "true"},
	"Payload.updatedAt": {"When it was deleted. Only for item-deleted.", "2026-11-15T08:30:00.000Z"},

	"Payload.pickupDate":   {"The day of the pickup. Only for pickup.", "2026-11-20"},
	"Payload.pickupTime":   {"The time of the pickup, as HH:mm. Only for pickup.", "14:30"},
	"Payload.shippingDate": {"The day when the parcel is shipped. Only for shipping-label.", "2026-11-20"},
	"Payload.serviceName":  {"Name of the carrier's service. Only for shipping-label.", "Parcel EU"},
	"Payload.files":        {"Shipping label and invoice. Only for shipping-label.", ""},

	"Files.label":   {"The shipping label.", ""},
	"Files.invoice": {"The invoice for the shipping fee.", ""},

	"File.paper_size": {"Paper size.", "A6"},
	"File.url":        {"URL of the file.", "https://homeward.example/files/mv4x7q2k9d3w.pdf"},
	"File.file_type":  {"File type.", "pdf"},

	"Event.id":         {"Identifier.", "evt_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"Event.eventType":  {"What happened. A sample has the type test here.", "pickup"},
	"Event.eventTime":  {"When it happened.", "2026-11-15T08:30:00.000Z"},
	"Event.locationId": {"The location of the item; absent in test events.", "loc_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"Event.itemId":     {"The item; absent in test events.", "item_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"Event.payload": {
		"The payload that webhooks receive: the item as it was when the event happened, and the details of the " +
			"event. It does not change when the item is changed.",
		"",
	},

	"Webhook.id": {"Identifier.", "whk_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"Webhook.url": {
		"Where events are sent: an HTTPS URL on the public internet that responds to the verification " +
			"request with 200.",
		"https://hotel.example/hooks/homeward",
	},
	"Webhook.events": {
		"The event types that it receives. Absent if it receives pickup, discard, donate, shipping-label and " +
			"request. \"*\" stands for all types, including those of later versions.",
		"pickup,shipping-label",
	},
	"Webhook.locations": {
		"The locations whose events it receives; absent if it receives those of all locations. A location that is " +
			"deleted later stays in the list, and no longer has an effect.",
		"loc_06f5q2k8h40v3w9d7n1m8x2b4c",
	},
	"Webhook.enabled":     {"Whether the webhook is enabled. Disabling it cancels pending deliveries.", "true"},
	"Webhook.description": {"What the webhook is for.", "Property management system"},
	"Webhook.headers": {
		"Headers to send with each request, such as Authorization: at most 20, 4096 characters in total. " +
			"They are write-only and are replaced as a whole. headerNames lists their names. If an update changes " +
			"the scheme, host or port of the URL without sending headers, the headers are removed.",
		`{"Authorization":"Bearer 3k9f"}`,
	},
	"Webhook.headerNames": {"Names of the headers that are sent with each request.", "Authorization"},
	"Webhook.secret": {
		"The signing secret. It is returned when it is created or rotated, and by get-webhook-secret.",
		"whsec_4mFq8S1u2Zk0hTnW9cXyRbVtPdL6aJ3eGi7oQxN5wHs=",
	},
	"Webhook.failingSince": {
		"Time of the first failure since the last success. After five days, the webhook is disabled.",
		"2026-11-15T08:30:00.000Z",
	},
	"Webhook.disabledReason": {
		"Why the service disabled the webhook; absent if a person disabled it.",
		"Every delivery has failed for five days.",
	},
	"Webhook.createdAt": {"When it was registered.", "2026-11-15T08:30:00.000Z"},
	"Webhook.updatedAt": {updatedAtText, "2026-11-15T08:30:00.000Z"},

	"Secrets.secret":     {"The signing secret.", "whsec_4mFq8S1u2Zk0hTnW9cXyRbVtPdL6aJ3eGi7oQxN5wHs="},
	"Secrets.oldSecrets": {"Previous secrets that are still valid, newest first; at most 5.", ""},

	"OldSecret.secret": {"The secret.", "whsec_9wHsTnW9cXyRbVtPdL6aJ3eGi7oQxN5wHs4mFq8S1u2="},
	"OldSecret.until":  {"When it expires: 24 hours after it was replaced.", "2026-11-16T08:30:00.000Z"},

	"Delivery.id":        {"Identifier. Every attempt sends it as webhook-id.", "dlv_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"Delivery.eventId":   {"The event.", "evt_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"Delivery.eventType": {"What happened.", "pickup"},
	"Delivery.webhookId": {"The webhook.", "whk_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"Delivery.state":     {"State. A failed delivery was attempted six times and can be replayed.", "delivered"},
	"Delivery.nextAttemptAt": {
		"Time of the next attempt, while pending. During an attempt: when it is retried if the attempt ends " +
			"without a recorded result.",
		"2026-11-15T08:31:00.000Z",
	},
	"Delivery.attempts":  {"The last 30 attempts, oldest first.", ""},
	"Delivery.createdAt": {"When it was created.", "2026-11-15T08:30:00.000Z"},

	"Attempt.at":         {"When the attempt started.", "2026-11-15T08:30:00.000Z"},
	"Attempt.status":     {"HTTP status of the response; absent if there was none. Only 200 means success.", "200"},
	"Attempt.durationMs": {"Duration in milliseconds.", "84"},
	"Attempt.error":      {"Why the attempt failed, as text.", "answered 500 Internal Server Error"},
	"Attempt.response":   {"Start of the response, at most 2000 characters.", "ok"},

	"WebhookTest.eventType": {
		"The type of the sample to send. Without it, the event has the type test and an empty payload.", "pickup",
	},

	"Replay.since": {"Replay every failed delivery created at this time or later.", "2026-11-15T00:00:00.000Z"},
	"Replay.eventId": {
		"Replay only this event, whether or not it was delivered before.",
		"evt_06f5q2k8h40v3w9d7n1m8x2b4c",
	},

	"Replayed.replayed": {"Number of deliveries that will be repeated.", "3"},
}
