// Package bulk is the part of the dashboard for bulk operations: changing selected items, and exporting and importing
// items as files.
package bulk

import (
	"embed"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

//go:embed templates
var templates embed.FS

// Area returns the routes and templates of this part of the dashboard.
func Area() frame.Area {
	return frame.Area{Routes: Routes(), Templates: templates}
}

// Routes returns the routes of this area.
func Routes() []frame.Route {
	return []frame.Route{
		frame.Get("/at/{location}/items.csv", lost.ViewItems, (*call).export),
		frame.Post("/at/{location}/items/bulk", lost.ViewItems, (*call).bulk),
		frame.Post("/at/{location}/items/bulk/status", lost.HandleItems, (*call).bulkStatus),
		frame.Post("/at/{location}/items/bulk/place", lost.HandleItems, (*call).bulkPlace),
		frame.Post("/at/{location}/items/bulk/category", lost.HandleItems, (*call).bulkCategory),
		frame.Get("/at/{location}/import", lost.HandleItems, (*call).askImport),
		frame.Post("/at/{location}/import", lost.HandleItems, (*call).stageImport),
		frame.Get("/at/{location}/import/{import}", lost.HandleItems, (*call).showImport),
		frame.Post("/at/{location}/import/{import}", lost.HandleItems, (*call).startImport),
		frame.Post("/at/{location}/import/{import}/columns", lost.HandleItems, (*call).mapColumns),
		frame.Post("/at/{location}/import/{import}/cancel", lost.HandleItems, (*call).cancelImport),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }
