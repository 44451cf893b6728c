package locations

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

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
	Disposed int
	Same     int
	Rows     []previewRow
	Values   []frame.Input // what the form contained
}

// previewRow is an item that the rules would change.
type previewRow struct {
	frame.ItemSummary
	Due                     bool // its storage would have ended
	Until, ThenBefore, Then string
}

// Listed returns how many items the page lists at most.
func (previewPage) Listed() int { return lost.MaxMovedItems }

// MoreMoved reports whether the rules change more items than the page lists.
func (p previewPage) MoreMoved() bool { return p.Preview.Total() > lost.MaxMovedItems }

// Counted returns how many items were counted.
func (p previewPage) Counted() int { return p.Preview.Total() + p.Same }

// presentPreview shows which items rules would change. The page repeats the form in hidden inputs.
func (c *call) presentPreview(after lost.Location, preview lost.KeepingPreview, values url.Values) error {
	p := previewPage{
		Page: c.NewPage(c.Say("locations.keeping.preview")), Location: after, Rules: ruleFacts(c.Locale, after),
		Preview: &preview, Due: preview.Counts[lost.DueNow], Earlier: preview.Counts[lost.Earlier],
		Later: preview.Counts[lost.Later], Disposed: preview.Counts[lost.Disposed],
		Same: preview.Counts[lost.Unchanged],
	}
	for _, name := range append(ruleFields(), "storageDuration", "seen") {
		for _, value := range values[name] {
			p.Values = append(p.Values, frame.Input{Name: name, Value: value})
		}
	}
	items, err := c.Services.Locations.MovedItems(c.Context(), c.Actor(), after.ID, preview.Moved)
	if err != nil {
		return err
	}
	for _, m := range preview.Moved {
		n := slices.IndexFunc(items, func(i lost.Item) bool { return i.ID == m.ID })
		if n < 0 { // it was deleted in the meantime
			continue
		}
		row := previewRow{
			ItemSummary: c.SummarizeItem(items[n]), Due: m.Move == lost.DueNow,
			Then: thenText(c.Locale, m.ThenAfter), Until: c.lastDay(m.After),
		}
		row.ItemSummary.Until = c.lastDay(m.Before)
		if m.ThenBefore != m.ThenAfter {
			row.ThenBefore = thenText(c.Locale, m.ThenBefore)
		}
		p.Rows = append(p.Rows, row)
	}
	return c.Render(http.StatusOK, "location-keeping", p)
}

// lastDay shows the last day of an item's storage.
func (c *call) lastDay(day string) string {
	return cmp.Or(c.Day(day), c.Say("locations.kept.forever"))
}
