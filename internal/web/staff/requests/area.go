// Package requests is the part of the dashboard for reports of lost things and the answers to them.
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

// Routes lists every address of this area.
func Routes() []frame.Route {
	return []frame.Route{
		get("/at/{location}/requests", lost.ViewItems, (*call).requests),
		get("/at/{location}/requests/new", lost.HandleItems, (*call).askRequest),
		post("/at/{location}/requests/new", (*call).fileRequest),
		get("/at/{location}/requests/{id}", lost.ViewItems, (*call).request),
		get("/at/{location}/requests/{id}/accept", lost.HandleItems, (*call).askAccept),
		post("/at/{location}/requests/{id}/accept", (*call).acceptRequest),
		post("/at/{location}/requests/{id}/refuse", (*call).refuseMatch),
		post("/at/{location}/requests/{id}/reject", (*call).rejectRequest),
		post("/at/{location}/requests/{id}/ask", (*call).askClaimant),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

func get(path string, right lost.Permission, serve func(*call) error) frame.Route {
	return frame.Get(path, right, handler(serve))
}

func post(path string, serve func(*call) error) frame.Route {
	return frame.Post(path, lost.HandleItems, handler(serve))
}

// handler adapts a method of call to the frame.
func handler(serve func(*call) error) func(*frame.Call) error {
	return func(c *frame.Call) error { return serve(&call{c}) }
}
