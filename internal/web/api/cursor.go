package api

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"maps"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

// cursorPaging are the parameters of a list that can be read by cursor.
func cursorPaging() []parameter {
	return append(paging(), parameter{
		name: "cursor",
		about: "The next value of the previous page. A list that is read by cursor neither repeats nor skips a " +
			"record that exists throughout, whatever is written meanwhile. Use the same address and filters for each " +
			"page; limit may differ. total stays that of the first page. Do not send page with it.",
		example: "cE3wPq0xTZQCVGl0ZW1fMDZmNXEyazhoNDB2M3c5ZDduMW04eDJiNGM",
		schema:  map[string]any{"type": "string", "maxLength": maxCursor},
	})
}

// maxCursor is the largest accepted length of a cursor.
const maxCursor = 200

// cursor is a position in a list.
type cursor struct {
	list     [8]byte // identifies the list and its filters
	page     int     // the number of the page that follows
	counted  lost.Total
	position string // see lost.List.Next
}

// The kinds of list that cursors belong to.
const (
	pageList   = "pages"
	changeList = "changes"
)

// listID identifies a list and its filters. limit is not a filter, and neither is the time since which a list has
// changes: a position replaces it.
func listID(kind string, address *url.URL, values url.Values) (id [8]byte) {
	filters := maps.Clone(values)
	for _, name := range []string{"limit", "page", "cursor", "since", "updatedSince"} {
		delete(filters, name)
	}
	sum := sha256.Sum256([]byte(kind + " " + strings.TrimSuffix(address.Path, "/") + "?" + filters.Encode()))
	copy(id[:], sum[:])
	return id
}

func (c cursor) String() string {
	text := append(make([]byte, 0, 64), c.list[:]...)
	text = binary.AppendUvarint(text, uint64(c.page))
	counted := uint64(c.counted.Count) << 1
	if c.counted.AtLeast {
		counted |= 1
	}
	text = binary.AppendUvarint(text, counted)
	return base64.RawURLEncoding.EncodeToString(append(text, c.position...))
}

// parseCursor parses a cursor of any list.
func parseCursor(text string) (c cursor, ok bool) {
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(text) > maxCursor || len(decoded) < len(c.list) {
		return c, false
	}
	rest := decoded[copy(c.list[:], decoded):]
	page, n := binary.Uvarint(rest)
	if n <= 0 || page < 1 || page >= math.MaxInt32 {
		return c, false
	}
	rest = rest[n:]
	counted, n := binary.Uvarint(rest)
	if n <= 0 || counted>>1 > lost.MaxTotal || len(rest) == n {
		return c, false
	}
	c.page = int(page)
	c.counted = lost.Total{Count: int(counted >> 1), AtLeast: counted&1 == 1}
	c.position = string(rest[n:])
	return c, true
}

// readCursor sets the position of a page from the cursor, if there is one.
func (q *query) readCursor(page *lost.Page) {
	if !q.values.Has("cursor") {
		return
	}
	if q.values.Has("page") {
		q.bad.Add("page", "not-with-cursor", "send page or cursor, not both")
	}
	at, ok := parseCursor(q.values.Get("cursor"))
	q.changes = q.changes || ok && at.list == listID(changeList, q.address, q.values)
	kind := pageList
	if q.changes {
		kind = changeList
	}
	if !ok || at.list != listID(kind, q.address, q.values) {
		q.wrong = lost.E(lost.InvalidCursor, "The cursor is not from this list, or the filters have changed. Send it "+
			"with the same address and filters as before, or start again without it.")
		return
	}
	page.Number, page.After, page.Counted = at.page, at.position, at.counted
}

// since describes the parameter that makes a list a list of changes.
func since(name, about string) parameter {
	return parameter{
		name: name, example: "2026-11-14T08:30:00Z", schema: map[string]any{"type": "string", "format": "date-time"},
		about: about + " The list then runs oldest first and always has a next value, also at the end. Keep it, and " +
			"send it as cursor later: nothing is missed, and nothing else is repeated. totalIsLowerBound is true if " +
			"there is more to read now. Do not send page with it.",
	}
}

// since reads the time since which changes are listed. It must be called before page.
func (q *query) since(name string) (at time.Time) {
	if !q.values.Has(name) {
		return at
	}
	q.changes = true
	if q.values.Has("page") {
		q.bad.Add("page", "not-with-since", "send page or %s, not both", name)
	}
	at, err := time.Parse(time.RFC3339, q.values.Get(name))
	if err != nil {
		q.bad.Add(name, "invalid-moment", "must be a time such as 2026-11-14T08:30:00Z")
	}
	return at
}

// writeChanges responds with a list of changes, or returns err if it is not nil.
func writeChanges[T, R any](c *call, l lost.List[T], err error, write func(T) R) error {
	if err != nil {
		return err
	}
	list := v1.ListOf(l, write)
	values := c.r.URL.Query()
	list.Next = cursor{listID(changeList, c.r.URL, values), 1, lost.Total{}, l.Next}.String()
	values.Set("cursor", list.Next)
	address := *c.r.URL
	address.RawQuery = values.Encode()
	c.w.Header().Set("Link", "<"+address.RequestURI()+`>; rel="next"`)
	return respond.JSON(c.w, http.StatusOK, list)
}
