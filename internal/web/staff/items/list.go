package items

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// itemsPage is the list of the items of one or all locations.
type itemsPage struct {
	frame.Page
	List   string // the path of the list without a filter
	Self   string // the URL of this page
	Export string // the URL of the CSV export
	// ExportForPrograms is the same with the names of the API in place of words.
	ExportForPrograms string

	ExportText string // says what the export of a search contains
	Import     string // the path of the form to import items; empty for several locations
	ViewsPath  string
	Filter     frame.ItemFilter
	Query      string // the filter, encoded as a URL query
	From, To   frame.Input
	Statuses   []statusBox
	Sources    []frame.Option

	Category    *frame.Input
	OwnerStates []frame.Option
	Fields      []frame.Input // colour, place, owner, finder and serial number
	Worth       frame.Input
	Chips       []frame.Link // the list without each condition of the filter
	Columns     []column
	Sorts       []frame.Option
	Labels      string // the path of the page to print shipping labels, if the list shows the parcels to ship
	Papers      string // the URL of the page with the papers; empty in a list of several locations
	Tags        string // the URL of the page to print the tags of the whole list
	Quick       []frame.Link
	Views       []frame.Link
	Rows        []itemRow
	Count       string
	Among       string // how many items were searched, if not all were
	Clear       string // the URL of the list without a filter
	frame.Pager
	Select  string // the URL of this page with all items selected
	Ticked  bool
	Soonest bool // sorted by pick-up date, not newest first
	Handles bool

	searches bool // a search has its own order
}

// statusBox is a status with a checkbox.
type statusBox struct {
	Value   lost.Status
	Word    string
	Checked bool
}

// column is the heading of a column. If the list can be sorted by it, Href is the list in that order.
type column struct {
	Name, Href string
	Sort       string // for aria-sort; empty if the list is not sorted by the column
}

// itemRow is one row of the list.
type itemRow struct {
	frame.ItemSummary
	Similar bool   // the first item of a search that does not contain every word as typed
	Found   string // the date on which the item was found
	Since   string // the date on which the item left or will be collected
	Ticked  bool
}

// items lists the items of one or all locations, newest first.
func (c *call) items() error {
	s, err := frame.ReadListScope(c.Call)
	if err != nil {
		return err
	}
	values := c.Request.URL.Query()
	f := frame.ReadItemFilter(values)
	wanted := f.Desk(c.Session.User, s.At, c.Now())
	wanted.Bounded = true
	found, err := frame.ListItems(c.Call, s, wanted)
	if err != nil {
		return err
	}
	views, err := c.Services.Views.List(c.Context(), c.Actor())
	if err != nil {
		return err
	}
	frame.RememberList(c.Call, s, f)
	p := c.itemsPage(s, f, values, wanted.Searches())
	p.Views = viewLinks(views, p.List, p.Query)
	p.Ticked = values.Get("tick") != ""
	summaries, err := frame.SummarizeList(c.Call, s, found.Data)
	if err != nil {
		return err
	}
	p.fill(found, summaries, s.At, c.Now())
	frame.RememberListed(c.Call, p.Self, found.Data)
	status := http.StatusOK
	if len(f.Problems) > 0 {
		p.Problems, _ = c.MarkErrors([]*frame.Input{&p.From, &p.To, &p.Worth}, f.Problems.Err())
		status = http.StatusUnprocessableEntity
	}
	return c.Render(status, "items", p)
}

