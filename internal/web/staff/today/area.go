// Package today is the part of the dashboard with the start page, which lists open tasks, and the help page.
package today

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
		frame.Get("/help", "", (*call).help),
		frame.Get("/{$}", "", (*call).today),
		frame.Get("/tasks/{kind}", lost.ViewItems, (*call).tasks),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }
