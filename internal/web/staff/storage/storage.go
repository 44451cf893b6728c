package storage

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// storagePage lists items and offers actions for the selected ones.
type storagePage struct {
	frame.Page
	Root    string // the path of the storage area
	Several bool   // the list shows several locations
	Tab     string // "over" or "held"
	Rows    []storageRow
	Groups  []dueGroup // the rows by what their location's rules propose
	Total   string
	frame.Pager
	All, None string // the URLs of this page with all items selected, and with none
	CanDecide bool
	Charity   string
	Decisions []decisionRow
	Chosen    frame.Input // contains the error about the selection
	Days      frame.Input
	Until     frame.Input
	Reason    frame.Input
	Every     int // how many items one decision can cover, if there are more than the page shows
	EveryAll  bool
	Seen      string // the time at which the list was created
}

// decisionRow is a decision with the storage area of its location.
type decisionRow struct {
	frame.Decision
	Root  string
	Where string // the location's name, in a list of several locations
}

// storageRow is an item in the list.
type storageRow struct {
	frame.ItemSummary
	Chosen bool
}

// dueGroup is the items of a page for which the rules of their location propose the same.
type dueGroup struct {
	Title string // empty if there is only one group, without a proposal
	Rows  []storageRow
	To    lost.Destination // empty if nothing is proposed
	Apply string           // the label of the button that decides about the whole group as proposed
}

// dueField is the name of the fields with the ids of the items for which a destination is proposed. The button that
// decides about them has the same value.
func dueField(to lost.Destination) string { return duePrefix + string(to) }

const duePrefix = "due:"

// Field is the name of the fields with the ids of the group.
func (g dueGroup) Field() string { return dueField(g.To) }

// groupByProposal groups rows by what is due for their items, and puts those without a proposal last.
func (c *call) groupByProposal(items []lost.Item, rows []storageRow) (groups []dueGroup) {
	for _, d := range append(lost.Disposals(), "") {
		g := dueGroup{Title: c.DisposalText(d), To: d.Destination()}
		for n, row := range rows {
			if items[n].ThenDue() == d {
				g.Rows = append(g.Rows, row)
			}
		}
		if len(g.Rows) == 0 {
			continue
		}
		if d != "" {
			g.Apply = c.Say("storage.then.apply", "then", g.Title, "n", len(g.Rows))
		} else if len(groups) > 0 {
			g.Title = c.Say("storage.then.none")
		}
		groups = append(groups, g)
	}
	return groups
}

// storage lists the items past their storage time.
func (c *call) storage() error {
	return c.showStorage(http.StatusOK, url.Values{}, nil)
}

// showStorage renders the list with the submitted values and their errors.
func (c *call) showStorage(status int, values url.Values, wrong error) error {
	s, err := frame.ReadListScope(c.Call)
	if err != nil {
		return err
	}
	listedAt := c.Now()
	list, err := c.Services.Storage.Overdue(c.Context(), c.Actor(), s.ID(), c.PageFromQuery(frame.TableLimit))
	if err != nil {
		return err
	}
	p, err := c.fillStorage(s, "over", list, values)
	if err != nil {
		return err
	}
	p.Seen = frame.EncodeVersion(listedAt)
	if list.More() || list.Page.Number > 1 {
		p.Every, p.EveryAll = min(list.Count, lost.MaxSelected), values.Get("every") != ""
	}
	if p.Problems, err = c.MarkErrors([]*frame.Input{&p.Chosen, &p.Days, &p.Until, &p.Reason},
		wrong); lost.CodeOf(err) == lost.Conflict {
		p.Problems, err = []frame.Problem{{Text: c.ErrorText(err)}}, nil
	}
	if err != nil {
		return err
	}
	return c.Render(status, "storage", p)
}

