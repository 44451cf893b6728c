package items

import (
	"testing"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

func TestAListSaysHowManyItemsThereAreAndAmongWhich(t *testing.T) {
	t.Parallel()
	for text, total := range map[string]lost.Total{
		"1 item":                                   {Count: 1},
		"0 items among the newest 5,000":           {Among: 5000},
		"1,000 or more items":                      {Count: 1000, AtLeast: true},
		"12 items among the newest 5,000":          {Count: 12, Among: 5000},
		"1 item among the newest 5,000":            {Count: 1, Among: 5000},
		"200 or more items among the newest 5,000": {Count: 200, AtLeast: true, Among: 5000},
	} {
		if got := countText(frame.English(), total); got != text {
			t.Errorf("%+v: got %q, want %q", total, got, text)
		}
	}
}