// itemsPage prepares everything on the page except the rows of the list.
func (c *call) itemsPage(s frame.Scope, f frame.ItemFilter, values url.Values, searches bool) *itemsPage {
	list := s.Path("/items")
	p := &itemsPage{
		Page: c.NewPage(c.Say("frame.menu.items"), "items.js"), List: list, Filter: f, Query: f.Encode(),
		searches: searches,
		Self:     f.At(list, f.Number), Clear: list, ViewsPath: s.Path("/views"),
		From: frame.Input{Name: "from", Label: c.Say("items.filter.since"), Type: "date", Value: values.Get("from")},
		To:   frame.Input{Name: "to", Label: c.Say("items.filter.until"), Type: "date", Value: values.Get("to")},
		Sources: []frame.Option{{Value: "", Name: c.Say("items.filter.items")},
			{Value: "request", Name: c.Say("frame.menu.requests")}, {Value: "all", Name: c.Say("items.filter.both")}},
		Worth: frame.Input{
			Name: "worth", Label: c.Say("items.filter.by-worth"), Type: "number", Value: values.Get("worth"), Min: "1",
			Max: strconv.Itoa(lost.MaxAmount), Autocomplete: "off",
		},
		Handles: c.May(lost.HandleItems),
	}
	p.Wide, p.Soonest = true, f.Open && !searches && f.From+f.To == "" && !f.Mine &&
		f.Sort == "" && slices.Equal(f.Statuses, []lost.Status{lost.PickUp})
	for _, s := range lost.Statuses() {
		p.Statuses = append(p.Statuses, statusBox{s, c.StatusState(s).Word, slices.Contains(f.Statuses, s)})
	}
	p.Category = c.CategoryInput(string(f.Category))
	p.Category.Options[0].Name = c.Say("items.filter.any")
	p.OwnerStates = []frame.Option{{Name: c.Say("items.filter.any")}}
	for _, s := range lost.OwnerStates() {
		p.OwnerStates = append(p.OwnerStates, frame.Option{Value: string(s), Name: c.OwnerState(s).Word})
	}
	for _, field := range [][3]string{{"color", "items.filter.by-color", f.Color},
		{"place", "items.filter.by-place", f.Place}, {"owner", "items.filter.by-owner", f.Owner},
		{"finder", "items.filter.by-finder", f.Finder}} {
		p.Fields = append(p.Fields,
			frame.Input{Name: field[0], Label: c.Say(field[1]), Type: "text", Value: field[2], Autocomplete: "off"})
	}
	p.Fields = append(p.Fields, frame.Input{
		Name: "serial", Label: c.FieldLabel("serialNumber"), Type: "text", Value: f.Serial, Autocomplete: "off",
	})
	p.Chips, p.Columns = chips(c.Locale, list, f), p.columns()
	if slices.ContainsFunc(p.Columns, func(h column) bool { return h.Href != "" }) {
		p.Sorts = sorts(c.Locale)
	}
	p.Tags = s.Path("/tags") + "?" + url.Values{"list": {p.Query}}.Encode()
	if slices.Equal(f.Statuses, []lost.Status{lost.FeePaid}) {
		p.Labels = s.Path("/labels")
	}
	p.Quick = c.quickLinks(list, f)
	p.Select = c.WithQuery("tick", "1")
	p.Export, p.Import = f.At(list+".csv", 1), s.Path("/import")
	p.ExportForPrograms = p.Export + "?headings=api"
	if strings.Contains(p.Export, "?") {
		p.ExportForPrograms = p.Export + "&headings=api"
	}
	if !s.All {
		p.Papers = s.Path("/papers")
	}
	return p
}

// sorts returns the orders of a list that can be sorted.
func sorts(lang frame.Locale) []frame.Option {
	return []frame.Option{
		{Name: lang.Say("items.sort.newest")},
		{Value: string(lost.FoundLast), Name: lang.Say("items.sort.found-last")},
		{Value: string(lost.FoundFirst), Name: lang.Say("items.sort.found-first")},
		{Value: string(lost.UntilFirst), Name: lang.Say("items.sort.until")},
		{Value: string(lost.UntilLast), Name: lang.Say("items.sort.until-last")},
		{Value: string(lost.StatusFirst), Name: lang.Say("items.sort.status")},
		{Value: string(lost.StatusLast), Name: lang.Say("items.sort.status-last")},
	}
}

// columns returns the headings. A list can be sorted by date, by the end of storage, and by status if an
// index has that order.
func (p *itemsPage) columns() []column {
	f, say := p.Filter, p.Locale.Say
	sorted := func(name string, able bool, first, second lost.ItemSort) column {
		c := column{Name: name}
		if !able || p.searches {
			return c
		}
		directions := map[lost.ItemSort]string{
			lost.FoundFirst: "ascending", lost.FoundLast: "descending", lost.StatusFirst: "ascending",
			lost.StatusLast: "descending", lost.UntilFirst: "ascending", lost.UntilLast: "descending",
		}
		next := f
		next.Sort = first
		if f.Sort == first || f.Sort == second {
			c.Sort = directions[f.Sort]
		}
		if f.Sort == first {
			next.Sort = second
		}
		c.Href = next.At(p.List, 1)
		return c
	}
	byDate := !f.Mine && f.OwnerState == ""
	byStatus := f.Source != "all" && f.Where == "" && f.OwnerState == "" && f.From+f.To == "" && !f.Mine
	return []column{
		{Name: say("items.what")}, sorted(say("items.found"), byDate, lost.FoundLast, lost.FoundFirst),
		{Name: say("items.stored-at")},
		sorted(say("items.keep-until"), byDate && f.From+f.To == "", lost.UntilFirst, lost.UntilLast),
		{Name: say("items.owner")},
		sorted(say("items.status"), byStatus, lost.StatusFirst, lost.StatusLast),
	}
}

