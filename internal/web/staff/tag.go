package staff

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"homeward/internal/lost"
)

// tagRoutes are those of tags, storage places, scanning and stock-takes.
func tagRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/t/{reference}", Right: lost.Look, serve: (*call).followTag},
		{Method: http.MethodGet, Path: "/t/place/{location}/{place}", Right: lost.Look, serve: (*call).followPlace},

		{Method: http.MethodGet, Path: "/at/{location}/tags", Right: lost.Look, serve: (*call).askTags},
		{Method: http.MethodPost, Path: "/at/{location}/tags", Right: lost.Look, serve: (*call).askTags},
		{Method: http.MethodGet, Path: "/at/{location}/tags.pdf", Right: lost.Look, serve: (*call).printTags},
		{Method: http.MethodPost, Path: "/at/{location}/tags.pdf", Right: lost.Look, serve: (*call).printTags},

		{Method: http.MethodGet, Path: "/at/{location}/places", Right: lost.Look, serve: (*call).showPlaces},
		{Method: http.MethodGet, Path: "/at/{location}/place", Right: lost.Look, serve: (*call).showPlace},

		{Method: http.MethodGet, Path: "/scan", serve: (*call).scanHere},
		{Method: http.MethodGet, Path: "/at/{location}/scan", Right: lost.Look, serve: (*call).askScan},
		{Method: http.MethodPost, Path: "/at/{location}/scan", Right: lost.Look, serve: (*call).scanned},
		{Method: http.MethodPost, Path: "/at/{location}/scan/undo", Right: lost.Handle, serve: (*call).undoMove},
		{Method: http.MethodPost, Path: "/at/{location}/scan/read", Right: lost.Look, serve: (*call).readFrame},

		{Method: http.MethodGet, Path: "/at/{location}/counts", Right: lost.Look, serve: (*call).listCounts},
		{Method: http.MethodPost, Path: "/at/{location}/counts", Right: lost.Handle, serve: (*call).beginCount},
		{Method: http.MethodGet, Path: "/at/{location}/counts/{count}", Right: lost.Look, serve: (*call).showCount},
		{Method: http.MethodPost, Path: "/at/{location}/counts/{count}", Right: lost.Handle, serve: (*call).tickCount},
		{Method: http.MethodPost, Path: "/at/{location}/counts/{count}/correct", Right: lost.Handle, serve: (*call).correctCount},
		{Method: http.MethodGet, Path: "/at/{location}/counts/{count}/close", Right: lost.Handle, serve: (*call).askCloseCount},
		{Method: http.MethodPost, Path: "/at/{location}/counts/{count}/close", Right: lost.Handle, serve: (*call).closeCount},
		{Method: http.MethodPost, Path: "/at/{location}/counts/{count}/drop", Right: lost.Handle, serve: (*call).dropCount},
		{Method: http.MethodGet, Path: "/at/{location}/counts/{count}/report.pdf", Right: lost.Look, serve: (*call).printCount},
	}
}

// placePath is the page of a storage place.
func placePath(location, name string) string {
	return atPath(location, "/place?name="+url.QueryEscape(name))
}

// followTag leads from the address in an item's code to the item.
func (c *call) followTag() error {
	reference, is := lost.ParseReference(c.r.PathValue("reference"))
	if !is {
		return lost.Missing("item")
	}
	i, err := c.desk.ItemByReference(c.ctx(), c.actor(), reference)
	if err != nil {
		return err
	}
	return c.see(itemPath(i))
}

// followPlace leads from the address in a place's code to the place.
func (c *call) followPlace() error {
	tag, is := lost.PlaceTag(c.r.PathValue("location"), c.r.PathValue("place"))
	if !is {
		return lost.Missing("place")
	}
	if _, err := c.at(); err != nil {
		return err
	}
	return c.see(placePath(tag.LocationID, tag.Place))
}

// tagPage asks what tags are to be printed on.
type tagPage struct {
	page
	At      string
	Back    link
	Items   []lost.Item
	Names   string // of places, one on a line; asked for where there are no items
	Shelves bool
	Papers  []paperChoice
	Start   input
	Error   string
}

// paperChoice is a paper to choose.
type paperChoice struct {
	Value, Name, Hint string
	Chosen            bool
}

// paperCookie remembers what tags were last printed on: a desk has one printer for them.
const paperCookie = "tags"

