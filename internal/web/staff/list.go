package staff

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strconv"

	"homeward/internal/lost"
	"homeward/internal/words"
)

// glimpse is an item as a list shows it.
type glimpse struct {
	Href, ID, Reference, Description, Traits string
	Place, Day, Kept, Owner                  string
	Photo                                    string // address of the small picture; empty where there is none
	State                                    state
}

// glance shows an item as a list does.
func glance(i lost.Item, href string) glimpse {
	g := glimpse{
		Href: href, ID: i.ID, Reference: i.Reference, Description: i.Description, Traits: traits(i),
		Place: i.DiscoveryPlace, Day: day(i.DiscoveryDate), Owner: fullName(i.Owner), State: stateOf(i),
	}
	if i.Source == lost.Request {
		g.Href = atPath(i.LocationID, "/requests/"+i.ID)
		g.Place, g.Day = i.Claim.LostPlace, day(i.Claim.LostDate)
	}
	if i.Held() {
		g.Kept = i.KeptAt()
	}
	if picture := i.Picture(); picture.Thumbnail != "" {
		g.Photo = filePath(picture.Thumbnail)
	}
	return g
}

// traits are what else is known of a thing.
func traits(i lost.Item) string { return words.Join(" · ", i.Brand, i.Model, i.Color) }

func fullName(o lost.Owner) string { return words.Join(" ", o.FirstName, o.LastName) }

// listLimit is how many rows a page of a list has.
const listLimit = 25

// pageOf is the part of a list that an address asks for; what it says is taken for the first where it is no number.
func pageOf(query url.Values) lost.Page {
	n, err := strconv.Atoi(query.Get("page"))
	if err != nil || n < 1 {
		n = 1
	}
	return lost.Page{Number: n, Limit: listLimit}
}

// pager leads from one part of a list to the others.
type pager struct {
	Number       int
	Before, Next string // addresses; empty where there is none
}

// turn makes the pager of a list at an address.
func turn[T any](l lost.List[T], at *url.URL) pager {
	p := pager{Number: l.Page.Number}
	to := func(n int) string {
		query := at.Query()
		query.Set("page", strconv.Itoa(n))
		return at.Path + "?" + query.Encode()
	}
	if p.Number > 1 {
		p.Before = to(p.Number - 1)
	}
	if l.More() {
		p.Next = to(p.Number + 1)
	}
	return p
}

// newOnce makes the name of a form, by which sending it twice does once what it does.
func newOnce() string { return rand.Text() }

// once makes a form do once what it does, however often it is sent.
func once(values url.Values, what string) lost.Once {
	key := values.Get("once")
	if key == "" {
		return lost.Once{}
	}
	sum := sha256.Sum256([]byte(values.Encode()))
	return lost.Once{Key: "form " + what + " " + key, Request: hex.EncodeToString(sum[:]), Form: true}
}
