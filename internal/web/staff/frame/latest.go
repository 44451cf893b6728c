package frame

import (
	"net/http"
	"net/url"
	"path"

	"homeward/internal/lost"
)

// latestState is what the error page shows after a conflict: the record, its latest history entries and a link back.
type latestState struct {
	Record   *ItemSummary
	Timeline []TimelineEntry
	Back     Link
}

// latestEntries is the number of history entries shown after a conflict. The conflicting change is among the latest
// entries.
const latestEntries = 3

// loadLatestState returns the current state of the record in the URL. If the URL does not name a record, the result
// contains only a link to the parent page.
func loadLatestState(c *Call) latestState {
	s := latestState{Back: Link{Name: c.Say("frame.back"), Href: findParentPage(c)}}
	id := c.Request.PathValue("id")
	if c.Request.PathValue("location") == "" || id == "" {
		return s
	}
	l, err := c.Location()
	if err != nil {
		return s
	}
	i, err := c.Services.Items.Get(c.Context(), c.Actor(), l.ID, id)
	if err != nil {
		return s
	}
	g := c.SummarizeItem(i)
	s.Record, s.Back = &g, Link{Name: c.Say("frame.back.item"), Href: g.Href}
	if i.Source == lost.Request {
		s.Back.Name = c.Say("frame.back.request")
	}
	history, err := c.Services.Items.History(c.Context(), c.Actor(), l.ID, id,
		lost.Page{Number: 1, Limit: latestEntries})
	if err != nil {
		return s
	}
	for _, e := range history.Data {
		t := c.NewTimelineEntry(i, e)
		t.When = c.ShortMoment(e.At, l, c.Now())
		s.Timeline = append(s.Timeline, t)
	}
	return s
}

// findParentPage returns the nearest page above the requested one that the user may open. After a form was sent, it
// returns the form's own page if possible.
func findParentPage(c *Call) string {
	at := c.Request.URL.Path
	if c.Request.Method != http.MethodPost {
		at = path.Dir(at)
	}
	for ; at != "/" && at != "."; at = path.Dir(at) {
		_, pattern := c.mux.Handler(&http.Request{
			Method: http.MethodGet, Host: c.Request.Host, URL: &url.URL{Path: at},
		})
		if r, is := c.routes[pattern]; is && (r.Right == "" || c.May(r.Right)) {
			return at
		}
	}
	return "/"
}
