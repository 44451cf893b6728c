package api

import (
	"net/http"
	"net/url"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

// locationHandlers serves the operations on locations.
type locationHandlers struct{ handlers }

func (h locationHandlers) operations() []operation {
	const group, path, one = "Locations", "/v1/locations", "/v1/locations/{id}"
	return []operation{
		{
			method: http.MethodPost, path: path, handle: h.createLocation,
			id: "create-location", group: group, summary: "Create a location",
			about: "Creates a location that stores lost items. Only the name is required.",
			body:  v1.Location{}, status: http.StatusCreated, response: v1.Location{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodGet, path: path, handle: h.listLocations,
			id: "list-locations", group: group, summary: "List locations",
			about: "Lists the account's locations by name, ignoring case and accents.",
			query: append([]parameter{
				term("Searches names, descriptions, externalId, contact e-mail addresses and contact names. " +
					termMatching),
				externalID("locations"),
			}, paging()...),
			status: http.StatusOK, response: v1.List[v1.Location]{},
		},
		{
			method: http.MethodGet, path: one, handle: h.getLocation,
			id: "get-location", group: group, summary: "Retrieve a location",
			about:  "Returns one location. A publishable key gets only what the location's public page shows.",
			status: http.StatusOK, response: v1.Location{}, public: true,
		},
		h.slots(one + "/slots"),
		{
			method: http.MethodPut, path: one, handle: h.updateLocation,
			conditional: true, id: "update-location", group: group, summary: "Update a location",
			about: "Changes only the fields that are sent. null clears an optional field or a whole nested object; " +
				"other nested objects are merged. You may send a whole record back: fields that the service sets are " +
				"accepted if they are unchanged, in any time zone and precision. If the record has changed since you " +
				"read it, its updatedAt is a conflict with the code stale.",
			body: v1.Location{}, partial: true, status: http.StatusOK, response: v1.Location{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodDelete, path: one, handle: h.deleteLocation,
			conditional: true, id: "delete-location", group: group, summary: "Delete a location",
			about: "Deletes the location and all its items. This cannot be undone. While owners of items have paid " +
				"for shipping and the parcels have not arrived, deleting is a conflict: refund the fees first. It " +
				"is also a conflict until requested refunds are done.",
			status:  http.StatusNoContent,
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodPost, path: one + "/upload-logo", handle: h.uploadLogo,
			conditional: true, id: "upload-logo", group: group, summary: "Upload a logo",
			about: "Accepts a JPEG, PNG, WebP or GIF of at most 2 MiB and 50 megapixels, recognised by its content. " +
				"Metadata is removed. The image becomes the location's logoUrl.",
			upload: "logo", status: http.StatusOK, response: v1.Location{},
			refuses: []lost.Code{lost.Conflict},
		},
	}
}

// slots returns the operation that lists the slots of a location.
func (h locationHandlers) slots(path string) operation {
	return operation{
		method: http.MethodGet, path: path, handle: h.listSlots,
		id: "list-slots", group: "Locations", summary: "List slots",
		about: "Lists the slots in which guests can collect items, by day and time. Slots that have passed are left " +
			"out. The list is empty if the location has no slots, or is closed on these days. Guests book a slot " +
			"on the page of their item. The desk books one by setting the status PICKUP with its day and time.",
		query: []parameter{
			day("from", "First day. The default is today, at the location."),
			day("to", "Last day, at most 30 days after from. The default is 6 days after from."),
		},
		status: http.StatusOK, response: v1.SlotList{},
	}
}

func locationPath(id string) string { return "/v1/locations/" + url.PathEscape(id) }

func (h locationHandlers) createLocation(c *call) error {
	patch, key, err := read(c, v1.DecodeLocation)
	if err != nil {
		return err
	}
	l, err := h.services.Locations.Create(c.r.Context(), c.actor, patch, key)
	if err != nil {
		return err
	}
	return c.writeCreated(locationPath(l.ID), h.wire.Location(l))
}

func (h locationHandlers) getLocation(c *call) error {
	l, err := h.services.Locations.Get(c.r.Context(), c.actor, c.path("id"))
	if c.actor.Role == lost.PublishableRole {
		l = l.PublicFacts()
	}
	return writeRecord(c, l, err, h.wire.Location)
}

func (h locationHandlers) listLocations(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	f := lost.LocationFilter{Term: q.term(), ExternalID: q.externalID(), Page: q.page()}
	if err := q.bad.Err(); err != nil {
		return err
	}
	l, err := h.services.Locations.List(c.r.Context(), c.actor, f)
	return writeList(c, l, err, h.wire.Location)
}

func (h locationHandlers) listSlots(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	from, to := q.date("from"), q.date("to")
	if err := q.err(); err != nil {
		return err
	}
	slots, err := h.services.Locations.Slots(c.r.Context(), c.actor, c.path("id"), from, to)
	return writeRecord(c, slots, err, h.wire.Slots)
}

func (h locationHandlers) updateLocation(c *call) error {
	patch, _, err := read(c, v1.DecodeLocation)
	if err != nil {
		return err
	}
	unchanged, err := ifMatch(c, h.wire.Location)
	if err != nil {
		return err
	}
	l, err := h.services.Locations.Update(c.r.Context(), c.actor, c.path("id"), patch, unchanged...)
	return writeRecord(c, l, err, h.wire.Location)
}

func (h locationHandlers) deleteLocation(c *call) error {
	unchanged, err := ifMatch(c, h.wire.Location)
	if err != nil {
		return err
	}
	return c.writeDeleted(h.services.Locations.Delete(c.r.Context(), c.actor, c.path("id"), unchanged...))
}

func (h locationHandlers) uploadLogo(c *call) error {
	unchanged, err := ifMatch(c, h.wire.Location)
	if err != nil {
		return err
	}
	part, key, err := c.file("logo")
	if err != nil {
		return err
	}
	l, err := h.services.Locations.UploadLogo(c.r.Context(), c.actor, c.path("id"), part, key, unchanged...)
	return writeRecord(c, l, err, h.wire.Location)
}
