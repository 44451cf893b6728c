// Package finds is the part of the dashboard for recording what was found, also without a connection.
package finds

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
		{Method: http.MethodGet, Path: "/manifest.webmanifest", Open: true, Handler: handle((*call).manifest)},
		{Method: http.MethodGet, Path: "/icon/{name}", Open: true, Handler: handle((*call).appIcon)},
		{Method: http.MethodGet, Path: "/sw.js", Open: true, Handler: handle((*call).serviceWorker)},
		{Method: http.MethodGet, Path: "/offline", Open: true, Handler: handle((*call).offline)},
		{Method: http.MethodGet, Path: "/find", Right: lost.Record, Handler: handle((*call).findAnywhere)},
		{Method: http.MethodGet, Path: "/at/{location}/find", Right: lost.Record, Handler: handle((*call).askFind)},
		{Method: http.MethodPost, Path: "/at/{location}/find", Right: lost.Record, Handler: handle((*call).recordFind)},
		{Method: http.MethodGet, Path: "/at/{location}/find/{id}", Right: lost.Record, Handler: handle((*call).recorded)},
		{Method: http.MethodPost, Path: "/at/{location}/find/{id}/photos", Right: lost.Record, Handler: handle((*call).addPhotos)},
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

// handle adapts a handler of this area to the frame.
func handle(serve func(*call) error) func(*frame.Call) error {
	return func(c *frame.Call) error { return serve(&call{c}) }
}
