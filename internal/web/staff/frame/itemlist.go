package frame

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// ItemFilter is what narrows a list of items, as its address has it. The names and values are the API's.
type ItemFilter struct {
	Term     string
	Statuses []lost.Status
	Source   string // "request" or "all"; empty for what was found
	From, To string
	Where    lost.Whereabouts // here or gone; empty for both
	Open     bool             // not yet done with
	Mine     bool             // recorded today by whoever looks
	Number   int              // of the page
	Problems lost.Problems
}

// ReadItemFilter reads what narrows a list. What is wrong narrows nothing, and is told.
func ReadItemFilter(q url.Values) ItemFilter {
	f := ItemFilter{Term: lost.Cut(q.Get("term"), lost.MaxTerm), Open: q.Get("open") != "", Mine: q.Get("mine") != "", Number: pageNumber(q)}
	f.readStatuses(q["status"])
	switch s := q.Get("source"); s {
	case "", string(lost.Found):
	case string(lost.Request), "all":
		f.Source = s
	default:
		f.Problems.Add("source", "not-allowed", "is none that we know; choose one of those below")
	}
	if w := lost.Whereabouts(q.Get("where")); (w == lost.Here || w == lost.Away) && f.Source == "" {
		f.Where = w
	}
	f.From, f.To = f.date(q, "from"), f.date(q, "to")
	return f
}

// readStatuses reads statuses, each once and in their order.
func (f *ItemFilter) readStatuses(wanted []string) {
	all := lost.Statuses()
	for _, s := range all {
		if slices.Contains(wanted, string(s)) {
			f.Statuses = append(f.Statuses, s)
		}
	}
	if slices.ContainsFunc(wanted, func(s string) bool { return s != "" && !slices.Contains(all, lost.Status(s)) }) {
		f.Problems.Add("status", "not-allowed", "is none that we know; choose among those below")
	}
}

// date reads a day. One that is none is shown again as it was typed.
func (f *ItemFilter) date(q url.Values, name string) string {
	day := q.Get(name)
	if day == "" {
		return ""
	}
	if _, ok := lost.ParseDate(day); !ok {
		f.Problems.Add(name, "invalid-date", "must be a day that exists")
		return ""
	}
	return day
}

// Encode writes what narrows the list, in one order: the same list has the same address.
func (f ItemFilter) Encode() string { return f.query().Encode() }

func (f ItemFilter) query() url.Values {
	q := url.Values{}
	set := func(name, value string) {
		if value != "" {
			q.Set(name, value)
		}
	}
	set("term", f.Term)
	for _, s := range f.Statuses {
		q.Add("status", string(s))
	}
	set("source", f.Source)
	set("where", string(f.Where))
	set("from", f.From)
	set("to", f.To)
	if f.Open {
		q.Set("open", "1")
	}
	if f.Mine {
		q.Set("mine", "1")
	}
	return q
}

// At is the address of a page of the list.
func (f ItemFilter) At(path string, number int) string {
	return pageURL(path, f.query(), number)
}

// Desk is what the desk is asked for. A day begins when it does at the location.
func (f ItemFilter) Desk(who lost.User, l lost.Location, now time.Time) lost.ItemFilter {
	out := lost.ItemFilter{
		Term: f.Term, Statuses: f.Statuses, From: f.From, To: f.To, Open: f.Open, Whereabouts: f.Where, Source: lost.Found,
		Page: lost.Page{Number: f.Number, Limit: ListLimit},
	}
	switch f.Source {
	case "request":
		out.Source = lost.Request
	case "all":
		out.Source = ""
	}
	if f.Mine {
		here := now.In(l.Zone())
		out.By, out.Since = who.ID, time.Date(here.Year(), here.Month(), here.Day(), 0, 0, 0, 0, here.Location())
	}
	return out
}

// ListCookie remembers the list that somebody came from, until the browser is closed.
const ListCookie = "list"

// LastList is what narrowed the list that was shown last, with its question mark; empty for nothing.
func (c *Call) LastList() string {
	kept := c.Cookie(ListCookie)
	q, err := url.ParseQuery(strings.TrimPrefix(kept, "?"))
	if err != nil || !strings.HasPrefix(kept, "?") {
		return ""
	}
	f := ReadItemFilter(q)
	return f.At("", f.Number)
}

// ItemSummary is an item as a list shows it. Nothing is worked out while it is written.
type ItemSummary struct {
	Href, ID, Reference, Description, Traits string
	Place, Day, Owner                        string
	Kept, Until                              string // where and how long it is kept; empty where it is gone
	Hold, Wish                               string // why it stays; what its owner wants, where that is to be minded
	Photo, Kind                              string // one of them: address of the small picture, or what kind of thing it is
	State                                    State
}

// SummarizeItem shows an item as a list does.
func SummarizeItem(i lost.Item) ItemSummary {
	g := ItemSummary{
		Href: ItemPath(i), ID: i.ID, Reference: i.Reference, Description: lost.Shorten(i.Description, maxRowText), Traits: Traits(i),
		Place: lost.Shorten(i.DiscoveryPlace, maxRowShort), Day: Day(i.DiscoveryDate), Owner: ownerName(i.Owner), Hold: i.Hold, State: ItemState(i),
	}
	if i.Source == lost.Request {
		g.Place, g.Day = lost.Shorten(i.Claim.LostPlace, maxRowShort), Day(i.Claim.LostDate)
	}
	if i.Held() {
		g.Kept, g.Until = lost.Shorten(i.KeptAt(), maxRowShort), Day(i.StoreUntil())
	}
	if i.Status == lost.InfoCompleted {
		g.Wish = "Its owner wants it sent"
	}
	if picture := i.Picture(); picture.Thumbnail != "" {
		g.Photo = FilePath(picture.Thumbnail)
	} else {
		g.Kind = KindOf(i.Description)
	}
	return g
}

// SummarizeItems shows items as a list does.
func SummarizeItems(items []lost.Item) []ItemSummary {
	rows := make([]ItemSummary, len(items))
	for n, i := range items {
		rows[n] = SummarizeItem(i)
	}
	return rows
}

// Traits are what else is known of a thing.
func Traits(i lost.Item) string { return i18n.Join(" · ", i.Brand, i.Model, i.Color) }

func FullName(o lost.Owner) string { return i18n.Join(" ", o.FirstName, o.LastName) }

// ownerName is what an owner is called: by their name, else by where they are reached.
func ownerName(o lost.Owner) string {
	return cmp.Or(lost.Shorten(FullName(o), maxRowShort), o.Address())
}

// WithQuery is the page's address with one part of its query set, or left out where it is empty.
func (c *Call) WithQuery(name, value string) string {
	q := c.Request.URL.Query()
	q.Set(name, value)
	if value == "" {
		q.Del(name)
	}
	return URLWithQuery(c.Request.URL.Path, q)
}