// paperChoices offers the papers, the one first chosen that was used last, or that the country has.
func (c *call) paperChoices(l lost.Location, chosen string) []paperChoice {
	if chosen == "" {
		chosen = c.cookie(paperCookie)
	}
	choices := []paperChoice{
		{Value: string(lost.SmallRoll), Name: "Label printer, 62 × 29 mm", Hint: "One tag on each label."},
		{Value: string(lost.LargeRoll), Name: "Label printer, 4 × 6 inches", Hint: "One large tag on each label."},
		{Value: string(lost.A4Sheet), Name: "A4 sheet, 3 × 8 labels", Hint: "Labels of 70 × 37 mm."},
		{Value: string(lost.LetterSheet), Name: "Letter sheet, 3 × 10 labels", Hint: "Labels of 2⅝ × 1 inch."},
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

// tagValues gives what was asked for, whether by the address or by a form: many items have no room in an address.
func (c *call) tagValues() (url.Values, error) {
	if c.r.Method == http.MethodPost {
		return c.form()
	}
	return c.r.URL.Query(), nil
}

func (c *call) askTags() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	values, err := c.tagValues()
	if err != nil {
		return err
	}
	return c.showTags(l, values, nil)
}

// showTags shows what will be printed, and asks on what; and what was wrong with that, if anything was.
func (c *call) showTags(l lost.Location, values url.Values, wrong error) (err error) {
	p := tagPage{page: c.shelfPageOf("Print tags"), At: atPath(l.ID, ""), Shelves: len(values["item"]) == 0, Papers: c.paperChoices(l, values.Get("paper"))}
	p.Start = input{Name: "start", Label: "First free label on the sheet", Hint: "1 is at the top left. Rolls begin at once.", Type: "number", Value: values.Get("start"), Min: "1", Max: "30", Narrow: true, Keyboard: "numeric"}
	if p.Start.Value == "" {
		p.Start.Value = "1"
	}
	if p.Shelves {
		if p.Names, err = c.placeNames(l, values); err != nil {
			return err
		}
	} else if p.Items, err = c.desk.ItemsToTag(c.ctx(), c.actor(), l.ID, values["item"]); err != nil {
		return err
	}
	p.Back = c.tagsBack(l, p)
	if len(values["item"]) > lost.MaxTags {
		p.Error = "The first " + strconv.Itoa(lost.MaxTags) + " are printed. Print the others afterwards."
	}
	status := http.StatusOK
	if wrong != nil {
		if p.Problems, wrong = judge([]*input{&p.Start}, wrong); wrong != nil {
			return wrong
		}
		status = http.StatusUnprocessableEntity
	}
	return c.write(status, "tags", p)
}

// tagsBack is where somebody came from who prints tags.
func (c *call) tagsBack(l lost.Location, p tagPage) link {
	switch {
	case p.Shelves:
		return link{Name: "Places", Href: atPath(l.ID, "/places")}
	case len(p.Items) == 1:
		return link{Name: p.Items[0].Reference, Href: itemPath(p.Items[0])}
	default:
		return link{Name: "Items", Href: atPath(l.ID, "/items") + c.lastList()}
	}
}

// placeNames gives the places whose tags are asked for; the first of all of them, by name, where none is named.
func (c *call) placeNames(l lost.Location, values url.Values) (string, error) {
	if names := values["place"]; len(names) > 0 {
		return strings.Join(names, "\n"), nil
	}
	places, _, err := c.desk.Places(c.ctx(), c.actor(), l.ID, "", mostShelves)
	var names []string
	for _, p := range places {
		if p.Name != "" {
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, "\n"), err
}

// printTags answers with a PDF of tags.
func (c *call) printTags() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	values, err := c.tagValues()
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
		content, err = c.desk.ItemTags(c.ctx(), c.actor(), l.ID, items[:min(len(items), lost.MaxTags)], paper, start-1)
	} else {
		names := strings.Split(strings.Join(values["place"], "\n"), "\n")
		content, err = c.desk.PlaceTags(c.ctx(), c.actor(), l.ID, names, paper, start-1)
	}
	if lost.CodeOf(err) == lost.Invalid {
		return c.showTags(l, values, err)
	}
	if err != nil {
		return err
	}
	c.keep(paperCookie, string(paper), year)
	return c.pdf("tags-"+l.Permalink+".pdf", content)
}

// shelfPageOf begins a page of those that scanning leads to.
func (c *call) shelfPageOf(title string, scripts ...string) page {
	p := c.page(title, scripts...)
	for n := range p.Menu {
		p.Menu[n].Current = p.Menu[n].Icon == "scan"
	}
	return p
}

// mostShelves is how many places a list has.
const mostShelves = 100

type placesPage struct {
	page
	At       string
	List     []lost.Place
	Next     string // where the list goes on
	CanCount bool
}

// showPlaces lists the storage places of a location.
func (c *call) showPlaces() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	p := placesPage{page: c.shelfPageOf("Places"), At: atPath(l.ID, ""), CanCount: c.may(lost.Handle)}
	if p.List, p.Next, err = c.desk.Places(c.ctx(), c.actor(), l.ID, c.r.URL.Query().Get("from"), mostShelves); err != nil {
		return err
	}
	return c.write(http.StatusOK, "places", p)
}

type placePage struct {
	page
	At, Name string
	List     []glimpse
	Total    string
	Pager    pager
	CanCount bool
}

// showPlace lists what is at a storage place.
func (c *call) showPlace() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	name, err := lost.ParsePlace(c.r.URL.Query().Get("name"))
	if err != nil {
		return lost.Missing("place")
	}
	p := placePage{page: c.shelfPageOf(placeTitle(name)), At: atPath(l.ID, ""), Name: name, CanCount: c.may(lost.Handle)}
	list, err := c.desk.ItemsAt(c.ctx(), c.actor(), l.ID, name, c.part(tableLimit))
	if err != nil {
		return err
	}
	p.List, p.Total, p.Pager = glances(list.Data), total(list.Total, "item", "items"), turn(list, c.r.URL, "Back", "More")
	return c.write(http.StatusOK, "place", p)
}

// placeTitle names a place, also the one without a name.
func placeTitle(name string) string {
	if name == "" {
		return "Without a place"
	}
	return name
}
