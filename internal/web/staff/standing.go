package staff

import (
	"net/http"
	"net/url"
	"path"

	"homeward/internal/lost"
)

// standing is how things stand after something could not be done: the record that it was about, what happened to it last, and the way back.
type standing struct {
	Record *glimpse
	Tales  []tale
	Back   link
}

// fewTales is how much of a record's history is told beside what could not be done: whoever was quicker is among the last.
const fewTales = 3

// standing tells how things stand with what an address is about. Where that cannot be told there is still the page above it.
func (c *call) standing() standing {
	s := standing{Back: link{Name: "Back", Href: c.above()}}
	id := c.r.PathValue("id")
	if c.r.PathValue("location") == "" || id == "" {
		return s
	}
	l, err := c.at()
	if err != nil {
		return s
	}
	i, err := c.desk.Item(c.ctx(), c.actor(), l.ID, id)
	if err != nil {
		return s
	}
	g := glance(i)
	s.Record, s.Back = &g, link{Name: "Back to the item", Href: g.Href}
	if i.Source == lost.Request {
		s.Back.Name = "Back to the request"
	}
	past, err := c.desk.History(c.ctx(), c.actor(), l.ID, id, lost.Page{Number: 1, Limit: fewTales})
	if err != nil {
		return s
	}
	for _, e := range past.Data {
		t := entryTale(e)
		t.When = shortMoment(e.At, l, c.now())
		s.Tales = append(s.Tales, t)
	}
	return s
}

// above is the nearest page above the one that was asked for which the person may open; the one itself where a form was sent to it.
func (c *call) above() string {
	at := c.r.URL.Path
	if c.r.Method != http.MethodPost {
		at = path.Dir(at)
	}
	for ; at != "/" && at != "."; at = path.Dir(at) {
		_, pattern := c.mux.Handler(&http.Request{Method: http.MethodGet, Host: c.r.Host, URL: &url.URL{Path: at}})
		if r, is := c.routes[pattern]; is && (r.Right == "" || c.may(r.Right)) {
			return at
		}
	}
	return "/"
}
