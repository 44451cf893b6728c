package stafftest

import (
	"strings"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

// ItemsPath is the address of a location's items.
func ItemsPath(l lost.Location) string { return "/at/" + l.ID + "/items" }

// ItemPath is the address of an item.
func ItemPath(l lost.Location, i lost.Item) string { return ItemsPath(l) + "/" + i.ID }

// Shows reports whether a page contains all texts.
func Shows(a testkit.Response, texts ...string) bool { return MissingText(a, texts...) == "" }

// MissingText returns the first text that a page does not contain.
func MissingText(a testkit.Response, texts ...string) string {
	for _, text := range texts {
		if !strings.Contains(a.Body, text) {
			return text
		}
	}
	return ""
}
