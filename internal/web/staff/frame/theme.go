package frame

import ()

// themeCookie remembers whether somebody wants pages light or dark.
const themeCookie = "theme"

// theme is what the person chose; empty for what the device says.
func (c *Call) theme() string {
	if chosen := c.Cookie(themeCookie); chosen == "light" || chosen == "dark" {
		return chosen
	}
	return ""
}

func (c *Call) setTheme() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	c.SetCookie(themeCookie, values.Get("theme"), CookieYear)
	return c.Redirect(SafePath(values.Get("back")))
}

// switchLocation leads to the same part of the dashboard at another location.
func (c *Call) switchLocation() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	c.Request.SetPathValue("location", values.Get("location"))
	l, err := c.Location()
	if err != nil {
		return err
	}
	c.Flash("You are at " + l.Name + " now.")
	return c.Redirect(LocationPath(l.ID, "/items"))
}
