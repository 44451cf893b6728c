package locations

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// previewPage shows what new keeping rules would change, before they are saved.
type previewPage struct {
	frame.Page
	Location lost.Location // as it would be saved
	Rules    []frame.ItemFact
	Preview  *lost.KeepingPreview
	Due      int
	Earlier  int
	Later    int
	Same     int
	Rows     []previewRow
	Values   []frame.Input // what the form contained
	Number   int           // of the page of items
	Before   int           // the number of the page before; 0 if there is none
	Next     int           // the number of the next page; 0 if there is none
}

// previewRow is an item whose storage would end on another day.
type previewRow struct {
	frame.ItemSummary
	Due         bool // its storage would have ended
	Until, Then string
}

// Listed returns how many items the pages list at most.
func (previewPage) Listed() int { return lost.MaxMovedItems }

// MoreMoved reports whether more items move than the pages list.
func (p previewPage) MoreMoved() bool { return p.Preview.Total() > lost.MaxMovedItems }

// Counted returns how many items were counted.
func (p previewPage) Counted() int { return p.Due + p.Earlier + p.Later + p.Same }

// presentPreview shows which items rules would move. The page repeats the form in hidden inputs.
func (c *call) presentPreview(after lost.Location, preview lost.KeepingPreview, values url.Values) error {
	p := previewPage{
		Page: c.NewPage(c.Say("locations.keeping.preview")), Location: after, Rules: ruleFacts(c.Locale, after),
		Preview: &preview, Due: preview.Counts[lost.DueNow], Earlier: preview.Counts[lost.Earlier],
		Later: preview.Counts[lost.Later], Same: preview.Counts[lost.Unchanged],
	}
	for _, name := range append(ruleFields(), "storageDuration", "seen") {
		for _, value := range values[name] {
			p.Values = append(p.Values, frame.Input{Name: name, Value: value})
		}
	}
	pages := (len(preview.Moved) + frame.ListLimit - 1) / frame.ListLimit
	number, _ := strconv.Atoi(values.Get(pageButton)) // 0 if it is not a number
	p.Number = min(max(number, 1), pages)
	p.Before = p.Number - 1
	if p.Number < pages {
		p.Next = p.Number + 1
	}
	first := (p.Number - 1) * frame.ListLimit
	moved := preview.Moved[first:min(first+frame.ListLimit, len(preview.Moved))]
	items, err := c.Services.Locations.MovedItems(c.Context(), c.Actor(), after.ID, moved)
	if err != nil {
		return err
	}
	for _, i := range items {
		m := moved[slices.IndexFunc(moved, func(m lost.MovedItem) bool { return m.ID == i.ID })]
		row := previewRow{ItemSummary: c.SummarizeItem(i), Due: m.Move == lost.DueNow, Then: thenText(c.Locale, m.Then)}
		row.ItemSummary.Until, row.Until = c.lastDay(m.Before), c.lastDay(m.After)
		p.Rows = append(p.Rows, row)
	}
	return c.Render(http.StatusOK, "location-keeping", p)
}

// lastDay shows the last day of an item's storage.
func (c *call) lastDay(day string) string {
	return cmp.Or(c.Day(day), c.Say("locations.kept.forever"))
}
