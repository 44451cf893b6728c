package storage

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// placePath returns the path of a storage place's page.
func placePath(location, name string) string {
	return frame.LocationPath(location, "/place?name="+url.QueryEscape(name))
}

// followTag redirects from the URL in an item's QR code to the item.
func (c *call) followTag() error {
	reference, is := lost.ParseReference(c.Request.PathValue("reference"))
	if !is {
		return lost.Missing("item")
	}
	i, err := c.Services.Storage.ItemByReference(c.Context(), c.Actor(), reference)
	if err != nil {
		return err
	}
	return c.Redirect(frame.ItemPath(i))
}

// followPlace redirects from the URL in a storage place's QR code to the place.
func (c *call) followPlace() error {
	tag, is := lost.PlaceTag(c.Request.PathValue("location"), c.Request.PathValue("place"))
	if !is {
		return lost.Missing("place")
	}
	if _, err := c.Location(); err != nil {
		return err
	}
	return c.Redirect(placePath(tag.LocationID, tag.Place))
}

// tagPage asks for the paper size before tags are printed.
type tagPage struct {
	frame.Page
	At      string
	Back    frame.Link
	Items   []lost.Item
	Names   string // the names of places, one per line, if the tags are for places
	Shelves bool
	Papers  []paperChoice
	Start   frame.Input
	Error   string
}

// paperChoice is a paper size that the user can choose.
type paperChoice struct {
	Value, Name, Hint string
	Chosen            bool
}

// paperCookie remembers the paper size of the last tags, because a desk usually has one printer for tags.
const paperCookie = "tags"

// paperChoices lists the paper sizes. The size used last is selected or, if there is none, the usual size in the
// location's country.
func (c *call) paperChoices(l lost.Location, chosen string) []paperChoice {
	if chosen == "" {
		chosen = c.Cookie(paperCookie)
	}
	choices := []paperChoice{
		{
			Value: string(lost.SmallRoll), Name: c.Say("storage.tags.paper.small-roll"),
			Hint: c.Say("storage.tags.paper.small-roll.hint"),
		},
		{
			Value: string(lost.LargeRoll), Name: c.Say("storage.tags.paper.large-roll"),
			Hint: c.Say("storage.tags.paper.large-roll.hint"),
		},
		{
			Value: string(lost.A4Sheet), Name: c.Say("storage.tags.paper.a4"),
			Hint: c.Say("storage.tags.paper.a4.hint"),
		},
		{
			Value: string(lost.LetterSheet), Name: c.Say("storage.tags.paper.letter"),
			Hint: c.Say("storage.tags.paper.letter.hint"),
		},
	}
	found := false
	for n := range choices {
		choices[n].Chosen = choices[n].Value == chosen
		found = found || choices[n].Chosen
	}
	if !found && (l.Country == "US" || l.Country == "CA") {
		choices[3].Chosen = true
	} else if !found {
		choices[2].Chosen = true
	}
	return choices
}

// readTags reads the tags to print from the URL or from a form. A form is needed if the item IDs do not fit in a URL.
// The parameter list is the query of a list of items, whose first items are tagged.
func (c *call) readTags() (s frame.Scope, values url.Values, err error) {
	values = c.Request.URL.Query()
	if c.Request.Method == http.MethodPost {
		if values, err = c.ReadForm(); err != nil {
			return s, nil, err
		}
	}
	if s, err = c.tagScope(values); err != nil || !values.Has("list") || values.Has("item") {
		return s, values, err
	}
	return s, values, c.addListed(s, values)
}

// addListed adds the first items of a list to the tags to print.
func (c *call) addListed(s frame.Scope, values url.Values) error {
	query, err := url.ParseQuery(values.Get("list"))
	if err != nil {
		return lost.E(lost.Unreadable, "The list is not valid.")
	}
	wanted := frame.ReadItemFilter(query).Desk(c.Session.User, s.At, c.Now())
	wanted.Bounded, wanted.Page = true, lost.Page{Number: 1, Limit: lost.MaxTags + 1} // with one more, the page says so
	found, err := frame.ListItems(c.Call, s, wanted)
	if err != nil {
		return err
	}
	if len(found.Data) == 0 {
		return lost.Missing("item")
	}
	for _, i := range found.Data {
		values.Add("item", i.ID)
	}
	return nil
}

func (c *call) askTags() error {
	s, values, err := c.readTags()
	if err != nil {
		return err
	}
	return c.showTags(s, values, nil)
}

// tagScope returns the location of the tags. Only items may be at several locations.
func (c *call) tagScope(values url.Values) (frame.Scope, error) {
	if values.Has("item") || values.Has("list") {
		return frame.ReadScope(c.Call)
	}
	l, err := c.Location()
	return frame.Scope{At: l}, err
}

// showTags lists the tags to print and asks for the paper size. It shows the errors of a rejected form.
func (c *call) showTags(s frame.Scope, values url.Values, wrong error) (err error) {
	p := tagPage{
		Page: newStoragePage(c.Call, c.Say("storage.tags")), At: s.Path(""),
		Shelves: len(values["item"]) == 0, Papers: c.paperChoices(s.At, values.Get("paper")),
	}
	p.Start = frame.Input{
		Name: "start", Label: c.Say("storage.tags.start"), Hint: c.Say("storage.tags.start.hint"), Type: "number",
		Value: values.Get("start"), Min: "1", Max: "30", Narrow: true, Keyboard: "numeric",
	}
	if p.Start.Value == "" {
		p.Start.Value = "1"
	}
	if p.Shelves {
		if p.Names, err = c.placeNames(s.At, values); err != nil {
			return err
		}
	} else if p.Items, err = c.Services.Tags.ItemsToTag(c.Context(), c.Actor(), s.ID(), values["item"]); err != nil {
		return err
	}
	p.Back = c.tagsBack(s.At, p)
	if len(values["item"]) > lost.MaxTags {
		p.Error = c.Say("storage.tags.first-only", "most", lost.MaxTags)
	}
	status := http.StatusOK
	if wrong != nil {
		if p.Problems, wrong = c.MarkErrors([]*frame.Input{&p.Start}, wrong); wrong != nil {
			return wrong
		}
		status = http.StatusUnprocessableEntity
	}
	return c.Render(status, "tags", p)
}

// tagsBack returns a link to the page to return to after printing tags.
func (c *call) tagsBack(l lost.Location, p tagPage) frame.Link {
	switch {
	case p.Shelves:
		return frame.Link{Name: c.Say("storage.places"), Href: frame.LocationPath(l.ID, "/places")}
	case len(p.Items) == 1:
		return frame.Link{Name: p.Items[0].Reference, Href: frame.ItemPath(p.Items[0])}
	default:
		return frame.Link{Name: c.Say("frame.menu.items"), Href: c.LastList(l.ID)}
	}
}

// placeNames returns the places whose tags are requested, one per line. By default these are the first places by
// name.
func (c *call) placeNames(l lost.Location, values url.Values) (string, error) {
	if names := values["place"]; len(names) > 0 {
		return strings.Join(names, "\n"), nil
	}
	places, _, err := c.places(l, "")
	var names []string
	for _, p := range places {
		if p.Name != "" {
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, "\n"), err
}

// printTags sends the tags as a PDF.
func (c *call) printTags() error {
	s, values, err := c.readTags()
	if err != nil {
		return err
	}
	paper := lost.TagPaper(values.Get("paper"))
	start, err := strconv.Atoi(values.Get("start"))
	if err != nil || paper.PerPage() == 1 {
		start = 1
	}
	var content []byte
	if items := values["item"]; len(items) > 0 {
		content, err = c.Services.Tags.ItemTags(c.Context(), c.Actor(), s.ID(), items[:min(len(items), lost.MaxTags)],
			paper,
			start-1)
	} else {
		names := strings.Split(strings.Join(values["place"], "\n"), "\n")
		content, err = c.Services.Tags.PlaceTags(c.Context(), c.Actor(), s.ID(), names, paper, start-1)
	}
	if lost.CodeOf(err) == lost.Invalid {
		return c.showTags(s, values, err)
	}
	if err != nil {
		return err
	}
	c.SetCookie(paperCookie, string(paper), frame.CookieYear)
	return c.WritePDF("tags-"+s.At.Permalink+".pdf", content)
}

// newStoragePage prepares a page about tags, places, counts or papers.
func newStoragePage(c *frame.Call, title string, scripts ...string) frame.Page {
	p := c.NewPage(title, scripts...)
	for n := range p.Menu {
		p.Menu[n].Current = p.Menu[n].Icon == "scan"
	}
	return p
}

// maxPlaces is the maximum number of places on one page.
const maxPlaces = 100

// places lists a location's storage places, starting with the place named from. next is the value of from for the next
// page. If one page has all of them, they have the order of the user's language, after the usual place.
func (c *call) places(l lost.Location, from string) (list []lost.StoragePlace, next string, err error) {
	list, next, err = c.Services.Storage.Places(c.Context(), c.Actor(), l.ID, from, maxPlaces)
	if err != nil || from != "" || next != "" || len(list) == 0 {
		return list, next, err
	}
	first := 0
	if list[0].Name == l.StoragePlace { // also if it is empty
		first = 1
	}
	rest := i18n.SortByName(c.Language, list[first:], func(p lost.StoragePlace) string { return p.Name })
	return slices.Concat(list[:first], rest), "", nil
}

type placesPage struct {
	frame.Page
	At       string
	List     []lost.StoragePlace
	Next     string // the URL of the rest of the list
	CanCount bool
}

// showPlaces lists the storage places of a location.
func (c *call) showPlaces() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	p := placesPage{
		Page: newStoragePage(c.Call, c.Say("storage.places")), At: frame.LocationPath(l.ID, ""),
		CanCount: c.May(lost.HandleItems),
	}
	if p.List, p.Next, err = c.places(l, c.Request.URL.Query().Get("from")); err != nil {
		return err
	}
	return c.Render(http.StatusOK, "places", p)
}

type placePage struct {
	frame.Page
	At, Name string
	List     []frame.ItemSummary
	Total    string
	Pager    frame.Pager
	CanCount bool
}

// showPlace lists the items at a storage place.
func (c *call) showPlace() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	name, err := lost.ParsePlace(c.Request.URL.Query().Get("name"))
	if err != nil {
		return lost.Missing("place")
	}
	p := placePage{
		Page: newStoragePage(c.Call, c.PlaceTitle(name)), At: frame.LocationPath(l.ID, ""), Name: name,
		CanCount: c.May(lost.HandleItems),
	}
	list, err := c.Services.Storage.ItemsAt(c.Context(), c.Actor(), l.ID, name, c.PageFromQuery(frame.TableLimit))
	if err != nil {
		return err
	}
	p.List, p.Total = c.SummarizeItems(list.Data), c.Total(list.Total, "storage.items", "storage.items.or-more")
	p.Pager = frame.NewPager(list, c.Request.URL, c.Say("frame.back"), c.Say("frame.more"))
	return c.Render(http.StatusOK, "place", p)
}
