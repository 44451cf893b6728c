package locations

import (
	"net/url"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// registerPart is the path of the page for the public register.
const registerPart = "register"

func showRegister(l lost.Location) url.Values {
	return url.Values{
		"publicRegister": {checkboxValue(l.PublicRegister)}, "publicAreas": {strings.Join(l.PublicAreas, "\n")},
	}
}

func registerInputs(lang frame.Locale, values url.Values) []*frame.Input {
	return []*frame.Input{
		{
			Name: "publicRegister", Label: lang.Say("locations.register.on"), Type: "check",
			Value: values.Get("publicRegister"), Hint: lang.Say("locations.register.on.hint"),
		},
		{
			Name: "publicAreas", Label: lang.Say("locations.register.areas"), Type: "area",
			Value: values.Get("publicAreas"), Hint: lang.Say("locations.register.areas.hint"),
		},
	}
}

// registerPatch reads the form. Each line is the name of an area.
func registerPatch(_ frame.Locale, values url.Values) lost.LocationPatch {
	lines := strings.Split(strings.ReplaceAll(values.Get("publicAreas"), "\r", ""), "\n")
	return lost.LocationPatch{
		PublicRegister: lost.Set(values.Get("publicRegister") != ""), PublicAreas: lost.Set(lines),
	}
}
