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
		get("/t/{reference}", lost.Look, (*call).followTag),
		get("/t/place/{location}/{place}", lost.Look, (*call).followPlace),
		get("/at/{location}/tags", lost.Look, (*call).askTags),
		post("/at/{location}/tags", lost.Look, (*call).askTags),
		get("/at/{location}/tags.pdf", lost.Look, (*call).printTags),
		post("/at/{location}/tags.pdf", lost.Look, (*call).printTags),
		get("/at/{location}/places", lost.Look, (*call).showPlaces),
		get("/at/{location}/place", lost.Look, (*call).showPlace),
		get("/scan", "", (*call).scanHere),
		get("/at/{location}/scan", lost.Look, (*call).askScan),
		post("/at/{location}/scan", lost.Look, (*call).scanned),
		post("/at/{location}/scan/undo", lost.Handle, (*call).undoMove),
		post("/at/{location}/scan/read", lost.Look, (*call).readFrame),
		get("/at/{location}/counts", lost.Look, (*call).listCounts),
		post("/at/{location}/counts", lost.Handle, (*call).beginCount),
		get("/at/{location}/counts/{count}", lost.Look, (*call).showCount),
		post("/at/{location}/counts/{count}", lost.Handle, (*call).scanCounted),
		post("/at/{location}/counts/{count}/correct", lost.Handle, (*call).correctCount),
		get("/at/{location}/counts/{count}/close", lost.Handle, (*call).askCloseCount),
		post("/at/{location}/counts/{count}/close", lost.Handle, (*call).closeCount),
		post("/at/{location}/counts/{count}/drop", lost.Handle, (*call).discardCount),
		get("/at/{location}/counts/{count}/report.pdf", lost.Look, (*call).printCount),
		get("/at/{location}/storage", lost.Look, (*call).storage),
		post("/at/{location}/storage", lost.Handle, (*call).decideItems),
		get("/at/{location}/storage/held", lost.Look, (*call).heldItems),
		post("/at/{location}/storage/held", lost.Handle, (*call).releaseHeld),
		get("/at/{location}/storage/decisions/{decision}", lost.Look, (*call).decision),
		post("/at/{location}/storage/decisions/{decision}/undo", lost.Handle, (*call).undo),
		get("/at/{location}/storage/decisions/{decision}/list", lost.Look, (*call).decisionList),
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
