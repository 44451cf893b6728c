package frame

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// ItemFilter is the filter of an item list, as encoded in the URL.
type ItemFilter struct {
	Query    string
	Color    string
	Place    string
	Owner    string
	Finder   string
	Worth    int // the least value, in whole units of the currency of the location; 0 for all items
	Serial   string
	Sort     lost.ItemSort
	Statuses []lost.Status
	Category lost.Category
	// OwnerState selects pending found items; it is empty for items in any state.
	OwnerState lost.OwnerState
	Source     string // "request" or "all"; empty for found items
	From, To   string
	Where      lost.StorageFilter // "here", "gone", or empty for all items
	Open       bool               // only items that are not closed
	Mine       bool               // only items that the current user recorded today
	// Report selects the records behind a figure of a report, from the day From to the day To. Group is a trait of the
	// items, as trait:key or, for all that a report does not name, rest:trait; or the currency of their payments or,
	// for other figures, of their values, as currency:code.
	Report   lost.ReportFigure
	Group    string
	Number   int // the page number
	Problems lost.Problems
}

// ReadItemFilter reads a filter from a URL query. Invalid values are ignored and reported as problems.
func ReadItemFilter(q url.Values) ItemFilter {
	f := ItemFilter{
		Query: words(q, "q"), Color: words(q, "color"), Place: words(q, "place"), Owner: words(q, "owner"),
		Finder: words(q, "finder"), Serial: serialNumber(q),
		Open: q.Get("open") != "", Mine: q.Get("mine") != "",
		Number: pageNumber(q),
	}
	if f.Query == "" {
		f.Query = words(q, "term") // in views and bookmarks of earlier versions
	}
	if s := lost.ItemSort(q.Get("sort")); slices.Contains(lost.ItemSorts(), s) {
		f.Sort = s
	}
	f.readStatuses(q["status"])
	switch s := q.Get("source"); s {
	case "", string(lost.Found):
	case string(lost.Request), "all":
		f.Source = s
	default:
		f.Problems.Add("source", "not-allowed", "is unknown; choose one from the list")
	}
	if w := lost.StorageFilter(q.Get("where")); (w == lost.InStorage || w == lost.OutOfStorage) && f.Source == "" {
		f.Where = w
	}
	if s := lost.OwnerState(q.Get("ownerState")); slices.Contains(lost.OwnerStates(), s) && f.Source == "" {
		f.OwnerState = s
	}
	if c := lost.Category(q.Get("category")); slices.Contains(lost.Categories(), c) {
		f.Category = c
	}
	f.From, f.To = f.date(q, "from"), f.date(q, "to")
	f.Worth = f.readWorth(q)
	if r := lost.ReportFigure(q.Get("report")); slices.Contains(lost.ReportFigures(), r) {
		f.Report, f.Group, f.Mine = r, lost.Truncate(q.Get("group"), lost.MaxPlace), false
	}
	return f
}

// words reads words to search for.
func words(q url.Values, name string) string {
	return lost.Truncate(strings.TrimSpace(q.Get(name)), lost.MaxTerm)
}

// serialNumber reads the serial number to filter by. Without letters and digits, it is none.
func serialNumber(q url.Values) string {
	number := lost.Truncate(strings.TrimSpace(q.Get("serial")), lost.MaxShort)
	if lost.SerialKey(number) == "" {
		return ""
	}
	return number
}

// readStatuses reads the wanted statuses, removes duplicates and sorts them in the order of an item's progress.
func (f *ItemFilter) readStatuses(wanted []string) {
	all := lost.Statuses()
	for _, s := range all {
		if slices.Contains(wanted, string(s)) {
			f.Statuses = append(f.Statuses, s)
		}
	}
	if slices.ContainsFunc(wanted, func(s string) bool { return s != "" && !slices.Contains(all, lost.Status(s)) }) {
		f.Problems.Add("status", "not-allowed", "is unknown; choose from the list")
	}
}

// date reads a date. It reports an invalid date as a problem and returns an empty string.
func (f *ItemFilter) date(q url.Values, name string) string {
	day := q.Get(name)
	if day == "" {
		return ""
	}
	if _, ok := lost.ParseDate(day); !ok {
		f.Problems.Add(name, "invalid-date", "must be a valid date")
		return ""
	}
	return day
}

// readWorth reads the least value. It reports an invalid number as a problem and returns 0.
func (f *ItemFilter) readWorth(q url.Values) int {
	text := strings.TrimSpace(q.Get("worth"))
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > lost.MaxAmount {
		f.Problems.Add("worth", "out-of-range", "must be a whole number from 1 to %d", lost.MaxAmount)
		return 0
	}
	return n
}

