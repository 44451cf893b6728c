package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Query is a search by somebody who does not know the exact words of a record.
type Query struct {
	terms []*queryTerm
	known map[string][]float64 // see qualities
}

// MaxQueryTerms is the maximum number of terms of a query. Further words are ignored.
const MaxQueryTerms = 10

// queryTerm is one thing that a query asks for: a word, or several words that have a meaning together.
type queryTerm struct {
	text   string   // as typed, folded
	words  []string // its words
	also   []string // other spellings of the same, such as a reference with its hyphen
	senses []querySense
	stop   bool // has no meaning, like articles
	aspect bool // the meaning of a part of the term before, such as leather in leather gloves
	last   bool // the last term, which may still be incomplete
	// category is the category of the things that the term names; empty if the dictionary knows the term.
	category string
	// matched is set if a record that was ranked matches the term.
	matched bool
	weight  float64
	longer  []Phrase // terms of several words that match
}

// querySense is a meaning of a term, and how certain it is, from 0 to 1.
type querySense struct {
	*concept
	certain float64
}

// ReadQuery reads a query. Its text must be folded in the same way as the texts of records. The function also returns
// other spellings of a word that mean exactly the same.
func ReadQuery(folded string, also func(word string) []string) *Query {
	d, q := searchTerms(), &Query{}
	units := queryUnits(d, folded, also)
	for i := 0; i < len(units) && len(q.terms) < MaxQueryTerms; {
		t, length := readTerm(d, units[i:])
		for _, word := range t.words {
			t.also = append(t.also, also(word)...)
		}
		q.terms = append(q.terms, t)
		if a := t.readAspect(d); len(a.senses) > 0 {
			q.terms = append(q.terms, a)
		}
		i += length
	}
	meaningful := false
	for _, t := range q.terms {
		meaningful = meaningful || !t.stop
	}
	for n, t := range q.terms {
		t.stop = t.stop && meaningful
		t.last = n == len(q.terms)-1
	}
	return q
}

// AddCategories tells a query the categories of words that the dictionary does not know. Records of the category match
// them. categoryOf returns the category of a word, or the empty text.
func (q *Query) AddCategories(categoryOf func(word string) string) {
	for _, t := range q.terms {
		guesses := slices.ContainsFunc(t.senses, func(s querySense) bool { return s.certain < 1 })
		if len(t.senses) == 0 || guesses {
			t.category = categoryOf(t.text)
		}
	}
}

// Empty reports whether a query has no words.
func (q *Query) Empty() bool { return len(q.terms) == 0 }

// queryUnit is a word of a query. A literal one has no meaning in the dictionary: an address, a number.
type queryUnit struct {
	text    string
	literal bool
}

// queryUnits splits a query into words.
func queryUnits(d *dictionary, folded string, also func(word string) []string) (units []queryUnit) {
	fields := strings.Fields(folded)
	for i := 0; i < len(fields); i++ {
		if number, length := phoneNumber(fields[i:]); length > 0 {
			units = append(units, queryUnit{number, true})
			i += length - 1
			continue
		}
		field := strings.TrimFunc(fields[i], func(r rune) bool { return !inWord(r) })
		switch {
		case field == "":
		case strings.Contains(field, "@") || hasFigures(field) && !isIdeographic(field),
			strings.Contains(field, "-") && len(also(field)) > 0:
			units = append(units, queryUnit{field, true})
		default:
			for _, word := range splitWord(d, field) {
				units = append(units, queryUnit{word, hasFigures(word)})
			}
		}
	}
	return units
}

// phoneNumber returns the significant digits of a phone number at the start of the fields, and its number of fields,
// or 0 if there is none.
func phoneNumber(fields []string) (number string, length int) {
	const least = 7 // digits of a phone number
	digits := ""
	for _, f := range fields {
		if strings.Trim(f, "0123456789+-/().") != "" {
			break
		}
		digits += strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, f)
		length++
	}
	if number = strings.TrimLeft(digits, "0"); len(number) < least {
		return "", 0
	}
	return number, length
}

