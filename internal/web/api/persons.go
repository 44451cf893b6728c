package api

import (
	"net/http"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

// personHandlers serves the operations on requests for personal data.
type personHandlers struct{ handlers }

func (h personHandlers) operations() []operation {
	const group, path = "Persons", "/v1/persons"
	return []operation{
		{
			method: http.MethodPost, path: path + "/export", handle: h.exportPerson,
			id: "export-person", group: group, summary: "Export a person's data",
			about: "Returns everything that the account stores about a guest or claimant: their items and requests " +
				"with history, messages and shipments. The records are found at all locations by e-mail address or " +
				"phone number; send one of the two. This is a POST so that the address appears in no log. It needs a " +
				"key with the role admin that is not limited to locations. The audit log records who requested it.",
			body: v1.Person{}, status: http.StatusOK, response: v1.PersonExport{},
		},
		{
			method: http.MethodPost, path: path + "/erase", handle: h.erasePerson,
			id: "erase-person", group: group, summary: "Erase a person",
			about: "Permanently removes a guest or claimant from the account: from items, requests, messages, links, " +
				"history, events, pending webhook deliveries, files, imports and searches. Found items and their " +
				"statuses are kept without personal data, and so are the numbers, dates and amounts of invoices. " +
				"With an e-mail address, the phone numbers on the person's records are erased everywhere too, " +
				"unless records with another e-mail address have them; sharedPhones counts those. It usually takes " +
				"moments. If it takes longer, the state is running, and get-erasure returns the " +
				"result. A second erasure finds nothing. It needs a key with the role admin that is not limited to " +
				"locations.",
			body: v1.Person{}, status: http.StatusOK, response: v1.Erasure{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodGet, path: path + "/erasures/{id}", handle: h.getErasure,
			id: "get-erasure", group: group, summary: "Retrieve an erasure",
			about: "Returns the progress of an erasure and counts what was removed. The person's identity is not " +
				"stored.",
			status: http.StatusOK, response: v1.Erasure{},
		},
	}
}

func (h personHandlers) exportPerson(c *call) error {
	patch, _, err := read(c, v1.DecodePerson)
	if err != nil {
		return err
	}
	err = h.services.People.ExportPerson(c.r.Context(), c.actor, patch, streamWriter{c.w})
	if err != nil && respond.Started(c.w) { // abort, so that the client notices the incomplete response
		respond.RecordError(c.w, err)
		panic(http.ErrAbortHandler)
	}
	return err
}

// streamWriter writes a response of any length. The first Write starts the response; before that, the handler can
// still respond with an error.
type streamWriter struct{ http.ResponseWriter }

func (s streamWriter) Write(p []byte) (int, error) {
	if !respond.Started(s.ResponseWriter) {
		s.Header().Set("Content-Type", jsonType)
		s.Header().Set("Cache-Control", "private, no-store")
	}
	return respond.Stream(s.ResponseWriter, p)
}

func (h personHandlers) erasePerson(c *call) error {
	patch, key, err := read(c, v1.DecodePerson)
	if err != nil {
		return err
	}
	e, err := h.services.People.ErasePerson(c.r.Context(), c.actor, patch, key)
	return writeRecord(c, e, err, h.wire.Erasure)
}

func (h personHandlers) getErasure(c *call) error {
	e, err := h.services.People.Erasure(c.r.Context(), c.actor, c.path("id"))
	return writeRecord(c, e, err, h.wire.Erasure)
}