// quickLinks returns links to the most used filters. Each keeps the search term. Items past their storage time have a
// page of their own, where the desk decides what happens to them.
func (c *call) quickLinks(list string, current frame.ItemFilter) []frame.Link {
	named := func(key string, f frame.ItemFilter) frame.Link {
		f.Query = current.Query
		return frame.Link{Name: c.Say(key), Href: f.At(list, 1), Current: f.Encode() == current.Encode()}
	}
	state := func(s lost.OwnerState) frame.Link {
		link := named("items.tab.all", frame.ItemFilter{OwnerState: s})
		link.Name = c.OwnerState(s).Word
		return link
	}
	links := []frame.Link{
		named("items.tab.all", frame.ItemFilter{}),
		named("items.tab.here", frame.ItemFilter{Where: lost.InStorage}),
		named("items.tab.gone", frame.ItemFilter{Where: lost.OutOfStorage}),
		state(lost.NoOwner), state(lost.OwnerTold), state(lost.NoAnswer),
		named("items.tab.ship", frame.ItemFilter{Statuses: []lost.Status{lost.FeePaid}}),
		named("items.tab.collect", frame.ItemFilter{Statuses: []lost.Status{lost.PickUp}, Open: true}),
		named("items.tab.mine", frame.ItemFilter{Mine: true}),
	}
	if c.May(lost.HandleItems) {
		links = append(links,
			frame.Link{Name: c.Say("items.tab.overdue"), Href: strings.TrimSuffix(list, "/items") + "/storage"})
	}
	return links
}

// viewLinks returns links to the user's saved views.
func viewLinks(views []lost.View, list, current string) []frame.Link {
	var links []frame.Link
	for _, v := range views {
		q, err := url.ParseQuery(v.Query)
		if err != nil {
			continue // cannot happen: the query was validated when the view was saved
		}
		f := frame.ReadItemFilter(q)
		links = append(links, frame.Link{Href: f.At(list, 1), Name: v.Name, Current: f.Encode() == current})
	}
	return links
}

// fill adds the rows of the list to the page.
func (p *itemsPage) fill(found lost.List[lost.Item], summaries []frame.ItemSummary, l lost.Location, now time.Time) {
	p.Count, p.Among = countText(p.Locale, found.Total), searchedText(p.Locale, found.Total)
	p.ExportText = p.exportText(found.Total)
	p.Rows = make([]itemRow, len(found.Data))
	today, similar := l.Day(now), found.FirstSimilar()
	for n := range found.Data {
		p.Rows[n] = newItemRow(p.Locale, summaries[n], found.Data[n], l, today)
		p.Rows[n].Ticked = p.Ticked
		p.Rows[n].Similar = n == similar
	}
	p.Pager = frame.NewPager(found, &url.URL{Path: p.List, RawQuery: p.Query}, p.Locale.Say("frame.newer"),
		p.Locale.Say("frame.older"))
}

// exportText says what the export of a list contains.
func (p *itemsPage) exportText(t lost.Total) string {
	switch {
	case !p.searches:
		return p.Locale.Say("items.export.list")
	case t.AtLeast:
		return p.Locale.Say("items.export.first", "n", t.Count)
	default:
		return p.Locale.Say("items.export.found")
	}
}

// newItemRow prepares a row for an item.
func newItemRow(lang frame.Locale, shown frame.ItemSummary, i lost.Item, l lost.Location, today string) itemRow {
	row := itemRow{
		ItemSummary: shown, Found: lang.ShortDay(cmp.Or(i.DiscoveryDate, l.Day(i.CreatedAt)), today),
	}
	if shown.Until != "" {
		row.Until = lang.ShortDay(i.StoreUntil(), today)
	}
	if i.Held() {
		row.Since = shortPickup(lang, i.Pickup, today)
	} else if at := i.LeftAt(); !at.IsZero() {
		row.Since = lang.ShortDay(l.Day(at), today)
	}
	return row
}

// shortPickup formats the date and time of a pick-up briefly. It returns an empty string if the date is unknown.
func shortPickup(lang frame.Locale, p lost.Pickup, today string) string {
	if p.Date == "" {
		return ""
	}
	return dateTime(lang, lang.ShortDay(p.Date, today), p.Time)
}

// dateTime joins a formatted date and a time of day, which may be empty.
func dateTime(lang frame.Locale, date, clock string) string {
	if clock == "" {
		return date
	}
	return lang.Language.Moment(date, clock)
}

// countText formats how many items were found and, if not all were searched, how many were searched.
func countText(lang frame.Locale, t lost.Total) string {
	key := "items.count"
	switch among := t.Among > 0; {
	case t.AtLeast && among:
		key = "items.count.at-least.among"
	case t.AtLeast:
		key = "items.count.at-least"
	case among:
		key = "items.count.among"
	}
	return lang.Say(key, "n", t.Count, "all", t.Among)
}

// searchedText formats how many of the newest items were searched for a short word. It is empty if all were searched.
func searchedText(lang frame.Locale, t lost.Total) string {
	if t.Among == 0 {
		return ""
	}
	return lang.Number(t.Among)
}

// listPath returns the URL of the last list, with a fragment that points to the item's row.
func listPath(c *frame.Call, i lost.Item) string {
	return c.LastList(i.LocationID) + "#" + i.ID
}
