// Package calendar is the part of the dashboard that shows when owners pick up their items: a week and the list of a
// day.
package calendar

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
	return []frame.Route{
		frame.Get("/at/{location}/pickups", lost.ViewItems, (*call).week),
		frame.Get("/at/{location}/pickups/day", lost.ViewItems, (*call).day),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }
