package i18n

import (
	"cmp"
	_ "embed" // the order of the countries
	"slices"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// Country is an entry in a list of countries.
type Country struct {
	Code string // ISO 3166-1 alpha-2
	Name string
}

// country is a country's name and its place in the language's order.
type country struct {
	name  string
	place int
}

// countryOrder has a line for each language: its tag and the codes of all countries, sorted by name. A test makes it
// with x/text/collate, whose tables for all languages of the world would be a megabyte of the program.
//
//go:embed countryorder.txt
var countryOrder string

// orderedCountries returns the codes of all countries in the language's order.
func (l *Language) orderedCountries() []string {
	for line := range strings.Lines(countryOrder) {
		if codes, found := strings.CutPrefix(line, l.tag+" "); found {
			return strings.Fields(codes)
		}
	}
	return nil
}

// Country returns the name of the country with an ISO 3166-1 alpha-2 code, written in capitals. It returns an unknown
// code unchanged.
func (l *Language) Country(code string) string {
	if c, known := l.countries()[code]; known {
		return c.name
	}
	return code
}

// CountryOf returns the country that the first language of an Accept-Language header names, such as AT for de-AT, or
// where most speakers of the language live. It returns an empty string if the header says nothing about it: English is
// the language of many browsers everywhere.
func CountryOf(header string) string {
	first, _, _ := strings.Cut(header, ",")
	first, _, _ = strings.Cut(first, ";")
	tag, err := language.Parse(strings.TrimSpace(first))
	if err != nil {
		return ""
	}
	region, sure := tag.Region()
	if base, _ := tag.Base(); !region.IsCountry() || sure != language.Exact && base.String() == tags[0] {
		return ""
	}
	return region.String()
}

// Countries returns the countries with these codes, sorted by name in the language's order.
func (l *Language) Countries(codes []string) []Country {
	known := l.countries()
	named := make([]Country, len(codes))
	for i, code := range codes {
		named[i] = Country{code, l.Country(code)}
	}
	slices.SortStableFunc(named, func(a, b Country) int {
		return cmp.Or(cmp.Compare(known[a.Code].place, known[b.Code].place), cmp.Compare(a.Code, b.Code))
	})
	return named
}

// nameCountries returns all countries by code. The caller caches the result.
func (l *Language) nameCountries() map[string]country {
	all := map[string]country{}
	names := display.Regions(l.rules)
	for i, code := range l.orderedCountries() {
		all[code] = country{l.nameCountry(code, names), i + 1} // unknown codes come first, with place 0
	}
	return all
}

// nameCountry returns the name of a country. It prefers the name in the catalog, because some countries were renamed
// after the x/text tables were made.
func (l *Language) nameCountry(code string, names display.Namer) string {
	if key := "common.country." + code; l.Has(key) {
		return l.Say(key)
	}
	region, err := language.ParseRegion(code)
	if err != nil || !region.IsCountry() {
		return ""
	}
	return names.Name(region)
}
