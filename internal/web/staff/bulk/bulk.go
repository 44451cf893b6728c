package bulk

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// bulkForm is a submitted form with the items that were selected in a list.
type bulkForm struct {
	frame.Scope
	values url.Values
	ids    []string
	list   string // the URL of the list in which the items were selected
}

func (c *call) bulkForm() (f bulkForm, err error) {
	if f.Scope, err = frame.ReadScope(c.Call); err != nil {
		return f, err
	}
	if f.values, err = c.ReadForm(); err != nil {
		return f, err
	}
	f.ids, f.list = f.values["item"], c.LastList(f.At.ID)
	return f, nil
}

// bulk starts the chosen action for the selected items.
func (c *call) bulk() error {
	f, err := c.bulkForm()
	if err != nil {
		return err
	}
	if len(f.ids) == 0 {
		c.Flash(c.Say("bulk.none"))
		return c.Redirect(f.list)
	}
	switch f.values.Get("do") {
	case "status":
		return c.askStatus(f)
	case "place":
		return c.askPlace(http.StatusOK, f, nil)
	case "category":
		return c.askCategory(http.StatusOK, f, nil)
	case "export":
		return c.downloadItems(f.Scope, func(w *frame.Download) error {
			return c.Services.Imports.ExportItems(c.Context(), c.Actor(), f.ID(), f.ids,
				desk.Layout{Mark: true, Headings: headings(c.Locale, f.Scope), Language: c.Tag()}, w)
		})
	case "tags": // 307 makes the browser send the same form again
		http.Redirect(c.Writer, c.Request, f.Path("/tags"), http.StatusTemporaryRedirect)
		return nil
	case "papers":
		http.Redirect(c.Writer, c.Request, f.Path("/papers"), http.StatusTemporaryRedirect)
		return nil
	default:
		return lost.E(lost.Unreadable, "The form does not contain an action.")
	}
}

// bulkPage is one step of a change to several items.
type bulkPage struct {
	frame.Page
	At, List string
	Items    []lost.Item
	IDs      []string // the IDs of the selected items
	Statuses []lost.Status
	Place    frame.Input
	Category *frame.Input
	Plan     desk.StatusPlan
	Done     desk.Outcomes
}

func (c *call) bulkPage(title string, f bulkForm) bulkPage {
	return bulkPage{Page: c.NewPage(title), At: f.Path(""), List: f.list, IDs: f.ids}
}

// selectedItems returns the selected items if the user may change them.
func (c *call) selectedItems(f bulkForm) ([]lost.Item, error) {
	if err := c.Actor().May(lost.HandleItems); err != nil {
		return nil, err
	}
	return c.Services.Items.ListByID(c.Context(), c.Actor(), f.ID(), f.ids)
}

// askStatus asks for the new status of the items.
func (c *call) askStatus(f bulkForm) (err error) {
	p := c.bulkPage(c.Say("bulk.status.title"), f)
	if p.Items, err = c.selectedItems(f); err != nil {
		return err
	}
	p.Statuses = slices.DeleteFunc(lost.Statuses(), func(s lost.Status) bool {
		return !slices.ContainsFunc(p.Items, func(i lost.Item) bool { return i.CheckMove(s) == nil })
	})
	return c.Render(http.StatusOK, "bulk-status", p)
}

// bulkStatus shows what the change of status would do and asks for confirmation. Once confirmed, it makes the change.
func (c *call) bulkStatus() (err error) {
	f, err := c.bulkForm()
	if err != nil {
		return err
	}
	to := lost.Status(f.values.Get("status"))
	if f.values.Get("sure") == "" {
		p := c.bulkPage(c.Say("bulk.status.title"), f)
		if p.Plan, err = c.Services.Items.PlanStatus(c.Context(), c.Actor(), f.ID(), f.ids, to); err != nil {
			return err
		}
		return c.Render(http.StatusOK, "bulk-confirm", p)
	}
	ctx, done := c.detachedContext()
	defer done()
	return c.summary(c.Say("bulk.status.done"), f, func() (desk.Outcomes, error) {
		return c.Services.Items.BulkStatus(ctx, c.Actor(), f.ID(), f.ids, to, seenOf(f.values["seen"]))
	})
}

// seenOf reads the versions of the items that the user confirmed: each item's ID and when the item was last changed.
func seenOf(values []string) map[string]time.Time {
	seen := map[string]time.Time{}
	for _, value := range values {
		id, at, _ := strings.Cut(value, " ")
		seen[id] = frame.FormVersion(url.Values{"seen": {at}})
	}
	return seen
}

// detachedContext returns a context that is not canceled when the browser disconnects, so that a change to many items
// is completed.
func (c *call) detachedContext() (context.Context, context.CancelFunc) {
	const limit = 50 * time.Second // shorter than the time limit of a response
	return context.WithTimeout(context.WithoutCancel(c.Context()), limit)
}

// placeInput returns the input for the storage place.
func (c *call) placeInput(s frame.Scope, value string) frame.Input {
	i := frame.Input{Name: "storagePlace", Label: c.Say("bulk.place.label"), Type: "text", Value: value, Focus: true}
	if s.At.StoragePlace != "" && !s.All {
		i.Hint = c.Say("bulk.place.hint", "place", s.At.StoragePlace)
	}
	return i
}

// askPlace asks for the new storage place of the items.
func (c *call) askPlace(status int, f bulkForm, wrong error) (err error) {
	p := c.bulkPage(c.Say("bulk.place.title"), f)
	if p.Items, err = c.selectedItems(f); err != nil {
		return err
	}
	p.Place = c.placeInput(f.Scope, f.values.Get("storagePlace"))
	if p.Problems, err = c.MarkErrors([]*frame.Input{&p.Place}, wrong); err != nil {
		return err
	}
	return c.Render(status, "bulk-place", p)
}

// bulkPlace changes the storage place of the items.
func (c *call) bulkPlace() error {
	f, err := c.bulkForm()
	if err != nil {
		return err
	}
	ctx, done := c.detachedContext()
	defer done()
	place := respond.FormText(f.values, "storagePlace").Value
	err = c.summary(c.Say("bulk.place.done"), f, func() (desk.Outcomes, error) {
		return c.Services.Items.BulkPlace(ctx, c.Actor(), f.ID(), f.ids, place)
	})
	if len(lost.ProblemsOf(err)) > 0 {
		return c.askPlace(http.StatusUnprocessableEntity, f, err)
	}
	return err
}

// askCategory asks for the new category of the items.
func (c *call) askCategory(status int, f bulkForm, wrong error) (err error) {
	p := c.bulkPage(c.Say("bulk.category.title"), f)
	if p.Items, err = c.selectedItems(f); err != nil {
		return err
	}
	p.Category = c.CategoryInput(f.values.Get("category"))
	p.Category.Focus = true
	if p.Problems, err = c.MarkErrors([]*frame.Input{p.Category}, wrong); err != nil {
		return err
	}
	return c.Render(status, "bulk-category", p)
}

// bulkCategory changes the category of the items.
func (c *call) bulkCategory() error {
	f, err := c.bulkForm()
	if err != nil {
		return err
	}
	ctx, done := c.detachedContext()
	defer done()
	err = c.summary(c.Say("bulk.category.done"), f, func() (desk.Outcomes, error) {
		return c.Services.Items.BulkCategory(ctx, c.Actor(), f.ID(), f.ids, f.values.Get("category"))
	})
	if len(lost.ProblemsOf(err)) > 0 {
		return c.askCategory(http.StatusUnprocessableEntity, f, err)
	}
	return err
}

// summary calls do, which changes the items, and lists the results. Those that need attention come first.
func (c *call) summary(title string, f bulkForm, do func() (desk.Outcomes, error)) error {
	done, err := do()
	if err != nil && len(done) == 0 {
		return err
	}
	p := c.bulkPage(title, f)
	p.Done = done
	if err != nil {
		respond.RecordError(c.Writer, err)
		p.Problems = []frame.Problem{{Text: c.Say("bulk.failed")}}
	}
	return c.Render(http.StatusOK, "bulk-done", p)
}

// WithOutcome returns the results with this outcome.
func (p bulkPage) WithOutcome(outcome desk.BulkOutcome) desk.Outcomes {
	return slices.DeleteFunc(slices.Clone(p.Done), func(o desk.Outcome) bool { return o.Result != outcome })
}

// Reason returns why an item was not changed.
func (p bulkPage) Reason(o desk.Outcome) string { return cmp.Or(p.Locale.ErrorText(o.Refused), o.Why) }
