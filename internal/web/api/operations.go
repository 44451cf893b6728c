package api

import (
	"net/http"
	"slices"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

// operation is one thing a client program can do: the handler, and what the
// OpenAPI document says about it. An operation cannot be served without being described.
type operation struct {
	method, path string
	handle       func(*call) error

	id, group, summary, about string

	query   []parameter
	body    any    // a value of the type whose input fields are sent; nil for none
	partial bool   // of the body: nothing is required, and null clears
	upload  string // form part that holds a file; "" for none
	status  int
	answer  any // a value of the type answered; nil for no body
	refuses []lost.Code
}

// parameter is a query parameter.
type parameter struct {
	name, about, example string
	schema               map[string]any
	repeatable           bool
}

func term(about string) parameter {
	return parameter{name: "term", about: about, example: "umbrella", schema: map[string]any{"type": "string", "maxLength": lost.MaxTerm}}
}

func paging() []parameter {
	return []parameter{
		{name: "limit", about: "Records a page.", example: "10",
			schema: map[string]any{"type": "integer", "minimum": lost.MinLimit, "maximum": lost.MaxLimit, "default": lost.DefaultLimit}},
		{name: "page", about: "Number of the page. One past the end is empty.", example: "1",
			schema: map[string]any{"type": "integer", "minimum": 1, "default": 1}},
	}
}

func day(name, about string) parameter {
	return parameter{name: name, about: about, example: "2026-11-14", schema: map[string]any{"type": "string", "format": "date"}}
}

func identifier(name, about, example string) parameter {
	return parameter{name: name, about: about, example: example, schema: map[string]any{"type": "string", "maxLength": maxIdentifier}}
}

func country(name, about string) parameter {
	return parameter{name: name, about: about, example: "PL", schema: map[string]any{"type": "string", "pattern": "^[A-Za-z]{2}$"}}
}

// maxIdentifier is longer than any identifier.
const maxIdentifier = 100

func choice[T ~string](name, about string, allowed []T) parameter {
	return parameter{name: name, about: about, example: string(allowed[0]), repeatable: true, schema: map[string]any{"type": "string", "enum": allowed}}
}

const matching = "It matches any part of a text, ignoring case and accents; of several words, each must match somewhere."

// operations is everything that /v1 can do.
func (a *API) operations() []operation {
	return slices.Concat(a.locationOperations(), a.itemOperations(), a.requestOperations(), a.shippingOperations(), a.messageOperations(), a.webhookOperations(), a.eventOperations(), a.personOperations(), a.accountOperations())
}

func (a *API) locationOperations() []operation {
	const group, path, one = "Locations", "/v1/locations", "/v1/locations/{id}"
	return []operation{
		{
			method: http.MethodPost, path: path, handle: a.createLocation,
			id: "create-location", group: group, summary: "Create a location",
			about: "Adds a place that holds lost items. Only its name is required.",
			body:  v1.Location{}, status: http.StatusCreated, answer: v1.Location{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodGet, path: path, handle: a.listLocations,
			id: "list-locations", group: group, summary: "List locations",
			about:  "Lists the account's locations by name, ignoring case and accents.",
			query:  append([]parameter{term("Searches names, descriptions, contact e-mail addresses and contact names. " + matching)}, paging()...),
			status: http.StatusOK, answer: v1.List[v1.Location]{},
		},
		{
			method: http.MethodGet, path: one, handle: a.getLocation,
			id: "get-location", group: group, summary: "Retrieve a location",
			about:  "Gives one location.",
			status: http.StatusOK, answer: v1.Location{},
		},
		{
			method: http.MethodPut, path: one, handle: a.updateLocation,
			id: "update-location", group: group, summary: "Update a location",
			about: "Sets only what is passed. null clears an optional field; nested objects merge the same way, and null clears a whole one. " +
				"A record may be sent back whole: fields that the service sets are accepted when they are unchanged.",
			body: v1.Location{}, partial: true, status: http.StatusOK, answer: v1.Location{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodDelete, path: one, handle: a.deleteLocation,
			id: "delete-location", group: group, summary: "Delete a location",
			about:  "Deletes the location and all its items, for good. It cannot be undone.",
			status: http.StatusNoContent,
		},
		{
			method: http.MethodPost, path: one + "/upload-logo", handle: a.uploadLogo,
			id: "upload-logo", group: group, summary: "Upload a logo",
			about:  "Takes a JPEG, PNG, WebP or GIF of at most 2 MiB and 50 megapixels, recognised by its content. Metadata is removed. It becomes the location's logoUrl.",
			upload: "logo", status: http.StatusOK, answer: v1.Location{},
			refuses: []lost.Code{lost.Conflict},
		},
	}
}

func (a *API) itemOperations() []operation {
	const group, path, one = "Items", "/v1/locations/{lid}/items", "/v1/locations/{lid}/items/{id}"
	return []operation{
		{
			method: http.MethodPost, path: path, handle: a.createItem,
			id: "create-item", group: group, summary: "Create an item",
			about: "Records an item found at the location. Only its description is required. An owner with an e-mail address or phone number is told at once.",
			body:  v1.Item{}, status: http.StatusCreated, answer: v1.Item{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodGet, path: path, handle: a.listItems,
			id: "list-items", group: group, summary: "List items",
			about: "Lists the location's items, newest first.",
			query: append([]parameter{
				term("Searches description, brand, model, color, reference and the guest's names, e-mail address and phone number. " + matching),
				choice("status", "Only items with this status. May be given more than once.", lost.Statuses()),
				choice("source", "Only items from this source.", lost.Sources()),
				day("from", "Only items found on this day or later."),
				day("to", "Only items found on this day or earlier."),
			}, paging()...),
			status: http.StatusOK, answer: v1.List[v1.Item]{},
		},
		{
			method: http.MethodGet, path: one, handle: a.getItem,
			id: "get-item", group: group, summary: "Retrieve an item",
			about:  "Gives one item. Webhooks carry the same record.",
			status: http.StatusOK, answer: v1.Item{},
		},
		{
			method: http.MethodPut, path: one, handle: a.updateItem,
			id: "update-item", group: group, summary: "Update an item",
			about: "Sets only what is passed. null clears an optional field; nested objects merge the same way, and null clears a whole one. " +
				"A record may be sent back whole: fields that the service sets are accepted when they are unchanged, and so is a storagePlace that comes from the location.",
			body: v1.Item{}, partial: true, status: http.StatusOK, answer: v1.Item{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodDelete, path: one, handle: a.deleteItem,
			id: "delete-item", group: group, summary: "Delete an item",
			about:  "Deletes the item with its history and images, for good. It cannot be undone.",
			status: http.StatusNoContent,
		},
		{
			method: http.MethodPost, path: one + "/upload-image", handle: a.uploadImage,
			id: "upload-image", group: group, summary: "Upload an image",
			about: "Takes a JPEG, PNG, WebP or GIF of at most 10 MiB and 50 megapixels, recognised by its content. Metadata, with the place it was taken at, is removed; " +
				"orientation is applied. It becomes the item's imageUrl and stands first in images.",
			upload: "image", status: http.StatusOK, answer: v1.Item{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodPut, path: one + "/update-status", handle: a.updateStatus,
			id: "update-status", group: group, summary: "Set an item's status",
			about: "Moves the item to any of the eight statuses. Setting the status it already has changes no status; new details that come along are kept. " +
				"FEE PAID says that the desk has the fee: where the owner has given an address, the label is bought at once in the background, and the shipping-label event follows with label and invoice; " +
				"without an address it follows at once. A request has no other status than PENDING and is a conflict here: it is accepted or rejected.",
			body: v1.Move{}, status: http.StatusOK, answer: v1.Item{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodGet, path: one + "/matches", handle: a.listItemMatches,
			id: "list-item-matches", group: group, summary: "List the requests that a find may answer",
			about: "Lists the requests that may be about the find, best first, at most 100: the same pairs as the matches of requests, seen from the other side. " +
				"A find that is not PENDING or has an owner who can be reached has none.",
			query: paging(), status: http.StatusOK, answer: v1.List[v1.MatchedRequest]{},
		},
		{
			method: http.MethodGet, path: one + "/history", handle: a.listHistory,
			id: "list-history", group: group, summary: "List an item's history",
			about: "Tells who did what to the item and when, newest first. It names the fields that changed, not their values.",
			query: paging(), status: http.StatusOK, answer: v1.List[v1.Entry]{},
		},
	}
}

func (a *API) requestOperations() []operation {
	const group, path, one = "Requests", "/v1/locations/{lid}/requests", "/v1/locations/{lid}/requests/{id}"
	return []operation{
		{
			method: http.MethodPost, path: path, handle: a.createRequest,
			id: "create-request", group: group, summary: "File a request",
			about: "Records what a claimant has lost at the location. A description and a way to reach the claimant are required. The claimant is sent an acknowledgement with a link " +
				"to follow the request; webhooks carry a request event.",
			body: v1.Request{}, status: http.StatusCreated, answer: v1.Item{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodGet, path: path, handle: a.listRequests,
			id: "list-requests", group: group, summary: "List requests",
			about: "Lists the location's requests, newest first. They are among its items too.",
			query: append([]parameter{
				term("Searches as in the list of items. " + matching),
				choice("state", "Only requests in this state. May be given more than once.", lost.RequestStates()),
			}, paging()...),
			status: http.StatusOK, answer: v1.List[v1.Item]{},
		},
		{
			method: http.MethodGet, path: one, handle: a.getRequest,
			id: "get-request", group: group, summary: "Retrieve a request",
			about:  "Gives one request. It can be retrieved, changed and deleted as an item too.",
			status: http.StatusOK, answer: v1.Item{},
		},
		{
			method: http.MethodPut, path: one + "/update-status", handle: a.decideRequest,
			id: "update-request-status", group: group, summary: "Accept or reject a request",
			about: "Accepting puts the claimant on a found item of the location, or of a sister, as its owner, tells them, and makes the request MATCHED. The found item must be PENDING and have no other owner. " +
				"Rejecting sends a kind answer and makes it REJECTED. A request is decided once; after that it is a conflict.",
			body: v1.Decision{}, status: http.StatusOK, answer: v1.Item{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodGet, path: one + "/matches", handle: a.listRequestMatches,
			id: "list-request-matches", group: group, summary: "List what may be it",
			about: "Lists the finds that may be what the request is about, best first, at most 100: those that wait for an owner, at this location or at a sister. They are looked for in the background " +
				"whenever a find or a request appears or changes; the answer waits for that, for at most 3 seconds. A request that is decided has none. Claimants are never shown them.",
			query: paging(), status: http.StatusOK, answer: v1.List[v1.MatchedItem]{},
		},
		{
			method: http.MethodDelete, path: one + "/matches/{itemId}", handle: a.refuseMatch,
			id: "refuse-match", group: group, summary: "Say that it is not this one",
			about:  "Takes a find off the request's matches, for good: it is never suggested for it again, whatever changes. Both histories tell who said so. Saying it again changes nothing.",
			status: http.StatusNoContent,
		},
	}
}

func (a *API) shippingOperations() []operation {
	const group, one = "Shipping", "/v1/locations/{lid}/items/{id}"
	return []operation{
		{
			method: http.MethodGet, path: one + "/quotes", handle: a.quoteItem,
			id: "list-quotes", group: group, summary: "Quote the shipping of an item",
			about: "Tells what sending the item would cost, by its weight and box: to a country, or to where its owner wants it. It is no list of pages, and nothing is bought. " +
				"data is empty where no price can be told: neither weight nor box nor isDocument is known, it is too heavy for the tariff, it or its location sends nothing, or the carrier needs the owner's whole address.",
			query:  []parameter{country("country", "The country it would go to, by its code. Required while the owner has given no address; without it, the address is meant.")},
			status: http.StatusOK, answer: v1.Quotes{},
		},
		{
			method: http.MethodPost, path: one + "/label", handle: a.retryLabel,
			id: "retry-label", group: group, summary: "Try for a label again",
			about: "Has a label bought once more that the carrier has refused, after what it minded was mended: the task label-refused says what that was. The owner is charged nothing. " +
				"Where no label was refused it is a conflict.",
			status: http.StatusOK, answer: v1.Item{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodPost, path: one + "/refund", handle: a.refundItem,
			id: "refund-item", group: group, summary: "Give the fee back",
			about: "Has the whole fee given back that was paid for the item, and its label with it where the carrier takes it. shipping.refund tells how far that is; the owner is told when it is done. " +
				"An item that is FEE PAID becomes PENDING, for its owner to choose again. Where nothing was paid, or the fee is given back already, it is a conflict.",
			body: v1.Refund{}, status: http.StatusOK, answer: v1.Item{},
			refuses: []lost.Code{lost.Conflict},
		},
	}
}

func (a *API) messageOperations() []operation {
	const group, one = "Messages and tasks", "/v1/locations/{lid}/items/{id}"
	return []operation{
		{
			method: http.MethodGet, path: one + "/messages", handle: a.listMessages,
			id: "list-messages", group: group, summary: "List an item's messages",
			about: "Lists the messages to the owner or claimant, newest first, with what became of each. A key that may write is shown what they say, in the words of today: " +
				"they hold the guest's private link, for as long as it works. Whoever has that link can choose in the guest's place.",
			query: paging(), status: http.StatusOK, answer: v1.List[v1.Message]{},
		},
		{
			method: http.MethodPost, path: one + "/notify", handle: a.notifyOwner,
			id: "notify-owner", group: group, summary: "Notify the owner again",
			about:  "Writes to the owner or claimant once more, with a link that works from now on; a link that was revoked is replaced by a new one. An item without an address to write to is a conflict, and so is one with 100 messages.",
			status: http.StatusOK, answer: v1.Message{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodPost, path: one + "/revoke-link", handle: a.revokeLink,
			id: "revoke-link", group: group, summary: "Revoke the owner's link",
			about:  "Makes the owner's private link to the item lead nowhere, at once. The next message brings a new one.",
			status: http.StatusOK, answer: v1.Item{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodGet, path: "/v1/locations/{lid}/tasks", handle: a.listTasks,
			id: "list-tasks", group: group, summary: "List a location's tasks",
			about: "Lists what waits for the location's desk, oldest first: requests to answer, missed pick-ups, what is to be shipped, what is kept for too long, owners who say that it is not theirs " +
				"or who could not be reached, labels that the carrier refused, parcels in trouble, and money that is to be given back. A task goes away by itself when it is done.",
			query: paging(), status: http.StatusOK, answer: v1.List[v1.Task]{},
		},
	}
}

func (a *API) webhookOperations() []operation {
	const group, path, one = "Webhooks", "/v1/webhooks", "/v1/webhooks/{id}"
	return []operation{
		{
			method: http.MethodPost, path: path, handle: a.createWebhook,
			id: "create-webhook", group: group, summary: "Register a webhook",
			about: "Registers an address that hears of events. It is sent a signed check, a POST of {\"eventType\":\"verification\",…}, and registered only if it answers 200. " +
				"The answer shows the secret that signs. Every request carries svc-signature and the headers of Standard Webhooks.",
			body: v1.Webhook{}, status: http.StatusCreated, answer: v1.Webhook{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodGet, path: path, handle: a.listWebhooks,
			id: "list-webhooks", group: group, summary: "List webhooks",
			about: "Lists the account's webhooks, oldest first.",
			query: paging(), status: http.StatusOK, answer: v1.List[v1.Webhook]{},
		},
		{
			method: http.MethodGet, path: one, handle: a.getWebhook,
			id: "get-webhook", group: group, summary: "Retrieve a webhook",
			about:  "Gives one webhook, without its secret.",
			status: http.StatusOK, answer: v1.Webhook{},
		},
		{
			method: http.MethodPut, path: one, handle: a.updateWebhook,
			id: "update-webhook", group: group, summary: "Update a webhook",
			about: "Sets only what is passed. A new url is checked as at registration. headers are replaced as a whole. " +
				"Switching it off cancels what is on its way; switching it on again forgets past failures.",
			body: v1.Webhook{}, partial: true, status: http.StatusOK, answer: v1.Webhook{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodDelete, path: one, handle: a.deleteWebhook,
			id: "delete-webhook", group: group, summary: "Delete a webhook",
			about:  "Deletes the webhook and cancels what is on its way to it.",
			status: http.StatusNoContent,
		},
		{
			method: http.MethodGet, path: one + "/secret", handle: a.getSecret,
			id: "get-webhook-secret", group: group, summary: "Retrieve a webhook's secret",
			about:  "Gives the secret that signs, and the one before while it signs too. A read-only key may not.",
			status: http.StatusOK, answer: v1.Secrets{},
		},
		{
			method: http.MethodPost, path: one + "/rotate-secret", handle: a.rotateSecret,
			id: "rotate-webhook-secret", group: group, summary: "Rotate a webhook's secret",
			about:  "Makes a new secret. For 24 hours the old one signs beside it, so that the receiver can change over without losing an event.",
			status: http.StatusOK, answer: v1.Secrets{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodPost, path: one + "/test", handle: a.testWebhook,
			id: "test-webhook", group: group, summary: "Send a test event",
			about:  "Sends an event of the type test to this webhook, whatever events it wants. Its delivery shows how that went.",
			status: http.StatusCreated, answer: v1.Delivery{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodGet, path: one + "/deliveries", handle: a.listDeliveries,
			id: "list-deliveries", group: group, summary: "List a webhook's deliveries",
			about: "Lists what was sent to the webhook, newest first, with every attempt. Deliveries are kept for 30 days, unless the operator has chosen another time.",
			query: append([]parameter{
				choice("state", "Only deliveries in this state. May be given more than once.", lost.DeliveryStates()),
				choice("eventType", "Only deliveries of this type of event. May be given more than once.", everyEvent()),
				identifier("eventId", "Only deliveries of this event.", "evt_06f5q2k8h40v3w9d7n1m8x2b4c"),
			}, paging()...),
			status: http.StatusOK, answer: v1.List[v1.Delivery]{},
		},
		{
			method: http.MethodPost, path: one + "/replay", handle: a.replayWebhook,
			id: "replay-webhook", group: group, summary: "Replay deliveries",
			about: "Makes deliveries to this webhook once more: with since, all that failed and were made at that time or later; with eventId, that event alone, " +
				"whether the webhook heard of it before or not.",
			body: v1.Replay{}, status: http.StatusOK, answer: v1.Replayed{},
			refuses: []lost.Code{lost.Conflict},
		},
	}
}

func (a *API) eventOperations() []operation {
	const group = "Events and deliveries"
	return []operation{
		{
			method: http.MethodGet, path: "/v1/events", handle: a.listEvents,
			id: "list-events", group: group, summary: "List events",
			about: "Lists what happened to items, newest first, whether a webhook wanted it or not, and the test events that were asked for. Events are kept as long as deliveries.",
			query: append([]parameter{
				choice("eventType", "Only events of this type. May be given more than once.", everyEvent()),
				identifier("itemId", "Only events of this item.", "item_06f5q2k8h40v3w9d7n1m8x2b4c"),
			}, paging()...),
			status: http.StatusOK, answer: v1.List[v1.Event]{},
		},
		{
			method: http.MethodGet, path: "/v1/events/{id}", handle: a.getEvent,
			id: "get-event", group: group, summary: "Retrieve an event",
			about:  "Gives one event.",
			status: http.StatusOK, answer: v1.Event{},
		},
		{
			method: http.MethodGet, path: "/v1/deliveries/{id}", handle: a.getDelivery,
			id: "get-delivery", group: group, summary: "Retrieve a delivery",
			about:  "Gives one delivery with every attempt.",
			status: http.StatusOK, answer: v1.Delivery{},
		},
		{
			method: http.MethodPost, path: "/v1/deliveries/{id}/replay", handle: a.replayDelivery,
			id: "replay-delivery", group: group, summary: "Replay a delivery",
			about:  "Makes a settled delivery once more, with all its retries before it. Its body and its webhook-id stay the same.",
			status: http.StatusOK, answer: v1.Delivery{},
			refuses: []lost.Code{lost.Conflict},
		},
	}
}

func (a *API) accountOperations() []operation {
	const group, path, one = "Account and keys", "/v1/keys", "/v1/keys/{id}"
	return []operation{
		{
			method: http.MethodGet, path: "/v1/account", handle: a.getAccount,
			id: "get-account", group: group, summary: "Retrieve the account",
			about:  "Gives the account that the key belongs to, and what the key may do.",
			status: http.StatusOK, answer: v1.Account{},
		},
		{
			method: http.MethodPost, path: path, handle: a.createKey,
			id: "create-key", group: group, summary: "Create an API key",
			about: "Makes a key for the account. The answer shows the key once; it is kept only as a hash. " +
				"A key can be read-only, limited to some locations, and expire.",
			body: v1.Key{}, status: http.StatusCreated, answer: v1.Key{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodGet, path: path, handle: a.listKeys,
			id: "list-keys", group: group, summary: "List API keys",
			about: "Lists the account's keys, newest first, revoked ones included.",
			query: paging(), status: http.StatusOK, answer: v1.List[v1.Key]{},
		},
		{
			method: http.MethodGet, path: one, handle: a.getKey,
			id: "get-key", group: group, summary: "Retrieve an API key",
			about:  "Gives what is known about a key, without the key itself.",
			status: http.StatusOK, answer: v1.Key{},
		},
		{
			method: http.MethodDelete, path: one, handle: a.revokeKey,
			id: "revoke-key", group: group, summary: "Revoke an API key",
			about:  "Makes the key open nothing any more, at once. Revoking it again changes nothing.",
			status: http.StatusNoContent,
		},
	}
}
