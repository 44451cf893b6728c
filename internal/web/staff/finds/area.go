// Package finds is the part of the dashboard for recording found items, even without a connection. It also serves the
// dashboard's web app manifest, service worker and offline page.
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

// Routes returns the routes of this area.
func Routes() []frame.Route {
	return []frame.Route{
		frame.Public(frame.Get("/manifest.webmanifest", "", (*call).manifest)),
		frame.Public(frame.Get("/icon/{name}", "", (*call).appIcon)),
		frame.Public(frame.Get("/sw.js", "", (*call).serviceWorker)),
		frame.Public(frame.Get("/offline", "", (*call).offline)),
		frame.Post("/category", lost.RecordItems, (*call).suggestCategory),
		frame.Get("/find", lost.RecordItems, (*call).findAnywhere),
		frame.Get("/at/{location}/find", lost.RecordItems, (*call).askFind),
		frame.Post("/at/{location}/find", lost.RecordItems, (*call).recordFind),
		frame.Post("/at/{location}/photo-facts", lost.RecordItems, (*call).findPhotoFacts),
		frame.Get("/at/{location}/find/{id}", lost.RecordItems, (*call).recorded),
		frame.Post("/at/{location}/find/{id}/photos", lost.RecordItems, (*call).addPhotos),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }
