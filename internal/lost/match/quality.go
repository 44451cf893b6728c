package match

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// How well a word of a record matches a term of a query, from 0 to 1.
const (
	sameText      = 1.0
	sameSpelling  = 0.97 // apart from umlauts and punctuation
	sameStem      = 0.93
	sameBeginning = 0.9 // of the last word, which may be incomplete
	longerWord    = 0.8 // it begins or ends with the term
	sameMeaning   = 0.86
	narrower      = 0.76 // a beanie, if a hat is searched for
	broader       = 0.5  // a hat, if a beanie is searched for
	related       = 0.3  // both are headwear
	oneWrong      = 0.75 // one letter is wrong; more than a meaning that is only guessed
	twoWrong      = 0.5
	guessed       = 0.85 // certainty of a meaning if the term is misspelled
	partly        = 0.6  // certainty of the meaning of the first part of a compound
	leastQuality  = 0.25
)

// quality returns how well a word of a record matches a term, or 0.
func (t *queryTerm) quality(d *dictionary, word string) float64 {
	best := 0.0
	for _, own := range append(slices.Clip(t.ownWords(d)), t.also...) {
		best = max(best, compareSpelling(own, word, t.last && own == t.text))
	}
	if len(t.words) > 1 { // one word of several is not the same
		best *= sameMeaning
	}
	if best < sameStem {
		best = max(best, t.meaning(d, word))
	}
	if word == t.category && word != "" {
		best = max(best, broader)
	}
	if best < leastQuality {
		return 0
	}
	return best
}

// ownWords returns the words of a term that have a meaning.
func (t *queryTerm) ownWords(d *dictionary) []string {
	switch {
	case t.aspect:
		return nil
	case len(t.words) == 1:
		return t.words
	}
	return slices.DeleteFunc(slices.Clone(t.words), func(word string) bool {
		senses := d.forms[word]
		means := slices.ContainsFunc(senses, func(s sense) bool { return s.class != Stop })
		return len(word) < 3 || len(senses) > 0 && !means
	})
}

// compareSpelling returns how similar a word is to the word of a query.
func compareSpelling(own, word string, incomplete bool) float64 {
	if own == word {
		return sameText
	}
	switch {
	case hasFigures(own) != hasFigures(word):
		return compareCodes(own, word)
	case spellingKey(own) == spellingKey(word):
		return sameSpelling
	case isNumber(own) && isNumber(word):
		return compareDigits(own, word)
	case !isNumber(own) && stem(own) == stem(word):
		return sameStem
	}
	length := utf8.RuneCountInString(own)
	switch {
	case incomplete && length >= 2 && strings.HasPrefix(word, own):
		return sameBeginning
	case length >= 3 && strings.HasPrefix(word, own), length >= 4 && strings.HasSuffix(word, own):
		return longerWord
	case length >= 5 && strings.Contains(word, own), length >= 2 && isIdeographic(own) && strings.Contains(word, own):
		return longerWord
	}
	return compareLetters(own, word)
}

// compareDigits returns how similar different numbers are: a phone number may lack its country code.
func compareDigits(own, word string) float64 {
	const phone = 7
	switch {
	case len(own) >= phone && strings.HasSuffix(word, own):
		return sameSpelling
	case len(own) >= phone-1 && strings.Contains(word, own):
		return longerWord
	}
	return 0
}

// compareLetters returns how similar two misspelled words are.
func compareLetters(own, word string) float64 {
	if hasFigures(own) || hasFigures(word) {
		return compareCodes(own, word)
	}
	switch most := min(allowedErrors(own), allowedErrors(word)); {
	case most >= 1 && distance(own, word, 1) == 1:
		return oneWrong
	case most >= 2 && distance(own, word, 2) == 2:
		return twoWrong
	}
	return 0
}

// compareCodes returns how similar two different words with figures are. In a short code such as a reference, one
// character may be wrong.
func compareCodes(own, word string) float64 {
	const code = 6 // characters of a reference, without its hyphen
	if len(own) >= 3 && strings.HasPrefix(word, own) && !hasFigures(own) {
		return longerWord
	}
	if min(len(own), len(word)) < code || max(len(own), len(word)) > code+1 {
		return 0
	}
	a, b := spellingKey(own), spellingKey(word)
	if len(a) == code && len(b) == code && !isNumber(a) && distance(a, b, 1) == 1 {
		return oneWrong
	}
	return 0
}

func isIdeographic(word string) bool { return strings.ContainsFunc(word, isIdeograph) }

// spellingKey returns a word without punctuation and without the second letter of written-out umlauts. Codes such as
// AE3-G4R have none.
func spellingKey(word string) string {
	if strings.ContainsFunc(word, func(r rune) bool { return !inWord(r) }) {
		word = strings.Map(func(r rune) rune {
			if inWord(r) {
				return r
			}
			return -1
		}, word)
	}
	if hasFigures(word) {
		return word
	}
	return umlauts.Replace(word)
}

// meaning returns how well the meanings of a word match the term.
func (t *queryTerm) meaning(d *dictionary, word string) (best float64) {
	if len(t.senses) == 0 || hasFigures(word) {
		return 0
	}
	for _, s := range d.known(word) {
		certain := 1.0
		if s.head {
			certain = partly
		}
		best = max(best, certain*t.relation(d, s.concept))
	}
	return best
}

// relation returns how well a meaning matches the term.
func (t *queryTerm) relation(d *dictionary, c *concept) (best float64) {
	for _, s := range t.senses {
		best = max(best, s.certain*d.relation(s.concept, c))
	}
	return best
}

// relation returns how well a record with the second meaning matches a search for the first one.
func (d *dictionary) relation(wanted, c *concept) float64 {
	switch {
	case c.class == Stop || wanted.class == Stop:
		return 0
	case wanted == c:
		return sameMeaning
	case wanted.class == Colour && c.class == Colour:
		if near := nearness(wanted.name, c.name); near >= 0.4 {
			return narrower * near
		}
		return 0
	case c.implies(wanted):
		return narrower
	case wanted.implies(c):
		return broader
	}
	const fewKinds = 14 // in a larger family, kinds have little in common
	for _, parent := range wanted.implied {
		if parent.class != Brand && d.children[parent] <= fewKinds && slices.Contains(c.implied, parent) {
			return related
		}
	}
	return 0
}

// implies reports whether a concept implies another one, directly or not.
func (c *concept) implies(other *concept) bool {
	return slices.ContainsFunc(c.implied, func(i *concept) bool { return i == other || i.implies(other) })
}

// importance returns how much a term counts, given the share of records that match it.
func (t *queryTerm) importance(share float64) float64 {
	const rarest = 1e-4
	rarity := math.Log(max(rarest, min(1, share))) / math.Log(rarest) // from 0 to 1
	weight := (0.5 + rarity) * t.classWeight()
	if t.aspect {
		const slight = 0.4
		weight *= slight
	}
	return weight
}

// classWeight returns how much the class of a term counts: a wallet of another color is a better result than
// something else of that color.
func (t *queryTerm) classWeight() float64 {
	most := 0.0
	for _, s := range t.senses {
		switch s.class {
		case Kind, Product, Family:
			most = max(most, 1.3)
		case Brand, Place, Motif, Origin:
			most = max(most, 1)
		case Colour, Material, Pattern:
			most = max(most, 0.75)
		default:
			most = max(most, 0.6)
		}
	}
	if most == 0 {
		return 1
	}
	return most
}
