// Package reports is the part of the dashboard with the reports: figures of a period at one or all locations, with
// charts that are drawn on the server and lead to the lists behind them.
package reports

import (
	"embed"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

//go:embed templates
var templates embed.FS

// Area returns the routes and templates of this part of the dashboard.
func Area() frame.Area { return frame.Area{Routes: Routes(), Templates: templates} }

// Routes returns the routes of this area.
func Routes() []frame.Route {
	return []frame.Route{
		frame.Get("/at/{location}/reports", lost.ViewItems, (*call).show),
		frame.Get("/at/{location}/reports.csv", lost.ViewItems, (*call).download),
		frame.Get("/at/{location}/reports/payments", lost.ViewItems, (*call).showPayments),
		frame.Get("/at/{location}/reports/payments.csv", lost.ViewItems, (*call).downloadPayments),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }
