package match

import (
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// termNames contains the first form of each concept in each language, and in the last place the form for all
// languages, such as the name of a brand.
//
//nolint:gochecknoglobals // read once from embedded files, never changed
var termNames = sync.OnceValue(func() map[string][]string {
	names := map[string][]string{}
	for _, e := range readEntries("terms") {
		if names[e.name] == nil {
			names[e.name] = make([]string, len(dictionaryLanguages)+1)
		}
		for _, f := range e.forms {
			at := len(dictionaryLanguages)
			if f.in != anyLanguage {
				at = bits.TrailingZeros8(uint8(f.in))
			}
			if names[e.name][at] == "" {
				names[e.name][at] = f.text
			}
		}
	}
	return names
})

// dictionaryLanguages lists the languages of the dictionary, in its order.
var dictionaryLanguages = [...]string{"en", "de", "fr", "es", "it"}

// TermIn returns a word for a term in a language. It is empty if the dictionary has none.
func TermIn(language, term string) string {
	names := termNames()[term]
	if names == nil {
		return ""
	}
	if at := slices.Index(dictionaryLanguages[:], language); at >= 0 && names[at] != "" {
		return names[at]
	}
	return names[len(dictionaryLanguages)]
}

// plainNames returns the names of concepts as English words. The names of brands that are also ordinary words have a
// suffix.
func plainNames(names []string) []string {
	plain := slices.Clone(names)
	for n, name := range plain {
		plain[n] = strings.ReplaceAll(strings.TrimSuffix(name, "-brand"), "-", " ")
	}
	return plain
}