// fillStorage prepares a page that lists items.
func (c *call) fillStorage(s frame.Scope, tab string, list lost.List[lost.Item],
	values url.Values) (p storagePage, err error) {
	p = storagePage{
		Page: c.NewPage(c.Say("storage.title"), "items.js"), Root: s.Path("/storage"), Several: s.All, Tab: tab,
		CanDecide: c.May(lost.HandleItems),
		Chosen:    frame.Input{Name: "items", Label: c.Say("storage.chosen")},
		Days: frame.Input{
			Name: "days", Value: cmp.Or(values.Get("days"), "30"), Label: c.Say("storage.keep.for"), Type: "list",
			Required: true, Narrow: true,
		},
		Until: frame.Input{
			Name: "until", Label: c.Say("storage.keep.until"), Hint: c.Say("storage.keep.until.hint"), Type: "date",
			Narrow: true, Min: s.At.Day(c.Now()), Value: values.Get("until"),
		},
		Reason: frame.Input{
			Name: "reason", Label: c.Say("storage.hold.reason"), Hint: c.Say("storage.hold.reason.hint"), Type: "text",
			Required: true, Value: values.Get("reason"),
		},
	}
	for _, days := range []int{30, 60, 90} {
		p.Days.Options = append(p.Days.Options,
			frame.Option{Value: strconv.Itoa(days), Name: c.Say("storage.keep.days", "n", days)})
	}
	p.Days.Options = append(p.Days.Options, frame.Option{Value: "date", Name: c.Say("storage.keep.date")})
	switch {
	case tab == "held":
		p.Total = c.Total(list.Total, "storage.held.total", "storage.held.total.or-more")
	case s.All:
		p.Total = c.Total(list.Total, "storage.over.total.all", "storage.over.total.all.or-more")
	default:
		p.Charity = s.At.Charity
		p.Total = c.Total(list.Total, "storage.over.total", "storage.over.total.or-more", "location", s.At.Name)
	}
	p.Wide = true
	all := c.Request.URL.Query().Get("all") != ""
	rows, err := frame.SummarizeList(c.Call, s, list.Data)
	if err != nil {
		return p, err
	}
	for _, row := range rows {
		p.Rows = append(p.Rows, storageRow{row, all || slices.Contains(values["item"], row.ID)})
	}
	p.Groups = []dueGroup{{Rows: p.Rows}}
	if tab == "over" {
		p.Groups = c.groupByProposal(list.Data, p.Rows)
	}
	p.Pager = frame.NewPager(list, &url.URL{Path: c.Request.URL.Path}, c.Say("frame.back"),
		c.Say("frame.more")) // links clear the selection
	p.All, p.None = c.WithQuery("all", "1"), c.WithQuery("all", "")
	p.Decisions, err = c.decisions(s)
	return p, err
}

// decisions lists the recent decisions.
func (c *call) decisions(s frame.Scope) (shown []decisionRow, err error) {
	all, err := c.Services.Storage.ListClearances(c.Context(), c.Actor(), s.ID())
	if err != nil {
		return nil, err
	}
	at := map[string]lost.Location{s.At.ID: s.At}
	for _, d := range all {
		l, known := at[d.LocationID]
		if !known {
			l, err = c.Services.Locations.Get(c.Context(), c.Actor(), d.LocationID)
			if lost.CodeOf(err) == lost.NotFound { // the location is being deleted
				continue
			}
			if err != nil {
				return nil, err
			}
			at[l.ID] = l
		}
		row := decisionRow{Decision: c.ShowDecision(l, d), Root: frame.LocationPath(l.ID, "/storage")}
		if s.All {
			row.Where = l.Name
		}
		shown = append(shown, row)
	}
	return shown, nil
}

// decideItems applies the chosen action to the selected items.
func (c *call) decideItems() error {
	s, err := frame.ReadScope(c.Call)
	if err != nil {
		return err
	}
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	ids, err := c.selected(s, values)
	if err != nil {
		return err
	}
	if s.All && values.Get("do") == "list" {
		return lost.E(lost.Unreadable, "A pick list is for one location.")
	}
	message, err := c.applyAction(s, ids, values)
	switch {
	case message == "" && err == nil: // the response, a PDF, is already written
		return nil
	case err == nil:
		c.Flash(message)
		return c.Redirect(c.WithQuery("all", ""))
	case lost.CodeOf(err) == lost.Invalid:
		return c.showStorage(http.StatusUnprocessableEntity, values, err)
	case lost.CodeOf(err) == lost.Conflict:
		return c.showStorage(http.StatusConflict, values, err)
	default:
		return err
	}
}

