// Package storage is the part of the dashboard for the storage: what has been there too long, tags, scanning and stock counts.
package storage

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
		{Method: http.MethodGet, Path: "/t/{reference}", Right: lost.Look, Handler: handle((*call).followTag)},
		{Method: http.MethodGet, Path: "/t/place/{location}/{place}", Right: lost.Look, Handler: handle((*call).followPlace)},
		{Method: http.MethodGet, Path: "/at/{location}/tags", Right: lost.Look, Handler: handle((*call).askTags)},
		{Method: http.MethodPost, Path: "/at/{location}/tags", Right: lost.Look, Handler: handle((*call).askTags)},
		{Method: http.MethodGet, Path: "/at/{location}/tags.pdf", Right: lost.Look, Handler: handle((*call).printTags)},
		{Method: http.MethodPost, Path: "/at/{location}/tags.pdf", Right: lost.Look, Handler: handle((*call).printTags)},
		{Method: http.MethodGet, Path: "/at/{location}/places", Right: lost.Look, Handler: handle((*call).showPlaces)},
		{Method: http.MethodGet, Path: "/at/{location}/place", Right: lost.Look, Handler: handle((*call).showPlace)},
		{Method: http.MethodGet, Path: "/scan", Handler: handle((*call).scanHere)},
		{Method: http.MethodGet, Path: "/at/{location}/scan", Right: lost.Look, Handler: handle((*call).askScan)},
		{Method: http.MethodPost, Path: "/at/{location}/scan", Right: lost.Look, Handler: handle((*call).scanned)},
		{Method: http.MethodPost, Path: "/at/{location}/scan/undo", Right: lost.Handle, Handler: handle((*call).undoMove)},
		{Method: http.MethodPost, Path: "/at/{location}/scan/read", Right: lost.Look, Handler: handle((*call).readFrame)},
		{Method: http.MethodGet, Path: "/at/{location}/counts", Right: lost.Look, Handler: handle((*call).listCounts)},
		{Method: http.MethodPost, Path: "/at/{location}/counts", Right: lost.Handle, Handler: handle((*call).beginCount)},
		{Method: http.MethodGet, Path: "/at/{location}/counts/{count}", Right: lost.Look, Handler: handle((*call).showCount)},
		{Method: http.MethodPost, Path: "/at/{location}/counts/{count}", Right: lost.Handle, Handler: handle((*call).scanCounted)},
		{Method: http.MethodPost, Path: "/at/{location}/counts/{count}/correct", Right: lost.Handle, Handler: handle((*call).correctCount)},
		{Method: http.MethodGet, Path: "/at/{location}/counts/{count}/close", Right: lost.Handle, Handler: handle((*call).askCloseCount)},
		{Method: http.MethodPost, Path: "/at/{location}/counts/{count}/close", Right: lost.Handle, Handler: handle((*call).closeCount)},
		{Method: http.MethodPost, Path: "/at/{location}/counts/{count}/drop", Right: lost.Handle, Handler: handle((*call).discardCount)},
		{Method: http.MethodGet, Path: "/at/{location}/counts/{count}/report.pdf", Right: lost.Look, Handler: handle((*call).printCount)},
		{Method: http.MethodGet, Path: "/at/{location}/storage", Right: lost.Look, Handler: handle((*call).storage)},
		{Method: http.MethodPost, Path: "/at/{location}/storage", Right: lost.Handle, Handler: handle((*call).decideItems)},
		{Method: http.MethodGet, Path: "/at/{location}/storage/held", Right: lost.Look, Handler: handle((*call).heldItems)},
		{Method: http.MethodPost, Path: "/at/{location}/storage/held", Right: lost.Handle, Handler: handle((*call).releaseHeld)},
		{Method: http.MethodGet, Path: "/at/{location}/storage/decisions/{decision}", Right: lost.Look, Handler: handle((*call).decision)},
		{Method: http.MethodPost, Path: "/at/{location}/storage/decisions/{decision}/undo", Right: lost.Handle, Handler: handle((*call).undo)},
		{Method: http.MethodGet, Path: "/at/{location}/storage/decisions/{decision}/list", Right: lost.Look, Handler: handle((*call).decisionList)},
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

// handle adapts a handler of this area to the frame.
func handle(serve func(*call) error) func(*frame.Call) error {
	return func(c *frame.Call) error { return serve(&call{c}) }
}
