package match

import (
	"math/bits"
	"slices"
	"strings"
)

// languages is a set of languages of the dictionary.
type languages uint8

// The languages, in the order in which a line of the dictionary lists them.
const (
	english languages = 1 << iota
	german
	french
	spanish
	italian
	anyLanguage = 1<<iota - 1
)

// stopWordLanguages maps the name of each stop-word entry in the dictionary to its language.
var stopWordLanguages = map[string]languages{"en": english, "de": german, "fr": french, "es": spanish, "it": italian}

// sense is a meaning of a form in some languages.
type sense struct {
	*concept
	in      languages
	head    bool   // the meaning of the first part of a compound
	spelled string // as in the dictionary: été is not ete
}

// selectConcepts selects the meanings of a word that fit its exact spelling and the languages of the text: Italian
// pelle is leather, and French pelle is a spade. If no meaning has that spelling or language, all meanings are
// possible, because people leave out accents and use foreign words.
func selectConcepts(senses []sense, written string, spoken languages) (found []*concept) {
	for _, matches := range [...]func(sense) bool{
		func(s sense) bool { return strings.EqualFold(s.spelled, written) },
		func(s sense) bool { return s.in&spoken != 0 },
	} {
		if len(senses) > 1 && slices.ContainsFunc(senses, matches) {
			senses = slices.DeleteFunc(slices.Clone(senses), func(s sense) bool { return !s.head && !matches(s) })
		}
	}
	for _, s := range senses {
		if !slices.Contains(found, s.concept) {
			found = append(found, s.concept)
		}
	}
	return found
}

// spoken guesses the languages of texts from the words that are not common to all languages.
func (d *dictionary) spoken(texts ...string) languages {
	const whole = 60 // divisible by 1 to 5, so that the sums are exact and do not depend on the order
	var scores [5]int
	best := 0
	for _, text := range texts {
		for _, t := range tokens(text) {
			in := languages(0)
			for _, s := range d.forms[t.text] {
				if s.in != anyLanguage && (s.spelled == t.text || strings.EqualFold(s.spelled, t.written)) {
					in |= s.in
				}
			}
			for n := range scores {
				if in&(1<<n) != 0 {
					scores[n] += whole / bits.OnesCount8(uint8(in))
					best = max(best, scores[n])
				}
			}
		}
	}
	if best < whole { // no word identifies a language
		return anyLanguage
	}
	var spoken languages
	for n, score := range scores {
		if score*10 > best*6 {
			spoken |= 1 << n
		}
	}
	return spoken
}
