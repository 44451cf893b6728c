package api

import (
	"net/http"
	"time"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

// auditHandlers serves the account's audit log.
type auditHandlers struct{ handlers }

func (h auditHandlers) operations() []operation {
	return []operation{{
		method: http.MethodGet, path: "/v1/audit", handle: h.listAudit,
		id: "list-audit", group: "Audit log", summary: "List the audit log",
		about: "Lists who changed the account and who saw guests' data, newest first, with the address of the " +
			"client. Filters can be combined. Entries are kept for two years. It needs a key with the role admin " +
			"that is not limited to locations; the key may be read-only.",
		query: append([]parameter{
			period("from", "Only entries from this time on. A date is the beginning of that day in UTC."),
			period("to", "Only entries before this time. With a date, entries of that day in UTC are included."),
			identifier("actor", "Only entries of this user or key; operator for operator commands.",
				"usr_06f5q2k8h40v3w9d7n1m8x2b4c"),
			{
				name: "action", about: "Only entries with this action.", example: string(lost.KeyRevoked),
				schema: map[string]any{"type": "string", "enum": lost.AuditActions()},
			},
			identifier("subject", "Only entries about the record with this identifier.",
				"item_06f5q2k8h40v3w9d7n1m8x2b4c"),
			identifier("address", "Only entries from this client address, written as in the entries.", "203.0.113.7"),
		}, cursorPaging()...),
		status: http.StatusOK, response: v1.List[v1.AuditEntry]{},
	}}
}

// period describes a parameter that is a date or a time. It has a pattern, because openapi-typescript makes an unknown
// type of alternative formats.
func period(name, about string) parameter {
	return parameter{
		name: name, about: about, example: "2026-11-14",
		schema: map[string]any{"type": "string", "maxLength": 100, "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}(T.+)?$"},
	}
}

// period reads a date or a time. It returns the beginning and the end of the day, or the same time twice.
func (q *query) period(name string) (from, until time.Time) {
	if !q.values.Has(name) {
		return from, until
	}
	from, until, ok := lost.ParsePeriod(q.values.Get(name))
	if !ok {
		q.bad.Add(name, "invalid-moment",
			"must be a date in the format YYYY-MM-DD, or a time such as 2026-11-14T08:30:00Z")
	}
	return from, until
}

func (h auditHandlers) listAudit(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	f := lost.AuditFilter{
		Actor: q.identifier("actor"), Subject: q.identifier("subject"), Address: q.identifier("address"),
	}
	f.From, _ = q.period("from")
	_, f.Until = q.period("to")
	switch actions := oneOf(q, "action", lost.AuditActions()); len(actions) {
	case 0:
	case 1:
		f.Action = actions[0]
	default:
		q.bad.Add("action", "duplicate", "can be sent only once")
	}
	page := q.page()
	if err := q.err(); err != nil {
		return err
	}
	l, err := h.services.AuditLog.Page(c.r.Context(), c.actor, f, page)
	return writeList(c, l, err, h.wire.AuditEntry)
}
