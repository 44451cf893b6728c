package match

import (
	"iter"
	"math/bits"
	"unicode"
)

// Term is a word or phrase of the dictionary. Its language is empty if it is the same in all languages.
type Term struct {
	Text, Language string
	Concept        string
	Class          Class
}

// Terms yields the terms of the dictionary. Other packages derive meanings of their own from them.
func Terms() iter.Seq[Term] {
	return func(yield func(Term) bool) {
		for _, e := range readEntries("terms") {
			for _, f := range e.forms {
				t := Term{Text: f.text, Concept: e.name, Class: e.class}
				if f.in != anyLanguage {
					t.Language = dictionaryLanguages[bits.TrailingZeros8(uint8(f.in))]
				}
				if !yield(t) {
					return
				}
			}
		}
	}
}

// AppendFolded appends a word in lower case without accents, as the dictionary compares words.
func AppendFolded(to []byte, word string) []byte {
	for _, r := range word {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			to = append(to, byte(r))
			continue
		}
		if r = unicode.ToLower(r); plainLetters[r] != "" {
			to = append(to, plainLetters[r]...)
		} else if !unicode.Is(unicode.Mn, r) {
			to = append(to, string(r)...)
		}
	}
	return to
}

// Within reports whether two words differ in at most a number of letters.
func Within(a, b string, most int) bool {
	// A wrong letter changes two letters of the set at most.
	return bits.OnesCount32(lettersOf(a)^lettersOf(b)) <= 2*most && distance(a, b, most) <= most
}
