package api

import (
	"net/http"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

// bulk lists the operations on several items, and the hand-over.
func (h itemHandlers) bulk() []operation {
	const group, path = "Items", "/v1/locations/{lid}/items"
	const about = " The response has one result for each element, in the same order. An element with a problem " +
		"changes nothing and does not affect the others."
	return []operation{
		{
			method: http.MethodPost, path: path + "/bulk", fitsID: true, handle: h.createItems,
			id: "create-items", group: group, summary: "Create several items",
			about: "Records up to 100 items found at the location in one request, each like create-item." + about,
			body:  v1.NewItems{}, status: http.StatusOK, response: v1.BulkResults{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodPut, path: path + "/bulk-status", fitsID: true, handle: h.moveItems,
			id: "update-items-status", group: group, summary: "Set the status of several items",
			about: "Sets the status of up to 100 items of the location in one request, each like update-status." +
				about,
			body: v1.BulkMove{}, status: http.StatusOK, response: v1.BulkResults{},
		},
		{
			method: http.MethodPost, path: path + "/{id}/hand-over", handle: h.handOver,
			conditional: true, id: "hand-over", group: group, summary: "Hand over an item",
			about: "Records that the item was given to somebody at the desk. The status becomes PICKUP, the item is " +
				"closed, and handover.receiptUrl is a receipt with the signature. Handing over an item that was " +
				"already handed over, sent or given away is a conflict.",
			body: v1.HandOver{}, status: http.StatusOK, response: v1.Item{},
			refuses: []lost.Code{lost.Conflict},
		},
	}
}

func (h itemHandlers) createItems(c *call) error {
	patch, key, err := read(c, v1.DecodeNewItems)
	if err != nil {
		return err
	}
	results, err := h.services.Items.CreateItems(c.r.Context(), c.actor, c.path("lid"), patch, key)
	return h.writeResults(c, results, http.StatusCreated, err)
}

func (h itemHandlers) moveItems(c *call) error {
	patch, _, err := read(c, v1.DecodeBulkMove)
	if err != nil {
		return err
	}
	results, err := h.services.Items.SetStatuses(c.r.Context(), c.actor, c.path("lid"), patch)
	return h.writeResults(c, results, http.StatusOK, err)
}

// writeResults responds with the results for several items, or returns err if it is not nil.
func (h itemHandlers) writeResults(c *call, results lost.BulkResults, done int, err error) error {
	return writeRecord(c, results, err, func(results lost.BulkResults) v1.BulkResults {
		return h.wire.BulkResults(results, done, func(err error) v1.Problem { return respond.ProblemOf(c.w, err) })
	})
}

func (h itemHandlers) handOver(c *call) error {
	patch, key, err := read(c, v1.DecodeHandOver)
	if err != nil {
		return err
	}
	unchanged, err := ifMatchItem(c, h.wire)
	if err != nil {
		return err
	}
	i, err := h.services.Handovers.HandOver(c.r.Context(), c.actor, c.path("lid"), c.path("id"), patch, key,
		unchanged...)
	return writeRecord(c, i, err, h.wire.Item)
}
