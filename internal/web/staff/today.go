package staff

import (
	"net/http"

	"homeward/internal/lost"
)

func todayRoutes() []Route {
	return []Route{{Method: http.MethodGet, Path: "/{$}", serve: (*call).today}}
}

type todayPage struct{ page }

// today is the start page: what needs doing.
func (c *call) today() error {
	if !c.may(lost.Look) {
		here, err := c.usual()
		if err != nil {
			return err
		}
		return c.see(atPath(here.ID, "/find"))
	}
	return c.write(http.StatusOK, "today", todayPage{page: c.page("Today")})
}
