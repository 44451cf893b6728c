package reports

import (
	"testing"

	"homeward/internal/lost"
)

func TestEveryOutcomeHasANameAndAShade(t *testing.T) {
	for _, outcome := range lost.FindOutcomes() {
		if w := outcomeText[outcome]; w.name == "" || w.shade == "" {
			t.Errorf("outcome %s: got %+v, want a name and a shade", outcome, w)
		}
	}
}
