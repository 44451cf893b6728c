package match

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is one word or number of a text.
type token struct {
	text    string // folded: lower case without accents
	written string // as written
	capital bool   // it starts with a capital letter
	// fresh is set if a sentence, clause or part of a word starts here. No term continues across it.
	fresh  bool
	clause bool // a sentence or clause starts here, not only a part of a word such as iPhone13
}

// tokens splits a text into words and numbers. A word that contains digits is returned as a whole and in parts,
// because people write iPhone13 and iPhone 13.
func tokens(text string) (all []token) {
	fresh := true
	for _, run := range runs(text) {
		if run.gap {
			fresh = fresh || run.ends
			continue
		}
		word := foldWord(run.text)
		parts := splitDigits(word)
		clause := fresh
		if len(parts) > 1 {
			all = append(all,
				token{text: word, written: run.text, fresh: true, clause: clause, capital: isCapital(run.text)})
			fresh = true
		}
		for _, part := range parts {
			t := token{
				text: part, written: part, fresh: fresh, clause: clause && len(parts) == 1,
				capital: isCapital(run.text),
			}
			if len(parts) == 1 {
				t.written = run.text
			}
			all = append(all, t)
			fresh = false
		}
	}
	return all
}

func isCapital(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}

// run is a part of a text: a word, or a gap between two words.
type run struct {
	text string
	gap  bool
	ends bool // a gap that ends a clause
}

func runs(text string) (all []run) {
	for text != "" {
		n := strings.IndexFunc(text, func(r rune) bool { return !inWord(r) })
		if n < 0 {
			n = len(text)
		}
		if n > 0 {
			all = append(all, run{text: text[:n]})
			text = text[n:]
			continue
		}
		n = strings.IndexFunc(text, inWord)
		if n < 0 {
			n = len(text)
		}
		all = append(all, run{gap: true, ends: strings.ContainsAny(text[:n], ".,;:!?()/|\n")})
		text = text[n:]
	}
	return all
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// splitDigits splits a word between letters and digits, unless that leaves a single letter: A51 is one name.
func splitDigits(word string) []string {
	var parts []string
	begin := 0
	for i := 1; i < len(word); i++ {
		if isDigit(word[i]) == isDigit(word[i-1]) {
			continue
		}
		parts, begin = append(parts, word[begin:i]), i
	}
	parts = append(parts, word[begin:])
	for _, part := range parts {
		if len(part) == 1 && !isDigit(part[0]) {
			return []string{word}
		}
	}
	return parts
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isNumber reports whether a token consists of digits.
func isNumber(word string) bool {
	return word != "" && strings.Trim(word, "0123456789") == ""
}

// hasFigures reports whether a token contains digits.
func hasFigures(word string) bool {
	for i := range len(word) {
		if isDigit(word[i]) {
			return true
		}
	}
	return false
}

// foldWord returns a word in lower case without accents, for comparison.
func foldWord(word string) string {
	var b strings.Builder
	b.Grow(len(word))
	for _, r := range word {
		if plain, ok := plainLetters[r]; ok {
			b.WriteString(plain)
			continue
		}
		if r = unicode.ToLower(r); plainLetters[r] != "" {
			b.WriteString(plainLetters[r])
		} else if !unicode.Is(unicode.Mn, r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plainLetters maps letters to their spelling without accents.
var plainLetters = func() map[rune]string {
	plain := map[rune]string{
		'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i",
	}
	for base, accented := range map[string]string{
		"a": "àáâãäåāăą", "c": "çćĉċč", "d": "ď", "e": "èéêëēĕėęě", "g": "ĝğġģ", "i": "ìíîïĩīĭį", "k": "ķ", "l": "ĺļľ",
		"n": "ñńņň", "o": "òóôõöōŏő", "r": "ŕŗř", "s": "śŝşšș", "t": "ţťț", "u": "ùúûüũūŭůűų", "w": "ŵ", "y": "ýÿŷ",
		"z": "źżž",
	} {
		for _, r := range accented {
			plain[r] = base
		}
	}
	return plain
}()

// stem removes plural endings of the five languages, so that bag and bags, Tasche and Taschen are equal. It is
// conservative: different words rarely get the same stem.
func stem(word string) string {
	if len(word) < 5 || hasFigures(word) {
		return strings.TrimSuffix(word, plural(word))
	}
	for _, ending := range [...]string{"chen", "lein"} {
		if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) >= 4 {
			word = rest
		}
	}
	for _, ending := range [...]string{
		"eaux", "ern", "ies", "ien", "es", "en", "er", "em", "s", "n", "x", "e", "a", "o", "i", "y",
	} {
		if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) >= 4 {
			return rest
		}
	}
	return word
}

// plural returns the plural ending of a short word; empty if it has none.
func plural(word string) string {
	if len(word) == 4 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") {
		return "s"
	}
	return ""
}

// outline returns a key that most misspellings of a word have in common: its first letter and its consonants. The
// letters c and q become k. Repeated letters, and h, which is often silent, are left out. It reports false if too few
// letters are left. The first character of the key does not appear in words.
func outline(word string) (key string, ok bool) {
	const mark, least = '~', 3
	letters, before := append(make([]rune, 0, 1+len(word)), mark), mark
	for n, r := range word {
		if r == 'c' || r == 'q' {
			r = 'k'
		}
		if n == 0 || r != before && !strings.ContainsRune("aeiouyh", r) {
			letters = append(letters, r)
		}
		before = r
	}
	return string(letters), len(letters) > least
}

// distance returns the number of letters that must be changed, added, removed or swapped to turn one word into the
// other. It returns most+1 if the number is more than most.
func distance(a, b string, most int) int {
	if a == b {
		return 0
	}
	if len(a)-len(b) > most || len(b)-len(a) > most || len(a) > maxCompared || len(b) > maxCompared {
		return most + 1
	}
	var rows [3][maxCompared + 1]int
	before, last, this := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		this[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(last[j]+1, this[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			this[j], least = d, min(least, d)
		}
		if least > most {
			return most + 1
		}
		before, last, this = last, this, before
	}
	return last[len(b)]
}

// maxCompared is the maximum length of words that are compared letter by letter.
const maxCompared = 40

// allowedErrors returns the number of letters of a word that may be wrong.
func allowedErrors(word string) int {
	switch {
	case hasFigures(word), len(word) < 5:
		return 0
	case len(word) < 9:
		return 1
	}
	return 2
}

// alike reports whether two words are the same apart from misspellings. The first letter is rarely wrong.
func alike(a, b string) bool {
	most := min(allowedErrors(a), allowedErrors(b))
	return most > 0 && a[0] == b[0] && distance(a, b, most) <= most
}
