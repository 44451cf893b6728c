// Package items is the part of the dashboard with the list of items, saved views and the pages about one item.
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

// Routes returns the routes of this area.
func Routes() []frame.Route {
	return []frame.Route{
		frame.Get("/at/{location}/items", lost.ViewItems, (*call).items),
		frame.Get("/at/{location}/views", lost.ViewItems, (*viewCall).views),
		frame.Post("/at/{location}/views", lost.ViewItems, (*viewCall).saveView),
		frame.Post("/at/{location}/views/{view}", lost.ViewItems, (*viewCall).changeView),
		frame.Get("/at/{location}/items/{id}", lost.ViewItems, (*call).item),
		frame.Post("/at/{location}/items/{id}", lost.HandleItems, (*call).editItem),
		frame.Post("/at/{location}/items/{id}/category", lost.HandleItems, (*call).useCategory),
		frame.Post("/at/{location}/items/{id}/suggestion", lost.HandleItems, (*call).useSuggestion),
		frame.Post("/at/{location}/items/{id}/photo-fact", lost.HandleItems, (*call).usePhotoFact),
		frame.Post("/at/{location}/items/{id}/photos", lost.HandleItems, (*call).addItemPhotos),
		frame.Get("/at/{location}/items/{id}/photos/{image}/blurred", lost.ViewItems, (*call).blurredPhoto),
		frame.Post("/at/{location}/items/{id}/informed", lost.HandleItems, (*call).inform),
		frame.Post("/at/{location}/items/{id}/forwarded", lost.HandleItems, (*call).forward),
		frame.Post("/at/{location}/items/{id}/photo", lost.HandleItems, (*call).changePhoto),
		frame.Get("/at/{location}/items/{id}/status", lost.HandleItems, (*call).askMove),
		frame.Post("/at/{location}/items/{id}/status", lost.HandleItems, (*call).setStatus),
		frame.Get("/at/{location}/items/{id}/notify", lost.HandleItems, (*call).askNotify),
		frame.Post("/at/{location}/items/{id}/notify", lost.HandleItems, (*call).notify),
		frame.Post("/at/{location}/items/{id}/finder", lost.HandleItems, (*call).tellFinder),
		frame.Post("/at/{location}/items/{id}/thread", lost.HandleItems, (*call).writeToGuest),
		frame.Get("/at/{location}/items/{id}/link", lost.HandleItems, (*call).showLink),
		frame.Post("/at/{location}/items/{id}/link", lost.HandleItems, (*call).revokeLink),
		frame.Get("/at/{location}/items/{id}/address", lost.HandleItems, (*call).askAddress),
		frame.Post("/at/{location}/items/{id}/address", lost.HandleItems, (*call).setAddress),
		frame.Post("/at/{location}/items/{id}/label", lost.HandleItems, (*call).retryLabel),
		frame.Get("/at/{location}/items/{id}/refund", lost.HandleItems, (*call).askRefund),
		frame.Post("/at/{location}/items/{id}/refund", lost.HandleItems, (*call).refund),
		frame.Get("/at/{location}/items/{id}/delete", lost.DeleteItems, (*call).askDelete),
		frame.Post("/at/{location}/items/{id}/delete", lost.DeleteItems, (*call).deleteItem),
		frame.Get("/at/{location}/items/{id}/hand-over", lost.HandleItems, (*handOverCall).handOverForm),
		frame.Post("/at/{location}/items/{id}/hand-over", lost.HandleItems, (*handOverCall).handOver),
		frame.Post("/at/{location}/items/{id}/hand-over/undo", lost.HandleItems, (*handOverCall).undoHandOver),
		frame.Get("/at/{location}/items/{id}/hand-over/form", lost.HandleItems, (*handOverCall).handOverPaper),
		frame.Post("/at/{location}/items/{id}/release", lost.HandleItems, (*call).releaseOne),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

// viewCall is one request to a page about saved views.
type viewCall struct{ *frame.Call }

// handOverCall is one request to a page about handing over an item.
type handOverCall struct{ *frame.Call }
