package storage

import (
	"cmp"
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// decisionPage shows a decision and its items.
type decisionPage struct {
	frame.Page
	Root     string
	Decision frame.Decision
	CanUndo  bool
	Rows     []frame.ItemSummary
	Left     []leftRow
	Protocol string // the path of the signed protocol, if the items were handed over together
	frame.Pager
}

// leftRow is an item that a decision left out, and the reason.
type leftRow struct {
	frame.ItemSummary
	Why string
}

func (c *call) decision() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	d, found, left, err := c.Services.Storage.Clearance(c.Context(), c.Actor(), l.ID, c.Request.PathValue("decision"),
		c.PageFromQuery(frame.TableLimit))
	if err != nil {
		return err
	}
	shown := c.ShowDecision(l, d)
	p := decisionPage{
		Page: c.NewPage(shown.Text), Root: frame.LocationPath(l.ID, "/storage"), Decision: shown,
		CanUndo: shown.Ends != "" && c.May(lost.HandleItems),
	}
	p.Rows, p.Pager = c.SummarizeItems(found.Data), frame.NewPager(found, c.Request.URL, c.Say("frame.back"),
		c.Say("frame.more"))
	for _, i := range found.Data {
		if d.State == lost.ClearanceHanded && i.Handover.ReceiptFile != "" {
			p.Protocol = frame.FilePath(i.Handover.ReceiptFile)
		}
	}
	for _, leftOut := range left {
		p.Left = append(p.Left, leftRow{c.SummarizeItem(leftOut.Item), frame.NoteText(c.Locale, leftOut.Why)})
	}
	return c.Render(http.StatusOK, "decision", p)
}

// undo reverts a decision and says how many items are waiting for a decision again.
func (c *call) undo() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	d, err := c.Services.Storage.UndoDecision(c.Context(), c.Actor(), l.ID, c.Request.PathValue("decision"))
	if lost.CodeOf(err) == lost.Conflict {
		return c.showStorage(http.StatusConflict, url.Values{}, err)
	}
	if err != nil {
		return err
	}
	c.Flash(c.Say("storage.decision.undone", "n", d.Items))
	return c.Redirect(frame.SafePath(cmp.Or(values.Get("back"), frame.LocationPath(l.ID, "/storage"))))
}

// decisionList sends a decision's pick list as a PDF.
func (c *call) decisionList() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	content, err := c.Services.Storage.PickList(c.Context(), c.Actor(), l.ID, nil, c.Request.PathValue("decision"))
	if err != nil {
		return err
	}
	return c.WritePDF("pick-list.pdf", content)
}
