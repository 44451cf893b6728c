// Package locations is the part of the dashboard for adding, changing and deleting locations.
package locations

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
		{Method: http.MethodGet, Path: "/locations", Right: lost.Arrange, Handler: handle((*call).allLocations)},
		{Method: http.MethodGet, Path: "/locations/new", Right: lost.Arrange, Handler: handle((*call).askLocation)},
		{Method: http.MethodPost, Path: "/locations/new", Right: lost.Arrange, Handler: handle((*call).addLocation)},
		{Method: http.MethodGet, Path: "/locations/{location}", Right: lost.Arrange, Handler: handle((*call).locationPart)},
		{Method: http.MethodGet, Path: "/locations/{location}/{part}", Right: lost.Arrange, Handler: handle((*call).locationPart)},
		{Method: http.MethodPost, Path: "/locations/{location}/{part}", Right: lost.Arrange, Handler: handle((*call).saveLocationPart)},
		{Method: http.MethodPost, Path: "/locations/{location}/logo", Right: lost.Arrange, Handler: handle((*call).uploadLogo)},
		{Method: http.MethodPost, Path: "/locations/{location}/logo/remove", Right: lost.Arrange, Handler: handle((*call).removeLogo)},
		{Method: http.MethodPost, Path: "/locations/{location}/delete", Right: lost.Arrange, Handler: handle((*call).deleteLocation)},
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

// handle adapts a handler of this area to the frame.
func handle(serve func(*call) error) func(*frame.Call) error {
	return func(c *frame.Call) error { return serve(&call{c}) }
}
