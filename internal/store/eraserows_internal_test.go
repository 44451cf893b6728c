package store

import (
	"strings"
	"testing"

	"homeward/internal/lost"
)

// TestErasingAnImportRowKeepsUnrelatedText is a regression test: the words of the hold and notes
// cells, which are not personal data, were also removed where they occurred in the description.
func TestErasingAnImportRowKeepsUnrelatedText(t *testing.T) {
	const rows = `[{"cells":{"owner.lastName":"Kessler","owner.email":"k@example.com","hold":"Police",` +
		`"notes":"seen at the bar","trackingNumber":"JJD0123","description":"Police cap of Kessler, seen at the bar"}}]`
	text, n, err := redactRows(rows, lost.Person{Email: "k@example.com"})
	if err != nil || n != 1 {
		t.Fatalf("got %d rows, %v, want 1", n, err)
	}
	for _, erased := range []string{"Kessler", "k@example.com", "JJD0123", "hold", "notes"} {
		if strings.Contains(text, erased) {
			t.Errorf("the row still contains %q: %s", erased, text)
		}
	}
	for _, unrelated := range []string{"Police cap", "seen at the bar"} {
		if !strings.Contains(text, unrelated) {
			t.Errorf("the row no longer contains %q: %s", unrelated, text)
		}
	}
}
