package frame

// themeCookie remembers whether the user chose the light or the dark theme.
const themeCookie = "theme"

// theme returns the theme that the user chose, or an empty string for the device's setting.
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

// switchLocation makes another location the one where the user works and opens its items.
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
	c.Flash(c.Say("frame.switched", "location", l.Name))
	return c.Redirect(LocationPath(l.ID, "/items"))
}
