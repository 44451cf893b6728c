package staff

import "net/http"

// frameRoutes are those of what every page has.
func frameRoutes() []Route {
	return []Route{
		{Method: http.MethodPost, Path: "/theme", Open: true, serve: (*call).setTheme},
		{Method: http.MethodPost, Path: "/at", serve: (*call).goTo},
	}
}

// themeCookie remembers whether somebody wants pages light or dark.
const themeCookie = "theme"

// theme is what the person chose; empty for what the device says.
func (c *call) theme() string {
	if chosen := c.cookie(themeCookie); chosen == "light" || chosen == "dark" {
		return chosen
	}
	return ""
}

func (c *call) setTheme() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	c.keep(themeCookie, values.Get("theme"), year)
	return c.see(back(values.Get("back")))
}

// goTo leads to the same part of the dashboard at another location.
func (c *call) goTo() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	c.r.SetPathValue("location", values.Get("location"))
	l, err := c.at()
	if err != nil {
		return err
	}
	c.tell("You are at " + l.Name + " now.")
	return c.see(atPath(l.ID, "/items"))
}
