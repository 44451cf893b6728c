package staff

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strconv"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// glimpse is an item as a list shows it. Nothing is worked out while it is written.
type glimpse struct {
	Href, ID, Reference, Description, Traits string
	Place, Day, Owner                        string
	Kept, Until                              string // where and how long it is kept; empty where it is gone
	Hold, Wish                               string // why it stays; what its owner wants, where that is to be minded
	Photo, Kind                              string // one of them: address of the small picture, or what kind of thing it is
	State                                    state
}

// What a list shows of a description, and of anything else.
const (
	maxRowText  = 140
	maxRowShort = 80
)

// glance shows an item as a list does.
func glance(i lost.Item) glimpse {
	g := glimpse{
		Href: itemPath(i), ID: i.ID, Reference: i.Reference, Description: lost.Shorten(i.Description, maxRowText), Traits: traits(i),
		Place: lost.Shorten(i.DiscoveryPlace, maxRowShort), Day: day(i.DiscoveryDate), Owner: ownerName(i.Owner), Hold: i.Hold, State: stateOf(i),
	}
	if i.Source == lost.Request {
		g.Place, g.Day = lost.Shorten(i.Claim.LostPlace, maxRowShort), day(i.Claim.LostDate)
	}
	if i.Held() {
		g.Kept, g.Until = lost.Shorten(i.KeptAt(), maxRowShort), day(i.StoreUntil())
	}
	if i.Status == lost.InfoCompleted {
		g.Wish = "Its owner wants it sent"
	}
	if picture := i.Picture(); picture.Thumbnail != "" {
		g.Photo = filePath(picture.Thumbnail)
	} else {
		g.Kind = kindOf(i.Description)
	}
	return g
}

// glances shows items as a list does.
func glances(items []lost.Item) []glimpse {
	rows := make([]glimpse, len(items))
	for n, i := range items {
		rows[n] = glance(i)
	}
	return rows
}

// traits are what else is known of a thing.
func traits(i lost.Item) string { return i18n.Join(" · ", i.Brand, i.Model, i.Color) }

func fullName(o lost.Owner) string { return i18n.Join(" ", o.FirstName, o.LastName) }

// ownerName is what an owner is called: by their name, else by where they are reached.
func ownerName(o lost.Owner) string {
	return cmp.Or(lost.Shorten(fullName(o), maxRowShort), o.Address())
}

// How many rows a page of a list has: with pictures, and in a table.
const (
	listLimit  = 25
	tableLimit = 50
)

// lastPage is how far somebody leafs. Whoever looks for what is older says when it was found.
const lastPage = 1000

// pageOf is the page that an address asks for; the first where it says no number.
func pageOf(query url.Values) int {
	n, err := strconv.Atoi(query.Get("page"))
	if err != nil {
		n = 1
	}
	return min(max(n, 1), lastPage)
}

// part is the part of a list that the address asks for.
func (c *call) part(limit int) lost.Page {
	return lost.Page{Number: pageOf(c.r.URL.Query()), Limit: limit}
}

// pager leads from one part of a list to the others.
type pager struct {
	Number       int
	Before, Next link // without an address where there is none
}

// turn makes the pager of a list at an address. What comes before and what comes next is called as the list is ordered.
func turn[T any](l lost.List[T], at *url.URL, before, next string) pager {
	p := pager{Number: l.Page.Number}
	to := func(name string, n int) link {
		return link{Name: name, Href: pageAt(at.Path, at.Query(), n)}
	}
	if p.Number > 1 {
		p.Before = to(before, p.Number-1)
	}
	if l.More() && p.Number < lastPage {
		p.Next = to(next, p.Number+1)
	}
	return p
}

// pageAt is the address of a page of a list. The first is the list itself; of others the number comes last, where people look for it.
func pageAt(path string, query url.Values, n int) string {
	query.Del("page")
	at := address(path, query)
	switch {
	case n <= 1:
		return at
	case len(query) == 0:
		return at + "?page=" + strconv.Itoa(n)
	default:
		return at + "&page=" + strconv.Itoa(n)
	}
}

// address is that of a path with what is asked of it, if anything is.
func address(path string, query url.Values) string {
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// newOnce makes the name of a form, by which sending it twice does once what it does.
func newOnce() string { return rand.Text() }

// once makes a form do once what it does, however often it is sent.
func once(values url.Values, what string) lost.IdempotencyKey {
	key := values.Get("once")
	if key == "" {
		return lost.IdempotencyKey{}
	}
	sum := sha256.Sum256([]byte(values.Encode()))
	return lost.IdempotencyKey{Key: "form " + what + " " + key, Request: hex.EncodeToString(sum[:]), Form: true}
}
