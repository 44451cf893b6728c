// Package staff is the dashboard for the staff of a location. Its areas are separate packages based on package frame;
// this package combines them.
//
// Every page is rendered on the server, works without scripts and loads nothing from other hosts. The use
// cases enforce the rules and permissions. A route also names the permission that its page needs, so that users do not
// see forms that a use case would reject.
//
// A handler reads the request, calls a use case and renders a page. After a form was accepted, it redirects to a page
// that shows a message (frame.Call.Flash). A form with errors is shown again with the submitted values and the errors
// next to the fields.
package staff

import (
	"net/http"
	"slices"

	"homeward/internal/web/staff/bulk"
	"homeward/internal/web/staff/calendar"
	"homeward/internal/web/staff/finds"
	"homeward/internal/web/staff/frame"
	"homeward/internal/web/staff/items"
	"homeward/internal/web/staff/locations"
	"homeward/internal/web/staff/notices"
	"homeward/internal/web/staff/owner"
	"homeward/internal/web/staff/reports"
	"homeward/internal/web/staff/requests"
	"homeward/internal/web/staff/search"
	"homeward/internal/web/staff/settings"
	"homeward/internal/web/staff/signin"
	"homeward/internal/web/staff/storage"
	"homeward/internal/web/staff/today"
	"homeward/internal/web/staff/users"
)

// Options configures the dashboard.
type Options = frame.Options

// Route is a path and method that the dashboard serves.
type Route = frame.Route

// New returns the HTTP handler of the dashboard.
func New(o Options) (http.Handler, error) { return frame.New(o, areas()...) }

// areas returns the parts of the dashboard.
func areas() []frame.Area {
	return []frame.Area{
		signin.Area(), users.Area(), today.Area(), finds.Area(), items.Area(), owner.Area(), bulk.Area(),
		storage.Area(),
		requests.Area(), reports.Area(), locations.Area(), search.Area(), settings.Area(), calendar.Area(),
		notices.Area(),
	}
}

// Routes returns all routes of the dashboard.
func Routes() []Route {
	routes := frame.Routes()
	for _, a := range areas() {
		routes = slices.Concat(routes, a.Routes)
	}
	return routes
}
