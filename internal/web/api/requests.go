package api

import (
	"net/http"

	"homeward/internal/desk"
	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

// requestHandlers serves the operations on requests.
type requestHandlers struct{ handlers }

func (h requestHandlers) operations() []operation {
	const group, path, one = "Requests", "/v1/locations/{lid}/requests", "/v1/locations/{lid}/requests/{id}"
	return []operation{
		{
			method: http.MethodPost, path: path, handle: h.createRequest,
			id: "create-request", group: group, summary: "File a request",
			about: "Records what a claimant lost at the location. A description and an e-mail address or phone " +
				"number are required. The claimant receives a confirmation with a link to follow the request, and " +
				"webhooks receive a request event. With a publishable key, the rules and limits of the location's " +
				"public page apply, and externalId and metadata cannot be set.",
			body: v1.Request{}, status: http.StatusCreated, response: v1.Item{},
			refuses: []lost.Code{lost.Conflict}, public: true,
		},
		{
			method: http.MethodGet, path: path, handle: h.listRequests,
			id: "list-requests", group: group, summary: "List requests",
			about: "Lists the location's requests, newest first or, with q, best first. The list of items contains " +
				"them too.",
			query: requestFilters(), status: http.StatusOK, response: v1.List[v1.ListedItem]{},
		},
		{
			method: http.MethodGet, path: "/v1/requests", handle: h.listRequests,
			id: "list-all-requests", group: group, summary: "List requests of all locations",
			about: "Lists the requests of all locations that the key can access, newest first or, with q, " +
				"best first.",
			query:  append([]parameter{locationFilter()}, requestFilters()...),
			status: http.StatusOK, response: v1.List[v1.ListedItem]{},
		},
		{
			method: http.MethodGet, path: one, handle: h.getRequest,
			id: "get-request", group: group, summary: "Retrieve a request",
			about:  "Returns one request. You can also retrieve, change and delete it as an item.",
			status: http.StatusOK, response: v1.Item{},
		},
		{
			method: http.MethodPut, path: one + "/update-status", handle: h.decideRequest,
			conditional: true, id: "update-request-status", group: group, summary: "Accept or reject a request",
			about: "Accepting makes the claimant the owner of a found item at this location or a sister location, " +
				"notifies them, and sets the request to MATCHED. The found item must be PENDING and have no other " +
				"owner. Rejecting sends a polite message and sets the request to REJECTED. " +
				"A second decision about the same request is a conflict.",
			body: v1.Decision{}, status: http.StatusOK, response: v1.Item{},
			refuses: []lost.Code{lost.Conflict},
		},
	}
}

func (h requestHandlers) matchOperations() []operation {
	const group, one = "Requests", "/v1/locations/{lid}/requests/{id}"
	return []operation{
		{
			method: http.MethodGet, path: one + "/matches", handle: h.listRequestMatches,
			id: "list-request-matches", group: group, summary: "List items that match a request",
			about: "Lists the found items that may be what the claimant lost, best first, at most 100: items without " +
				"an owner at this location or a sister location. Matches are computed in the background whenever an " +
				"item or a request is created or changes; the response waits up to 3 seconds for the result. " +
				"If they are still being computed then, pending is true: ask again. A " +
				"request that has been accepted or rejected has no matches. Claimants never see matches.",
			query: paging(), status: http.StatusOK, response: v1.List[v1.MatchedItem]{},
		},
		{
			method: http.MethodDelete, path: one + "/matches/{itemId}", handle: h.refuseMatch,
			id: "refuse-match", group: group, summary: "Reject a match",
			about: "Removes an item from the request's matches permanently: it is never suggested for this request " +
				"again. Both histories record who rejected it. Repeating the call changes nothing. After the request " +
				"was decided, it has no matches, and rejecting one is a conflict.",
			status: http.StatusNoContent, refuses: []lost.Code{lost.Conflict},
		},
	}
}

func (h requestHandlers) createRequest(c *call) error {
	patch, key, err := read(c, v1.DecodeRequest)
	if err != nil {
		return err
	}
	i, err := h.fileRequest(c, patch, key)
	if err != nil {
		return err
	}
	return c.writeCreated(locationPath(i.LocationID)+"/requests/"+i.ID, h.wire.Item(i))
}

// fileRequest files a request. With a publishable key, it is like a report on the location's public page.
func (h requestHandlers) fileRequest(c *call, p lost.RequestPatch, key lost.IdempotencyKey) (lost.Item, error) {
	if c.actor.Role != lost.PublishableRole {
		return h.services.Requests.File(c.r.Context(), c.actor, c.path("lid"), p, key)
	}
	l, err := h.services.Locations.Get(c.r.Context(), c.actor, c.path("lid"))
	if err != nil {
		return lost.Item{}, err
	}
	return h.services.Requests.ReportFrom(c.r.Context(), l, p, key,
		desk.Reporter{Client: respond.ClientNetwork(c.r), Network: respond.ClientSubnet(c.r)})
}

func (h requestHandlers) getRequest(c *call) error {
	i, err := h.services.Requests.Get(c.r.Context(), c.actor, c.path("lid"), c.path("id"))
	return writeRecord(c, i, err, h.reading(c).Item)
}

// requestFilters are the parameters of lists of requests.
func requestFilters() []parameter {
	return append([]parameter{
		term("Searches the same fields as the list of items. " + termMatching + " Not together with updatedSince."),
		similar(),
		choice("state", "Only requests in this state. Can be repeated.", lost.RequestStates()),
		categories(),
		externalID("requests"),
		updatedSince(),
	}, cursorPaging()...)
}

func (h requestHandlers) listRequests(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	since := q.since("updatedSince")
	f := lost.ItemFilter{
		Term: q.term(), Query: q.similar(), Source: lost.Request, States: oneOf(q, "state", lost.RequestStates()),
		ExternalID: q.externalID(), Page: q.page(), Categories: oneOf(q, "category", lost.Categories()),
	}
	return itemHandlers(h).list(c, q, f, since)
}

func (h requestHandlers) decideRequest(c *call) error {
	patch, _, err := read(c, v1.DecodeDecision)
	if err != nil {
		return err
	}
	unchanged, err := ifMatchItem(c, h.wire)
	if err != nil {
		return err
	}
	i, err := h.services.Requests.Decide(c.r.Context(), c.actor, c.path("lid"), c.path("id"), patch, unchanged...)
	return writeRecord(c, i, err, h.wire.Item)
}

func (h requestHandlers) listRequestMatches(c *call) error {
	page, err := c.page()
	if err != nil {
		return err
	}
	l, err := h.services.Suggestions.RequestMatches(c.r.Context(), c.actor, c.path("lid"), c.path("id"), page)
	return writeList(c, l, err, h.wire.MatchedItem)
}

func (h requestHandlers) refuseMatch(c *call) error {
	return c.writeDeleted(h.services.Suggestions.RejectMatch(c.r.Context(), c.actor, c.path("lid"), c.path("id"),
		c.path("itemId")))
}
