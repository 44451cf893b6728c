// Package finds is the part of the dashboard for recording what was found, also without a connection.
package finds

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
		frame.Public(get("/manifest.webmanifest", "", (*call).manifest)),
		frame.Public(get("/icon/{name}", "", (*call).appIcon)),
		frame.Public(get("/sw.js", "", (*call).serviceWorker)),
		frame.Public(get("/offline", "", (*call).offline)),
		get("/find", lost.RecordItems, (*call).findAnywhere),
		get("/at/{location}/find", lost.RecordItems, (*call).askFind),
		post("/at/{location}/find", lost.RecordItems, (*call).recordFind),
		get("/at/{location}/find/{id}", lost.RecordItems, (*call).recorded),
		post("/at/{location}/find/{id}/photos", lost.RecordItems, (*call).addPhotos),
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
