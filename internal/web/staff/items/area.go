// Package items is the part of the dashboard for the list of items, saved views and the pages of one item.
package items

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
		{Method: http.MethodGet, Path: "/at/{location}/items", Right: lost.Look, Handler: handle((*call).items)},
		{Method: http.MethodGet, Path: "/at/{location}/views", Right: lost.Look, Handler: handle((*call).views)},
		{Method: http.MethodPost, Path: "/at/{location}/views", Right: lost.Look, Handler: handle((*call).saveView)},
		{Method: http.MethodPost, Path: "/at/{location}/views/{view}", Right: lost.Look, Handler: handle((*call).changeView)},
		{Method: http.MethodGet, Path: "/at/{location}/items/{id}", Right: lost.Look, Handler: handle((*call).item)},
		{Method: http.MethodPost, Path: "/at/{location}/items/{id}", Right: lost.Handle, Handler: handle((*call).editItem)},
		{Method: http.MethodPost, Path: "/at/{location}/items/{id}/photos", Right: lost.Handle, Handler: handle((*call).addItemPhotos)},
		{Method: http.MethodPost, Path: "/at/{location}/items/{id}/photo", Right: lost.Handle, Handler: handle((*call).changePhoto)},
		{Method: http.MethodGet, Path: "/at/{location}/items/{id}/status", Right: lost.Handle, Handler: handle((*call).askMove)},
		{Method: http.MethodPost, Path: "/at/{location}/items/{id}/status", Right: lost.Handle, Handler: handle((*call).setStatus)},
		{Method: http.MethodGet, Path: "/at/{location}/items/{id}/notify", Right: lost.Handle, Handler: handle((*call).askNotify)},
		{Method: http.MethodPost, Path: "/at/{location}/items/{id}/notify", Right: lost.Handle, Handler: handle((*call).notify)},
		{Method: http.MethodGet, Path: "/at/{location}/items/{id}/link", Right: lost.Handle, Handler: handle((*call).showLink)},
		{Method: http.MethodPost, Path: "/at/{location}/items/{id}/link", Right: lost.Handle, Handler: handle((*call).revokeLink)},
		{Method: http.MethodGet, Path: "/at/{location}/items/{id}/address", Right: lost.Handle, Handler: handle((*call).askAddress)},
		{Method: http.MethodPost, Path: "/at/{location}/items/{id}/address", Right: lost.Handle, Handler: handle((*call).setAddress)},
		{Method: http.MethodPost, Path: "/at/{location}/items/{id}/label", Right: lost.Handle, Handler: handle((*call).retryLabel)},
		{Method: http.MethodGet, Path: "/at/{location}/items/{id}/refund", Right: lost.Handle, Handler: handle((*call).askRefund)},
		{Method: http.MethodPost, Path: "/at/{location}/items/{id}/refund", Right: lost.Handle, Handler: handle((*call).refund)},
		{Method: http.MethodGet, Path: "/at/{location}/items/{id}/delete", Right: lost.Remove, Handler: handle((*call).askDelete)},
		{Method: http.MethodPost, Path: "/at/{location}/items/{id}/delete", Right: lost.Remove, Handler: handle((*call).deleteItem)},
		{Method: http.MethodGet, Path: "/at/{location}/items/{id}/hand-over", Right: lost.Handle, Handler: handle((*call).handOverForm)},
		{Method: http.MethodPost, Path: "/at/{location}/items/{id}/hand-over", Right: lost.Handle, Handler: handle((*call).handOver)},
		{Method: http.MethodPost, Path: "/at/{location}/items/{id}/hand-over/undo", Right: lost.Handle, Handler: handle((*call).undoHandOver)},
		{Method: http.MethodGet, Path: "/at/{location}/items/{id}/hand-over/form", Right: lost.Handle, Handler: handle((*call).handOverPaper)},
		{Method: http.MethodPost, Path: "/at/{location}/items/{id}/release", Right: lost.Handle, Handler: handle((*call).releaseOne)},
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

// handle adapts a handler of this area to the frame.
func handle(serve func(*call) error) func(*frame.Call) error {
	return func(c *frame.Call) error { return serve(&call{c}) }
}
