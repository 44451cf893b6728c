package match_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"homeward/internal/lost/match"
)

func TestIndexTermsAreBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		p := match.Read(match.Subject{
			Description: text, Brand: text, Model: text, Color: text, More: text, Place: text,
			Day: rapid.Int().Draw(t, "day"), FirstName: text, LastName: text,
		})
		terms := p.Terms()
		const most = 400
		if len(terms) > most || len(slices.Compact(slices.Sorted(slices.Values(terms)))) != len(terms) {
			t.Fatalf("terms %q", terms)
		}
		if s := match.Compare(p, p, counts); s.Value < 0 || s.Value > 1 || len(s.Reasons) > 6 {
			t.Fatalf("%+v", s)
		}
	})
}

func termsOf(s match.Subject) []string { return match.Read(s).Terms() }

// meet reports whether two texts share an index term.
func meet(one, other string) bool {
	others := termsOf(match.Subject{Description: other})
	return slices.ContainsFunc(termsOf(match.Subject{Description: one}), func(term string) bool {
		return slices.Contains(others, term)
	})
}

func TestMisspelledUnknownWordsShareATerm(t *testing.T) {
	for _, same := range [][]string{
		{"zamsonite", "zamsonyte", "zamsonnit", "Zamsonite’s"}, {"Vandenberghe", "Vandenberge", "Vandenbergue"},
		{"Krüger", "Krueger", "Kruegger"}, {"Pickard", "Piccard", "Pikard"},
	} {
		for _, one := range same {
			for _, other := range same {
				if !meet("it is "+one, other) {
					t.Errorf("%q has no index term of %q", other, one)
				}
			}
		}
	}
	for one, other := range map[string]string{
		"zamsonite": "zamsonide", "Feldkamp": "Geldkamp", // different consonants
		"zeiou": "zaiou", "Quaioa": "Qaeiou", // too short, and too few consonants
		"zk4711t": "zek4711t", // numbers must match exactly
	} {
		if meet(one, other) {
			t.Errorf("%q shares an index term with %q: %q and %q", other, one, termsOf(match.Subject{Description: one}),
				termsOf(match.Subject{Description: other}))
		}
	}
	if !slices.ContainsFunc(termsOf(match.Subject{Brand: "Zamsonite"}), func(term string) bool {
		return slices.Contains(termsOf(match.Subject{Description: "my zamsonyte"}), term)
	}) {
		t.Error("a misspelled brand has no matching index term")
	}
}

// Outlines only select candidates; they do not change the score.
func TestOutlinesDoNotCountAsWords(t *testing.T) {
	missed, found := match.Read(match.Subject{Description: "towel with a quaggarinta"}),
		match.Read(match.Subject{Description: "towel, quaggarinta"})
	many := match.Counts{"": 1000}
	for _, term := range found.Terms() {
		if strings.HasPrefix(term, "~") {
			many[term] = 900
		}
	}
	if len(many) != 2 {
		t.Fatalf("%q", found.Terms())
	}
	rare, often := match.Compare(missed, found, match.Counts{"": 1000}), match.Compare(missed, found, many)
	if rare.Value != often.Value || !slices.Equal(texts(rare), texts(often)) {
		t.Errorf("%.6f %q became %.6f %q", rare.Value, rare.Reasons, often.Value, often.Reasons)
	}
	const one, other = "zamsonite", "zomasinute"
	if !meet(one, other) {
		t.Errorf("%q and %q do not have the same outline", one, other)
	}
	if s := compare("towel, "+one, "towel, "+other); slices.ContainsFunc(texts(s), func(r string) bool {
		return strings.Contains(r, "“") || strings.Contains(r, "similar words")
	}) {
		t.Errorf("two different words are a reason: %q", s.Reasons)
	}
}

func TestWordsComeBeforeOutlines(t *testing.T) {
	var words []string
	for a := 'b'; a <= 'z'; a++ {
		for _, b := range "bdfgk" {
			words = append(words, fmt.Sprintf("x%crq%cvax", a, b))
		}
	}
	terms := termsOf(match.Subject{Description: strings.Join(words, ", ")})[:match.MaxTerms]
	if slices.ContainsFunc(terms, func(term string) bool { return strings.HasPrefix(term, "~") }) {
		t.Errorf("%d terms: %q", len(terms), terms)
	}
	if terms := termsOf(match.Subject{
		Description: strings.Join(words[:40], ", "),
	})[:match.MaxTerms]; !slices.Contains(terms, "xbrqbva") {
		t.Errorf("%d terms: %q", len(terms), terms)
	}
}

func TestRangesAreNotStrengths(t *testing.T) {
	for text, want := range map[string]bool{"-5": true, "lenses -5.0": true, "row 4-5": false, "sizes 4 - 5": false} {
		if got := slices.Contains(texts(compare(text, "glasses, -5,00")), "same strength"); got != want {
			t.Errorf("%q has the strength -5: %v, want %v", text, got, want)
		}
	}
}
