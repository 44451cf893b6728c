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
		get("/locations", (*call).allLocations),
		get("/locations/new", (*call).askLocation),
		post("/locations/new", (*call).addLocation),
		get("/locations/{location}", (*call).locationPart),
		get("/locations/{location}/{part}", (*call).locationPart),
		post("/locations/{location}/{part}", (*call).saveLocationPart),
		post("/locations/{location}/logo", (*call).uploadLogo),
		post("/locations/{location}/logo/remove", (*call).removeLogo),
		post("/locations/{location}/delete", (*call).deleteLocation),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

func get(path string, serve func(*call) error) frame.Route {
	return frame.Get(path, lost.ManageLocations, handler(serve))
}

func post(path string, serve func(*call) error) frame.Route {
	return frame.Post(path, lost.ManageLocations, handler(serve))
}

// handler adapts a method of call to the frame.
func handler(serve func(*call) error) func(*frame.Call) error {
	return func(c *frame.Call) error { return serve(&call{c}) }
}
