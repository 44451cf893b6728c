package api

import (
	"net/http"

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

func choice[T ~string](name, about string, allowed []T) parameter {
	return parameter{name: name, about: about, example: string(allowed[0]), repeatable: true, schema: map[string]any{"type": "string", "enum": allowed}}
}

const matching = "It matches any part of a text, ignoring case and accents; of several words, each must match somewhere."

// operations is everything that /v1 can do.
func (a *API) operations() []operation {
	return append(append(a.locationOperations(), a.itemOperations()...), a.accountOperations()...)
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
			about: "Records an item found at the location. Only its description is required.",
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
			about: "Moves the item to any of the eight statuses. Setting the status it already has changes no status; new details that come along are kept.",
			body:  v1.Move{}, status: http.StatusOK, answer: v1.Item{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodGet, path: one + "/history", handle: a.listHistory,
			id: "list-history", group: group, summary: "List an item's history",
			about: "Tells who did what to the item and when, newest first. It names the fields that changed, not their values.",
			query: paging(), status: http.StatusOK, answer: v1.List[v1.Entry]{},
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
