// Package requests is the part of the dashboard for reports of lost things and the answers to them.
package requests

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
		{Method: http.MethodGet, Path: "/at/{location}/requests", Right: lost.Look, Handler: handle((*call).requests)},
		{Method: http.MethodGet, Path: "/at/{location}/requests/new", Right: lost.Handle, Handler: handle((*call).askRequest)},
		{Method: http.MethodPost, Path: "/at/{location}/requests/new", Right: lost.Handle, Handler: handle((*call).fileRequest)},
		{Method: http.MethodGet, Path: "/at/{location}/requests/{id}", Right: lost.Look, Handler: handle((*call).request)},
		{Method: http.MethodGet, Path: "/at/{location}/requests/{id}/accept", Right: lost.Handle, Handler: handle((*call).askAccept)},
		{Method: http.MethodPost, Path: "/at/{location}/requests/{id}/accept", Right: lost.Handle, Handler: handle((*call).acceptRequest)},
		{Method: http.MethodPost, Path: "/at/{location}/requests/{id}/refuse", Right: lost.Handle, Handler: handle((*call).refuseMatch)},
		{Method: http.MethodPost, Path: "/at/{location}/requests/{id}/reject", Right: lost.Handle, Handler: handle((*call).rejectRequest)},
		{Method: http.MethodPost, Path: "/at/{location}/requests/{id}/ask", Right: lost.Handle, Handler: handle((*call).askClaimant)},
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

// handle adapts a handler of this area to the frame.
func handle(serve func(*call) error) func(*frame.Call) error {
	return func(c *frame.Call) error { return serve(&call{c}) }
}
