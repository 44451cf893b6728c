package api

import (
	"fmt"
	"net/http"
	"time"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

// itemHandlers serves the operations on items.
type itemHandlers struct{ handlers }

func (h itemHandlers) operations() []operation {
	const group, path, one = "Items", "/v1/locations/{lid}/items", "/v1/locations/{lid}/items/{id}"
	return []operation{
		{
			method: http.MethodPost, path: path, handle: h.createItem,
			id: "create-item", group: group, summary: "Create an item",
			about: "Records an item found at the location. Only the description is required. " +
				"An owner with an e-mail address or phone number is notified immediately.",
			body: v1.Item{}, status: http.StatusCreated, response: v1.Item{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodGet, path: path, handle: h.listItems,
			id: "list-items", group: group, summary: "List items",
			about: "Lists the location's items, newest first or, with q, best first.",
			query: itemFilters(), status: http.StatusOK, response: v1.List[v1.ListedItem]{},
		},
		{
			method: http.MethodGet, path: "/v1/items", handle: h.listItems,
			id: "list-all-items", group: group, summary: "List items of all locations",
			about:  "Lists the items of all locations that the key can access, newest first or, with q, best first.",
			query:  append([]parameter{locationFilter()}, itemFilters()...),
			status: http.StatusOK, response: v1.List[v1.ListedItem]{},
		},
		{
			method: http.MethodGet, path: one, handle: h.getItem,
			id: "get-item", group: group, summary: "Retrieve an item",
			about:  "Returns one item. Webhooks contain the same record.",
			status: http.StatusOK, response: v1.Item{},
		},
		{
			method: http.MethodPut, path: one, handle: h.updateItem,
			conditional: true, id: "update-item", group: group, summary: "Update an item",
			about: "Changes only the fields that are sent. null clears an optional field or a whole nested object; " +
				"other nested objects are merged. You may send a whole record back: fields that the service sets are " +
				"accepted if they are unchanged, in any time zone and precision. A storagePlace that comes from the " +
				"location then stays inherited. If the record has changed since you read it, its updatedAt is a " +
				"conflict with the code stale.",
			body: v1.Item{}, partial: true, status: http.StatusOK, response: v1.Item{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodDelete, path: one, handle: h.deleteItem,
			conditional: true, id: "delete-item", group: group, summary: "Delete an item",
			about: "Deletes the item with its history and images. This cannot be undone. While the owner has paid " +
				"for shipping and the parcel has not arrived, deleting is a conflict: refund the fee first. It is " +
				"also a conflict until a requested refund is done.",
			status:  http.StatusNoContent,
			refuses: []lost.Code{lost.Conflict},
		},
	}
}

func (h itemHandlers) actions() []operation {
	const group, one = "Items", "/v1/locations/{lid}/items/{id}"
	return []operation{
		{
			method: http.MethodPost, path: one + "/upload-image", handle: h.uploadImage,
			conditional: true, id: "upload-image", group: group, summary: "Upload an image",
			about: "Accepts a JPEG, PNG, WebP or GIF of at most 10 MiB and 50 megapixels, recognised by its content. " +
				"Metadata, such as where the photo was taken, is removed; only the orientation is kept or applied. " +
				"The image becomes the item's imageUrl and the first of its images. A form with two images is " +
				"refused, and so is a file with a broken structure. The pixels are decoded after the response: " +
				"if that fails, the image is removed from the item within seconds, and the item's history says so " +
				"(action image-removed, actor service). Images that need too much memory are not decoded.",
			upload: "image", status: http.StatusOK, response: v1.Item{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodPut, path: one + "/images", handle: h.sortImages,
			conditional: true, id: "sort-images", group: group, summary: "Sort an item's images",
			about: "Changes the order of the images. The first one becomes the item's imageUrl, unless you have set " +
				"imageUrl to an address of your own.",
			body: v1.ImageOrder{}, status: http.StatusOK, response: v1.Item{},
		},
		{
			method: http.MethodDelete, path: one + "/images/{imageId}", handle: h.removeImage,
			conditional: true, id: "delete-image", group: group, summary: "Delete an image",
			about: "Deletes the image with its file and thumbnails. This cannot be undone. If it was the item's " +
				"imageUrl, the first of the other images replaces it.",
			status: http.StatusNoContent,
		},
		{
			method: http.MethodPut, path: one + "/update-status", handle: h.updateStatus,
			conditional: true, id: "update-status", group: group, summary: "Set an item's status",
			about: "Sets any of the eight statuses. Sending the current status changes only the details that are " +
				"sent; another day or time of a pick-up sends the pickup event again. FEE PAID means that staff have " +
				"received the fee. If the owner has entered an address, the " +
				"label is bought in the background, and the shipping-label event follows with label and invoice. " +
				"Without an address, the event follows immediately. The status of a request is always PENDING, so " +
				"setting it is a conflict: accept or reject the request instead.",
			body: v1.Move{}, status: http.StatusOK, response: v1.Item{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodGet, path: one + "/matches", handle: h.listItemMatches,
			id: "list-item-matches", group: group, summary: "List requests that match an item",
			about: "Lists the requests that may be about the found item, best first, at most 100. These are the same " +
				"pairs as in the matches of requests. While they are still being computed, pending is true: ask " +
				"again. An item that is not PENDING, or whose owner has an e-mail " +
				"address or phone number, has no matches.",
			query: paging(), status: http.StatusOK, response: v1.List[v1.MatchedRequest]{},
		},
		{
			method: http.MethodGet, path: one + "/history", handle: h.listHistory,
			id: "list-history", group: group, summary: "List an item's history",
			about: "Lists the changes to the item, newest first, with who made them and when. " +
				"It contains the names of changed fields, not their values.",
			query: cursorPaging(), status: http.StatusOK, response: v1.List[v1.Entry]{},
		},
	}
}

func (h itemHandlers) createItem(c *call) error {
	patch, key, err := read(c, v1.DecodeItem)
	if err != nil {
		return err
	}
	i, err := h.services.Items.Create(c.r.Context(), c.actor, c.path("lid"), patch, key)
	if err != nil {
		return err
	}
	return c.writeCreated(locationPath(i.LocationID)+"/items/"+i.ID, h.wire.Item(i))
}

func (h itemHandlers) getItem(c *call) error {
	i, err := h.services.Items.Get(c.r.Context(), c.actor, c.path("lid"), c.path("id"))
	return writeRecord(c, i, err, h.reading(c).Item)
}

// itemFilters are the parameters of lists of items.
func itemFilters() []parameter {
	return append([]parameter{
		term("Searches description, brand, model, color, serialNumber, reference, externalId, the guest's names, " +
			"e-mail address and phone number, and those of the finder. " + termMatching +
			" Not together with updatedSince."),
		similar(),
		choice("status", "Only items with this status. Can be repeated.", lost.Statuses()),
		choice("source", "Only items from this source.", lost.Sources()),
		categories(),
		finder(),
		minValue(),
		serialNumber(),
		ownerState(),
		day("from", "Only items found on this day or later. Items without a discoveryDate are left out."),
		day("to", "Only items found on this day or earlier. Items without a discoveryDate are left out."),
		externalID("items"),
		updatedSince(),
	}, cursorPaging()...)
}

func categories() parameter {
	return choice("category", "Only records of this category. Can be repeated.", lost.Categories())
}

func finder() parameter {
	return parameter{
		name: "finder", example: "Marta Nowak",
		about: "Only items whose finder has a name, e-mail address or phone number like this. It compares words like " +
			"q and lists at most 500 items, without q the newest first. Do not send term, cursor or updatedSince " +
			"with it.",
		schema: map[string]any{"type": "string", "maxLength": lost.MaxTerm},
	}
}

func minValue() parameter {
	return parameter{
		name: "minValue", example: "10000",
		about: "Only items that are worth at least this, in minor units (cents) of the currency of their location. " +
			"Items without a value, or with one in another currency, are left out.",
		schema: map[string]any{"type": "integer", "format": "int64", "minimum": 1, "maximum": lost.MaxAmount},
	}
}

func serialNumber() parameter {
	return parameter{
		name: "serialNumber", example: "KN-2209-7741",
		about: "Only items with exactly this serialNumber, apart from spaces, hyphens and case. Of identity papers " +
			"and payment cards, only the last characters are stored, so this does not find them.",
		schema: map[string]any{"type": "string", "minLength": 1, "maxLength": lost.MaxShort},
	}
}

func ownerState() parameter {
	p := choice("ownerState", "Only pending found items whose owner is in this state. no-owner: nobody was told. "+
		"told: the owner was told. no-answer: the owner has not chosen, although the last reminder after the notice "+
		"is due.", lost.OwnerStates())
	p.repeatable = false
	return p
}

func updatedSince() parameter {
	return since("updatedSince", "Only records that have changed since this time, and those deleted since, for 30 "+
		"days as {id, locationId, deleted, updatedAt}. A record that another filter no longer selects is not listed.")
}

func locationFilter() parameter {
	p := identifier("location", "Only records of this location. Can be repeated, at most 100 times. A location that "+
		"does not exist, or that the key cannot access, has no records.", "loc_06f5q2k8h40v3w9d7n1m8x2b4c")
	p.repeatable = true
	return p
}

func (h itemHandlers) listItems(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	since := q.since("updatedSince")
	minValue := 0
	q.number("minValue", 1, lost.MaxAmount, fmt.Sprintf("must be an amount in minor units (cents) from 1 to %d",
		lost.MaxAmount), &minValue)
	f := lost.ItemFilter{
		Term: q.term(), Query: q.similar(), Finder: q.finder(), Page: q.page(), From: q.date("from"), To: q.date("to"),
		Statuses: oneOf(q, "status", lost.Statuses()), ExternalID: q.externalID(), SerialNumber: q.serialNumber(),
		Categories: oneOf(q, "category", lost.Categories()), MinValue: lost.ValueFilter{Amount: int64(minValue)},
	}
	if states := oneOf(q, "ownerState", lost.OwnerStates()); len(states) > 0 {
		f.OwnerState = states[0]
	}
	if sources := oneOf(q, "source", lost.Sources()); len(sources) == 1 { // both sources together are no filter
		f.Source = sources[0]
	}
	return h.list(c, q, f, since)
}

// list responds with a list of items or of their changes, at the location in the path or at several.
func (h itemHandlers) list(c *call, q *query, f lost.ItemFilter, since time.Time) error {
	location, locations := c.path("lid"), q.identifiers("location", lost.MaxListedLocations)
	if q.changes && f.Term != "" {
		q.bad.Add("term", "not-with-since", "cannot be combined with updatedSince; leave it out")
	}
	if err := q.err(); err != nil {
		return err
	}
	if q.changes {
		l, err := h.services.Items.Changes(c.r.Context(), c.actor, location, locations, f, since)
		return writeChanges(c, l, err, h.reading(c).ItemChange)
	}
	if location == "" {
		l, err := h.services.Items.ListAll(c.r.Context(), c.actor, locations, f)
		return writeList(c, l, err, h.reading(c).Item)
	}
	l, err := h.services.Items.List(c.r.Context(), c.actor, location, f)
	return writeList(c, l, err, h.reading(c).Item)
}

func (h itemHandlers) updateItem(c *call) error {
	patch, _, err := read(c, v1.DecodeItem)
	if err != nil {
		return err
	}
	unchanged, err := ifMatchItem(c, h.wire)
	if err != nil {
		return err
	}
	i, err := h.services.Items.Update(c.r.Context(), c.actor, c.path("lid"), c.path("id"), patch, unchanged...)
	return writeRecord(c, i, err, h.wire.Item)
}

func (h itemHandlers) updateStatus(c *call) error {
	patch, _, err := read(c, v1.DecodeMove)
	if err != nil {
		return err
	}
	unchanged, err := ifMatchItem(c, h.wire)
	if err != nil {
		return err
	}
	i, err := h.services.Items.SetStatus(c.r.Context(), c.actor, c.path("lid"), c.path("id"), patch, unchanged...)
	return writeRecord(c, i, err, h.wire.Item)
}

func (h itemHandlers) deleteItem(c *call) error {
	unchanged, err := ifMatchItem(c, h.wire)
	if err != nil {
		return err
	}
	return c.writeDeleted(h.services.Items.Delete(c.r.Context(), c.actor, c.path("lid"), c.path("id"), unchanged...))
}

func (h itemHandlers) uploadImage(c *call) error {
	unchanged, err := ifMatchItem(c, h.wire)
	if err != nil {
		return err
	}
	part, key, err := c.file("image")
	if err != nil {
		return err
	}
	i, err := h.services.Items.UploadImage(c.r.Context(), c.actor, c.path("lid"), c.path("id"), part, key, unchanged...)
	return writeRecord(c, i, err, h.wire.Item)
}

func (h itemHandlers) sortImages(c *call) error {
	order, _, err := read(c, v1.DecodeImageOrder)
	if err != nil {
		return err
	}
	unchanged, err := ifMatchItem(c, h.wire)
	if err != nil {
		return err
	}
	i, err := h.services.Items.SortImages(c.r.Context(), c.actor, c.path("lid"), c.path("id"), order, unchanged...)
	return writeRecord(c, i, err, h.wire.Item)
}

func (h itemHandlers) removeImage(c *call) error {
	unchanged, err := ifMatchItem(c, h.wire)
	if err != nil {
		return err
	}
	_, err = h.services.Items.RemoveImage(c.r.Context(), c.actor, c.path("lid"), c.path("id"), c.path("imageId"),
		unchanged...)
	return c.writeDeleted(err)
}

func (h itemHandlers) listHistory(c *call) error {
	page, err := c.page()
	if err != nil {
		return err
	}
	l, err := h.services.Items.History(c.r.Context(), c.actor, c.path("lid"), c.path("id"), page)
	return writeList(c, l, err, h.wire.Entry)
}

func (h itemHandlers) listItemMatches(c *call) error {
	page, err := c.page()
	if err != nil {
		return err
	}
	l, err := h.services.Suggestions.FindMatches(c.r.Context(), c.actor, c.path("lid"), c.path("id"), page)
	return writeList(c, l, err, h.wire.MatchedRequest)
}
