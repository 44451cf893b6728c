package i18n

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// Country is an entry of a list of countries.
type Country struct {
	Code string // ISO 3166-1 alpha-2
	Name string
}

// country is a name and its sort key.
type country struct {
	name string
	key  []byte
}

// Country returns the name of an ISO 3166-1 alpha-2 code in capitals. An unknown code is returned
// unchanged.
func (l *Language) Country(code string) string {
	if c, known := l.countries()[code]; known {
		return c.name
	}
	return code
}

// Countries returns the countries of the codes, sorted as the language's readers expect.
func (l *Language) Countries(codes []string) []Country {
	known := l.countries()
	named := make([]Country, len(codes))
	for i, code := range codes {
		named[i] = Country{code, l.Country(code)}
	}
	slices.SortStableFunc(named, func(a, b Country) int {
		return cmp.Or(bytes.Compare(known[a.Code].key, known[b.Code].key), cmp.Compare(a.Code, b.Code))
	})
	return named
}

// nameCountries names every possible code. The result is cached by the caller, because a collator
// is slow to create and not safe for concurrent use.
func (l *Language) nameCountries() map[string]country {
	all := map[string]country{}
	names, order := display.Regions(l.rules), collate.New(l.rules)
	for _, code := range pairs() {
		name := l.nameCountry(code, names)
		if name == "" {
			continue
		}
		var buffer collate.Buffer
		all[code] = country{name, order.KeyFromString(&buffer, spellOut(name))}
	}
	return all
}

// nameCountry prefers our own name, because some countries were renamed after the tables of x/text
// were made.
func (l *Language) nameCountry(code string, names display.Namer) string {
	if key := "common.country." + code; l.has(key) {
		return l.Say(key)
	}
	region, err := language.ParseRegion(code)
	if err != nil || !region.IsCountry() {
		return ""
	}
	return names.Name(region)
}

// pairs returns every pair of capital letters.
func pairs() []string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	var all []string
	for _, a := range letters {
		for _, b := range letters {
			all = append(all, string([]rune{a, b}))
		}
	}
	return all
}

// vowels groups the katakana by their final vowel; each row begins with that vowel.
var vowels = []string{
	"アカガサザタダナハバパマヤラワァャ",
	"イキギシジチヂニヒビピミリィ",
	"ウクグスズツヅヌフブプムユルゥュヴ",
	"エケゲセゼテデネヘベペメレェ",
	"オコゴソゾトドノホボポモヨロヲォョ",
}

// spellOut replaces the Japanese mark for a long vowel by that vowel, which is how such names are
// sorted. The collator would put ガーナ among those that begin with the vowel.
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

// vowelOf returns the final vowel of a katakana; for anything else the mark itself.
func vowelOf(kana rune) rune {
	for _, row := range vowels {
		if strings.ContainsRune(row, kana) {
			vowel := []rune(row)[0]
			return vowel
		}
	}
	return 'ー'
}
