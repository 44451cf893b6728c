package staff

import (
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// viewsPage lists the views that somebody keeps, to change them.
type viewsPage struct {
	page
	List    string
	Back    string // the list that is to be kept
	Own     []viewForm
	Others  []viewForm
	Name    input // of a new one
	Query   string
	Says    string // what it narrows to, in words
	Shares  bool
	Handles bool
}

// viewForm is one view, to be renamed, shared or deleted.
type viewForm struct {
	lost.View
	Href, Action, Says string
	Handles            bool
}

func (c *call) views() error { return c.showViews(http.StatusOK, c.r.URL.Query(), nil) }

// showViews shows the views and, where there is something to keep, the form for it, with what was wrong with it.
func (c *call) showViews(status int, values url.Values, wrong error) error {
	l, err := c.at()
	if err != nil {
		return err
	}
	all, err := c.desk.Views(c.ctx(), c.actor())
	if err != nil {
		return err
	}
	p := viewsPage{
		page: c.page("Views"), List: atPath(l.ID, "/items"), Query: values.Get("query"), Shares: values.Get("shared") != "", Handles: c.may(lost.Handle),
		Name: input{Name: "name", Label: "Name", Type: "text", Value: values.Get("name"), Required: true, Narrow: true},
	}
	p.Says, p.Back = queryWords(p.Query), p.List
	if q, err := url.ParseQuery(p.Query); err == nil {
		p.Back = readItemFilter(q).at(p.List, 1)
	}
	for _, v := range all {
		form := viewForm{View: v, Href: p.List + "?" + v.Query, Action: atPath(l.ID, "/views/"+v.ID), Says: queryWords(v.Query), Handles: p.Handles}
		if v.UserID == c.in.User.ID {
			p.Own = append(p.Own, form)
		} else {
			p.Others = append(p.Others, form)
		}
	}
	if wrong != nil {
		if p.Problems, err = judge([]*input{&p.Name}, wrong); err != nil {
			return err
		}
	}
	return c.write(status, "views", p)
}

// keepView keeps what narrows a list, under a name.
func (c *call) keepView() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	q, err := url.ParseQuery(values.Get("query"))
	if err != nil {
		return respond.Unreadable(nil)
	}
	f := readItemFilter(q)
	v, err := c.desk.CreateView(c.ctx(), c.actor(), lost.ViewPatch{
		Name: lost.Set(values.Get("name")), Query: lost.Set(f.encode()), Shared: lost.Set(values.Get("shared") != ""),
	})
	if lost.CodeOf(err) == lost.Invalid {
		return c.showViews(respond.Failed(c.w, err), values, err)
	}
	if err != nil {
		return err
	}
	c.tell("Kept as “" + v.Name + "”.")
	return c.see(f.at(atPath(c.r.PathValue("location"), "/items"), 1))
}

// changeView renames, shares or deletes a view.
func (c *call) changeView() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	id := c.r.PathValue("view")
	if values.Get("do") == "delete" {
		if err := c.desk.DeleteView(c.ctx(), c.actor(), id); err != nil {
			return err
		}
		c.tell("The view was deleted.")
	} else {
		p := lost.ViewPatch{Name: lost.Set(values.Get("name"))}
		if c.may(lost.Handle) {
			p.Shared = lost.Set(values.Get("shared") != "")
		}
		v, err := c.desk.UpdateView(c.ctx(), c.actor(), id, p)
		if lost.CodeOf(err) == lost.Invalid {
			return c.showViews(respond.Failed(c.w, err), url.Values{}, err)
		}
		if err != nil {
			return err
		}
		c.tell("“" + v.Name + "” was changed.")
	}
	return c.see(atPath(c.r.PathValue("location"), "/views"))
}

// queryWords says what a view narrows to.
func queryWords(query string) string {
	q, err := url.ParseQuery(query)
	if err != nil {
		return ""
	}
	f := readItemFilter(q)
	var parts []string
	if f.Term != "" {
		parts = append(parts, "“"+f.Term+"”")
	}
	for _, s := range f.Statuses {
		parts = append(parts, showState(s).Word)
	}
	switch f.Source {
	case "request":
		parts = append(parts, "requests")
	case "all":
		parts = append(parts, "with requests")
	}
	switch f.Where {
	case lost.Here:
		parts = append(parts, "still here")
	case lost.Away:
		parts = append(parts, "gone")
	}
	if f.From != "" {
		parts = append(parts, "from "+day(f.From))
	}
	if f.To != "" {
		parts = append(parts, "until "+day(f.To))
	}
	if f.Open {
		parts = append(parts, "not done")
	}
	if f.Mine {
		parts = append(parts, "recorded today by you")
	}
	if len(parts) == 0 {
		return "everything that was found"
	}
	return listWords(parts)
}
