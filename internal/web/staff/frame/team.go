package frame

import (
	"cmp"
	"slices"

	"homeward/internal/lost"
)

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
