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
			about: "Lists the guests who come into question as the owner of something that was found in a room, the " +
				"most likely first: those who left that day, then those who left the day before, those who were " +
				"staying, and those who left earlier. The location's hotel system or guest list is asked, for at " +
				"most 3 seconds; if that fails, the status is 503. Addresses are masked, and nobody is notified. " +
				"Each look-up is in the audit log. A key can look up 120 times per hour.",
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
			about: "Makes a guest from list-stays the owner of an item without owner. The owner is notified as " +
				"usual. If the item has another owner, it is a conflict. " +
				"An id that has expired, or that another key has " +
				"looked up, returns 404. Each confirmation is in the audit log.",
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
