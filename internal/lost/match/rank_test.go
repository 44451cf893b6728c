package match_test

import (
	"testing"

	"homeward/internal/lost/match"
)

func TestThePartsOfACodeHaveNoMeaning(t *testing.T) {
	score := func(words string, code bool) float64 {
		q := match.ReadQuery(words, func(string) []string { return nil })
		match.NewVocabulary().Groups(q)
		return q.Rank([]match.Line{{Text: "hat-7qx", Weight: 1, Code: code}}).Score
	}
	if score("cap", false) == 0 {
		t.Fatal("a cap is not found as a hat")
	}
	if got := score("cap", true); got > 0 {
		t.Errorf("the code HAT-7QX is found by its meaning, with the score %.2f", got)
	}
	for _, words := range []string{"hat", "hat-7qx", "hat-7qy", "7qx"} {
		if score(words, true) == 0 {
			t.Errorf("%q does not find HAT-7QX", words)
		}
	}
}
