package frame

import (
	"fmt"
	"slices"
	"strings"

	"homeward/internal/lost"
)

// RolePhrase is a role in words for people.
type RolePhrase struct{ Name, Says string }

func RoleText(r lost.Role) RolePhrase {
	switch r {
	case lost.OwnerRole:
		return RolePhrase{"Owner", "everything, the account itself included"}
	case lost.AdminRole:
		return RolePhrase{"Admin", "everything but the account itself and its owners; keys and webhooks too"}
	case lost.DeskRole:
		return RolePhrase{"Desk", "record, change and hand over items, answer requests"}
	case lost.LoggerRole:
		return RolePhrase{"Logger", "record finds, and see nothing else"}
	case lost.ViewerRole:
		return RolePhrase{"Viewer", "see, and change nothing"}
	default:
		return RolePhrase{string(r), ""}
	}
}

// LocationNames names locations, some of them where there are many; nil stands for all.
func (c *Call) LocationNames(ids []string) string {
	const named = 3
	if ids == nil {
		return "All locations"
	}
	all, err := c.Locations()
	if err != nil {
		all = nil // their number says something too
	}
	var names []string
	for _, l := range all {
		if slices.Contains(ids, l.ID) {
			names = append(names, l.Name)
		}
	}
	there := len(ids)
	if err == nil && len(all) < maxMenuLocations { // which are all that there are
		there = len(names)
	}
	names = names[:min(len(names), named)]
	switch more := there - len(names); {
	case there == 0:
		return "None any more: deleted"
	case len(names) == 0:
		return fmt.Sprintf("%d of the locations", there)
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	default:
		return strings.Join(names, ", ")
	}
}
