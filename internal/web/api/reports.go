package api

import (
	"net/http"

	"homeward/internal/desk"
	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

// reportHandlers serves the reports.
type reportHandlers struct{ handlers }

func (h reportHandlers) operations() []operation {
	return []operation{{
		method: http.MethodGet, path: "/v1/reports", handle: h.getReport,
		id: "get-report", group: "Reports", summary: "Retrieve a report",
		about: "Returns the figures of a period, and of the period before: items found, returned, donated and " +
			"discarded, the return rate by month of discovery, the time to return, what is in storage, what " +
			"items are worth, answers to requests, and payments. Days are those of each location's time zone." +
			" The same report is computed at most once a minute. Lists of colors, places, finders and storage" +
			" places have at most 12 rows; groups in a further row tells how many values it adds up. A report" +
			" covers the first 200 locations by name; moreLocations tells how many it leaves out.",
		query: []parameter{
			locationFilter(),
			day("from", "The first day of the period. Without it, the period has 30 days."),
			day("to", "The last day of the period. Without it, the period ends today. A period has at most 1098 "+
				"days."),
		},
		status: http.StatusOK, response: v1.Report{},
	}}
}

func (h reportHandlers) getReport(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	wanted := desk.ReportQuery{
		Locations: q.identifiers("location", lost.MaxListedLocations), From: q.date("from"), To: q.date("to"),
	}
	if err := q.err(); err != nil {
		return err
	}
	r, err := h.services.Reports.Report(c.r.Context(), c.actor, wanted)
	return writeRecord(c, r, err, h.wire.Report)
}