// readTerm returns the longest term of the dictionary at the start of the units, or the first unit alone.
func readTerm(d *dictionary, units []queryUnit) (t *queryTerm, length int) {
	t = &queryTerm{text: units[0].text, words: []string{units[0].text}}
	if units[0].literal {
		return t, 1
	}
	t.addSenses(d.known(t.text), 1)
	if len(t.senses) == 0 {
		t.addSenses(d.guess(t.text), guessed)
	}
	length = 1
	key := t.text
	for n := 1; n < len(units) && n < d.longest[units[0].text] && !units[n].literal; n++ {
		key += " " + units[n].text
		senses := d.forms[key]
		if len(senses) == 0 {
			senses = d.forms[strings.TrimSuffix(strings.TrimSuffix(key, "s"), "n")]
		}
		if len(senses) == 0 {
			continue
		}
		t, length = &queryTerm{text: key}, n+1
		for _, u := range units[:length] {
			t.words = append(t.words, u.text)
		}
		t.addSenses(senses, 1)
	}
	t.stop = len(t.senses) > 0 && len(t.words) == 1
	for _, s := range t.senses {
		t.stop = t.stop && s.class == Stop
	}
	return t, length
}

func (t *queryTerm) addSenses(all []sense, certain float64) {
	for _, s := range all {
		if !s.head {
			t.senses = append(t.senses, querySense{s.concept, certain})
		}
	}
}

// readAspect returns a term with the meanings of the parts of a term: of the first part of a compound, and of the
// words of a longer term.
func (t *queryTerm) readAspect(d *dictionary) *queryTerm {
	a := &queryTerm{text: t.text, words: t.words, aspect: true}
	for _, word := range t.words {
		for _, s := range d.known(word) {
			same := func(other querySense) bool { return other.concept == s.concept }
			if (s.head || len(t.words) > 1) && s.class != Stop && !slices.ContainsFunc(t.senses, same) {
				a.senses = append(a.senses, querySense{s.concept, 1})
			}
		}
	}
	return a
}

// guess returns the meanings of a word of at least five letters with one wrong letter, or of a longer one with two.
func (d *dictionary) guess(word string) []sense {
	if len(word) > maxCompared || allowedErrors(word) == 0 {
		return nil
	}
	return d.similar.get(word, func(word string) (found []sense) {
		for off := 1; off <= allowedErrors(word) && found == nil; off++ {
			for length := len(word) - off; length <= len(word)+off; length++ {
				for _, form := range d.byLength[length] {
					if allowedErrors(form) >= off && distance(word, form, off) == off {
						found = merge(found, d.forms[form])
					}
				}
			}
		}
		return found
	})
}

// splitWord splits a folded word at punctuation, and Chinese and Japanese text, which has no spaces, into the longest
// forms of the dictionary.
func splitWord(d *dictionary, word string) (parts []string) {
	for _, r := range runs(word) {
		switch {
		case r.gap:
		case strings.ContainsFunc(r.text, isIdeograph):
			parts = append(parts, splitIdeographs(d, r.text)...)
		default:
			parts = append(parts, r.text)
		}
	}
	return parts
}

func isIdeograph(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// splitIdeographs splits text without spaces into the longest forms of the dictionary and the text between them, in
// which numbers are words of their own, as in 214号室.
func splitIdeographs(d *dictionary, text string) (parts []string) {
	const longest = 8
	begin := 0 // of the text that is not in the dictionary
	for at := 0; at < len(text); {
		end, found := at, 0
		for n := 0; n < longest && end < len(text); n++ {
			_, size := utf8.DecodeRuneInString(text[end:])
			end += size
			if len(d.forms[text[at:end]]) > 0 {
				found = end
			}
		}
		if found == 0 {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
			continue
		}
		parts = append(splitFigures(parts, text[begin:at]), text[at:found])
		at, begin = found, found
	}
	return splitFigures(parts, text[begin:])
}

// splitFigures appends the parts of a text, split between figures and ideographs.
func splitFigures(parts []string, text string) []string {
	var before rune
	begin := 0
	for at, r := range text {
		if isFigure(before) && isIdeograph(r) || isIdeograph(before) && isFigure(r) {
			parts, begin = append(parts, text[begin:at]), at
		}
		before = r
	}
	if begin < len(text) {
		parts = append(parts, text[begin:])
	}
	return parts
}

func isFigure(r rune) bool { return r < utf8.RuneSelf && isDigit(byte(r)) }
