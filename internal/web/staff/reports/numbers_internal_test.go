package reports

import (
	"testing"

	"homeward/internal/lost"
)

func TestEveryOutcomeHasANameAndAShade(t *testing.T) {
	for _, fate := range lost.FindOutcomes() {
		if w := fateText[fate]; w.name == "" || w.shade == "" {
			t.Errorf("the outcome %s has %+v", fate, w)
		}
	}
}
