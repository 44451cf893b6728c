package frame

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"homeward/internal/lost"
)

// RolePhrase is the name of a role and what it may do.
type RolePhrase struct{ Name, Says string }

// RoleText returns the name of a role and what it may do.
func RoleText(r lost.Role) RolePhrase {
	switch r {
	case lost.OwnerRole:
		return RolePhrase{"Owner", "everything, including the account itself"}
	case lost.AdminRole:
		return RolePhrase{"Admin", "everything except the account itself and its owners"}
	case lost.DeskRole:
		return RolePhrase{"Desk", "record, change and hand over items, answer requests"}
	case lost.LoggerRole:
		return RolePhrase{"Logger", "record finds, and see nothing else"}
	case lost.ViewerRole:
		return RolePhrase{"Viewer", "view only"}
	default:
		return RolePhrase{string(r), ""}
	}
}

// LocationNames lists the names of locations, shortened if there are many; nil means all.
func (c *Call) LocationNames(ids []string) string {
	const named = 3
	if ids == nil {
		return "All locations"
	}
	all, err := c.Locations()
	if err != nil {
		all = nil // only the count is known
	}
	var names []string
	for _, l := range all {
		if slices.Contains(ids, l.ID) {
			names = append(names, l.Name)
		}
	}
	there := len(ids)
	if err == nil && len(all) < maxMenuLocations { // these are all locations
		there = len(names)
	}
	names = names[:min(len(names), named)]
	switch more := there - len(names); {
	case there == 0:
		return "None (deleted)"
	case len(names) == 0:
		return fmt.Sprintf("%d locations", there)
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	default:
		return strings.Join(names, ", ")
	}
}

// RoleOptions lists roles with what each may do.
func RoleOptions(roles ...lost.Role) (options []Option) {
	for _, r := range roles {
		words := RoleText(r)
		options = append(options, Option{string(r), words.Name + ": " + words.Says})
	}
	return options
}

// DisplayName is the name of a user, or their e-mail address.
func DisplayName(u lost.User) string { return cmp.Or(u.Name, u.Email) }

// LocationBoxes lists the locations as checkboxes. A checked location stays in the list even if the menu is too short
// for it.
func (c *Call) LocationBoxes(ticked []string) (boxes []CheckBox, err error) {
	all, err := c.Locations()
	for _, l := range all {
		boxes = append(boxes, CheckBox{Value: l.ID, Name: l.Name, Checked: slices.Contains(ticked, l.ID)})
	}
	for _, id := range ticked {
		if len(all) == maxMenuLocations && !slices.ContainsFunc(boxes, func(b CheckBox) bool { return b.Value == id }) {
			boxes = append(boxes, CheckBox{Value: id, Name: "A location that is not listed", Checked: true})
		}
	}
	return boxes, err
}
