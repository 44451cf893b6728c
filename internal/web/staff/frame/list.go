package frame

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strconv"

	"homeward/internal/lost"
)

// What a list shows of a description, and of anything else.
const (
	maxRowText  = 140
	maxRowShort = 80
)

// How many rows a page of a list has: with pictures, and in a table.
const (
	ListLimit  = 25
	TableLimit = 50
)

// lastPage is how far somebody leafs. Whoever looks for what is older says when it was found.
const lastPage = 1000

// pageNumber is the page that an address asks for; the first where it says no number.
func pageNumber(query url.Values) int {
	n, err := strconv.Atoi(query.Get("page"))
	if err != nil {
		n = 1
	}
	return min(max(n, 1), lastPage)
}

// PageFromQuery is the part of a list that the address asks for.
func (c *Call) PageFromQuery(limit int) lost.Page {
	return lost.Page{Number: pageNumber(c.Request.URL.Query()), Limit: limit}
}

// Pager leads from one part of a list to the others.
type Pager struct {
	Number       int
	Before, Next Link // without an address where there is none
}

// NewPager makes the pager of a list at an address. What comes before and what comes next is called as the list is ordered.
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

// pageURL is the address of a page of a list. The first is the list itself; of others the number comes last, where people look for it.
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

// URLWithQuery is that of a path with what is asked of it, if anything is.
func URLWithQuery(path string, query url.Values) string {
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// NewFormKey makes the name of a form, by which sending it twice does once what it does.
func NewFormKey() string { return rand.Text() }

// FormKey makes a form do once what it does, however often it is sent.
func FormKey(values url.Values, what string) lost.IdempotencyKey {
	key := values.Get("once")
	if key == "" {
		return lost.IdempotencyKey{}
	}
	sum := sha256.Sum256([]byte(values.Encode()))
	return lost.IdempotencyKey{Key: "form " + what + " " + key, Request: hex.EncodeToString(sum[:]), Form: true}
}
