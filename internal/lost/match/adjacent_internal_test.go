package match

import (
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// vocabulary contains words of every class, names and figures, and the first and last words of terms.
var vocabulary = strings.Fields("the coach bag wedding card light blue air pods iPhone 13 pro galaxy S 21 K. M. one " +
	"only quagga Krüger tag 4711 red leather key ring sun glasses dark green ipad mini 'T. Adeyemi' wool glove")

// An adjacent word never removes the meaning of a word. It can lower a score only if the two words together have a
// new meaning: a coach bag is a bag by Coach.
func TestAdjacentWordRemovesNoMeaning(t *testing.T) {
	some := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 6).Draw(t, "words"), " ")
	})
	rapid.Check(t, func(t *rapid.T) {
		missed, found := some.Draw(t, "request"), some.Draw(t, "find")
		word := rapid.SampledFrom(strings.Fields(found)).Draw(t, "word")
		before, alone, after := Read(Subject{Description: missed}), Read(Subject{Description: word}),
			Read(Subject{Description: missed + " " + word})
		for _, part := range []Profile{before, alone} {
			for name, class := range part.marks {
				if _, still := after.marks[name]; !still && class != Word {
					t.Fatalf("%q no longer means %s after adding %q", missed, name, word)
				}
			}
		}
		find := Read(Subject{Description: found})
		old, updated := Compare(before, find, Counts{}).Value, Compare(after, find, Counts{}).Value
		if updated < old-1e-12 && !meansMore(after, before, alone) {
			t.Fatalf("%q and %q score %.6f, after adding %q %.6f", missed, found, old, word, updated)
		}
	})
}

// meansMore reports whether two texts together have a meaning that neither has alone: a term or a name.
func meansMore(both, one, other Profile) bool {
	for name, class := range both.marks {
		_, inOne := one.marks[name]
		if _, inOther := other.marks[name]; !inOne && !inOther && class != Word {
			return true
		}
	}
	names := func(p Profile) map[string]bool {
		all := maps.Clone(p.written)
		maps.Copy(all, p.initials)
		return all
	}
	apart := names(one)
	maps.Copy(apart, names(other))
	return !maps.Equal(apart, names(both))
}

func TestACodeMayHaveOneWrongCharacter(t *testing.T) {
	for _, c := range []struct {
		own, word string
		similar   bool
	}{
		{"ae3-g4r", "ae3g4q", true}, {"ae3g4r", "ae3-g4r", true}, {"ae3-g4r", "ae3-g4q", true},
		{"ae3-g4r", "ae3-h5q", false}, {"grünwald", "gruenwald", true},
	} {
		if got := compareSpelling(c.own, c.word, false); got > 0 != c.similar {
			t.Errorf("%s and %s: got %.2f, want similar: %v", c.own, c.word, got, c.similar)
		}
	}
}
