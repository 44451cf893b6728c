package store

import (
	"crypto/sha256"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the form of s used for searching and sorting. It ignores case, accents and Unicode
// compatibility forms. It is implemented in Go because the two databases fold text differently.
func Fold(s string) string {
	if isPlain(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(s) {
		if isAccent(r) || unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			continue // drop accents and invisible characters
		}
		if isToken(r) {
			r += tokenShift
		}
		if plain, ok := expandLetter(r); ok {
			b.WriteString(plain)
			continue
		}
		b.WriteRune(unicode.ToLower(unicode.ToUpper(r))) // maps ς to σ and ı to i
	}
	return norm.NFC.String(b.String()) // recomposes characters such as Korean and Japanese ones
}

// isPlain reports whether s is printable ASCII, like most text.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// isAccent reports whether r is an accent on Latin, Greek or Cyrillic letters. Marks in other
// scripts change the letter, so they are kept.
func isAccent(r rune) bool {
	return r >= 0x0300 && r <= 0x036f || r >= 0x1ab0 && r <= 0x1aff || r >= 0x1dc0 && r <= 0x1dff ||
		r >= 0x20d0 && r <= 0x20ff
}

// expandLetter returns the replacement for a letter that Unicode does not decompose, and whether it
// has one.
func expandLetter(r rune) (string, bool) {
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

// searchText joins folded fields with line breaks, and replaces those in the fields by spaces. A search word contains
// no line break, so it cannot match across fields.
func searchText(fields ...string) string {
	folded := make([]string, len(fields))
	for i, f := range fields {
		folded[i] = lineBreaks.Replace(Fold(f))
	}
	return strings.Join(folded, "\n")
}

var lineBreaks = strings.NewReplacer("\n", " ", "\r", " ")

// Location tokens consist of private-use characters, which folded text never contains: Fold moves
// them to another private-use plane.
const (
	firstTokenRune = 0xe000
	lastTokenRune  = 0xf8ff
	tokenShift     = 0xf0000 - firstTokenRune
)

func isToken(r rune) bool { return r >= firstTokenRune && r <= lastTokenRune }

// locationToken returns three private-use characters derived from a location's id. They are a
// trigram in the search text of the location's items, which lets the index limit a search to the
// location. Two locations may share a token, so the query must also filter by location.
func locationToken(id string) string {
	sum := sha256.Sum256([]byte(id))
	token := make([]rune, 3)
	for i := range token {
		n := rune(sum[2*i])<<8 | rune(sum[2*i+1])
		token[i] = firstTokenRune + n%(lastTokenRune-firstTokenRune+1)
	}
	return string(token)
}
