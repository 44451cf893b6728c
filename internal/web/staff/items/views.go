package items

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// viewsPage lists the user's saved views, which can be edited there.
type viewsPage struct {
	frame.Page
	List    string
	Back    string // the list to return to, which can be saved as a view
	Action  string // where a new view is sent
	Own     []viewForm
	Others  []viewForm
	Name    frame.Input // the name of a new view
	Query   string
	Filter  string // a description of the filter
	Shares  bool
	Handles bool
}

// viewForm is one view to rename, share or delete.
type viewForm struct {
	lost.View
	Href, Action, Filter string
	Handles              bool
}

func (c *viewCall) views() error { return c.showViews(http.StatusOK, c.Request.URL.Query(), nil) }

// showViews lists the saved views. If the user chose "Save view", the page also has the form for the new view, with
// its errors.
func (c *viewCall) showViews(status int, values url.Values, wrong error) error {
	s, err := frame.ReadScope(c.Call)
	if err != nil {
		return err
	}
	all, err := c.Services.Views.List(c.Context(), c.Actor())
	if err != nil {
		return err
	}
	p := viewsPage{
		Page: c.NewPage(c.Say("items.views")), List: s.Path("/items"), Action: s.Path("/views"),
		Query:  values.Get("query"),
		Shares: values.Get("shared") != "", Handles: c.May(lost.HandleItems),
		Name: frame.Input{
			Name: "name", Label: c.Say("items.name"), Type: "text", Value: values.Get("name"), Required: true,
			Narrow: true,
		},
	}
	p.Filter, p.Back = queryText(c.Locale, p.Query), p.List
	if q, err := url.ParseQuery(p.Query); err == nil {
		p.Back = frame.ReadItemFilter(q).At(p.List, 1)
	}
	for _, v := range all {
		form := viewForm{
			View: v, Href: p.List + "?" + v.Query, Action: s.Path("/views/" + v.ID),
			Filter: queryText(c.Locale, v.Query), Handles: p.Handles,
		}
		if v.UserID == c.Session.User.ID {
			p.Own = append(p.Own, form)
		} else {
			p.Others = append(p.Others, form)
		}
	}
	if wrong != nil {
		if p.Problems, err = c.MarkErrors([]*frame.Input{&p.Name}, wrong); err != nil {
			return err
		}
	}
	return c.Render(status, "views", p)
}

// saveView saves the current filter as a view with a name.
func (c *viewCall) saveView() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	q, err := url.ParseQuery(values.Get("query"))
	if err != nil {
		return respond.UnreadableForm(nil)
	}
	f := frame.ReadItemFilter(q)
	v, err := c.Services.Views.Create(c.Context(), c.Actor(), lost.ViewPatch{
		Name: lost.Set(values.Get("name")), Query: lost.Set(f.Encode()), Shared: lost.Set(values.Get("shared") != ""),
	})
	if lost.CodeOf(err) == lost.Invalid {
		return c.showViews(respond.RecordError(c.Writer, err), values, err)
	}
	if err != nil {
		return err
	}
	c.Flash(c.Say("items.view.saved", "name", v.Name))
	return c.Redirect(f.At(frame.LocationPath(c.Request.PathValue("location"), "/items"), 1))
}

// changeView renames, shares or deletes a view.
func (c *viewCall) changeView() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	id := c.Request.PathValue("view")
	if values.Get("do") == "delete" {
		if err := c.Services.Views.Delete(c.Context(), c.Actor(), id); err != nil {
			return err
		}
		c.Flash(c.Say("items.view.deleted"))
	} else {
		p := lost.ViewPatch{Name: lost.Set(values.Get("name"))}
		if c.May(lost.HandleItems) {
			p.Shared = lost.Set(values.Get("shared") != "")
		}
		v, err := c.Services.Views.Update(c.Context(), c.Actor(), id, p)
		if lost.CodeOf(err) == lost.Invalid {
			return c.showViews(respond.RecordError(c.Writer, err), url.Values{}, err)
		}
		if err != nil {
			return err
		}
		c.Flash(c.Say("items.view.changed", "name", v.Name))
	}
	return c.Redirect(frame.LocationPath(c.Request.PathValue("location"), "/views"))
}

// queryText describes the filter of a view.
func queryText(lang frame.Locale, query string) string {
	q, err := url.ParseQuery(query)
	if err != nil {
		return ""
	}
	var texts []string
	for _, p := range filterParts(lang, frame.ReadItemFilter(q)) {
		texts = append(texts, p.Text)
	}
	if len(texts) == 0 {
		return lang.Say("items.filter.none")
	}
	return lang.List(texts)
}

// filterPart is one condition of a filter, and the filter without it.
type filterPart struct {
	Text    string
	without frame.ItemFilter
}

