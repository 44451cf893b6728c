package storage

import (
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/lost/paper"
	"homeward/internal/papers"
	"homeward/internal/web/staff/frame"
)

// papersPage offers the papers to print: the register of a period and, if items were selected, papers about them.
type papersPage struct {
	frame.Page
	At         string // the path of this page
	List       string // the list in which items are selected
	From, To   frame.Input
	Items      []frame.ItemSummary
	Kinds      []paperChoice
	Finders    frame.Input
	Method     frame.Input
	Date       frame.Input
	Witness    frame.Input
	CanHandle  bool
	Notices    []string
	Selectable int // the largest number of items on one paper
}

// showPapers offers the papers.
func (c *papersCall) showPapers() error {
	values := c.Request.URL.Query()
	if c.Request.Method == http.MethodPost {
		var err error
		if values, err = c.ReadForm(); err != nil {
			return err
		}
	}
	return c.renderPapers(http.StatusOK, values, nil)
}

// renderPapers shows the page with the errors of a rejected form.
func (c *papersCall) renderPapers(status int, values url.Values, wrong error) error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	p := c.papersPage(l, values)
	ids := values["item"]
	if len(ids) > paper.MaxItems {
		p.Notices = append(p.Notices, c.Say("storage.papers.first-only", "most", paper.MaxItems))
		ids = ids[:paper.MaxItems]
	}
	items, missing, err := c.Services.Papers.Items(c.Context(), c.Actor(), l.ID, ids)
	if err != nil {
		return err
	}
	if missing > 0 {
		p.Notices = append(p.Notices, c.Say("storage.papers.missing", "n", missing))
	}
	p.Items = c.SummarizeItems(items)
	inputs := []*frame.Input{&p.From, &p.To, &p.Finders, &p.Method, &p.Date, &p.Witness}
	if p.Problems, wrong = c.MarkErrors(inputs, wrong); wrong != nil {
		return wrong
	}
	return c.Render(status, "papers", p)
}

func (c *papersCall) papersPage(l lost.Location, values url.Values) papersPage {
	today := c.Now().In(l.Zone())
	p := papersPage{
		Page: newStoragePage(c.Call, c.Say("storage.papers")), At: frame.LocationPath(l.ID, "/papers"),
		List: c.LastList(l.ID), CanHandle: c.May(lost.HandleItems), Selectable: paper.MaxItems,
		From: frame.Input{
			Name: "from", Label: c.Say("storage.papers.from"), Type: "date", Required: true, Narrow: true,
			Value: today.AddDate(0, 0, 1-today.Day()).Format(lost.DateLayout),
		},
		To: frame.Input{
			Name: "to", Label: c.Say("storage.papers.to"), Type: "date", Required: true, Narrow: true,
			Value: today.Format(lost.DateLayout),
		},
		Finders: frame.Input{Name: "finders", Label: c.Say("storage.papers.finders"), Type: "check"},
		Method: frame.Input{
			Name: "method", Label: c.Say("storage.papers.method"), Type: "list",
			Options: []frame.Option{{Name: c.Say("storage.papers.method.none")}},
		},
		Date: frame.Input{Name: "date", Label: c.Say("storage.papers.date"), Type: "date", Narrow: true},
		Witness: frame.Input{
			Name: "witness", Label: c.Say("storage.papers.witness"), Type: "text", Autocomplete: "off",
		},
	}
	for _, m := range paper.Methods() {
		p.Method.Options = append(p.Method.Options, frame.Option{
			Value: string(m), Name: c.Say("paper.items.method." + string(m)),
		})
	}
	for _, input := range []*frame.Input{&p.From, &p.To, &p.Finders, &p.Method, &p.Date, &p.Witness} {
		if values.Has(input.Name) {
			input.Value = values.Get(input.Name)
		}
	}
	for _, k := range paper.SelectionKinds() {
		p.Kinds = append(p.Kinds, paperChoice{
			Value: string(k), Name: c.Say("paper.items." + string(k)), Hint: c.Say("storage.papers.hint." + string(k)),
			Chosen: string(k) == values.Get("kind") || k == paper.List && values.Get("kind") == "",
		})
	}
	return p
}

// printRegister sends the register of a period as a PDF.
func (c *papersCall) printRegister() error {
	q := c.Request.URL.Query()
	content, err := c.Services.Papers.Register(c.Context(), c.Actor(), c.Request.PathValue("location"), q.Get("from"),
		q.Get("to"))
	if lost.CodeOf(err) == lost.Invalid {
		return c.renderPapers(http.StatusUnprocessableEntity, q, err)
	}
	if err != nil {
		return err
	}
	return c.WritePDF("register-"+q.Get("from")+"-"+q.Get("to")+".pdf", content)
}

// downloadRegister sends the register of a period as CSV.
func (c *papersCall) downloadRegister() error {
	q := c.Request.URL.Query()
	err := c.WriteFile("register-"+q.Get("from")+"-"+q.Get("to")+".csv", func(d *frame.Download) error {
		return c.Services.Papers.RegisterCSV(c.Context(), c.Actor(), c.Request.PathValue("location"), q.Get("from"),
			q.Get("to"), d)
	})
	if lost.CodeOf(err) == lost.Invalid {
		return c.renderPapers(http.StatusUnprocessableEntity, q, err)
	}
	return err
}

// printPaper sends a paper about selected items as a PDF.
func (c *papersCall) printPaper() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	kind := paper.Kind(values.Get("kind"))
	content, err := c.Services.Papers.Print(c.Context(), c.Actor(), c.Request.PathValue("location"), kind,
		papers.Selection{
			Items: values["item"], Finders: values.Get("finders") != "",
			Destroyed: paper.Destroyed{
				Method: paper.Method(values.Get("method")), On: values.Get("date"), Witness: values.Get("witness"),
			},
		})
	switch lost.CodeOf(err) {
	case lost.Invalid:
		return c.renderPapers(http.StatusUnprocessableEntity, values, err)
	case lost.Conflict: // the page says how many items are missing, and offers the others
		return c.renderPapers(http.StatusConflict, values, nil)
	}
	if err != nil {
		return err
	}
	return c.WritePDF(string(kind)+".pdf", content)
}
