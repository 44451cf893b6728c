// Package locations is the part of the dashboard for adding, changing and deleting locations.
package locations

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
		get("/locations", lost.ManageLocations, (*call).allLocations),
		get("/locations/new", lost.ManageLocations, (*call).askLocation),
		post("/locations/new", lost.ManageLocations, (*call).addLocation),
		get("/locations/{location}", lost.ManageLocations, (*call).locationPart),
		get("/locations/{location}/{part}", lost.ManageLocations, (*call).locationPart),
		post("/locations/{location}/{part}", lost.ManageLocations, (*call).saveLocationPart),
		post("/locations/{location}/logo", lost.ManageLocations, (*call).uploadLogo),
		post("/locations/{location}/logo/remove", lost.ManageLocations, (*call).removeLogo),
		post("/locations/{location}/delete", lost.ManageLocations, (*call).deleteLocation),
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
