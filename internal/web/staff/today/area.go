// Package today is the part of the dashboard for the start page with the open tasks, and the help page.
package today

import (
	"embed"
	"io/fs"
	"net/http"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
	"homeward/internal/web/staff/reports"
)

//go:embed templates
var templates embed.FS

// Area returns the routes and templates of this part of the dashboard.
func Area() frame.Area {
	return frame.Area{Routes: Routes(), Templates: templates, Parts: []fs.FS{reports.Templates()}}
}

// Routes lists every address of this area.
func Routes() []frame.Route {
	return []frame.Route{
		{Method: http.MethodGet, Path: "/help", Handler: handle((*call).help)},
		{Method: http.MethodGet, Path: "/{$}", Handler: handle((*call).today)},
		{Method: http.MethodGet, Path: "/tasks/{kind}", Right: lost.Look, Handler: handle((*call).tasks)},
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

// handle adapts a handler of this area to the frame.
func handle(serve func(*call) error) func(*frame.Call) error {
	return func(c *frame.Call) error { return serve(&call{c}) }
}
