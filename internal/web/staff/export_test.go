package staff

import (
	"net/http"

	"homeward/internal/web/staff/frame"
)

// Unguarded is the dashboard without the permissions that its routes name: what is refused there, the desk refuses.
func Unguarded(o Options) (http.Handler, error) {
	all := areas()
	for _, a := range all {
		for n := range a.Routes {
			a.Routes[n].Right = ""
		}
	}
	return frame.New(o, all...)
}
