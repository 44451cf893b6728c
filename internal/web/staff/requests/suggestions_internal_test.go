package requests

import (
	"fmt"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

func TestARequestAndAFindAreComparedSideBySide(t *testing.T) {
	request := lost.Item{
		Source: lost.Request, Description: "Black case", Color: "black", Category: "phone",
		Claim: lost.Claim{LostDate: "2026-11-10", Proof: "A fox"},
	}
	found := lost.Item{
		Source: lost.Found, Description: "Case", Brand: "Sony", Color: "navy", Category: "phone",
		DiscoveryDate: "2026-11-20",
		Notes:         "Fox",
	}
	fits := map[string]string{"what": "same", "category": "same", "model": "other", "colour": "nearly", "day": "nearly"}
	got := ""
	for _, a := range aspectsOf(frame.English(), request, found, fits) {
		got += fmt.Sprintf("%s: %q %q %s %v\n", a.Name, a.Theirs, a.Found, a.Fit.Word, a.Vague)
	}
	want := `What: "Black case" "Case" Same true
Category: "Phone" "Phone" Same true
Brand: "" "Sony"  false
Model: "" "" Different true
Colour: "black" "navy" Nearly true
When: "Tuesday 10 November 2026" "Friday 20 November 2026" Later true
Details: "A fox" "Fox"  false
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
