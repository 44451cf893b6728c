package match_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"homeward/internal/lost/match"
)

func TestOnlyOneCandidateCanBeTheRightOne(t *testing.T) {
	alone, among := match.Chances([]float64{0.95}), match.Chances([]float64{0.95, 0.95, 0.95, 0.1})
	if math.Abs(alone[0]-0.95) > 1e-9 {
		t.Errorf("the only candidate has %.3f, want its own value", alone[0])
	}
	if !match.Likely(alone[0]) || match.Likely(among[0]) || among[0] != among[1] || among[3] >= among[0] {
		t.Errorf("among equal ones: %.3f", among)
	}
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 30).Draw(t, "values")
		chances, sum := match.Chances(values), 0.0
		for n, c := range chances {
			sum += c
			if c < 0 || c > values[n]+1e-6 {
				t.Fatalf("value %v became %v", values[n], c)
			}
		}
		if sum > 1+1e-4 {
			t.Fatalf("the sum of %v is %v", chances, sum)
		}
	})
}

// What many things have in common does not make a match likely. What few have in common does.
func TestCommonPropertiesAreNotEnough(t *testing.T) {
	for _, c := range []struct {
		missed, found string
		likely        bool
	}{
		{"black umbrella", "umbrella, black", false},
		{"brown wallet", "wallet brown", false},
		{"schwarzer Koffer", "black suitcase", false},
		{"black Knirps umbrella with a duck head", "Knirps umbrella, black, duck head handle", true},
		{"wallet engraved with A.K. 4711", "wallet, A.K. 4711", true},
	} {
		if s := compare(c.missed, c.found); s.Likely() != c.likely {
			t.Errorf("%q and %q have %.3f: likely is %v, want %v", c.missed, c.found, s.Value, s.Likely(), c.likely)
		}
	}
}

func TestWordsThatOnlyTheThesaurusKnowsMatch(t *testing.T) {
	without := match.Matcher{Without: []match.Signal{match.Meanings, match.Related}}
	with := match.Matcher{Without: []match.Signal{match.Meanings}}
	value := func(m match.Matcher, missed, found string) float64 {
		return m.Compare(m.Read(match.Subject{Description: missed}), m.Read(match.Subject{Description: found}),
			counts).Value
	}
	for _, c := range [][2]string{
		{"my anorak", "jacket"}, {"Strickjacke", "cardigan"}, {"parapluie", "Regenschirm"}, {"borsa", "handbag"},
		{"mallard", "duck"}, {"brosse à dents", "toothbrush"}, {"guantes", "gants"},
	} {
		if a, b := value(without, c[0], c[1]), value(with, c[0], c[1]); b <= a {
			t.Errorf("%q and %q have %.4f, and %.4f with the thesaurus", c[0], c[1], a, b)
		}
	}
	if a, b := value(with, "violin", "cello"), value(with, "violin", "trousers"); a <= b {
		t.Errorf("a violin and a cello have %.4f, a violin and trousers %.4f", a, b)
	}
}

func TestColoursOfPhotosCountIfTheTextsHaveNone(t *testing.T) {
	missed := match.Read(match.Subject{Description: "my scarf, it is navy"})
	value := func(description string, colours ...string) float64 {
		return match.Compare(missed, match.Read(match.Subject{Description: description, PhotoColors: colours}),
			counts).Value
	}
	plain, blue, orange := value("scarf"), value("scarf", "dark-blue"), value("scarf", "orange")
	if blue <= plain || orange >= plain {
		t.Errorf("without a photo %.3f, dark blue %.3f, orange %.3f", plain, blue, orange)
	}
	if a, b := value("scarf, navy"), value("scarf, navy", "orange", "no-such-colour"); a != b {
		t.Errorf("the photo changed %.3f to %.3f although the text has a colour", a, b)
	}
}

func TestEvidenceIsNamed(t *testing.T) {
	named := compare("black umbrella", "umbrella, black").Evidence.Named()
	for name := range named {
		if !slices.Contains(match.FeatureNames(), name) {
			t.Errorf("unknown feature %q", name)
		}
	}
	if named["sameKind"] <= 0 || named["otherKind"] != 0 {
		t.Errorf("got %v", named)
	}
}
