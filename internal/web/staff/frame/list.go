package frame

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"homeward/internal/lost"
)

// The maximum lengths of a description and of other texts in a list.
const (
	maxRowText  = 140
	maxRowShort = 80
)

// The number of rows on one page of a list with pictures, and of a table.
const (
	ListLimit  = 25
	TableLimit = 50
)

// lastPage is the highest page number that can be opened. To see older entries, users must filter by date.
const lastPage = 1000

// pageNumber returns the page number in a URL query, 1 by default.
func pageNumber(query url.Values) int {
	n, err := strconv.Atoi(query.Get("page"))
	if err != nil {
		n = 1
	}
	return min(max(n, 1), lastPage)
}

// PageFromQuery returns the page of a list that the URL requests.
func (c *Call) PageFromQuery(limit int) lost.Page {
	return lost.Page{Number: pageNumber(c.Request.URL.Query()), Limit: limit}
}

// Pager links to the previous and the next page of a list.
type Pager struct {
	Number       int
	Before, Next Link // Href is empty if there is no such page
}

// NewPager creates the pager of a list. before and next are the names of its links, which depend on how the list is
// sorted.
func NewPager[T any](l lost.List[T], at *url.URL, before, next string) Pager {
	p := Pager{Number: l.Page.Number}
	to := func(name string, n int) Link {
		return Link{Name: name, Href: pageURL(at.Path, at.Query(), n)}
	}
	if p.Number > 1 {
		p.Before = to(before, p.Number-1)
	}
	if l.More() && p.Number < lastPage {
		p.Next = to(next, p.Number+1)
	}
	return p
}

// pageURL returns the URL of one page of a list. The URL of the first page has no page number; in other URLs the
// number comes last, where it is easy to see.
func pageURL(path string, query url.Values, n int) string {
	query.Del("page")
	at := URLWithQuery(path, query)
	switch {
	case n <= 1:
		return at
	case len(query) == 0:
		return at + "?page=" + strconv.Itoa(n)
	default:
		return at + "&page=" + strconv.Itoa(n)
	}
}

// URLWithQuery adds a query to a path, unless the query is empty.
func URLWithQuery(path string, query url.Values) string {
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// queueCookie remembers the last page of a list of items or requests, so that people can go from one record to the next
// one. That works even if an action has removed a record from the list. The cookie has the URL of the page, a bar, and
// an entry for each record.
const queueCookie = "queue"

// ListPosition is the place of an item or a request in the list that it was opened from.
type ListPosition struct {
	Previous, Next string // the URLs of its neighbors, or of the neighboring pages of the list; empty at its ends
	Number, Of     int    // the place among the records on the page of the list
}

// RememberListed remembers the records on a page of a list, and the URL of that page. An entry is the path of a record;
// if it has no folder, it has that of the entry before it.
func RememberListed(c *Call, page string, records []lost.Item) {
	if Prefetches(c) {
		return
	}
	if len(page) > maxListCookie {
		page = ""
	}
	entries, root := make([]string, len(records)), LocationPath("", "")
	folder := ""
	for n, i := range records {
		entries[n] = i.ID
		if here := strings.TrimSuffix(ItemPath(i), i.ID); here != folder {
			folder = here
			entries[n] = strings.TrimPrefix(here, root) + i.ID
		}
	}
	remembered := strings.TrimPrefix(page, root) + "|" + strings.Join(entries, ".")
	if remembered != c.Cookie(queueCookie) {
		c.SetCookie(queueCookie, remembered, 0)
	}
}

// PositionOf returns the place of an item or a request in the last list, or nil if it is not on its page.
func PositionOf(c *Call, i lost.Item) *ListPosition {
	page, entries, _ := strings.Cut(c.Cookie(queueCookie), "|")
	paths := readListed(entries)
	n := slices.Index(paths, ItemPath(i))
	if n < 0 {
		return nil
	}
	list, search, _ := strings.Cut(LocationPath(page, ""), "?")
	query, _ := url.ParseQuery(search)
	number := pageNumber(query)
	at := &ListPosition{Number: n + 1, Of: len(paths)}
	switch {
	case n > 0:
		at.Previous = paths[n-1]
	case number > 1:
		at.Previous = pageURL(list, query, number-1)
	}
	switch {
	case n+1 < len(paths):
		at.Next = paths[n+1]
	case len(paths) == ListLimit && page != "":
		at.Next = pageURL(list, query, number+1)
	}
	return at
}

// readListed returns the paths of the records in a cookie.
func readListed(entries string) (paths []string) {
	folder := ""
	for entry := range strings.SplitSeq(entries, ".") {
		here, id := path.Split(entry)
		folder = cmp.Or(here, folder)
		if id != "" && folder != "" && len(paths) < ListLimit {
			paths = append(paths, LocationPath(folder, url.PathEscape(id)))
		}
	}
	return paths
}

// NewFormKey creates the random key that makes a form idempotent.
func NewFormKey() string { return rand.Text() }

// FormKey returns the idempotency key of a form. Sending the form twice has the same effect as sending it once.
func FormKey(values url.Values, what string) lost.IdempotencyKey {
	key := values.Get("once")
	if key == "" {
		return lost.IdempotencyKey{}
	}
	sum := sha256.Sum256([]byte(values.Encode()))
	return lost.IdempotencyKey{Key: "form " + what + " " + key, Request: hex.EncodeToString(sum[:]), Form: true}
}