// selected returns the IDs of the checked items, those of the group that the user decided about as proposed or, if the
// user chose all items, as many as one decision can cover.
func (c *call) selected(s frame.Scope, values url.Values) ([]string, error) {
	if to, proposed := strings.CutPrefix(values.Get("do"), duePrefix); proposed {
		return values[dueField(lost.Destination(to))], nil
	}
	if values.Get("every") == "" {
		return values["item"], nil
	}
	return c.Services.Storage.OverdueIDs(c.Context(), c.Actor(), s.ID())
}

// applyAction applies the action and returns the message to show. The message is empty if the response has already
// been written.
func (c *call) applyAction(s frame.Scope, ids []string, values url.Values) (message string, err error) {
	switch do := values.Get("do"); do {
	case "keep":
		return c.keepItems(s, ids, values)
	case "hold":
		n, err := c.Services.Storage.Hold(c.Context(), c.Actor(), s.ID(), ids, values.Get("reason"))
		return c.Say("storage.hold.done", "n", n), err
	case "list": // of one location
		content, err := c.Services.Storage.PickList(c.Context(), c.Actor(), s.ID(), ids, "")
		if err != nil {
			return "", err
		}
		return "", c.WritePDF("pick-list.pdf", content)
	default:
		decisions, left, err := c.Services.Storage.DecideOverdue(c.Context(), c.Actor(), s.ID(), ids,
			lost.Destination(strings.TrimPrefix(do, duePrefix)), frame.FormVersion(values))
		if err != nil {
			return "", err
		}
		message = c.Say("storage.decide.saved", "time", decisions[0].Until.In(s.At.Zone()).Format(lost.TimeLayout))
		if left > 0 {
			message = c.Sentences(message, c.Say("storage.decide.left-out", "n", left))
		}
		return message, nil
	}
}

// keepItems extends the storage time of items.
func (c *call) keepItems(s frame.Scope, ids []string, values url.Values) (string, error) {
	until, n, err := c.Services.Storage.KeepLonger(c.Context(), c.Actor(), s.ID(), ids, keepPatch(values))
	return c.Say("storage.keep.done", "n", n, "date", c.Day(until)), err
}

func keepPatch(values url.Values) lost.KeepPatch {
	days, err := strconv.Atoi(values.Get("days"))
	if err != nil {
		return lost.KeepPatch{Until: values.Get("until")}
	}
	return lost.KeepPatch{Days: days}
}

// heldItems lists the items on hold.
func (c *call) heldItems() error { return c.showHeld(http.StatusOK, url.Values{}, nil) }

func (c *call) showHeld(status int, values url.Values, wrong error) error {
	s, err := frame.ReadListScope(c.Call)
	if err != nil {
		return err
	}
	list, err := c.Services.Storage.Held(c.Context(), c.Actor(), s.ID(), c.PageFromQuery(frame.TableLimit))
	if err != nil {
		return err
	}
	p, err := c.fillStorage(s, "held", list, values)
	if err != nil {
		return err
	}
	if p.Problems, err = c.MarkErrors([]*frame.Input{&p.Chosen}, wrong); err != nil {
		return err
	}
	return c.Render(status, "storage", p)
}

// releaseHeld ends the hold on the selected items.
func (c *call) releaseHeld() error {
	s, err := frame.ReadScope(c.Call)
	if err != nil {
		return err
	}
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	n, err := c.Services.Storage.Release(c.Context(), c.Actor(), s.ID(), values["item"])
	if lost.CodeOf(err) == lost.Invalid {
		return c.showHeld(http.StatusUnprocessableEntity, values, err)
	}
	if err != nil {
		return err
	}
	c.Flash(c.Say("storage.held.ended", "n", n))
	return c.Redirect(s.Path("/storage/held"))
}
