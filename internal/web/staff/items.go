package staff

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// itemsPage is a list of a location's items.
type itemsPage struct {
	page
	List     string // its address, without what narrows it
	Self     string // this page's address
	Export   string // the address of all of it as a file
	Filter   itemFilter
	Query    string // what narrows it
	From, To input
	Statuses []statusBox
	Sources  []option
	Quick    []link
	Views    []link
	Rows     []itemRow
	Count    string
	Among    string // how many items were looked through, where those are not all
	Clear    string // the address that narrows nothing
	pager
	Select  string // the address of this page with everything ticked
	Ticked  bool
	Soonest bool // who comes first is at the top; else what is newest
	Handles bool
}

// statusBox is a status to tick.
type statusBox struct {
	Value   lost.Status
	Word    string
	Checked bool
}

// itemRow is one item of the list.
type itemRow struct {
	glimpse
	Found  string // the day
	Since  string // the day on which it left, or on which its owner comes
	Ticked bool
}

// items lists a location's items, newest first.
func (c *call) items() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	values := c.r.URL.Query()
	f := readItemFilter(values)
	wanted := f.desk(c.in.User, l, c.now())
	wanted.Glance = true
	found, err := c.desk.Items(c.ctx(), c.actor(), l.ID, wanted)
	if err != nil {
		return err
	}
	views, err := c.desk.Views(c.ctx(), c.actor())
	if err != nil {
		return err
	}
	c.rememberList(f)
	p := c.itemsPage(l, f, values)
	p.Views = viewLinks(views, p.List, p.Query)
	p.Ticked = values.Get("tick") != ""
	p.fill(found, l, c.now())
	status := http.StatusOK
	if len(f.problems) > 0 {
		p.Problems, _ = judge([]*input{&p.From, &p.To}, f.problems.Err())
		status = http.StatusUnprocessableEntity
	}
	return c.write(status, "items", p)
}

// itemsPage begins the page: what stands around the list.
func (c *call) itemsPage(l lost.Location, f itemFilter, values url.Values) *itemsPage {
	list := atPath(l.ID, "/items")
	p := &itemsPage{
		page: c.page("Items", "items.js"), List: list, Filter: f, Query: f.encode(), Self: f.at(list, f.Number), Export: f.at(list+".csv", 1), Clear: list,
		From: input{Name: "from", Label: "Found from", Type: "date", Value: values.Get("from")}, To: input{Name: "to", Label: "Found until", Type: "date", Value: values.Get("to")},
		Sources: []option{{"", "What was found"}, {"request", "Requests"}, {"all", "Both"}},
		Handles: c.may(lost.Handle),
	}
	p.Wide, p.Soonest = true, f.Open && f.Term == "" && f.From+f.To == "" && !f.Mine && slices.Equal(f.Statuses, []lost.Status{lost.PickUp})
	for _, s := range lost.Statuses() {
		p.Statuses = append(p.Statuses, statusBox{s, showState(s).Word, slices.Contains(f.Statuses, s)})
	}
	p.Quick = c.quickLinks(list, f)
	p.Select = c.withQuery("tick", "1")
	return p
}

// quickLinks are the lists that are looked at most. What is searched for is searched for in each. What is kept for too long is on a page of its own, where something is done about it.
func (c *call) quickLinks(list string, present itemFilter) []link {
	named := func(name string, f itemFilter) link {
		f.Term = present.Term
		return link{Name: name, Href: f.at(list, 1), Current: f.encode() == present.encode()}
	}
	links := []link{
		named("All", itemFilter{}),
		named("Here", itemFilter{Where: lost.Here}),
		named("Gone", itemFilter{Where: lost.Away}),
		named("Waiting", itemFilter{Statuses: []lost.Status{lost.Pending}}),
		named("To ship", itemFilter{Statuses: []lost.Status{lost.FeePaid}}),
		named("To collect", itemFilter{Statuses: []lost.Status{lost.PickUp}, Open: true}),
		named("Mine today", itemFilter{Mine: true}),
	}
	if c.may(lost.Handle) {
		links = append(links, link{Name: "Time over", Href: strings.TrimSuffix(list, "/items") + "/storage"})
	}
	return links
}

