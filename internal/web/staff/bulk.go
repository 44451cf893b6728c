package staff

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// bulkRoutes are those of many items at once: chosen in a list, as a file, from a file.
func bulkRoutes() []Route {
	const bulk, file = "/at/{location}/items/bulk", "/at/{location}/import/{import}"
	return []Route{
		{Method: http.MethodGet, Path: "/at/{location}/items.csv", Right: lost.Look, serve: (*call).export},
		{Method: http.MethodPost, Path: bulk, Right: lost.Look, serve: (*call).bulk},
		{Method: http.MethodPost, Path: bulk + "/status", Right: lost.Handle, serve: (*call).bulkStatus},
		{Method: http.MethodPost, Path: bulk + "/place", Right: lost.Handle, serve: (*call).bulkPlace},
		{Method: http.MethodGet, Path: "/at/{location}/import", Right: lost.Handle, serve: (*call).askImport},
		{Method: http.MethodPost, Path: "/at/{location}/import", Right: lost.Handle, serve: (*call).stageImport},
		{Method: http.MethodGet, Path: file, Right: lost.Handle, serve: (*call).showImport},
		{Method: http.MethodPost, Path: file, Right: lost.Handle, serve: (*call).startImport},
		{Method: http.MethodPost, Path: file + "/cancel", Right: lost.Handle, serve: (*call).cancelImport},
	}
}

// bulkForm is a form about items that were chosen in a list.
type bulkForm struct {
	at     lost.Location
	values url.Values
	ids    []string
	last   string // what narrowed the list that they were chosen in
}

func (c *call) bulkForm() (f bulkForm, err error) {
	if f.at, err = c.at(); err != nil {
		return f, err
	}
	if f.values, err = c.form(); err != nil {
		return f, err
	}
	f.ids, f.last = f.values["item"], c.lastList()
	return f, nil
}

func (f bulkForm) list() string { return atPath(f.at.ID, "/items") + f.last }

// bulk begins what is to be done with the items that were chosen.
func (c *call) bulk() error {
	f, err := c.bulkForm()
	if err != nil {
		return err
	}
	if len(f.ids) == 0 {
		c.tell("Choose at least one item first.")
		return c.see(f.list())
	}
	switch f.values.Get("do") {
	case "status":
		return c.askStatus(f)
	case "place":
		return c.askPlace(http.StatusOK, f, nil)
	case "export":
		return c.download(f.at, func(w *download) error { return c.desk.ExportItems(c.ctx(), c.actor(), f.at.ID, f.ids, true, w) })
	case "tags": // with the same form
		http.Redirect(c.w, c.r, atPath(f.at.ID, "/tags"), http.StatusTemporaryRedirect)
		return nil
	default:
		return lost.E(lost.Unreadable, "The form does not say what is to be done.")
	}
}

// bulkPage is a step of what is done with many items.
type bulkPage struct {
	page
	At, List string
	Items    []lost.Item
	IDs      []string // as they were chosen
	Statuses []lost.Status
	Place    input
	Plan     desk.StatusPlan
	Done     desk.Outcomes
}

func (c *call) bulkPage(title string, f bulkForm) bulkPage {
	return bulkPage{page: c.page(title), At: atPath(f.at.ID, ""), List: f.list(), IDs: f.ids}
}

// chosen gives the items that were chosen, for somebody who may change them.
func (c *call) chosen(f bulkForm) ([]lost.Item, error) {
	if err := c.actor().May(lost.Handle); err != nil {
		return nil, err
	}
	return c.desk.Chosen(c.ctx(), c.actor(), f.at.ID, f.ids)
}

// askStatus asks which status items are to have.
func (c *call) askStatus(f bulkForm) (err error) {
	p := c.bulkPage("Change status", f)
	if p.Items, err = c.chosen(f); err != nil {
		return err
	}
	p.Statuses = slices.DeleteFunc(lost.Statuses(), func(s lost.Status) bool {
		return !slices.ContainsFunc(p.Items, func(i lost.Item) bool { return i.Advises(s) == nil })
	})
	return c.write(http.StatusOK, "bulk-status", p)
}

// bulkStatus tells what a change would do and asks for a yes; with one, it does it.
func (c *call) bulkStatus() (err error) {
	f, err := c.bulkForm()
	if err != nil {
		return err
	}
	to := lost.Status(f.values.Get("status"))
	if f.values.Get("sure") == "" {
		p := c.bulkPage("Change status", f)
		if p.Plan, err = c.desk.PlanStatus(c.ctx(), c.actor(), f.at.ID, f.ids, to); err != nil {
			return err
		}
		return c.write(http.StatusOK, "bulk-confirm", p)
	}
	ctx, done := c.wholly()
	defer done()
	return c.summary("Status changed", f, func() (desk.Outcomes, error) {
		return c.desk.BulkStatus(ctx, c.actor(), f.at.ID, f.ids, to, seenOf(f.values["seen"]))
	})
}

// seenOf is which states of items a question was about: the id of each, and when it was changed last.
func seenOf(said []string) map[string]time.Time {
	seen := map[string]time.Time{}
	for _, one := range said {
		id, at, _ := strings.Cut(one, " ")
		seen[id] = seenIn(url.Values{"seen": {at}})
	}
	return seen
}

// wholly is a context for what is to be done to the end, also when the browser leaves: what was asked for many items happens to all of them.
func (c *call) wholly() (context.Context, context.CancelFunc) {
	const most = 50 * time.Second // within what an answer may take
	return context.WithTimeout(context.WithoutCancel(c.ctx()), most)
}

// placeInput is the field for where items are stored.
func placeInput(l lost.Location, value string) input {
	i := input{Name: "storagePlace", Label: "Storage place", Type: "text", Value: value, Focus: true}
	if l.StoragePlace != "" {
		i.Hint = "Leave it empty for the usual one, " + l.StoragePlace + "."
	}
	return i
}

// askPlace asks where items are stored.
func (c *call) askPlace(status int, f bulkForm, wrong error) (err error) {
	p := c.bulkPage("Change storage place", f)
	if p.Items, err = c.chosen(f); err != nil {
		return err
	}
	p.Place = placeInput(f.at, f.values.Get("storagePlace"))
	if p.Problems, err = judge([]*input{&p.Place}, wrong); err != nil {
		return err
	}
	return c.write(status, "bulk-place", p)
}

// bulkPlace says of items where they are stored.
func (c *call) bulkPlace() error {
	f, err := c.bulkForm()
	if err != nil {
		return err
	}
	ctx, done := c.wholly()
	defer done()
	place := respond.Typed(f.values, "storagePlace").Value
	err = c.summary("Storage place changed", f, func() (desk.Outcomes, error) { return c.desk.BulkPlace(ctx, c.actor(), f.at.ID, f.ids, place) })
	if len(lost.ProblemsOf(err)) > 0 {
		return c.askPlace(http.StatusUnprocessableEntity, f, err)
	}
	return err
}

// summary does something to many items and tells what came of each: those that need somebody first.
func (c *call) summary(title string, f bulkForm, do func() (desk.Outcomes, error)) error {
	done, err := do()
	if err != nil && len(done) == 0 {
		return err
	}
	p := c.bulkPage(title, f)
	p.Done = done
	if err != nil {
		respond.Failed(c.w, err)
		p.Problems = []problem{{Text: "The fault is on our side, and the rest was not done. Do it again for the items that are not listed here."}}
	}
	return c.write(http.StatusOK, "bulk-done", p)
}

// Of gives what came to something.
func (p bulkPage) Of(became desk.Became) desk.Outcomes {
	return slices.DeleteFunc(slices.Clone(p.Done), func(o desk.Outcome) bool { return o.Became != became })
}

// shorten is a description where there is room for a line.
func shorten(text string) string {
	const line = 80
	return lost.Shorten(strings.Join(strings.Fields(text), " "), line)
}
