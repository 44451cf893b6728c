package category

import (
	"strings"

	"homeward/internal/lost/match"
)

// endings are rules that turn an inflected word into a form that may be in the vocabulary. The word must have at least
// the given number of letters left.
var endings = [...]struct {
	off, on string
	least   int
}{
	{"s", "", 3}, {"es", "", 3}, {"en", "", 3}, {"n", "", 4}, {"e", "", 3}, {"er", "", 4}, {"x", "", 4},
	{"ies", "y", 3}, {"ves", "f", 2}, {"i", "o", 3}, {"i", "e", 3}, {"e", "a", 3}, {"he", "a", 4}, {"hi", "o", 3},
	{"ern", "", 4}, {"nen", "", 4}, {"a", "o", 4}, {"as", "o", 4}, {"os", "o", 3}, {"eaux", "eau", 2},
	{"es", "e", 3}, {"em", "", 4}, {"en", "e", 3}, {"chen", "", 4}, {"oes", "ao", 3}, {"tje", "", 3}, {"je", "", 4},
	{"jes", "", 4}, {"a", "", 4}, {"y", "a", 4}, {"y", "", 4}, {"i", "", 4}, {"i", "a", 4}, {"ow", "", 4},
	{"ow", "a", 4}, {"u", "", 4}, {"om", "", 4}, {"ach", "a", 4}, {"ami", "a", 4}, {"ami", "", 4}, {"ci", "c", 4},
	{"ik", "", 5}, {"inho", "o", 4}, {"inha", "a", 4}, {"ito", "o", 4}, {"ita", "a", 4}, {"ino", "o", 4},
	{"ina", "a", 4}, {"etta", "a", 4}, {"ette", "e", 4}, {"lein", "", 4}, {"k", "ka", 4}, {"is", "l", 4},
}

// inflected returns the meanings of a word under the form that the vocabulary has.
func (v *vocabulary) inflected(word string) []sense {
	var buffer [maxWord + 4]byte
	for _, e := range endings {
		rest, ok := strings.CutSuffix(word, e.off)
		if !ok || len(rest) < e.least {
			continue
		}
		form := append(append(buffer[:0], rest...), e.on...)
		if found := v.terms[string(form)]; len(found) > 0 {
			return found
		}
	}
	return nil
}

// compound returns the meanings of the last part of a compound word and of the part before it. The first part may be
// unknown, unless the last one is so short that it is often a coincidence.
func (v *vocabulary) compound(word string) (last, first []sense) {
	const least, certain = 3, 5
	for cut := 3; cut+least <= len(word); cut++ {
		tail := v.form(word[cut:])
		if !namesThing(tail) {
			continue
		}
		head := word[:cut]
		first = v.form(head)
		for _, link := range [...]string{"s", "n", "en", "er", "es"} {
			if first == nil && len(head)-len(link) >= 3 && strings.HasSuffix(head, link) {
				first = v.form(strings.TrimSuffix(head, link))
			}
		}
		if first != nil || len(word)-cut >= certain || heads[word[cut:]] {
			return tail, first
		}
	}
	return nil, nil
}

// heads are short words that often are the last part of a compound.
var heads = map[string]bool{
	"uhr": true, "buch": true, "helm": true, "hemd": true, "hose": true, "etui": true, "boek": true, "fles": true,
	"bril": true, "jas": true, "tas": true, "kaart": true, "pas": true, "hoes": true, "rad": true, "bike": true,
	"muts": true, "broek": true, "fiets": true, "ring": true, "hut": true, "kleid": true, "tuch": true, "rock": true,
}

// form returns the meanings of a word or of its uninflected form, in the languages that have compounds.
func (v *vocabulary) form(word string) []sense {
	found := v.terms[word]
	if found == nil {
		found = v.inflected(word)
	}
	for _, s := range found {
		if s.in&compounds != 0 {
			return found
		}
	}
	return nil
}

func namesThing(senses []sense) bool {
	for _, s := range senses {
		if s.in&compounds != 0 && s.in != allLanguages && (s.role == noun || s.role == holder) {
			return true
		}
	}
	return false
}

// misspelled returns the meanings of the word that differs in the fewest letters.
func (v *vocabulary) misspelled(word string) []sense {
	most := allowedErrors(word)
	for off := 1; off <= most; off++ {
		for length := len(word) - off; length <= len(word)+off; length++ {
			for _, form := range v.similar[bucket{word[0], length}] {
				if match.Within(word, form, off) {
					return v.terms[form]
				}
			}
		}
	}
	return nil
}

// allowedErrors returns the number of letters of a word that may be wrong.
func allowedErrors(word string) int {
	switch {
	case strings.ContainsAny(word, "0123456789"), len(word) < 6, len(word) > maxWord:
		return 0
	case len(word) < 9:
		return 1
	}
	return 2
}
