package frame

import (
	"net/http"
	"net/url"
	"path"

	"homeward/internal/lost"
)

// latestState is how things stand after something could not be done: the record that it was about, what happened to it last, and the way back.
type latestState struct {
	Record *ItemSummary
	Tales  []TimelineEntry
	Back   Link
}

// latestEntries is how much of a record's history is told beside what could not be done: whoever was quicker is among the last.
const latestEntries = 3

// latestState tells how things stand with what an address is about. Where that cannot be told there is still the page above it.
func (c *Call) latestState() latestState {
	s := latestState{Back: Link{Name: "Back", Href: c.parentPage()}}
	id := c.Request.PathValue("id")
	if c.Request.PathValue("location") == "" || id == "" {
		return s
	}
	l, err := c.Location()
	if err != nil {
		return s
	}
	i, err := c.Desk.Item(c.Context(), c.Actor(), l.ID, id)
	if err != nil {
		return s
	}
	g := SummarizeItem(i)
	s.Record, s.Back = &g, Link{Name: "Back to the item", Href: g.Href}
	if i.Source == lost.Request {
		s.Back.Name = "Back to the request"
	}
	past, err := c.Desk.History(c.Context(), c.Actor(), l.ID, id, lost.Page{Number: 1, Limit: latestEntries})
	if err != nil {
		return s
	}
	for _, e := range past.Data {
		t := NewTimelineEntry(e)
		t.When = ShortMoment(e.At, l, c.Now())
		s.Tales = append(s.Tales, t)
	}
	return s
}

// parentPage is the nearest page above the one that was asked for which the person may open; the one itself where a form was sent to it.
func (c *Call) parentPage() string {
	at := c.Request.URL.Path
	if c.Request.Method != http.MethodPost {
		at = path.Dir(at)
	}
	for ; at != "/" && at != "."; at = path.Dir(at) {
		_, pattern := c.mux.Handler(&http.Request{Method: http.MethodGet, Host: c.Request.Host, URL: &url.URL{Path: at}})
		if r, is := c.routes[pattern]; is && (r.Right == "" || c.May(r.Right)) {
			return at
		}
	}
	return "/"
}
