package match

import (
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// beside are words of every class, ends of terms and beginnings among them, with names and figures.
var beside = strings.Fields("the coach bag wedding card light blue air pods iPhone 13 pro galaxy S 21 K. M. one only " +
	"quagga Krüger tag 4711 red leather key ring sun glasses dark green ipad mini 'T. Adeyemi' wool glove")

// What the dictionary knows of a word is never taken away by a word beside it. Two words can mean something of their
// own together, a coach and a bag are a bag by Coach, and so a word of the find can lower a request that it stands
// beside, and not only follows in a clause of its own; but nothing else lowers it.
func TestAWordBesideOthersTakesNoMeaningAway(t *testing.T) {
	some := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(beside), 1, 6).Draw(t, "words"), " ")
	})
	rapid.Check(t, func(t *rapid.T) {
		missed, found := some.Draw(t, "request"), some.Draw(t, "find")
		word := rapid.SampledFrom(strings.Fields(found)).Draw(t, "word")
		before, alone, after := Read(Subject{Description: missed}), Read(Subject{Description: word}),
			Read(Subject{Description: missed + " " + word})
		for _, said := range []Profile{before, alone} {
			for name, class := range said.marks {
				if _, still := after.marks[name]; !still && class != Word {
					t.Fatalf("%q says no more that it is %s, with %q beside it", missed, name, word)
				}
			}
		}
		find := Read(Subject{Description: found})
		was, is := Compare(before, find, Counts{}).Value, Compare(after, find, Counts{}).Value
		if is < was-1e-12 && !meansMore(after, before, alone) {
			t.Fatalf("%q and %q have %.6f, with %q beside it %.6f", missed, found, was, word, is)
		}
	})
}

// meansMore reports whether two texts side by side mean something that neither does: a term, or a name.
func meansMore(both, one, other Profile) bool {
	for name, class := range both.marks {
		_, said := one.marks[name]
		if _, too := other.marks[name]; !said && !too && class != Word {
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
