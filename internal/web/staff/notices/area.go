// Package notices is the part of the dashboard in which people choose what Homeward tells them, and stop that.
package notices

import (
	"embed"

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
		frame.Get("/settings/notices", "", (*call).notices),
		frame.Post("/settings/notices", "", (*call).changeNotices),
		frame.Post("/settings/notices/push", "", (*call).subscribe),
		frame.Post("/settings/notices/push/{browser}/remove", "", (*call).unsubscribe),
		frame.Public(frame.Get("/notices/stop/{token}", "", (*call).askStop)),
		frame.Public(frame.Post("/notices/stop/{token}", "", (*call).stop)),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }
