package i18n

import "strings"

// Address is a postal address.
type Address struct{ Name, Company, Line1, Line2, City, State, ZipCode, Country string }

// codeLast lists the countries in which the postal code follows the town.
const codeLast = "AU CA GB IE IN NZ US"

// Address returns the lines of an address in the order that is usual in its country, with the country's name in the
// reader's language.
func (l *Language) Address(a Address) []string {
	town := Join(", ", Join(" ", a.ZipCode, a.City), a.State)
	if a.Country != "" && strings.Contains(codeLast, a.Country) {
		town = Join(" ", Join(", ", a.City, a.State), a.ZipCode)
	}
	country := ""
	if a.Country != "" {
		country = l.Country(a.Country)
	}
	var lines []string
	for _, line := range []string{a.Name, a.Company, a.Line1, a.Line2, town, country} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// Join joins the texts with the separator between. It skips empty texts.
func Join(between string, texts ...string) string {
	var nonEmpty []string
	for _, t := range texts {
		if t != "" {
			nonEmpty = append(nonEmpty, t)
		}
	}
	return strings.Join(nonEmpty, between)
}