// Encode encodes the filter in a fixed order, so that the same list always has the same URL.
func (f ItemFilter) Encode() string { return f.query().Encode() }

func (f ItemFilter) query() url.Values {
	q := url.Values{}
	set := func(name, value string) {
		if value != "" {
			q.Set(name, value)
		}
	}
	set("q", f.Query)
	set("color", f.Color)
	set("place", f.Place)
	set("owner", f.Owner)
	set("finder", f.Finder)
	set("serial", f.Serial)
	if f.Worth > 0 {
		q.Set("worth", strconv.Itoa(f.Worth))
	}
	set("sort", string(f.Sort))
	for _, s := range f.Statuses {
		q.Add("status", string(s))
	}
	set("category", string(f.Category))
	set("ownerState", string(f.OwnerState))
	set("source", f.Source)
	set("where", string(f.Where))
	set("from", f.From)
	set("to", f.To)
	set("report", string(f.Report))
	set("group", f.Group)
	if f.Open {
		q.Set("open", "1")
	}
	if f.Mine {
		q.Set("mine", "1")
	}
	return q
}

// At returns the URL of one page of the list.
func (f ItemFilter) At(path string, number int) string {
	return pageURL(path, f.query(), number)
}

// Desk converts the filter to the type that package desk uses. Days begin and end in the time zone of the location.
func (f ItemFilter) Desk(who lost.User, l lost.Location, now time.Time) lost.ItemFilter {
	out := lost.ItemFilter{
		Query: f.Query, Color: f.Color, Place: f.Place, Owner: f.Owner, Finder: f.Finder, Sort: f.Sort,
		SerialNumber: f.Serial,
		Statuses:     f.Statuses, MinValue: lost.ValueFilter{Amount: int64(f.Worth), Whole: true},
		From: f.From, To: f.To, Open: f.Open, Storage: f.Where,
		OwnerState: f.OwnerState, Source: lost.Found,
		Page: lost.Page{Number: f.Number, Limit: ListLimit},
	}
	if f.Category != "" {
		out.Categories = []lost.Category{f.Category}
	}
	if f.Report != "" {
		out.Report = lost.ReportFilter{Figure: f.Report, From: f.From, To: f.To}
		out.From, out.To = "", ""
		kind, key, _ := strings.Cut(f.Group, ":")
		if kind == currencyGroup {
			out.Report.Currency = key
		} else if t, rest := RestTrait(f.Group); rest {
			out.Report.Trait, out.Report.Rest = t, true
		} else if trait := lost.ReportTrait(kind); slices.Contains(lost.ReportTraits(), trait) {
			out.Report.Trait, out.Report.Key = trait, key
		}
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

// currencyGroup is the kind of a group by currency in the query of a list. Other groups have a trait as their kind.
const currencyGroup = "currency"

// TraitGroup returns the value of Group for the key of a group in a report.
func TraitGroup(t lost.ReportTrait, key string) string { return string(t) + ":" + key }

// CurrencyGroup is like TraitGroup, for the currency of payments or values.
func CurrencyGroup(code string) string { return currencyGroup + ":" + code }

// restGroup is the kind of a group that stands for all groups of a trait that a report does not name.
const restGroup = "rest"

// RestGroup is like TraitGroup, for all groups that a report does not name.
func RestGroup(t lost.ReportTrait) string { return restGroup + ":" + string(t) }

// RestTrait returns the trait of a group that RestGroup has returned.
func RestTrait(group string) (t lost.ReportTrait, ok bool) {
	kind, name, _ := strings.Cut(group, ":")
	t = lost.ReportTrait(name)
	return t, kind == restGroup && slices.Contains(append(lost.ReportTraits(), lost.StorageTrait), t)
}

// ListItems reads a page of a list of items.
func ListItems(c *Call, s Scope, f lost.ItemFilter) (lost.List[lost.Item], error) {
	if s.All {
		return c.Services.Items.ListAll(c.Context(), c.Actor(), nil, f)
	}
	return c.Services.Items.List(c.Context(), c.Actor(), s.At.ID, f)
}

// ListCookie remembers the last list until the browser is closed.
const ListCookie = "list"

// RememberList remembers the list of items that the user opened, as the one to return to. Prefetches are ignored.
func RememberList(c *Call, s Scope, f ItemFilter) {
	if Prefetches(c) {
		return
	}
	here := f.At("", f.Number)
	if s.All {
		here = AllLocations + here
	}
	if here != c.Cookie(ListCookie) && len(here) <= maxListCookie {
		c.SetCookie(ListCookie, here, 0)
	}
}

// Prefetches reports whether the browser requests a page that nobody has opened yet.
func Prefetches(c *Call) bool {
	return strings.Contains(c.Request.Header.Get("Sec-Purpose"), "prefetch")
}

// maxListCookie is the longest query that is remembered.
const maxListCookie = 1000

// LastList returns the URL of the last list of items that the user opened, at an item's location or at all locations.
func (c *Call) LastList(location string) string {
	query, all := strings.CutPrefix(c.Cookie(ListCookie), AllLocations)
	if all {
		location = AllLocations
	}
	list := LocationPath(location, "/items")
	q, err := url.ParseQuery(strings.TrimPrefix(query, "?"))
	if err != nil || !strings.HasPrefix(query, "?") {
		return list
	}
	f := ReadItemFilter(q)
	return f.At(list, f.Number)
}

// ItemSummary is an item as shown in lists.
type ItemSummary struct {
	Href, ID, Reference, Description, Traits string
	Place, Day, Owner                        string
	StoredAt, Until                          string // where and until when the item is stored; empty once it has left
	// the reason for the hold, and what the owner wants the desk to do
	Hold, Wish string
	Photo      string        // the URL of the thumbnail
	Kind       lost.Category // without a photo, the category, for a drawing
	PhotoSet   string        // the sizes of the photo that browsers can choose from, for srcset
	State      State
	Where      string // the name of the item's location, in a list of several locations
}

// SummarizeItem prepares an item for a list.
func (l Locale) SummarizeItem(i lost.Item) ItemSummary {
	g := ItemSummary{
		Href: ItemPath(i), ID: i.ID, Reference: i.Reference, Description: lost.Shorten(i.Description, maxRowText),
		Traits: Traits(i),
		Place:  lost.Shorten(i.DiscoveryPlace, maxRowShort), Day: l.Day(i.DiscoveryDate), Owner: ownerName(l, i.Owner),
		Hold: i.Hold, State: l.ItemState(i),
	}
	if i.Source == lost.Request {
		g.Place, g.Day = lost.Shorten(i.Claim.LostPlace, maxRowShort), l.Day(i.Claim.LostDate)
	}
	if i.Held() {
		g.StoredAt, g.Until = lost.Shorten(i.StoredAt(), maxRowShort), l.Day(i.StoreUntil())
	}
	if i.Status == lost.InfoCompleted {
		g.Wish = l.Say("frame.wish.ship")
	}
	if picture := i.Picture(); picture.Thumbnail != "" && i.Category.IsIdentity() {
		g.Photo = BlurredPath(i, picture)
	} else if picture.Thumbnail != "" {
		const listed = 320 // enough for screens with three pixels for each CSS pixel
		g.Photo, g.PhotoSet = respond.SmallImage(picture, listed), respond.SrcSet(picture, listed)
	} else {
		g.Kind = ShownCategory(i)
	}
	return g
}

// SummarizeItems prepares items for a list.
func (l Locale) SummarizeItems(items []lost.Item) []ItemSummary {
	rows := make([]ItemSummary, len(items))
	for n, i := range items {
		rows[n] = l.SummarizeItem(i)
	}
	return rows
}

// SummarizeList prepares items for a list, which names their locations if it shows several.
func SummarizeList(c *Call, s Scope, items []lost.Item) ([]ItemSummary, error) {
	rows := c.SummarizeItems(items)
	if !s.All {
		return rows, nil
	}
	names, err := LocationNamesOf(c, items)
	for n, i := range items {
		rows[n].Where = names[i.LocationID]
	}
	return rows, err
}

// Traits lists brand, model and colour.
func Traits(i lost.Item) string { return i18n.Join(" · ", i.Brand, i.Model, i.Color, i.SerialNumber) }

// OwnerName returns the full name of an owner.
func OwnerName(l Locale, o lost.Owner) string { return l.FullName(o.FirstName, o.LastName) }

// ArrangeInputs sorts the inputs of names and addresses as people expect them in the language.
func ArrangeInputs(l Locale, inputs []*Input) []*Input {
	i18n.ArrangeFields(l.Language, inputs, func(in *Input) string { return in.Name })
	return inputs
}

// ownerName returns the name of an owner or, if it is unknown, their contact address.
func ownerName(l Locale, o lost.Owner) string {
	return cmp.Or(lost.Shorten(OwnerName(l, o), maxRowShort), o.Address())
}

// WithQuery returns the URL of the current page with one query parameter changed, or removed if value is empty.
func (c *Call) WithQuery(name, value string) string {
	q := c.Request.URL.Query()
	q.Set(name, value)
	if value == "" {
		q.Del(name)
	}
	return URLWithQuery(c.Request.URL.Path, q)
}
