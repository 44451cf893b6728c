package items

import (
	"net/url"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// listedCookie remembers the items on the last page of a list, so that people can go from one item to the next one.
// That works even if an action has removed an item from the list.
const listedCookie = "queue"

// listPosition is the place of an item in the list that it was opened from.
type listPosition struct {
	Previous, Next string // the URLs of its neighbors, or of the neighboring pages of the list; empty at its ends
	Number, Of     int    // the place among the items on the page of the list
}

// rememberListed remembers the items on a page of a list. An entry without a location has the location of the one
// before it.
func rememberListed(c *call, items []lost.Item) {
	if frame.Prefetches(c.Call) {
		return
	}
	entries := make([]string, len(items))
	location := ""
	for n, i := range items {
		entries[n] = i.ID
		if i.LocationID != location {
			location = i.LocationID
			entries[n] = location + "/" + i.ID
		}
	}
	if remembered := strings.Join(entries, "."); remembered != c.Cookie(listedCookie) {
		c.SetCookie(listedCookie, remembered, 0)
	}
}

// positionOf returns the place of an item in the last list, or nil if the item is not on its page.
func positionOf(c *call, i lost.Item) *listPosition {
	paths := readListed(c.Cookie(listedCookie))
	for n, path := range paths {
		if path != frame.ItemPath(i) {
			continue
		}
		at := &listPosition{Number: n + 1, Of: len(paths)}
		list, query, _ := strings.Cut(c.LastList(i.LocationID), "?")
		values, _ := url.ParseQuery(query)
		f := frame.ReadItemFilter(values)
		switch {
		case n > 0:
			at.Previous = paths[n-1]
		case f.Number > 1:
			at.Previous = f.At(list, f.Number-1)
		}
		switch {
		case n+1 < len(paths):
			at.Next = paths[n+1]
		case len(paths) == frame.ListLimit:
			at.Next = f.At(list, f.Number+1)
		}
		return at
	}
	return nil
}

// readListed returns the paths of the items in a cookie.
func readListed(cookie string) (paths []string) {
	location := ""
	for entry := range strings.SplitSeq(cookie, ".") {
		before, id, found := strings.Cut(entry, "/")
		if found {
			location = before
		} else {
			id = entry
		}
		if id != "" && location != "" && len(paths) < frame.ListLimit {
			paths = append(paths, frame.LocationPath(location, "/items/"+url.PathEscape(id)))
		}
	}
	return paths
}
