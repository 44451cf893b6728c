package staff

import (
	"net/http"

	"homeward/internal/lost"
)

// itemRoutes are those of the list of a location's items, and of the page of one.
func itemRoutes() []Route {
	const list, one = "/at/{location}/items", "/at/{location}/items/{id}"
	get, post := http.MethodGet, http.MethodPost
	return []Route{
		{Method: get, Path: list, Right: lost.Look, serve: (*call).items},
		{Method: get, Path: "/at/{location}/views", Right: lost.Look, serve: (*call).views},
		{Method: post, Path: "/at/{location}/views", Right: lost.Look, serve: (*call).keepView},
		{Method: post, Path: "/at/{location}/views/{view}", Right: lost.Look, serve: (*call).changeView},

		{Method: get, Path: one, Right: lost.Look, serve: (*call).item},
		{Method: post, Path: one, Right: lost.Handle, serve: (*call).editItem},
		{Method: post, Path: one + "/photos", Right: lost.Handle, serve: (*call).addItemPhotos},
		{Method: post, Path: one + "/photo", Right: lost.Handle, serve: (*call).changePhoto},
		{Method: get, Path: one + "/status", Right: lost.Handle, serve: (*call).askMove},
		{Method: post, Path: one + "/status", Right: lost.Handle, serve: (*call).setStatus},
		{Method: get, Path: one + "/notify", Right: lost.Handle, serve: (*call).askNotify},
		{Method: post, Path: one + "/notify", Right: lost.Handle, serve: (*call).notify},
		{Method: get, Path: one + "/link", Right: lost.Handle, serve: (*call).showLink},
		{Method: post, Path: one + "/link", Right: lost.Handle, serve: (*call).revokeLink},
		{Method: get, Path: one + "/address", Right: lost.Handle, serve: (*call).askAddress},
		{Method: post, Path: one + "/address", Right: lost.Handle, serve: (*call).setAddress},
		{Method: post, Path: one + "/label", Right: lost.Handle, serve: (*call).retryLabel},
		{Method: get, Path: one + "/refund", Right: lost.Handle, serve: (*call).askRefund},
		{Method: post, Path: one + "/refund", Right: lost.Handle, serve: (*call).refund},
		{Method: get, Path: one + "/delete", Right: lost.Remove, serve: (*call).askDelete},
		{Method: post, Path: one + "/delete", Right: lost.Remove, serve: (*call).deleteItem},
	}
}

// itemPath is the address of an item's page.
func itemPath(i lost.Item) string {
	if i.Source == lost.Request {
		return atPath(i.LocationID, "/requests/"+i.ID)
	}
	return atPath(i.LocationID, "/items/"+i.ID)
}
