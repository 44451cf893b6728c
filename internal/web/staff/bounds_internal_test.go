package staff

import (
	"net/http/httptest"
	"strings"
	"testing"

	"homeward/internal/lost"
)

func TestWhatAnAddressAsksForIsCutAndNothingIsAddedToIt(t *testing.T) {
	long := strings.Repeat("x", 3*maxID)
	c := &call{r: httptest.NewRequest("GET", "/settings/audit?before="+long+"&who="+long, nil)}
	if got := c.seekFrom().Before; got != long[:maxID] {
		t.Errorf("it asks for what is before %q", got)
	}
	if got := c.auditFilter().Actor; got != long[:maxID] {
		t.Errorf("it asks for what %q did", got)
	}
}

func TestAListOfACountSaysThatItIsNotAll(t *testing.T) {
	lines := make([]lost.CountLine, lost.MaxLimit)
	for want, total := range map[string]lost.Total{"": {Count: lost.MaxLimit}, "Only 100 of 1,250 are shown.": {Count: 1250}, "Only 100 of 10,000 or more are shown.": {Count: lost.MaxTotal, AtLeast: true}} {
		if got := partOf(lost.List[lost.CountLine]{Data: lines, Page: lost.Page{Number: 1, Limit: lost.MaxLimit}, Total: total}); got != want {
			t.Errorf("%+v: %q, want %q", total, got, want)
		}
	}
}
