package search

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// The maximum number of results in each group.
const (
	maxOnPage   = 20
	maxInDialog = 6
	maxRecords  = 3 // of a guest
)

// searchPage shows what a search found.
type searchPage struct {
	frame.Page
	Query  string
	Count  string
	Groups []group
	Guests []guest
	All    string // the URL of the page with all results; empty on that page
}

// group contains results of one kind, best first.
type group struct {
	Name           string
	Exact, Similar []result
}

// result is an item or a request.
type result struct {
	frame.ItemSummary
	Location string
}

// guest is a guest with some of their records.
type guest struct {
	Name, Contact string
	Records       []result
}

// search shows the results of a search. With the parameter top, it shows only the best ones, for the dialog.
func (c *call) search() error {
	if err := c.Actor().May(lost.ViewItems); err != nil {
		return err
	}
	values := c.Request.URL.Query()
	p := &searchPage{
		Page:  c.NewPage(c.Say("search.title")),
		Query: lost.Truncate(strings.TrimSpace(values.Get("q")), lost.MaxTerm),
	}
	limit := maxOnPage
	if values.Get("top") != "" {
		limit = maxInDialog
		p.All = frame.URLWithQuery("/search", url.Values{"q": {p.Query}})
	}
	if p.Query != "" {
		found, err := c.Services.Items.Search(c.Context(), c.Actor(), nil, p.Query, limit)
		if err != nil {
			return err
		}
		if err := c.fill(p, found, limit); err != nil {
			return err
		}
	}
	return c.Render(http.StatusOK, "search", p)
}

// fill adds the results to the page.
func (c *call) fill(p *searchPage, found lost.SearchResults, limit int) error {
	names, err := frame.LocationNamesOf(c.Call, records(found))
	if err != nil {
		return err
	}
	summarize := func(i lost.Item) result { return result{c.SummarizeItem(i), names[i.LocationID]} }
	add := func(name string, items []lost.Item) {
		g := group{Name: name}
		for _, i := range items {
			if found.Exact[i.ID] {
				g.Exact = append(g.Exact, summarize(i))
			} else {
				g.Similar = append(g.Similar, summarize(i))
			}
		}
		if len(items) > 0 {
			p.Groups = append(p.Groups, g)
		}
	}
	add(c.Say("frame.menu.items"), found.Items)
	add(c.Say("frame.menu.requests"), found.Requests)
	for _, f := range found.Guests {
		g := guest{Name: frame.OwnerName(c.Locale, f.Owner), Contact: i18n.Join(" · ", f.Email, f.Phone)}
		for _, i := range f.Records[:min(len(f.Records), maxRecords)] {
			g.Records = append(g.Records, summarize(i))
		}
		p.Guests = append(p.Guests, g)
	}
	key := "search.count"
	if max(len(found.Items), len(found.Requests), len(found.Guests)) == limit {
		key = "search.count.best"
	}
	p.Count = c.Say(key, "n", len(found.Items)+len(found.Requests)+len(found.Guests))
	return nil
}

// records returns all items and requests that a search found and the page shows.
func records(found lost.SearchResults) []lost.Item {
	all := slices.Concat(found.Items, found.Requests)
	for _, g := range found.Guests {
		all = append(all, g.Records[:min(len(g.Records), maxRecords)]...)
	}
	return all
}
