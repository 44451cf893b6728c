package frame

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"homeward/internal/lost"
)

// RolePhrase is the name of a role and a description of its permissions.
type RolePhrase struct{ Name, Description string }

// RoleText returns the name of a role and a description of its permissions.
func RoleText(r lost.Role) RolePhrase {
	switch r {
	case lost.OwnerRole:
		return RolePhrase{"Owner", "everything, including the account itself"}
	case lost.AdminRole:
		return RolePhrase{"Admin", "everything except the account itself and its owners"}
	case lost.DeskRole:
		return RolePhrase{"Desk", "record, change and hand over items, answer requests"}
	case lost.LoggerRole:
		return RolePhrase{"Logger", "record found items only"}
	case lost.ViewerRole:
		return RolePhrase{"Viewer", "view only"}
	case lost.PublishableRole:
		return RolePhrase{"Website", "for scripts on your website; shows a location and files requests"}
	default:
		return RolePhrase{string(r), ""}
	}
}

// LocationNames returns the names of locations as text, shortened if there are many. A nil slice means all locations.
func (c *Call) LocationNames(ids []string) string {
	const maxNamed = 3
	if ids == nil {
		return "All locations"
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
		return "None (deleted)"
	case len(names) == 0:
		return fmt.Sprintf("%d locations", count)
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	default:
		return strings.Join(names, ", ")
	}
}

// RoleOptions lists roles with their descriptions.
func RoleOptions(roles ...lost.Role) (options []Option) {
	for _, r := range roles {
		text := RoleText(r)
		options = append(options, Option{string(r), text.Name + ": " + text.Description})
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
			boxes = append(boxes, CheckBox{Value: id, Name: "A location that is not listed", Checked: true})
		}
	}
	return boxes, err
}
