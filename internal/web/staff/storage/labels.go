package storage

import (
	"net/http"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// labelsPage lists the parcels that are waiting to be shipped, and offers to print their labels.
type labelsPage struct {
	frame.Page
	Path     string // where the labels are printed
	Back     string // the list of these parcels
	Labelled []frame.ItemSummary
	Missing  []frame.ItemSummary // the parcels without a label
	AtOnce   string              // says how many labels are printed together; empty if all parcels are listed
	Pager    frame.Pager
}

// labels lists the parcels that are waiting to be shipped, as many on a page as are printed together.
func (c *call) labels() error {
	s, err := frame.ReadListScope(c.Call)
	if err != nil {
		return err
	}
	f := frame.ItemFilter{Statuses: []lost.Status{lost.FeePaid}}
	wanted := f.Desk(c.Session.User, s.At, c.Now())
	wanted.Bounded, wanted.Page = true, c.PageFromQuery(lost.MaxLabels)
	found, err := frame.ListItems(c.Call, s, wanted)
	if err != nil {
		return err
	}
	rows, err := frame.SummarizeList(c.Call, s, found.Data)
	if err != nil {
		return err
	}
	p := labelsPage{
		Page: newStoragePage(c.Call, c.Say("storage.labels")), Path: s.Path("/labels.pdf"),
		Back:  f.At(s.Path("/items"), 1),
		Pager: frame.NewPager(found, c.Request.URL, c.Say("frame.newer"), c.Say("frame.older")),
	}
	for n, i := range found.Data {
		if i.Parcel.Document(lost.LabelPaper).File == "" {
			p.Missing = append(p.Missing, rows[n])
		} else {
			p.Labelled = append(p.Labelled, rows[n])
		}
	}
	if p.Pager.Number > 1 || found.More() {
		p.AtOnce = c.Say("storage.labels.at-once", "most", lost.MaxLabels)
	}
	return c.Render(http.StatusOK, "labels", p)
}

// printLabels sends the labels of the chosen parcels as one PDF.
func (c *call) printLabels() error {
	s, err := frame.ReadScope(c.Call)
	if err != nil {
		return err
	}
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	content, err := c.Services.Tags.ShippingLabels(c.Context(), c.Actor(), s.ID(), values["item"])
	if err != nil {
		return err
	}
	return c.WritePDF("labels-"+s.At.Day(c.Now())+".pdf", content)
}
