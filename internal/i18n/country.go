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

// Country is an entry in a list of countries.
type Country struct {
	Code string // ISO 3166-1 alpha-2
	Name string
}

// country is a country's name and its sort key.
type country struct {
	name string
	key  []byte
}

// Country returns the name of the country with an ISO 3166-1 alpha-2 code, written in capitals. It returns an unknown
// code unchanged.
func (l *Language) Country(code string) string {
	if c, known := l.countries()[code]; known {
		return c.name
	}
	return code
}

// Countries returns the countries with these codes, sorted by name in the language's order.
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

// nameCountries returns the country for every possible code. The caller caches the result, because a collator is slow
// to create and not safe for concurrent use.
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

// nameCountry returns the name of a country. It prefers the name in the catalog, because some countries were renamed
// after the x/text tables were made.
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

// vowels lists the katakana by their final vowel. Each row begins with the vowel itself.
var vowels = []string{
	"アカガサザタダナハバパマヤラワァャ",
	"イキギシジチヂニヒビピミリィ",
	"ウクグスズツヅヌフブプムユルゥュヴ",
	"エケゲセゼテデネヘベペメレェ",
	"オコゴソゾトドノホボポモヨロヲォョ",
}

// spellOut replaces the Japanese long vowel mark with the vowel that it stands for, because names are sorted that
// way. Without this, the collator would sort ガーナ among the names that begin with a vowel.
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
