// Package search is the part of the dashboard that searches items, requests and guests of all locations that the user
// can see. A script shows the same results in a dialog on every page.
package search

import (
	"embed"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

//go:embed templates
var templates embed.FS

// Area returns the routes and templates of this part of the dashboard.
func Area() frame.Area { return frame.Area{Routes: Routes(), Templates: templates} }

// Routes returns the routes of this area.
func Routes() []frame.Route {
	return []frame.Route{frame.Get("/search", lost.ViewItems, (*call).search)}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }
