package api

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

// query reads the parameters of a query string and collects errors in bad.
type query struct {
	address *url.URL
	values  url.Values
	bad     lost.Problems
	wrong   error // a cursor that cannot be used
	changes bool  // whether the list is one of changes
}

// err returns the error for all invalid parameters.
func (q *query) err() error {
	if err := q.bad.Err(); err != nil {
		return err
	}
	return q.wrong
}

func (c *call) query() (*query, error) {
	values, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return nil, lost.E(lost.Unreadable,
			"The query string is not well formed. Percent-encode special characters in its values.").WithCause(err)
	}
	q := &query{address: c.r.URL, values: values}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		n := slices.IndexFunc(c.op.query, func(p parameter) bool { return p.name == name })
		switch {
		case n < 0: // otherwise a mistyped filter would return everything
			q.bad.Add(name, "unknown-parameter", "is not a parameter here; leave it out")
		case len(values[name]) > 1 && !c.op.query[n].repeatable: // otherwise all but one would be ignored
			return nil, lost.E(lost.Unreadable, "The query parameter %s was sent %d times. Send it once.", name,
				len(values[name]))
		}
	}
	return q, nil
}

// page reads the page number and size of a list that has no filters.
func (c *call) page() (lost.Page, error) {
	q, err := c.query()
	if err != nil {
		return lost.Page{}, err
	}
	page := q.page()
	return page, q.err()
}

func (q *query) page() lost.Page {
	p := lost.FirstPage()
	q.number("page", 1, math.MaxInt, "must be a whole number from 1", &p.Number)
	q.number("limit", lost.MinLimit, lost.MaxLimit,
		fmt.Sprintf("must be a whole number from %d to %d", lost.MinLimit, lost.MaxLimit), &p.Limit)
	q.readCursor(&p)
	return p
}

// number reads a whole number into dst. If the value is invalid or out of bounds, it adds an error with the message
// requirement.
func (q *query) number(name string, least, most int, requirement string, dst *int) {
	if !q.values.Has(name) {
		return
	}
	n, err := strconv.Atoi(q.values.Get(name))
	if err != nil || n < least || n > most {
		q.bad.Add(name, "out-of-range", "%s", requirement)
		return
	}
	*dst = n
}

// term reads the search term.
func (q *query) term() string { return q.words("term") }

// similar reads the query of a ranked list, which has no positions.
func (q *query) similar() string {
	text := q.words("q")
	for _, name := range q.findConflicts(text) {
		q.bad.Add(name, "not-with-q", "cannot be combined with q; leave out one of the two")
	}
	return text
}

// finder reads the words to search for in the finder of items, with the same limits as similar.
func (q *query) finder() string {
	text := q.words("finder")
	for _, name := range q.findConflicts(text) {
		q.bad.Add(name, "not-with-finder", "cannot be combined with finder; leave out one of the two")
	}
	return text
}

// findConflicts returns the parameters in the query that cannot be combined with words that items are ranked by.
func (q *query) findConflicts(text string) []string {
	return slices.DeleteFunc([]string{"term", "cursor", "updatedSince"}, func(name string) bool {
		return text == "" || !q.values.Has(name)
	})
}

// words reads words to search for.
func (q *query) words(name string) string {
	text := strings.TrimSpace(q.values.Get(name))
	if n := utf8.RuneCountInString(text); n > lost.MaxTerm {
		q.bad.Add(name, "too-long", "must have at most %d characters", lost.MaxTerm)
	}
	return text
}

// identifier reads an id to filter by.
func (q *query) identifier(name string) string {
	id := q.values.Get(name)
	if q.values.Has(name) && (id == "" || len(id) > maxIdentifier) {
		q.bad.Add(name, "out-of-range", "must have 1 to %d characters", maxIdentifier)
	}
	return id
}