// filterParts returns the conditions of a filter. The order of the list is none.
func filterParts(lang frame.Locale, f frame.ItemFilter) (parts []filterPart) {
	f.Number = 1
	add := func(wanted bool, text string, remove func(*frame.ItemFilter)) {
		if !wanted {
			return
		}
		p := filterPart{text, f}
		remove(&p.without)
		parts = append(parts, p)
	}
	add(f.Query != "", lang.Say("items.filter.term", "term", f.Query), func(f *frame.ItemFilter) { f.Query = "" })
	for _, s := range f.Statuses {
		add(true, lang.StatusState(s).Word, func(f *frame.ItemFilter) {
			f.Statuses = slices.DeleteFunc(slices.Clone(f.Statuses), func(o lost.Status) bool { return o == s })
		})
	}
	add(f.Category != "", lang.CategoryName(f.Category), func(f *frame.ItemFilter) { f.Category = "" })
	add(f.OwnerState != "", lang.OwnerState(f.OwnerState).Word, func(f *frame.ItemFilter) { f.OwnerState = "" })
	add(f.Color != "", lang.Say("items.filter.color", "text", f.Color), func(f *frame.ItemFilter) { f.Color = "" })
	add(f.Place != "", lang.Say("items.filter.place", "text", f.Place), func(f *frame.ItemFilter) { f.Place = "" })
	add(f.Owner != "", lang.Say("items.filter.owner", "text", f.Owner), func(f *frame.ItemFilter) { f.Owner = "" })
	add(f.Finder != "", lang.Say("items.filter.finder", "text", f.Finder), func(f *frame.ItemFilter) { f.Finder = "" })
	serial := lang.Say("frame.labelled", "label", lang.Say("frame.field.serialNumber"), "text", f.Serial)
	add(f.Serial != "", serial, func(f *frame.ItemFilter) { f.Serial = "" })
	worth := lang.Say("items.filter.worth", "n", lang.Number(f.Worth))
	add(f.Worth > 0, worth, func(f *frame.ItemFilter) { f.Worth = 0 })
	noSource := func(f *frame.ItemFilter) { f.Source = "" }
	add(f.Source == "request", lang.Say("items.filter.requests"), noSource)
	add(f.Source == "all", lang.Say("items.filter.all"), noSource)
	anywhere := func(f *frame.ItemFilter) { f.Where = "" }
	add(f.Where == lost.InStorage, lang.Say("items.filter.here"), anywhere)
	add(f.Where == lost.OutOfStorage, lang.Say("items.filter.gone"), anywhere)
	if f.Report != "" {
		add(true, reportText(lang, f), func(f *frame.ItemFilter) {
			f.Report, f.Group = "", ""
			f.From, f.To = "", ""
		})
		f.From, f.To = "", ""
	}
	from, to := lang.Say("items.filter.after", "date", lang.Day(f.From)), lang.Say("items.filter.before", "date",
		lang.Day(f.To))
	add(f.From != "", from, func(f *frame.ItemFilter) { f.From = "" })
	add(f.To != "", to, func(f *frame.ItemFilter) { f.To = "" })
	add(f.Open, lang.Say("items.filter.open"), func(f *frame.ItemFilter) { f.Open = false })
	add(f.Mine, lang.Say("items.filter.mine"), func(f *frame.ItemFilter) { f.Mine = false })
	return parts
}

// reportText describes the records behind a figure of a report.
func reportText(lang frame.Locale, f frame.ItemFilter) string {
	name := lang.Say("reports.figure." + string(f.Report))
	if kind, group, found := strings.Cut(f.Group, ":"); found {
		if trait, rest := frame.RestTrait(f.Group); rest {
			group = restText(lang, trait)
		} else if kind == string(lost.CategoryTrait) && slices.Contains(lost.Categories(), lost.Category(group)) {
			group = lang.CategoryName(lost.Category(group))
		}
		name = lang.Say("frame.labelled", "label", name, "text", cmp.Or(group, lang.Say("reports.unknown")))
	}
	var days string
	switch {
	case f.From+f.To == "":
		return name
	case f.From == "":
		days = lang.Say("items.filter.before", "date", lang.Day(f.To))
	case f.To == "":
		days = lang.Say("items.filter.after", "date", lang.Day(f.From))
	default:
		days = lang.Say("reports.range", "from", lang.Day(f.From), "to", lang.Day(f.To))
	}
	return lang.Say("frame.labelled", "label", name, "text", days)
}

// restText describes the groups that a report does not name.
func restText(lang frame.Locale, t lost.ReportTrait) string {
	label := lang.Say("reports.storage-place")
	if t != lost.StorageTrait {
		label = lang.Say("reports.trait." + string(t))
	}
	return lang.Say("frame.labelled", "label", label, "text", lang.Say("reports.others"))
}

// chips returns a link for each condition of a filter, to the list without that condition. The words of a search are in
// the search field, where they can be removed.
func chips(lang frame.Locale, list string, f frame.ItemFilter) (links []frame.Link) {
	query := f.Query
	f.Query = ""
	for _, p := range filterParts(lang, f) {
		p.without.Query = query
		links = append(links, frame.Link{Name: p.Text, Href: p.without.At(list, 1)})
	}
	return links
}
