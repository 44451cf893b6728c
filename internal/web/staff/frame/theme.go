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

func setTheme(c *Call) error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	c.SetCookie(themeCookie, values.Get("theme"), CookieYear)
	return c.Redirect(SafePath(values.Get("back")))
}

// switchLocation opens the items of another location, or of all, and makes it the one where the user works.
func switchLocation(c *Call) error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	c.Request.SetPathValue("location", values.Get("location"))
	s, err := ReadListScope(c)
	if err != nil {
		return err
	}
	if s.All {
		c.Flash(c.Say("frame.switched.all"))
	} else {
		RecordAt(c, s.At.ID)
		c.Flash(c.Say("frame.switched", "location", s.At.Name))
	}
	return c.Redirect(s.Path("/items"))
}