// externalID reads the client's own id to filter by.
func (q *query) externalID() string {
	const name = "externalId"
	id := strings.TrimSpace(q.values.Get(name))
	if n := utf8.RuneCountInString(id); q.values.Has(name) && (n == 0 || n > lost.MaxExternalID) {
		q.bad.Add(name, "out-of-range", "must have 1 to %d characters", lost.MaxExternalID)
	}
	return id
}

// serialNumber reads a serial number to filter by.
func (q *query) serialNumber() string {
	const name = "serialNumber"
	number := strings.TrimSpace(q.values.Get(name))
	if q.values.Has(name) && (lost.SerialKey(number) == "" || utf8.RuneCountInString(number) > lost.MaxShort) {
		q.bad.Add(name, "out-of-range", "must have 1 to %d characters, spaces and hyphens not counted", lost.MaxShort)
	}
	return number
}

// identifiers reads ids to filter by, from a parameter that can be repeated.
func (q *query) identifiers(name string, most int) []string {
	ids := slices.Compact(slices.Sorted(slices.Values(q.values[name])))
	if len(ids) > most {
		q.bad.Add(name, "too-many", "can be sent at most %d times", most)
	}
	for _, id := range ids {
		if id == "" || len(id) > maxIdentifier {
			q.bad.Add(name, "out-of-range", "must have 1 to %d characters", maxIdentifier)
			break
		}
	}
	return ids
}

func (q *query) date(name string) string {
	s := q.values.Get(name)
	if !q.values.Has(name) {
		return ""
	}
	if _, ok := lost.ParseDate(s); !ok {
		q.bad.Add(name, "invalid-date", "must be a real date in the format YYYY-MM-DD")
	}
	return s
}

// oneOf reads a parameter that can be repeated. Each value must be one of the allowed values.
func oneOf[T ~string](q *query, name string, allowed []T) []T {
	var out []T
	for _, s := range q.values[name] {
		if !slices.Contains(allowed, T(s)) {
			q.bad.Add(name, "not-allowed", "must be one of %s", lost.Quoted(allowed))
			return nil
		}
		if !slices.Contains(out, T(s)) {
			out = append(out, T(s))
		}
	}
	return out
}

// writeList responds with a page of records and links to other pages, or returns err if it is not nil.
func writeList[T, R any](c *call, l lost.List[T], err error, write func(T) R) error {
	if err != nil {
		return err
	}
	list := v1.ListOf(l, write)
	values := c.r.URL.Query()
	if l.Next != "" {
		list.Next = cursor{listID(pageList, c.r.URL, values), l.Page.Number + 1, l.Total, l.Next}.String()
	}
	c.w.Header().Set("Link", pageLinks(*c.r.URL, values, l.Page, l.Total, list.Next, l.More()))
	return respond.JSON(c.w, http.StatusOK, list)
}

// pageLinks returns the value of the Link header. A page that was read by cursor links to the next one by cursor.
func pageLinks(address url.URL, values url.Values, page lost.Page, total lost.Total, next string, more bool) string {
	var links []string
	link := func(rel, name, value string) {
		values.Set(name, value)
		address.RawQuery = values.Encode()
		links = append(links, "<"+address.RequestURI()+`>; rel="`+rel+`"`)
	}
	values.Del("cursor")
	link("first", "page", "1")
	if page.After != "" {
		if values.Del("page"); next != "" {
			link("next", "cursor", next)
		}
		return strings.Join(links, ", ")
	}
	n, pages := page.Number, (total.Count+page.Limit-1)/page.Limit
	if n > 1 && total.AtLeast {
		link("prev", "page", strconv.Itoa(n-1))
	} else if n > 1 {
		link("prev", "page", strconv.Itoa(min(n-1, max(1, pages))))
	}
	if more {
		link("next", "page", strconv.Itoa(n+1))
	}
	if pages > 0 && !total.AtLeast {
		link("last", "page", strconv.Itoa(pages))
	}
	return strings.Join(links, ", ")
}
