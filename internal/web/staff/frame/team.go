package frame

import (
	"cmp"
	"slices"

	"homeward/internal/lost"
)

// RoleOptions are roles to choose from, with what each may do.
func RoleOptions(roles ...lost.Role) (options []Option) {
	for _, r := range roles {
		words := RoleText(r)
		options = append(options, Option{string(r), words.Name + ": " + words.Says})
	}
	return options
}

// DisplayName is what people call somebody.
func DisplayName(u lost.User) string { return cmp.Or(u.Name, u.Email) }

// LocationBoxes are the locations to tick. None that is ticked is lost because it is not listed.
func (c *Call) LocationBoxes(ticked []string) (boxes []CheckBox, err error) {
	all, err := c.Locations()
	for _, l := range all {
		boxes = append(boxes, CheckBox{Value: l.ID, Name: l.Name, Checked: slices.Contains(ticked, l.ID)})
	}
	for _, id := range ticked {
		if len(all) == maxMenuLocations && !slices.ContainsFunc(boxes, func(b CheckBox) bool { return b.Value == id }) {
			boxes = append(boxes, CheckBox{Value: id, Name: "One that is not listed here", Checked: true})
		}
	}
	return boxes, err
}
