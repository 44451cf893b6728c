// Package storage is the part of the dashboard for stored items: storage places, scanning, printing tags, stock
// counts, items on hold, decisions about items past their storage time, and papers for the authorities.
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

// Routes returns the routes of this area.
func Routes() []frame.Route {
	return []frame.Route{
		frame.Get("/t/{reference}", lost.ViewItems, (*call).followTag),
		frame.Get("/t/place/{location}/{place}", lost.ViewItems, (*call).followPlace),
		frame.Get("/at/{location}/labels", lost.ViewItems, (*call).labels),
		frame.Post("/at/{location}/labels.pdf", lost.ViewItems, (*call).printLabels),
		frame.Get("/at/{location}/tags", lost.ViewItems, (*call).askTags),
		frame.Post("/at/{location}/tags", lost.ViewItems, (*call).askTags),
		frame.Get("/at/{location}/tags.pdf", lost.ViewItems, (*call).printTags),
		frame.Post("/at/{location}/tags.pdf", lost.ViewItems, (*call).printTags),
		frame.Get("/at/{location}/places", lost.ViewItems, (*call).showPlaces),
		frame.Get("/at/{location}/place", lost.ViewItems, (*call).showPlace),
		frame.Get("/scan", "", (*call).scanHere),
		frame.Get("/at/{location}/scan", lost.ViewItems, (*call).askScan),
		frame.Post("/at/{location}/scan", lost.ViewItems, (*call).scanned),
		frame.Post("/at/{location}/scan/undo", lost.HandleItems, (*call).undoScan),
		frame.Post("/at/{location}/scan/read", lost.ViewItems, (*call).readFrame),
		frame.Get("/at/{location}/counts", lost.ViewItems, (*countCall).listCounts),
		frame.Post("/at/{location}/counts", lost.HandleItems, (*call).beginCount),
		frame.Get("/at/{location}/counts/{count}", lost.ViewItems, (*countCall).showCount),
		frame.Post("/at/{location}/counts/{count}", lost.HandleItems, (*countCall).scanCounted),
		frame.Post("/at/{location}/counts/{count}/correct", lost.HandleItems, (*countCall).correctCount),
		frame.Get("/at/{location}/counts/{count}/close", lost.HandleItems, (*countCall).askCloseCount),
		frame.Post("/at/{location}/counts/{count}/close", lost.HandleItems, (*countCall).closeCount),
		frame.Post("/at/{location}/counts/{count}/drop", lost.HandleItems, (*countCall).discardCount),
		frame.Get("/at/{location}/counts/{count}/report.pdf", lost.ViewItems, (*countCall).printCount),
		frame.Get("/at/{location}/papers", lost.ViewItems, (*papersCall).showPapers),
		frame.Post("/at/{location}/papers", lost.ViewItems, (*papersCall).showPapers),
		frame.Get("/at/{location}/papers/register.pdf", lost.ViewItems, (*papersCall).printRegister),
		frame.Get("/at/{location}/papers/register.csv", lost.ViewItems, (*papersCall).downloadRegister),
		frame.Post("/at/{location}/papers/print.pdf", lost.ViewItems, (*papersCall).printPaper),
		frame.Post("/at/{location}/papers/hand-over", lost.HandleItems, (*papersCall).askHandOver),
		frame.Post("/at/{location}/papers/hand-over/record", lost.HandleItems, (*papersCall).handOverItems),
		frame.Get("/at/{location}/storage", lost.ViewItems, (*call).storage),
		frame.Post("/at/{location}/storage", lost.HandleItems, (*call).decideItems),
		frame.Get("/at/{location}/storage/held", lost.ViewItems, (*call).heldItems),
		frame.Post("/at/{location}/storage/held", lost.HandleItems, (*call).releaseHeld),
		frame.Get("/at/{location}/storage/decisions/{decision}", lost.ViewItems, (*call).decision),
		frame.Post("/at/{location}/storage/decisions/{decision}/undo", lost.HandleItems, (*call).undo),
		frame.Get("/at/{location}/storage/decisions/{decision}/list", lost.ViewItems, (*call).decisionList),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

// countCall is one request to a page about stock counts.
type countCall struct{ *frame.Call }

// papersCall is one request to a page about papers for the authorities, or about handing over several items at once.
type papersCall struct{ *frame.Call }
