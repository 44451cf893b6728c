package demo

import (
	"strings"
	"testing"

	"homeward/internal/lost"
)

func TestTheNameOnAnItemIsItsOwnersName(t *testing.T) {
	anna := &guest{owner: lost.Owner{FirstName: "Anna", LastName: "de Vries"}}
	named := 0
	for _, k := range kinds {
		for _, detail := range k.details {
			_, name, hasName := strings.Cut(detail, ": ")
			if hasName = hasName && strings.HasPrefix(detail, "name"); hasName && !strings.HasPrefix(name, "{") {
				t.Errorf("%q contains a name that is not the owner's", detail)
			}
			if got := anna.withName(detail); strings.Contains(got, "{") || hasName &&
				!strings.Contains(got, "Anna") && !strings.HasSuffix(got, "A. de Vries") {
				t.Errorf("%q has no owner's name", got)
			} else if hasName {
				named++
			}
		}
	}
	if got := anna.withName("{initials}"); named == 0 || got != "A. D." {
		t.Errorf("%d details have a name, want some; initials are %q, want \"A. D.\"", named, got)
	}
}
