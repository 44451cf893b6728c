// Package items is the part of the dashboard for the list of items, saved views and the pages of one item.
package items

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
		get("/at/{location}/items", lost.Look, (*call).items),
		get("/at/{location}/views", lost.Look, (*call).views),
		post("/at/{location}/views", lost.Look, (*call).saveView),
		post("/at/{location}/views/{view}", lost.Look, (*call).changeView),
		get("/at/{location}/items/{id}", lost.Look, (*call).item),
		post("/at/{location}/items/{id}", lost.Handle, (*call).editItem),
		post("/at/{location}/items/{id}/photos", lost.Handle, (*call).addItemPhotos),
		post("/at/{location}/items/{id}/photo", lost.Handle, (*call).changePhoto),
		get("/at/{location}/items/{id}/status", lost.Handle, (*call).askMove),
		post("/at/{location}/items/{id}/status", lost.Handle, (*call).setStatus),
		get("/at/{location}/items/{id}/notify", lost.Handle, (*call).askNotify),
		post("/at/{location}/items/{id}/notify", lost.Handle, (*call).notify),
		get("/at/{location}/items/{id}/link", lost.Handle, (*call).showLink),
		post("/at/{location}/items/{id}/link", lost.Handle, (*call).revokeLink),
		get("/at/{location}/items/{id}/address", lost.Handle, (*call).askAddress),
		post("/at/{location}/items/{id}/address", lost.Handle, (*call).setAddress),
		post("/at/{location}/items/{id}/label", lost.Handle, (*call).retryLabel),
		get("/at/{location}/items/{id}/refund", lost.Handle, (*call).askRefund),
		post("/at/{location}/items/{id}/refund", lost.Handle, (*call).refund),
		get("/at/{location}/items/{id}/delete", lost.Remove, (*call).askDelete),
		post("/at/{location}/items/{id}/delete", lost.Remove, (*call).deleteItem),
		get("/at/{location}/items/{id}/hand-over", lost.Handle, (*call).handOverForm),
		post("/at/{location}/items/{id}/hand-over", lost.Handle, (*call).handOver),
		post("/at/{location}/items/{id}/hand-over/undo", lost.Handle, (*call).undoHandOver),
		get("/at/{location}/items/{id}/hand-over/form", lost.Handle, (*call).handOverPaper),
		post("/at/{location}/items/{id}/release", lost.Handle, (*call).releaseOne),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

func get(path string, right lost.Right, serve func(*call) error) frame.Route {
	return frame.Get(path, right, handler(serve))
}

func post(path string, right lost.Right, serve func(*call) error) frame.Route {
	return frame.Post(path, right, handler(serve))
}

// handler adapts a method of call to the frame.
func handler(serve func(*call) error) func(*frame.Call) error {
	return func(c *frame.Call) error { return serve(&call{c}) }
}