// viewLinks are the views that somebody keeps.
func viewLinks(views []lost.View, list, present string) []link {
	var links []link
	for _, v := range views {
		q, err := url.ParseQuery(v.Query)
		if err != nil {
			continue // it was checked when it was kept
		}
		f := readItemFilter(q)
		links = append(links, link{Href: f.at(list, 1), Name: v.Name, Current: f.encode() == present})
	}
	return links
}

// fill puts the list on the page.
func (p *itemsPage) fill(found lost.List[lost.Item], l lost.Location, now time.Time) {
	p.Count, p.Among = countWords(found.Total), newestOf(found.Total)
	p.Rows = make([]itemRow, len(found.Data))
	today := l.Day(now)
	for n := range found.Data {
		p.Rows[n] = newItemRow(found.Data[n], l, today, p.Ticked)
	}
	p.pager = turn(found, &url.URL{Path: p.List, RawQuery: p.Query}, "Newer", "Older")
}

// newItemRow says what a row shows of an item.
func newItemRow(i lost.Item, l lost.Location, today string, ticked bool) itemRow {
	row := itemRow{glimpse: glance(i), Found: shortDay(cmp.Or(i.DiscoveryDate, l.Day(i.CreatedAt)), today), Ticked: ticked}
	if i.Held() {
		row.Since = comesAt(i.Pickup, today)
	} else if at := i.GoneAt(); !at.IsZero() {
		row.Since = shortDay(l.Day(at), today)
	}
	return row
}

// comesAt says when an owner comes, where there is little room; empty where nobody does, or nobody knows when.
func comesAt(p lost.Pickup, today string) string {
	if p.Date == "" {
		return ""
	}
	return i18n.Join(", ", shortDay(p.Date, today), p.Time)
}

// countWords says how many there are, and among which.
func countWords(t lost.Total) string {
	words := total(t, "item", "items")
	if among := newestOf(t); among != "" {
		words += " among the newest " + among
	}
	return words
}

// newestOf is how many of the newest items a short word was looked for in; empty where all were looked through.
func newestOf(t lost.Total) string {
	if t.Among == 0 {
		return ""
	}
	return thousands(t.Among)
}

// shortDay writes a day where there is little room; the year only where it is another.
func shortDay(date, today string) string {
	t, err := time.Parse(lost.DateForm, date)
	switch {
	case err != nil:
		return date
	case date == today:
		return "Today"
	case date[:4] == today[:4]:
		return t.Format("Mon 2 Jan")
	default:
		return t.Format("2 Jan 2006")
	}
}

// listCookie remembers the list that somebody came from, until the browser is closed.
const listCookie = "list"

// maxListCookie bounds what is remembered of it.
const maxListCookie = 1000

// rememberList remembers the list that is shown, to lead back to it. A browser that only looks ahead is not there.
func (c *call) rememberList(f itemFilter) {
	if strings.Contains(c.r.Header.Get("Sec-Purpose"), "prefetch") {
		return
	}
	here := f.at("", f.Number)
	if here != c.cookie(listCookie) && len(here) <= maxListCookie {
		c.keep(listCookie, here, 0)
	}
}

// listPath is the address of the list that somebody came from, at an item that is to be seen at once.
func (c *call) listPath(i lost.Item) string {
	return atPath(i.LocationID, "/items") + c.lastList() + "#" + i.ID
}

// lastList is what narrowed the list that was shown last, with its question mark; empty for nothing.
func (c *call) lastList() string {
	kept := c.cookie(listCookie)
	q, err := url.ParseQuery(strings.TrimPrefix(kept, "?"))
	if err != nil || !strings.HasPrefix(kept, "?") {
		return ""
	}
	f := readItemFilter(q)
	return f.at("", f.Number)
}
