// Package requests is the part of the dashboard for requests, which are reports of lost items: recording and listing
// them, comparing them with found items, and accepting or rejecting them.
package requests

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
		frame.Get("/at/{location}/requests", lost.ViewItems, (*call).requests),
		frame.Get("/at/{location}/requests/new", lost.HandleItems, (*call).askRequest),
		frame.Post("/at/{location}/requests/new", lost.HandleItems, (*call).fileRequest),
		frame.Get("/at/{location}/requests/{id}", lost.ViewItems, (*call).request),
		frame.Get("/at/{location}/requests/{id}/accept", lost.HandleItems, (*call).askAccept),
		frame.Post("/at/{location}/requests/{id}/accept", lost.HandleItems, (*call).acceptRequest),
		frame.Post("/at/{location}/requests/{id}/refuse", lost.HandleItems, (*call).refuseMatch),
		frame.Post("/at/{location}/requests/{id}/reject", lost.HandleItems, (*call).rejectRequest),
		frame.Get("/at/{location}/requests/{id}/tracker", lost.HandleItems, (*call).askTracker),
		frame.Post("/at/{location}/requests/{id}/tracker", lost.HandleItems, (*call).openTracker),
		frame.Post("/at/{location}/requests/{id}/undo", lost.HandleItems, (*call).undoDecision),
		frame.Post("/at/{location}/requests/{id}/tell", lost.HandleItems, (*call).tellNow),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }
