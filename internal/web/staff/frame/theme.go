package frame

import "slices"

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

// switchLocation makes another location, or all, the one where the user works. The user stays in the area of the
// dashboard that the form names.
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
	return c.Redirect(menuLink(newMenu(c, s), values.Get("area")))
}

// menuLink returns the path of an area in the menu, which has the area's name as its icon. Other pages lead to the
// items.
func menuLink(menu []Link, area string) string {
	for _, name := range []string{area, "items"} {
		if n := slices.IndexFunc(menu, func(l Link) bool { return l.Icon == name }); n >= 0 {
			return menu[n].Href
		}
	}
	return "/"
}
