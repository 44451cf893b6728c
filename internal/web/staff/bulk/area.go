// Package bulk is the part of the dashboard for many items at once: selected in a list, exported to a file or imported from one.
package bulk

import (
	"embed"
	"net/http"

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
		{Method: http.MethodGet, Path: "/at/{location}/items.csv", Right: lost.Look, Handler: handle((*call).export)},
		{Method: http.MethodPost, Path: "/at/{location}/items/bulk", Right: lost.Look, Handler: handle((*call).bulk)},
		{Method: http.MethodPost, Path: "/at/{location}/items/bulk/status", Right: lost.Handle, Handler: handle((*call).bulkStatus)},
		{Method: http.MethodPost, Path: "/at/{location}/items/bulk/place", Right: lost.Handle, Handler: handle((*call).bulkPlace)},
		{Method: http.MethodGet, Path: "/at/{location}/import", Right: lost.Handle, Handler: handle((*call).askImport)},
		{Method: http.MethodPost, Path: "/at/{location}/import", Right: lost.Handle, Handler: handle((*call).stageImport)},
		{Method: http.MethodGet, Path: "/at/{location}/import/{import}", Right: lost.Handle, Handler: handle((*call).showImport)},
		{Method: http.MethodPost, Path: "/at/{location}/import/{import}", Right: lost.Handle, Handler: handle((*call).startImport)},
		{Method: http.MethodPost, Path: "/at/{location}/import/{import}/cancel", Right: lost.Handle, Handler: handle((*call).cancelImport)},
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

// handle adapts a handler of this area to the frame.
func handle(serve func(*call) error) func(*frame.Call) error {
	return func(c *frame.Call) error { return serve(&call{c}) }
}
