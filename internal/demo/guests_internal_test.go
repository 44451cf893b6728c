package demo

import (
	"strings"
	"testing"

	"homeward/internal/lost"
)

func TestANameOnAnItemIsItsOwners(t *testing.T) {
	anna := &guest{owner: lost.Owner{FirstName: "Anna", LastName: "de Vries"}}
	named := 0
	for _, k := range kinds {
		for _, detail := range k.details {
			_, name, is := strings.Cut(detail, ": ")
			if is = is && strings.HasPrefix(detail, "name"); is && !strings.HasPrefix(name, "{") {
				t.Errorf("%q contains a name that is not the owner's", detail)
			}
			if got := anna.withName(detail); strings.Contains(got, "{") || is &&
				!strings.Contains(got, "Anna") && !strings.HasSuffix(got, "A. de Vries") {
				t.Errorf("%q", got)
			} else if is {
				named++
			}
		}
	}
	if got := anna.withName("{initials}"); named == 0 || got != "A. D." {
		t.Errorf("%d have a name, %q", named, got)
	}
}
