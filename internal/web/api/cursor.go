package api

import (
	"encoding/base64"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

// cursorPaging are the parameters of a list that can be read by cursor.
func cursorPaging() []parameter {
	return append(paging(), parameter{
		name: "cursor",
		about: "The next value of the previous page. A list that is read by cursor neither repeats nor skips a " +
			"record, even if records are added meanwhile. Use the same filters for each page. Do not send page " +
			"with it.",
		example: "Mi5hdWRfMDZmNXEyazhoNDB2M3c5ZDduMW04eDJiNGM",
		schema:  map[string]any{"type": "string", "maxLength": maxCursor},
	})
}

// maxCursor is the largest accepted length of a cursor.
const maxCursor = 200

// cursor is a position in a list: the last record of a page, and the number of the page that follows.
type cursor struct {
	page   int
	before string // the id of the last record; empty at the beginning of the list
}

func (c cursor) String() string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(c.page) + "." + c.before))
}

// parseCursor parses a cursor in a list of records whose ids are of the given kind.
func parseCursor(text, kind string) (c cursor, ok bool) {
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(text) > maxCursor {
		return c, false
	}
	number, id, found := strings.Cut(string(decoded), ".")
	if c.page, err = strconv.Atoi(number); err != nil || c.page < 1 || c.page == math.MaxInt {
		return c, false
	}
	c.before = id
	return c, found && lost.IsID(kind, id)
}

// cursorPage reads the size and the position of the page in a list that can be read by cursor.
func (q *query) cursorPage(kind string) (page lost.Page, before string) {
	page = q.page()
	if !q.values.Has("cursor") {
		return page, ""
	}
	if q.values.Has("page") {
		q.bad.Add("page", "not-with-cursor", "send page or cursor, not both")
	}
	at, ok := parseCursor(q.values.Get("cursor"), kind)
	if !ok {
		q.bad.Add("cursor", "invalid-cursor", "must be the next value of a page of this list")
	}
	page.Number = at.page
	return page, at.before
}

// writeCursorList responds with a page of records and a cursor for the next page if there is one, or returns err if it
// is not nil.
func writeCursorList[T, R any](c *call, l lost.List[T], more bool, err error, write func(T) R,
	id func(T) string) error {
	if err != nil {
		return err
	}
	list := v1.ListOf(l, write)
	values := c.r.URL.Query()
	byCursor := values.Has("cursor")
	link := func(rel string, set, to string) string {
		values.Del("page")
		values.Del("cursor")
		values.Set(set, to)
		address := *c.r.URL
		address.RawQuery = values.Encode()
		return fmt.Sprintf(`<%s>; rel="%s"`, address.RequestURI(), rel)
	}
	links := []string{link("first", "page", "1")}
	if n := l.Page.Number; n > 1 && !byCursor {
		links = append(links, link("prev", "page", strconv.Itoa(n-1)))
	}
	if more {
		list.Next = cursor{l.Page.Number + 1, id(l.Data[len(l.Data)-1])}.String()
		links = append(links, link("next", "cursor", list.Next))
	}
	c.w.Header().Set("Link", strings.Join(links, ", "))
	return respond.JSON(c.w, http.StatusOK, list)
}
