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

// Country is a country for a list to choose from.
type Country struct {
	Code string // ISO 3166-1 alpha-2
	Name string
}

// country is a name and where it stands among the others.
type country struct {
	name string
	key  []byte
}

// Country names the country of an ISO 3166-1 alpha-2 code in capitals. What is none comes back as it is.
func (l *Language) Country(code string) string {
	if c, known := l.countries()[code]; known {
		return c.name
	}
	return code
}

// Countries names the countries of the codes, in the order in which the language's readers look for them.
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

// nameCountries names everything that could be a country. The caller keeps it: a
// collator is slow to make and serves one at a time.
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

// nameCountry prefers our own name: some countries took another after the tables of x/text were made.
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

// pairs lists every pair of capital letters.
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

// vowels has the katakana by the vowel they end in, each row led by that vowel.
var vowels = []string{
	"アカガサザタダナハバパマヤラワァャ",
	"イキギシジチヂニヒビピミリィ",
	"ウクグスズツヅヌフブプムユルゥュヴ",
	"エケゲセゼテデネヘベペメレェ",
	"オコゴソゾトドノホボポモヨロヲォョ",
}

// spellOut writes the Japanese mark for a long vowel as that vowel, which is how names with it
// are sorted. The collator would put ガーナ among those that begin with the vowel.
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

// vowelOf gives the vowel that a katakana ends in; the mark itself after anything else.
func vowelOf(kana rune) rune {
	for _, row := range vowels {
		if strings.ContainsRune(row, kana) {
			vowel := []rune(row)[0]
			return vowel
		}
	}
	return 'ー'
}
