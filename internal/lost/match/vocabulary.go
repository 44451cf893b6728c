package match

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Vocabulary holds the words of an account's records. It tells which of them a query may mean, and how frequent they
// are. It need not be complete: a word that it lacks is found if it is typed as it is written.
type Vocabulary struct {
	texts    int
	words    map[string]wordUse
	phrases  map[string]wordUse // terms of the dictionary that have several words
	concepts map[*concept][]string
	keys     map[string][]string // words by spellingKey
	stems    map[string][]string
	lengths  [maxCompared + 1][]letterWord // words that may be misspelled, by length
	trigrams [trigramLetters * trigramLetters * trigramLetters]int32
	before   map[rune]int // how often characters are before short numbers
}

// letterWord is a word with the set of its letters, which shows quickly that two words are not similar.
type letterWord struct {
	text    string
	letters uint32
}

func lettersOf(word string) (set uint32) {
	for i := range len(word) {
		set |= 1 << (word[i] % 32)
	}
	return set
}

// wordUse counts the texts that contain a word.
type wordUse struct{ texts, last int }

// maxVocabulary is the maximum number of words in a vocabulary. Rare words beyond it are left out.
const maxVocabulary = 40_000

// NewVocabulary creates an empty vocabulary.
func NewVocabulary() *Vocabulary {
	return &Vocabulary{
		words: map[string]wordUse{}, phrases: map[string]wordUse{}, concepts: map[*concept][]string{},
		keys: map[string][]string{}, stems: map[string][]string{}, before: map[rune]int{' ': 1, lineBreak: 1},
	}
}

// Texts returns the number of texts that were added.
func (v *Vocabulary) Texts() int { return v.texts }

// Add adds the words of a record's text, which must be folded. Its lines are its fields.
func (v *Vocabulary) Add(text string) {
	d := searchTerms()
	v.texts++
	for line := range strings.SplitSeq(text, "\n") {
		words := textWords(d, line)
		for i, w := range words {
			v.addWord(d, w.text)
			if w.whole {
				continue
			}
			v.addBefore(line, w)
			key := w.text
			for _, next := range words[i+1 : min(len(words), i+1+2*d.longest[w.text])] {
				if next.whole || next.begin == w.begin {
					continue
				}
				key += " " + next.text
				if senses := d.forms[key]; len(senses) > 0 {
					v.addPhrase(line[w.begin:next.end], senses)
				}
			}
		}
		for i := 0; i+3 <= len(line); i++ {
			if n := trigramNumber(line[i : i+3]); n >= 0 {
				v.trigrams[n]++
			}
		}
	}
}

// lineBreak is the character before the first one of a field.
const lineBreak = '\n'

// addBefore counts the character before a short number.
func (v *Vocabulary) addBefore(line string, w textWord) {
	const most = 500 // different characters
	if !isShortNumber(w.text) {
		return
	}
	before, size := utf8.DecodeLastRuneInString(line[:w.begin])
	if size == 0 {
		before = lineBreak
	}
	if n := v.before[before]; n > 0 || len(v.before) < most {
		v.before[before] = n + 1
	}
}

func (v *Vocabulary) addWord(d *dictionary, word string) {
	use, known := v.words[word]
	if use.last == v.texts || !known && len(v.words) >= maxVocabulary {
		return
	}
	v.words[strings.Clone(word)] = wordUse{use.texts + 1, v.texts}
	if known {
		return
	}
	word = strings.Clone(word)
	key := spellingKey(word)
	v.keys[key] = append(v.keys[key], word)
	if hasFigures(word) || len(word) > maxCompared {
		return
	}
	root := stem(word)
	v.stems[root] = append(v.stems[root], word)
	for _, s := range d.known(word) {
		v.concepts[s.concept] = merge(v.concepts[s.concept], []string{word})
	}
	if allowedErrors(word) > 0 {
		v.lengths[len(word)] = append(v.lengths[len(word)], letterWord{word, lettersOf(word)})
	}
}

func (v *Vocabulary) addPhrase(phrase string, senses []sense) {
	use, known := v.phrases[phrase]
	if use.last == v.texts {
		return
	}
	v.phrases[strings.Clone(phrase)] = wordUse{use.texts + 1, v.texts}
	if known {
		return
	}
	for _, s := range senses {
		v.concepts[s.concept] = merge(v.concepts[s.concept], []string{phrase})
	}
}

// textWord is a word of a text.
type textWord struct {
	text       string
	begin, end int  // its position in the text
	number     int  // of the word in the text
	whole      bool // it has punctuation in it, and its parts follow
}

// textWords returns the words of a folded text. A word with punctuation in it, such as a name or a model, is followed
// by its parts.
func textWords(d *dictionary, text string) (words []textWord) {
	at, number := 0, 0
	for field := range strings.FieldsSeq(text) {
		begin := at + strings.Index(text[at:], field)
		at = begin + len(field)
		trimmed := strings.TrimLeftFunc(field, func(r rune) bool { return !inWord(r) })
		begin += len(field) - len(trimmed)
		trimmed = strings.TrimRightFunc(trimmed, func(r rune) bool { return !inWord(r) })
		if trimmed == "" {
			continue
		}
		if isPlainWord(trimmed) { // as most words are
			words = append(words, textWord{trimmed, begin, begin + len(trimmed), number, false})
			number++
			continue
		}
		parts := splitWord(d, trimmed)
		if len(parts) != 1 || parts[0] != trimmed {
			words = append(words, textWord{trimmed, begin, begin + len(trimmed), number, true})
		}
		for _, part := range parts {
			begin += strings.Index(text[begin:], part)
			words = append(words, textWord{part, begin, begin + len(part), number, false})
			begin += len(part)
			number++
		}
	}
	return words
}

// isPlainWord reports whether a word consists of letters a to z and digits.
func isPlainWord(word string) bool {
	for i := range len(word) {
		if c := word[i]; !isDigit(c) && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

func merge[T comparable](all, more []T) []T {
	for _, c := range more {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}
