package api

import (
	"net/http"
	"time"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

func (a *API) personOperations() []operation {
	const group, path = "Persons", "/v1/persons"
	return []operation{
		{
			method: http.MethodPost, path: path + "/export", handle: a.exportPerson,
			id: "export-person", group: group, summary: "Export a person's data",
			about: "Gives all that the account keeps of a guest or claimant: their items and requests with history, messages and shipments. They are found by e-mail address or phone number, " +
				"in any location; ask for each alone. It is a POST so that the address stands in no log. For keys with the role admin that are not limited to locations; the audit log tells who asked.",
			body: v1.Person{}, status: http.StatusOK, answer: v1.PersonExport{},
		},
		{
			method: http.MethodPost, path: path + "/erase", handle: a.erasePerson,
			id: "erase-person", group: group, summary: "Erase a person",
			about: "Removes a guest or claimant from the account, for good: from items, requests, messages, links, history, events and what is on its way to webhooks, files, imports and searches. What was found and what became " +
				"of it stays, without anybody; so do number, date and amount of invoices. It takes moments; where it takes longer the answer says running, and get-erasure tells the rest. Doing it again finds nothing. " +
				"For keys with the role admin that are not limited to locations.",
			body: v1.Person{}, status: http.StatusOK, answer: v1.Erasure{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodGet, path: path + "/erasures/{id}", handle: a.getErasure,
			id: "get-erasure", group: group, summary: "Retrieve an erasure",
			about:  "Tells how far removing a person has come, and counts what was removed. Whom it was about is not kept.",
			status: http.StatusOK, answer: v1.Erasure{},
		},
	}
}

func (a *API) exportPerson(c *call) error {
	patch, _, err := read(c, v1.DecodePerson)
	if err != nil {
		return err
	}
	err = a.desk.ExportPerson(c.r.Context(), c.actor, patch, stream{c.w})
	if err != nil && respond.Begun(c.w) { // cut off, so that nobody takes a part for the whole
		respond.Failed(c.w, err)
		panic(http.ErrAbortHandler)
	}
	return err
}

// stream is an answer of any length, which goes out as it is written. The first part begins it: until then another can be given.
type stream struct{ http.ResponseWriter }

// partTime is how long a client may take for a part of it.
const partTime = time.Minute

func (s stream) Write(p []byte) (int, error) {
	if !respond.Begun(s.ResponseWriter) {
		s.Header().Set("Content-Type", jsonType)
		s.Header().Set("Cache-Control", "no-store")
	}
	_ = http.NewResponseController(s.ResponseWriter).SetWriteDeadline(time.Now().Add(partTime)) // where there is one to set
	return s.ResponseWriter.Write(p)
}

func (a *API) erasePerson(c *call) error {
	patch, key, err := read(c, v1.DecodePerson)
	if err != nil {
		return err
	}
	e, err := a.desk.ErasePerson(c.r.Context(), c.actor, patch, key)
	return writeRecord(c, e, err, a.wire.Erasure)
}

func (a *API) getErasure(c *call) error {
	e, err := a.desk.Erasure(c.r.Context(), c.actor, c.path("id"))
	return writeRecord(c, e, err, a.wire.Erasure)
}
