package staff

import (
	"net/http"

	"homeward/internal/web/staff/frame"
)

// Unguarded returns the dashboard without the permission checks of its routes, so that only package desk checks
// permissions.
func Unguarded(o Options) (http.Handler, error) {
	all := areas()
	for _, a := range all {
		for n := range a.Routes {
			a.Routes[n].Right = ""
		}
	}
	return frame.New(o, all...)
}
