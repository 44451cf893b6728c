package storage

import (
	"testing"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

func TestAListOfACountSaysIfItIsIncomplete(t *testing.T) {
	lines := make([]lost.StockTakeLine, lost.MaxLimit)
	for want, total := range map[string]lost.Total{
		"":                                      {Count: lost.MaxLimit},
		"Only 100 of 1,250 are shown.":          {Count: 1250},
		"Only 100 of 10,000 or more are shown.": {Count: lost.MaxTotal, AtLeast: true},
	} {
		page := lost.Page{Number: 1, Limit: lost.MaxLimit}
		list := lost.List[lost.StockTakeLine]{Data: lines, Page: page, Total: total}
		if got := shownText(frame.English(), list); got != want {
			t.Errorf("%+v: got %q, want %q", total, got, want)
		}
	}
}
