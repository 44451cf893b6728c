package i18n

import (
	"bytes"
	"cmp"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/collate"
	"golang.org/x/text/language/display"
)

var updateOrder = flag.Bool("update", false, "rewrite countryorder.txt")

// TestTheOrderOfCountriesIsThatOfTheirNames compares countryorder.txt with the order that Unicode defines for each
// language. Run it with -update after changing a name or adding a language.
func TestTheOrderOfCountriesIsThatOfTheirNames(t *testing.T) {
	var want strings.Builder
	for _, tag := range tags {
		want.WriteString(tag + " " + strings.Join(sortCountries(Choose(tag)), " ") + "\n")
	}
	if *updateOrder {
		if err := os.WriteFile("countryorder.txt", []byte(want.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if countryOrder != want.String() {
		t.Error("countryorder.txt is out of date; run go test ./internal/i18n -run TheOrderOfCountries -update")
	}
}

// sortCountries returns the codes of all countries, sorted by name.
func sortCountries(l *Language) (codes []string) {
	names, order, keys := display.Regions(l.rules), collate.New(l.rules), map[string][]byte{}
	for _, code := range pairs() {
		name := l.nameCountry(code, names)
		if name == "" {
			continue
		}
		var buffer collate.Buffer
		keys[code] = order.KeyFromString(&buffer, spellOut(name))
		codes = append(codes, code)
	}
	slices.SortFunc(codes, func(a, b string) int {
		return cmp.Or(bytes.Compare(keys[a], keys[b]), cmp.Compare(a, b))
	})
	return codes
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
