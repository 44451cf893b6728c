package frame

// themeCookie remembers the light or dark theme.
const themeCookie = "theme"

// theme is the chosen theme; empty for the device's setting.
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

// switchLocation opens the items of another location.
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
	c.Flash("You switched to " + l.Name + ".")
	return c.Redirect(LocationPath(l.ID, "/items"))
}
