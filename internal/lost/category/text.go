package category

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"homeward/internal/lost/match"
)

// The limits of what is read, which keep the time short whatever a client sends.
const (
	maxText  = 600 // bytes of each text
	maxWords = 80  // of all texts
	maxWord  = 40  // bytes; longer words are not looked up
)

// text is a text in words. The words are folded: in lower case, without accents, and separated by one space.
type text struct {
	folded []byte
	words  []word
}

// word is a word of a text.
type word struct {
	begin, end int  // its position in the folded text
	fresh      bool // a sentence, clause or field starts here
	unspaced   bool // it has characters of a script without spaces, so it may be several words
	number     bool // it consists of digits
	joined     bool // it follows the word before without a space
}

// at returns the folded words from one position to another.
func (t *text) at(from, to int) []byte { return t.folded[t.words[from].begin:t.words[to-1].end] }

// read adds the words of a text.
func (t *text) read(s string) {
	s = s[:min(len(s), maxText)]
	fresh, joined := true, false
	for s != "" && len(t.words) < maxWords {
		n := wordLength(s)
		if n == 0 {
			gap := gapLength(s)
			fresh = fresh || strings.ContainsAny(s[:gap], clauseEnds) || s[:gap] == " - "
			joined = false
			s = s[gap:]
			continue
		}
		t.addWord(s[:n], fresh, joined)
		fresh, joined = false, true
		s = s[n:]
	}
}

// clauseEnds are the characters between clauses.
const clauseEnds = ".,;:!?()[]/|\n+、。，；：（）【】「」！？＋／"

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

func gapLength(s string) int {
	if n := strings.IndexFunc(s, inWord); n >= 0 {
		return n
	}
	return len(s)
}

// wordLength returns the length of the first word. A word ends between letters and digits, as in iPhone13, unless it
// has fewer than three letters, as in A51.
func wordLength(s string) int {
	letters, mixed := 0, false
	for n, r := range s {
		switch {
		case !inWord(r):
			return n
		case isUnspaced(r):
			mixed = true
		case unicode.IsDigit(r) && letters >= 3 && !mixed:
			return n
		case unicode.IsLetter(r):
			letters++
		}
	}
	return len(s)
}

func isUnspaced(r rune) bool {
	return r >= 0x2E80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー')
}

func (t *text) addWord(s string, fresh, joined bool) {
	if len(t.words) > 0 {
		t.folded = append(t.folded, ' ')
	}
	w := word{begin: len(t.folded), fresh: fresh, joined: joined, number: true}
	t.folded = match.AppendFolded(t.folded, s)
	w.end = len(t.folded)
	if w.begin == w.end {
		return
	}
	for _, r := range s {
		w.unspaced = w.unspaced || isUnspaced(r)
		w.number = w.number && unicode.IsDigit(r)
	}
	t.words = append(t.words, w)
}

// runeLength returns the length in bytes of the first characters of a text, up to a number.
func runeLength(s []byte, count int) (length int) {
	for ; count > 0 && length < len(s); count-- {
		_, n := utf8.DecodeRune(s[length:])
		length += n
	}
	return length
}
