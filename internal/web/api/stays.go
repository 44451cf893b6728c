package api

import (
	"net/http"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

// stayHandlers serves the guest look-up.
type stayHandlers struct{ handlers }

func (h stayHandlers) operations() []operation {
	const group = "Guest look-up"
	return []operation{
		{
			method: http.MethodGet, path: "/v1/locations/{lid}/stays", handle: h.listStays,
			id: "list-stays", group: group, summary: "List who stayed in a room",
			about: "Lists the guests who may have lost something that was found in a room on a day. The most likely " +
				"ones come first, in five groups: those who left on that day, those who left the day before, those " +
				"who were staying, those who arrived on that day, and those who left up to 14 days before it. The " +
				"guests are from the location's hotel system and its guest lists. The hotel system has 2.5 seconds " +
				"to answer. If it fails and no guest list names a guest of the room, the status is 503. E-mail " +
				"addresses and phone numbers are masked, and nobody is notified. The audit log records each " +
				"look-up. A key can look up 120 times per hour; then the status is 429.",
			query: []parameter{
				{
					name: "room", about: "The room, or a text that names it, such as “Room 207, bathroom”.",
					example: "Room 207", schema: map[string]any{"type": "string", "maxLength": lost.MaxTerm},
				},
				day("date", "The day on which the item was found."),
			},
			status: http.StatusOK, response: v1.Stays{}, refuses: []lost.Code{lost.Unavailable},
		},
		{
			method: http.MethodPost, path: "/v1/locations/{lid}/items/{id}/owner-from-stay", handle: h.setOwner,
			id: "set-owner-from-stay", group: group, summary: "Set the owner from a stay",
			about: "Makes a guest from `list-stays` the owner of an item that has none. The owner is notified like " +
				"any new owner. If the item has another owner, the status is 409. The id of a guest is valid for an " +
				"hour, and only for the key that looked it up; otherwise the status is 404. The audit log records " +
				"each confirmation.",
			body: v1.StayChoice{}, status: http.StatusOK, response: v1.Item{}, refuses: []lost.Code{lost.Conflict},
		},
	}
}

func (h stayHandlers) listStays(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	room, on := q.words("room"), q.date("date")
	if err := q.err(); err != nil {
		return err
	}
	found, err := h.services.Stays.LookUp(c.r.Context(), c.actor, c.path("lid"), room, on)
	if err != nil {
		return err
	}
	return respond.JSON(c.w, http.StatusOK, h.wire.Stays(found.Room, found.Day, found.Candidates))
}

func (h stayHandlers) setOwner(c *call) error {
	choice, _, err := read(c, v1.DecodeStayChoice)
	if err != nil {
		return err
	}
	patch, err := h.services.Stays.ConfirmFor(c.r.Context(), c.actor, c.path("lid"), c.path("id"), choice.StayID.Value)
	if err != nil {
		return err
	}
	i, err := h.services.Items.Update(c.r.Context(), c.actor, c.path("lid"), c.path("id"), patch)
	return writeRecord(c, i, err, h.wire.Item)
}
