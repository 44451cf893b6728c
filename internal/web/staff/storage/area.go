// Package storage is the part of the dashboard for the storage: what has been there too long, tags, scanning and stock
// counts.
package storage

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
		get("/t/{reference}", lost.ViewItems, (*call).followTag),
		get("/t/place/{location}/{place}", lost.ViewItems, (*call).followPlace),
		get("/at/{location}/tags", lost.ViewItems, (*call).askTags),
		post("/at/{location}/tags", lost.ViewItems, (*call).askTags),
		get("/at/{location}/tags.pdf", lost.ViewItems, (*call).printTags),
		post("/at/{location}/tags.pdf", lost.ViewItems, (*call).printTags),
		get("/at/{location}/places", lost.ViewItems, (*call).showPlaces),
		get("/at/{location}/place", lost.ViewItems, (*call).showPlace),
		get("/scan", "", (*call).scanHere),
		get("/at/{location}/scan", lost.ViewItems, (*call).askScan),
		post("/at/{location}/scan", lost.ViewItems, (*call).scanned),
		post("/at/{location}/scan/undo", lost.HandleItems, (*call).undoMove),
		post("/at/{location}/scan/read", lost.ViewItems, (*call).readFrame),
		get("/at/{location}/counts", lost.ViewItems, (*call).listCounts),
		post("/at/{location}/counts", lost.HandleItems, (*call).beginCount),
		get("/at/{location}/counts/{count}", lost.ViewItems, (*call).showCount),
		post("/at/{location}/counts/{count}", lost.HandleItems, (*call).scanCounted),
		post("/at/{location}/counts/{count}/correct", lost.HandleItems, (*call).correctCount),
		get("/at/{location}/counts/{count}/close", lost.HandleItems, (*call).askCloseCount),
		post("/at/{location}/counts/{count}/close", lost.HandleItems, (*call).closeCount),
		post("/at/{location}/counts/{count}/drop", lost.HandleItems, (*call).discardCount),
		get("/at/{location}/counts/{count}/report.pdf", lost.ViewItems, (*call).printCount),
		get("/at/{location}/storage", lost.ViewItems, (*call).storage),
		post("/at/{location}/storage", lost.HandleItems, (*call).decideItems),
		get("/at/{location}/storage/held", lost.ViewItems, (*call).heldItems),
		post("/at/{location}/storage/held", lost.HandleItems, (*call).releaseHeld),
		get("/at/{location}/storage/decisions/{decision}", lost.ViewItems, (*call).decision),
		post("/at/{location}/storage/decisions/{decision}/undo", lost.HandleItems, (*call).undo),
		get("/at/{location}/storage/decisions/{decision}/list", lost.ViewItems, (*call).decisionList),
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
