package items

import (
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// viewsPage lists the user's saved views, which can be edited there.
type viewsPage struct {
	frame.Page
	List    string
	Back    string // the list to return to, which can be saved as a view
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

func (c *call) views() error { return c.showViews(http.StatusOK, c.Request.URL.Query(), nil) }

// showViews lists the saved views. If the user chose "Save view", the page also has the form for the new view, with
// its errors.
func (c *call) showViews(status int, values url.Values, wrong error) error {
	s, err := frame.ReadScope(c.Call)
	if err != nil {
		return err
	}
	all, err := c.Services.Views.List(c.Context(), c.Actor())
	if err != nil {
		return err
	}
	p := viewsPage{
		Page: c.NewPage(c.Say("items.views")), List: s.Path("/items"), Query: values.Get("query"),
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
func (c *call) saveView() error {
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
func (c *call) changeView() error {
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
	f := frame.ReadItemFilter(q)
	var parts []string
	if f.Term != "" {
		parts = append(parts, lang.Say("items.filter.term", "term", f.Term))
	}
	for _, s := range f.Statuses {
		parts = append(parts, lang.StatusState(s).Word)
	}
	switch f.Source {
	case "request":
		parts = append(parts, lang.Say("items.filter.requests"))
	case "all":
		parts = append(parts, lang.Say("items.filter.all"))
	}
	switch f.Where {
	case lost.InStorage:
		parts = append(parts, lang.Say("items.filter.here"))
	case lost.OutOfStorage:
		parts = append(parts, lang.Say("items.filter.gone"))
	}
	if f.From != "" {
		parts = append(parts, lang.Say("items.filter.after", "date", lang.Day(f.From)))
	}
	if f.To != "" {
		parts = append(parts, lang.Say("items.filter.before", "date", lang.Day(f.To)))
	}
	if f.Open {
		parts = append(parts, lang.Say("items.filter.open"))
	}
	if f.Mine {
		parts = append(parts, lang.Say("items.filter.mine"))
	}
	if len(parts) == 0 {
		return lang.Say("items.filter.none")
	}
	return lang.List(parts)
}
