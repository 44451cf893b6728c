package stafftest

import (
	"strings"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

// ItemsPath returns the path of a location's item list.
func ItemsPath(l lost.Location) string { return "/at/" + l.ID + "/items" }

// ItemPath returns the path of an item's page.
func ItemPath(l lost.Location, i lost.Item) string { return ItemsPath(l) + "/" + i.ID }

// Shows reports whether a page contains all texts.
func Shows(a testkit.Response, texts ...string) bool { return MissingText(a, texts...) == "" }

// MissingText returns the first of the texts that a page does not contain, or an empty string if it contains all.
func MissingText(a testkit.Response, texts ...string) string {
	for _, text := range texts {
		if !strings.Contains(a.Body, text) {
			return text
		}
	}
	return ""
}
