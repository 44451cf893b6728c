package store

import (
	"strings"
	"testing"

	"homeward/internal/lost"
)

// Only personal cells are names. A reason to hold the item was once removed from the description too.
func TestErasingAnImportRowKeepsUnrelatedText(t *testing.T) {
	const rows = `[{"cells":{"owner.lastName":"Kessler","owner.email":"k@example.com","hold":"Police",` +
		`"notes":"seen at the bar","trackingNumber":"JJD0123","description":"Police cap of Kessler, seen at the bar"}}]`
	text, n, err := blankRows(rows, lost.Person{Email: "k@example.com"})
	if err != nil || n != 1 {
		t.Fatal(n, err)
	}
	for _, gone := range []string{"Kessler", "k@example.com", "JJD0123", "hold", "notes"} {
		if strings.Contains(text, gone) {
			t.Errorf("the row still has %q: %s", gone, text)
		}
	}
	for _, kept := range []string{"Police cap", "seen at the bar"} {
		if !strings.Contains(text, kept) {
			t.Errorf("the row lost %q: %s", kept, text)
		}
	}
}
