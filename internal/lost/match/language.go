package match

import (
	"math/bits"
	"slices"
	"strings"
)

// languages is a set of those that the dictionary has.
type languages uint8

// The languages, in the order of a line of the dictionary.
const (
	english languages = 1 << iota
	german
	french
	spanish
	italian
	anyLanguage = 1<<iota - 1
)

// ofNames are the languages by the names that their words without meaning are under.
var ofNames = map[string]languages{"en": english, "de": german, "fr": french, "es": spanish, "it": italian}

// sense is what a form means in some languages.
type sense struct {
	*concept
	in      languages
	head    bool   // of the first part of a compound
	spelled string // as the dictionary has it: été is not ete
}

// meant returns what a word means, spelled as it is written, to somebody who speaks some languages: Italian pelle is
// leather, and French pelle a spade. Where nothing is spelled so, or said in these languages, it may be any of them:
// people leave out accents, and use foreign words.
func meant(senses []sense, written string, spoken languages) (found []*concept) {
	for _, sieve := range [...]func(sense) bool{
		func(s sense) bool { return strings.EqualFold(s.spelled, written) },
		func(s sense) bool { return s.in&spoken != 0 },
	} {
		if len(senses) > 1 && slices.ContainsFunc(senses, sieve) {
			senses = slices.DeleteFunc(slices.Clone(senses), func(s sense) bool { return !s.head && !sieve(s) })
		}
	}
	for _, s := range senses {
		if !slices.Contains(found, s.concept) {
			found = append(found, s.concept)
		}
	}
	return found
}

// spoken returns in which languages texts may be, by the words that not every language has.
func (d *dictionary) spoken(texts ...string) languages {
	const whole = 60 // which one, two, three, four and five share without a rest: in any order it adds up to the same
	var said [5]int
	best := 0
	for _, text := range texts {
		for _, t := range tokens(text) {
			in := languages(0)
			for _, s := range d.forms[t.text] {
				if s.in != anyLanguage && (s.spelled == t.text || strings.EqualFold(s.spelled, t.written)) {
					in |= s.in
				}
			}
			for n := range said {
				if in&(1<<n) != 0 {
					said[n] += whole / bits.OnesCount8(uint8(in))
					best = max(best, said[n])
				}
			}
		}
	}
	if best < whole { // not one word that tells
		return anyLanguage
	}
	var spoken languages
	for n, score := range said {
		if score*10 > best*6 {
			spoken |= 1 << n
		}
	}
	return spoken
}
