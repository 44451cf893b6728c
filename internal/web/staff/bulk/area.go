// Package bulk is the part of the dashboard for many items at once: selected in a list, exported to a file or imported
// from one.
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

// Routes lists every address of this area.
func Routes() []frame.Route {
	return []frame.Route{
		get("/at/{location}/items.csv", lost.ViewItems, (*call).export),
		post("/at/{location}/items/bulk", lost.ViewItems, (*call).bulk),
		post("/at/{location}/items/bulk/status", lost.HandleItems, (*call).bulkStatus),
		post("/at/{location}/items/bulk/place", lost.HandleItems, (*call).bulkPlace),
		get("/at/{location}/import", lost.HandleItems, (*call).askImport),
		post("/at/{location}/import", lost.HandleItems, (*call).stageImport),
		get("/at/{location}/import/{import}", lost.HandleItems, (*call).showImport),
		post("/at/{location}/import/{import}", lost.HandleItems, (*call).startImport),
		post("/at/{location}/import/{import}/cancel", lost.HandleItems, (*call).cancelImport),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

func get(path string, right lost.Permission, serve func(*call) error) frame.Route {
	return frame.Get(path, right, handler(serve))
}

func post(path string, right lost.Permission, serve func(*call) error) frame.Route {
	return frame.Post(path, right, handler(serve))
}

// handler adapts a method of call to the frame.
func handler(serve func(*call) error) func(*frame.Call) error {
	return func(c *frame.Call) error { return serve(&call{c}) }
}
