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
		get("/at/{location}/items", lost.ViewItems, (*call).items),
		get("/at/{location}/views", lost.ViewItems, (*call).views),
		post("/at/{location}/views", lost.ViewItems, (*call).saveView),
		post("/at/{location}/views/{view}", lost.ViewItems, (*call).changeView),
		get("/at/{location}/items/{id}", lost.ViewItems, (*call).item),
		post("/at/{location}/items/{id}", lost.HandleItems, (*call).editItem),
		post("/at/{location}/items/{id}/photos", lost.HandleItems, (*call).addItemPhotos),
		post("/at/{location}/items/{id}/photo", lost.HandleItems, (*call).changePhoto),
		get("/at/{location}/items/{id}/status", lost.HandleItems, (*call).askMove),
		post("/at/{location}/items/{id}/status", lost.HandleItems, (*call).setStatus),
		get("/at/{location}/items/{id}/notify", lost.HandleItems, (*call).askNotify),
		post("/at/{location}/items/{id}/notify", lost.HandleItems, (*call).notify),
		get("/at/{location}/items/{id}/link", lost.HandleItems, (*call).showLink),
		post("/at/{location}/items/{id}/link", lost.HandleItems, (*call).revokeLink),
		get("/at/{location}/items/{id}/address", lost.HandleItems, (*call).askAddress),
		post("/at/{location}/items/{id}/address", lost.HandleItems, (*call).setAddress),
		post("/at/{location}/items/{id}/label", lost.HandleItems, (*call).retryLabel),
		get("/at/{location}/items/{id}/refund", lost.HandleItems, (*call).askRefund),
		post("/at/{location}/items/{id}/refund", lost.HandleItems, (*call).refund),
		get("/at/{location}/items/{id}/delete", lost.DeleteItems, (*call).askDelete),
		post("/at/{location}/items/{id}/delete", lost.DeleteItems, (*call).deleteItem),
		get("/at/{location}/items/{id}/hand-over", lost.HandleItems, (*call).handOverForm),
		post("/at/{location}/items/{id}/hand-over", lost.HandleItems, (*call).handOver),
		post("/at/{location}/items/{id}/hand-over/undo", lost.HandleItems, (*call).undoHandOver),
		get("/at/{location}/items/{id}/hand-over/form", lost.HandleItems, (*call).handOverPaper),
		post("/at/{location}/items/{id}/release", lost.HandleItems, (*call).releaseOne),
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
