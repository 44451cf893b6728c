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

// Routes returns the routes of this area.
func Routes() []frame.Route {
	return []frame.Route{
		frame.Get("/locations", lost.ManageLocations, (*call).allLocations),
		frame.Get("/locations/new", lost.ManageLocations, (*call).askLocation),
		frame.Post("/locations/new", lost.ManageLocations, (*call).addLocation),
		frame.Get("/locations/{location}", lost.ManageLocations, (*call).locationPart),
		frame.Get("/locations/{location}/{part}", lost.ManageLocations, (*call).locationPart),
		frame.Post("/locations/{location}/{part}", lost.ManageLocations, (*call).saveLocationPart),
		frame.Post("/locations/{location}/logo", lost.ManageLocations, (*call).uploadLogo),
		frame.Post("/locations/{location}/logo/remove", lost.ManageLocations, (*call).removeLogo),
		frame.Post("/locations/{location}/feed", lost.ManageLocations, (*call).newFeed),
		frame.Post("/locations/{location}/feed/revoke", lost.ManageLocations, (*call).revokeFeed),
		frame.Post("/locations/{location}/stays/connect", lost.ManageLocations, (*call).connectStays),
		frame.Post("/locations/{location}/stays/test", lost.ManageLocations, (*call).testStays),
		frame.Post("/locations/{location}/stays/disconnect", lost.ManageLocations, (*call).disconnectStays),
		frame.Post("/locations/{location}/stays/list", lost.ManageLocations, (*call).uploadGuests),
		frame.Post("/locations/{location}/stays/list/remove", lost.ManageLocations, (*call).removeGuests),
		frame.Post("/locations/{location}/assistant/on", lost.ManageLocations, (*call).switchAssistantOn),
		frame.Post("/locations/{location}/assistant/off", lost.ManageLocations, (*call).switchAssistantOff),
		frame.Post("/locations/{location}/delete", lost.ManageLocations, (*call).deleteLocation),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }
