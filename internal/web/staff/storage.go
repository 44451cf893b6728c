package staff

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"homeward/internal/lost"
)

func storageRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/at/{location}/storage", Right: lost.Look, serve: (*call).storage},
		{Method: http.MethodPost, Path: "/at/{location}/storage", Right: lost.Handle, serve: (*call).decideShelf},
		{Method: http.MethodGet, Path: "/at/{location}/storage/held", Right: lost.Look, serve: (*call).heldItems},
		{Method: http.MethodPost, Path: "/at/{location}/storage/held", Right: lost.Handle, serve: (*call).releaseHeld},
		{Method: http.MethodGet, Path: "/at/{location}/storage/decisions/{decision}", Right: lost.Look, serve: (*call).decision},
		{Method: http.MethodPost, Path: "/at/{location}/storage/decisions/{decision}/undo", Right: lost.Handle, serve: (*call).undo},
		{Method: http.MethodGet, Path: "/at/{location}/storage/decisions/{decision}/list", Right: lost.Look, serve: (*call).decisionList},
		{Method: http.MethodGet, Path: "/at/{location}/items/{id}/hand-over", Right: lost.Handle, serve: (*call).handOverForm},
		{Method: http.MethodPost, Path: "/at/{location}/items/{id}/hand-over", Right: lost.Handle, serve: (*call).handOver},
		{Method: http.MethodPost, Path: "/at/{location}/items/{id}/hand-over/undo", Right: lost.Handle, serve: (*call).undoHandOver},
		{Method: http.MethodGet, Path: "/at/{location}/items/{id}/hand-over/form", Right: lost.Handle, serve: (*call).handOverPaper},
		{Method: http.MethodPost, Path: "/at/{location}/items/{id}/release", Right: lost.Handle, serve: (*call).releaseOne},
	}
}

// shelfPage lists items, to do something with those that are chosen.
type shelfPage struct {
	page
	Root  string // address of this part of the dashboard
	Tab   string // over, or held
	Rows  []shelfRow
	Total string
	pager
	All, None string // the same page with everything chosen, and with nothing
	CanDecide bool
	Charity   string
	Decisions []decision
	Chosen    input // for what is wrong with what was selected
	Days      input
	Until     input
	Reason    input
	Every     int // how many can be decided on at once, where they are more than the page shows
	EveryAll  bool
	Seen      string // when the list was made
}

// shelfRow is an item on the shelf.
type shelfRow struct {
	glimpse
	Chosen bool
}

// decision is a clearance as it is shown.
type decision struct {
	ID, Text, Who string
	Ends          string // when it can no longer be undone; empty where it is over
	LeftOut       int
	Over          bool
}

// storage lists the items whose time is over.
func (c *call) storage() error {
	return c.showStorage(http.StatusOK, url.Values{}, nil)
}

// showStorage shows the list, with what was chosen and typed, and what was wrong with it.
func (c *call) showStorage(status int, values url.Values, wrong error) error {
	l, err := c.at()
	if err != nil {
		return err
	}
	made := c.now()
	list, err := c.desk.Storage(c.ctx(), c.actor(), l.ID, c.part(tableLimit))
	if err != nil {
		return err
	}
	p, err := c.shelf(l, "over", list, values)
	if err != nil {
		return err
	}
	p.Seen = seenAs(made)
	if list.More() || list.Page.Number > 1 {
		p.Every, p.EveryAll = min(list.Count, lost.MaxChosen), values.Get("every") != ""
	}
	if p.Problems, err = judge([]*input{&p.Chosen, &p.Days, &p.Until, &p.Reason}, wrong); lost.CodeOf(err) == lost.Conflict {
		p.Problems, err = []problem{{Text: lost.Detail(err)}}, nil
	}
	if err != nil {
		return err
	}
	return c.write(status, "storage", p)
}

// shelf begins a page that lists items.
func (c *call) shelf(l lost.Location, tab string, list lost.List[lost.Item], values url.Values) (p shelfPage, err error) {
	p = shelfPage{
		page: c.page("Storage"), Root: atPath(l.ID, "/storage"), Tab: tab, Total: total(list.Total, "item", "items"), Charity: l.Charity, CanDecide: c.may(lost.Handle),
		Chosen: input{Name: "items", Label: "Items"},
		Days: input{
			Name: "days", Value: cmp.Or(values.Get("days"), "30"), Label: "For how long", Type: "list", Required: true, Narrow: true,
			Options: []option{{"30", "30 days"}, {"60", "60 days"}, {"90", "90 days"}, {"date", "Until a date"}},
		},
		Until:  input{Name: "until", Label: "Until", Hint: "Where you choose a date", Type: "date", Narrow: true, Min: l.Day(c.now()), Value: values.Get("until")},
		Reason: input{Name: "reason", Label: "Why they stay", Hint: "For example: the police have asked for it", Type: "text", Required: true, Value: values.Get("reason")},
	}
	p.Wide = true
	all := c.r.URL.Query().Get("all") != ""
	for _, i := range list.Data {
		p.Rows = append(p.Rows, shelfRow{glance(i), all || slices.Contains(values["item"], i.ID)})
	}
	p.pager = turn(list, &url.URL{Path: c.r.URL.Path}, "Back", "More") // nothing is selected there
	p.All, p.None = c.withQuery("all", "1"), c.withQuery("all", "")
	p.Decisions, err = c.decisions(l)
	return p, err
}

// decisions shows what was decided lately.
func (c *call) decisions(l lost.Location) (shown []decision, err error) {
	all, err := c.desk.Clearances(c.ctx(), c.actor(), l.ID)
	for _, d := range all {
		shown = append(shown, c.showDecision(l, d))
	}
	return shown, err
}

func (c *call) showDecision(l lost.Location, d lost.Clearance) decision {
	out := decision{ID: d.ID, Who: d.By.Name, LeftOut: d.LeftOut, Over: d.State == lost.ClearanceDone}
	switch {
	case d.Undoable(c.now()):
		out.Ends = d.Until.In(l.Zone()).Format(lost.TimeForm)
		out.Text = many(d.Items, "item", "items") + " will be " + gone(d.Destination, l) + " at " + out.Ends + "."
	case d.State == lost.ClearanceDone:
		out.Text = many(d.Items-d.LeftOut, "item was ", "items were ") + gone(d.Destination, l) + " at " + d.EndedAt.In(l.Zone()).Format(lost.TimeForm) + "."
	case d.State == lost.ClearanceUndone:
		out.Over, out.Text = true, "This was undone."
	default:
		out.Text = many(d.Items, "item was", "items were") + " decided on; it is being carried out."
	}
	return out
}

// decideShelf does something with the items that were chosen.
func (c *call) decideShelf() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	values, err := c.form()
	if err != nil {
		return err
	}
	ids, err := c.selected(l, values)
	if err != nil {
		return err
	}
	said, err := c.act(l, ids, values)
	switch {
	case said == "" && err == nil: // a paper is the answer
		return nil
	case err == nil:
		c.tell(said)
		return c.see(c.withQuery("all", ""))
	case lost.CodeOf(err) == lost.Invalid:
		return c.showStorage(http.StatusUnprocessableEntity, values, err)
	case lost.CodeOf(err) == lost.Conflict:
		return c.showStorage(http.StatusConflict, values, err)
	default:
		return err
	}
}

// selected are the ids of the items that were chosen: those that were ticked, or as many as can be decided on at once.
func (c *call) selected(l lost.Location, values url.Values) ([]string, error) {
	if values.Get("every") == "" {
		return values["item"], nil
	}
	return c.desk.StorageIDs(c.ctx(), c.actor(), l.ID)
}

// act does what was asked for, and says what that was; nothing where it has answered already.
func (c *call) act(l lost.Location, ids []string, values url.Values) (said string, err error) {
	switch do := values.Get("do"); do {
	case "keep":
		return c.keepSome(l, ids, values)
	case "hold":
		n, err := c.desk.Hold(c.ctx(), c.actor(), l.ID, ids, values.Get("reason"))
		return many(n, "item is", "items are") + " on hold now.", err
	case "list":
		content, err := c.desk.PickList(c.ctx(), c.actor(), l.ID, ids, "")
		if err != nil {
			return "", err
		}
		return "", c.pdf("pick-list.pdf", content)
	default:
		d, left, err := c.desk.Clear(c.ctx(), c.actor(), l.ID, ids, lost.Destination(do), seenIn(values))
		if err != nil {
			return "", err
		}
		said = "Decided. You can undo it until " + d.Until.In(l.Zone()).Format(lost.TimeForm) + "."
		if left > 0 {
			said += " " + many(left, "item was left out: somebody has acted on it.", "items were left out: somebody has acted on them.")
		}
		return said, nil
	}
}

// keepSome keeps items longer.
func (c *call) keepSome(l lost.Location, ids []string, values url.Values) (string, error) {
	until, n, err := c.desk.KeepLonger(c.ctx(), c.actor(), l.ID, ids, keepPatch(values))
	return many(n, "item is", "items are") + " kept until " + day(until) + ".", err
}

func keepPatch(values url.Values) lost.KeepPatch {
	days, err := strconv.Atoi(values.Get("days"))
	if err != nil {
		return lost.KeepPatch{Until: values.Get("until")}
	}
	return lost.KeepPatch{Days: days}
}

// heldItems lists the items that are on hold.
func (c *call) heldItems() error { return c.showHeld(http.StatusOK, url.Values{}, nil) }

func (c *call) showHeld(status int, values url.Values, wrong error) error {
	l, err := c.at()
	if err != nil {
		return err
	}
	list, err := c.desk.Held(c.ctx(), c.actor(), l.ID, c.part(tableLimit))
	if err != nil {
		return err
	}
	p, err := c.shelf(l, "held", list, values)
	if err != nil {
		return err
	}
	if p.Problems, err = judge([]*input{&p.Chosen}, wrong); err != nil {
		return err
	}
	return c.write(status, "storage", p)
}

// releaseHeld ends the hold of items.
func (c *call) releaseHeld() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	values, err := c.form()
	if err != nil {
		return err
	}
	n, err := c.desk.Release(c.ctx(), c.actor(), l.ID, values["item"])
	if lost.CodeOf(err) == lost.Invalid {
		return c.showHeld(http.StatusUnprocessableEntity, values, err)
	}
	if err != nil {
		return err
	}
	c.tell(many(n, "item is", "items are") + " no longer on hold.")
	return c.see(atPath(l.ID, "/storage/held"))
}

// gone says what becomes of an item with a destination.
func gone(to lost.Destination, l lost.Location) string {
	switch to {
	case lost.Donated:
		if l.Charity != "" {
			return "donated to " + l.Charity
		}
		return "donated"
	case lost.Police:
		return "handed to the police"
	default:
		return "discarded"
	}
}
