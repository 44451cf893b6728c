package i18n

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/unicode/norm"
)

// SortByName returns the elements of a list, sorted by name as in a dictionary of the language. Accents and case matter
// only if names are otherwise equal, except for letters with their own place in the alphabet. In Japanese and Chinese,
// common Chinese characters are sorted by sound, and rare ones come last.
//
// The order is almost that of x/text/collate, whose tables would be a megabyte of the program.
func SortByName[T any](l *Language, list []T, name func(T) string) []T {
	type keyed struct {
		key     string
		element T
	}
	sorted := make([]keyed, len(list))
	for n, e := range list {
		sorted[n] = keyed{l.sortKey(name(e)), e}
	}
	slices.SortStableFunc(sorted, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	out := make([]T, len(list))
	for n, s := range sorted {
		out[n] = s.element
	}
	return out
}

// SortCategories returns the codes of categories, sorted by their names in the language. Those for things that fit no
// other category come last.
func SortCategories[C ~string](l *Language, codes []C) []C {
	sorted := SortByName(l, codes, func(c C) string { return l.Say("common.category." + string(c)) })
	for _, rest := range []C{"electronics", "other"} {
		if n := slices.Index(sorted, rest); n >= 0 {
			sorted = append(slices.Delete(sorted, n, n+1), rest)
		}
	}
	return sorted
}

// ownLetters returns the letters with accents that have their own place in the alphabet of the language.
func (l *Language) ownLetters() string {
	switch l.tag {
	case "pl":
		return "ąćęłńóśźż"
	case "es":
		return "ñ"
	default:
		return ""
	}
}

// The kinds of characters, in the order in which they are sorted.
const (
	spaceKind byte = iota + 1
	signKind
	letterKind // and digits
	hanKind    // Chinese characters that are sorted by sound
	rareKind
)

// sortKey returns a text that is sorted by its bytes as a name is sorted in the language: the letters, then the
// accents, and then the case.
func (l *Language) sortKey(name string) string {
	var letters, accents []byte
	text := spellOut(strings.Map(largeKana, norm.NFKC.String(strings.ToLower(name))))
	own := l.ownLetters()
	for _, r := range text {
		place := byte(1)
		if at := strings.IndexRune(own, r); at >= 0 {
			place += 1 + byte(at)
		}
		for _, part := range norm.NFKD.String(baseLetters(r)) {
			if unicode.Is(unicode.Mn, part) {
				accents = utf8.AppendRune(append(accents, 2), part)
				continue
			}
			letters = append(l.appendLetter(letters, part), place)
			accents = append(accents, 1)
		}
	}
	return string(letters) + "\x00" + string(accents) + "\x00" + strings.Map(swapCase, name)
}

// swapCase changes the case of a letter, because small letters are sorted before capital letters.
func swapCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}

// appendLetter appends the place of a character without accents.
func (l *Language) appendLetter(key []byte, r rune) []byte {
	if unicode.Is(unicode.Han, r) {
		if code := l.hanCode(r); code != nil {
			return append(append(key, hanKind), code...)
		}
		return utf8.AppendRune(append(key, rareKind), r)
	}
	kind := letterKind
	if unicode.IsSpace(r) {
		kind = spaceKind
	} else if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
		kind = signKind
	}
	return utf8.AppendRune(append(key, kind), r)
}

// hanCode returns the code of a Chinese character in the national standard, whose common characters are sorted by
// sound. It returns nil if there is none.
func (l *Language) hanCode(r rune) []byte {
	var standard encoding.Encoding
	switch l.tag {
	case "ja":
		standard = japanese.EUCJP
	case "zh":
		standard = simplifiedchinese.GBK
	default:
		return nil
	}
	code, err := standard.NewEncoder().Bytes([]byte(string(r)))
	const first = 0xA1 // lower bytes are those of extensions, which are sorted differently
	if err != nil || len(code) != 2 || code[0] < first || code[1] < first {
		return nil
	}
	return code
}

// baseLetters returns the letters as which a character is sorted.
func baseLetters(r rune) string {
	switch r {
	case 'ß':
		return "ss"
	case 'æ':
		return "ae"
	case 'œ':
		return "oe"
	case 'ø':
		return "o"
	case 'ł':
		return "l"
	case 'đ':
		return "d"
	default:
		return string(r)
	}
}

// largeKana returns the katakana as which a kana is sorted: small ones as large ones.
func largeKana(r rune) rune {
	const small, large = "ァィゥェォッャュョヮヵヶ", "アイウエオツヤユヨワカケ"
	if r >= 'ぁ' && r <= 'ゖ' {
		r += 'ァ' - 'ぁ'
	}
	if at := strings.IndexRune(small, r); at >= 0 {
		r, _ = utf8.DecodeRuneInString(large[at:])
	}
	return r
}

// vowels lists the katakana by their final vowel. Each row begins with the vowel itself.
var vowels = []string{
	"アカガサザタダナハバパマヤラワァャ",
	"イキギシジチヂニヒビピミリィ",
	"ウクグスズツヅヌフブプムユルゥュヴ",
	"エケゲセゼテデネヘベペメレェ",
	"オコゴソゾトドノホボポモヨロヲォョ",
}

// spellOut replaces the Japanese long vowel mark with the vowel that it stands for, because names are sorted that
// way. Without this, ガーナ would be among the names that begin with a vowel.
func spellOut(name string) string {
	var before rune
	return strings.Map(func(r rune) rune {
		if r == 'ー' {
			r = vowelOf(before)
		}
		before = r
		return r
	}, name)
}

// vowelOf returns the final vowel of a katakana, or the long vowel mark for any other character.
func vowelOf(kana rune) rune {
	for _, row := range vowels {
		if strings.ContainsRune(row, kana) {
			vowel := []rune(row)[0]
			return vowel
		}
	}
	return 'ー'
}
