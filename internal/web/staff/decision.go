package staff

import (
	"cmp"
	"net/http"
	"net/url"

	"homeward/internal/lost"
)

// decisionPage shows a decision and what it is about.
type decisionPage struct {
	page
	Root     string
	Decision decision
	CanUndo  bool
	Rows     []glimpse
	Left     []leftRow
	pager
}

// leftRow is an item that a decision left as it is, and why.
type leftRow struct {
	glimpse
	Why string
}

func (c *call) decision() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	d, found, left, err := c.desk.Clearance(c.ctx(), c.actor(), l.ID, c.r.PathValue("decision"), c.part(tableLimit))
	if err != nil {
		return err
	}
	shown := c.showDecision(l, d)
	p := decisionPage{page: c.page(shown.Text), Root: atPath(l.ID, "/storage"), Decision: shown, CanUndo: shown.Ends != "" && c.may(lost.Handle)}
	p.Rows, p.pager = glances(found.Data), turn(found, c.r.URL, "Back", "More")
	for _, one := range left {
		p.Left = append(p.Left, leftRow{glance(one.Item), one.Why})
	}
	return c.write(http.StatusOK, "decision", p)
}

// undo takes a decision back.
func (c *call) undo() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	values, err := c.form()
	if err != nil {
		return err
	}
	d, err := c.desk.UndoClear(c.ctx(), c.actor(), l.ID, c.r.PathValue("decision"))
	if lost.CodeOf(err) == lost.Conflict {
		return c.showStorage(http.StatusConflict, url.Values{}, err)
	}
	if err != nil {
		return err
	}
	c.tell("Undone. " + many(d.Items, "item waits", "items wait") + " for a decision again.")
	return c.see(back(cmp.Or(values.Get("back"), atPath(l.ID, "/storage"))))
}

// decisionList is the paper to fetch the items of a decision by.
func (c *call) decisionList() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	content, err := c.desk.PickList(c.ctx(), c.actor(), l.ID, nil, c.r.PathValue("decision"))
	if err != nil {
		return err
	}
	return c.pdf("pick-list.pdf", content)
}
