package frame

import (
	"cmp"
	"slices"

	"homeward/internal/lost"
)

// RolePhrase is the name of a role and a description of its permissions.
type RolePhrase struct{ Name, Description string }

// RoleText returns the name of a role and a description of its permissions.
func (l Locale) RoleText(r lost.Role) RolePhrase {
	key := "frame.role." + string(r)
	if !l.Has(key) {
		return RolePhrase{string(r), ""}
	}
	return RolePhrase{l.Say(key), l.Say(key + ".may")}
}

// LocationNames returns the names of locations as text, shortened if there are many. A nil slice means all locations.
func (c *Call) LocationNames(ids []string) string {
	const maxNamed = 3
	if ids == nil {
		return c.Say("frame.locations.all")
	}
	all, err := c.Locations()
	if err != nil {
		all = nil // without the names, only the number is shown
	}
	var names []string
	for _, l := range all {
		if slices.Contains(ids, l.ID) {
			names = append(names, l.Name)
		}
	}
	count := len(ids)
	if err == nil && len(all) < maxMenuLocations { // all locations were loaded
		count = len(names)
	}
	names = names[:min(len(names), maxNamed)]
	switch more := count - len(names); {
	case count == 0:
		return c.Say("frame.locations.deleted")
	case len(names) == 0:
		return c.Say("frame.locations.count", "n", count)
	case more > 0:
		return c.Say("frame.locations.more", "names", c.Enumerate(names...), "n", more)
	default:
		return c.Enumerate(names...)
	}
}

// RoleOptions lists roles with their descriptions.
func (l Locale) RoleOptions(roles ...lost.Role) (options []Option) {
	for _, r := range roles {
		text := l.RoleText(r)
		options = append(options, Option{string(r), joinLabel(l, text.Name, text.Description)})
	}
	return options
}

// DisplayName returns the name of a user or, if they have none, their e-mail address.
func DisplayName(u lost.User) string { return cmp.Or(u.Name, u.Email) }

// LocationBoxes returns a checkbox for every location in the menu, and for every checked location that the menu
// leaves out.
func (c *Call) LocationBoxes(checked []string) (boxes []CheckBox, err error) {
	all, err := c.Locations()
	for _, l := range all {
		boxes = append(boxes, CheckBox{Value: l.ID, Name: l.Name, Checked: slices.Contains(checked, l.ID)})
	}
	for _, id := range checked {
		if len(all) == maxMenuLocations && !slices.ContainsFunc(boxes, func(b CheckBox) bool { return b.Value == id }) {
			boxes = append(boxes, CheckBox{Value: id, Name: c.Say("frame.locations.unlisted"), Checked: true})
		}
	}
	return boxes, err
}
