package store

import (
	"crypto/sha256"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns text in the form in which it is searched and sorted: without case, accents and compatibility forms. It
// is done in Go because databases do not agree on it.
func Fold(s string) string {
	if isPlain(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(s) {
		if isAccent(r) || unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			continue // accents and invisible characters
		}
		if isToken(r) {
			r += tokenShift
		}
		if plain, ok := spelledOut(r); ok {
			b.WriteString(plain)
			continue
		}
		b.WriteRune(unicode.ToLower(unicode.ToUpper(r))) // the same for ς and σ, ı and i
	}
	return norm.NFC.String(b.String()) // characters that kept their parts (Korean, Japanese) are composed again
}

// isPlain reports whether s is printable ASCII, as most text is.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// isAccent reports whether r is an accent of Latin, Greek or Cyrillic letters. Marks of other scripts change the letter
// and stay.
func isAccent(r rune) bool {
	return r >= 0x0300 && r <= 0x036f || r >= 0x1ab0 && r <= 0x1aff || r >= 0x1dc0 && r <= 0x1dff ||
		r >= 0x20d0 && r <= 0x20ff
}

// spelledOut replaces letters that Unicode does not decompose.
func spelledOut(r rune) (string, bool) {
	switch r {
	case 'ß', 'ẞ':
		return "ss", true
	case 'æ', 'Æ':
		return "ae", true
	case 'œ', 'Œ':
		return "oe", true
	case 'ø', 'Ø':
		return "o", true
	case 'ł', 'Ł':
		return "l", true
	case 'đ', 'Đ', 'ð', 'Ð':
		return "d", true
	case 'þ', 'Þ':
		return "th", true
	case 'ħ', 'Ħ':
		return "h", true
	}
	return "", false
}

// Words splits a search term into folded words.
func Words(term string) []string { return strings.Fields(Fold(term)) }

// searchText joins folded fields with line breaks. Words have none, so that no word matches across two fields.
func searchText(fields ...string) string {
	folded := make([]string, len(fields))
	for i, f := range fields {
		folded[i] = Fold(f)
	}
	return strings.Join(folded, "\n")
}

// Private-use characters make tokens that no folded text contains: Fold moves them to another private-use plane.
const (
	firstTokenRune = 0xe000
	lastTokenRune  = 0xf8ff
	tokenShift     = 0xf0000 - firstTokenRune
)

func isToken(r rune) bool { return r >= firstTokenRune && r <= lastTokenRune }

// locationToken is three private-use characters made from a location's id. It is a trigram in the search text of the
// location's items, by which the index limits a search to them. Two locations may share a token, so the query has the
// location as well.
func locationToken(id string) string {
	sum := sha256.Sum256([]byte(id))
	token := make([]rune, 3)
	for i := range token {
		n := rune(sum[2*i])<<8 | rune(sum[2*i+1])
		token[i] = firstTokenRune + n%(lastTokenRune-firstTokenRune+1)
	}
	return string(token)
}
