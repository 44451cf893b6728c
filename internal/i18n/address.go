package i18n

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

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

// FullName returns a person's name in the order of the language: Japanese and Chinese begin with the family name. A
// name in Latin letters begins with the given name everywhere.
func (l *Language) FullName(first, last string) string {
	switch {
	case isLatin(first) && isLatin(last):
		return Join(" ", first, last)
	case l.tag == "zh" && isHan(first) && isHan(last):
		return last + first
	case l.tag == "ja" || l.tag == "zh":
		return Join(" ", last, first)
	default:
		return Join(" ", first, last)
	}
}

// GreetingName returns the name with which a letter addresses a person.
func (l *Language) GreetingName(first, last string) string {
	switch l.tag {
	case "ja":
		return cmp.Or(last, first)
	case "zh":
		return l.FullName(first, last)
	default:
		return first
	}
}

func isLatin(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r)
	})
}

func isHan(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.Is(unicode.Han, r) })
}

// fieldOrders contains the order of related form fields in languages that differ from the usual one.
var fieldOrders = map[string][][]string{
	"ja": {{"lastName", "firstName"}, {"zipCode", "state", "city", "address1", "address2"}},
	"zh": {{"lastName", "firstName"}, {"state", "city", "address1", "address2", "zipCode"}},
}

// ArrangeFields sorts the fields of names and addresses as people expect them in the language. Other fields keep their
// places. A name can have a prefix, such as owner.firstName.
func ArrangeFields[T any](l *Language, fields []T, nameOf func(T) string) {
	for _, order := range fieldOrders[l.tag] {
		rank := func(f T) int {
			name := nameOf(f)
			return slices.Index(order, name[strings.LastIndex(name, ".")+1:])
		}
		var places []int
		var related []T
		for n, f := range fields {
			if rank(f) >= 0 {
				places, related = append(places, n), append(related, f)
			}
		}
		slices.SortStableFunc(related, func(a, b T) int { return rank(a) - rank(b) })
		for n, place := range places {
			fields[place] = related[n]
		}
	}
}

// Enumerate joins texts with the language's comma. It skips empty texts.
func (l *Language) Enumerate(texts ...string) string { return l.join("common.list.comma", texts) }

// JoinClauses joins longer texts, which may be enumerations themselves.
func (l *Language) JoinClauses(texts ...string) string { return l.join("common.list.clauses", texts) }

func (l *Language) join(key string, texts []string) (all string) {
	for _, t := range texts {
		switch {
		case all == "":
			all = t
		case t != "":
			all = l.Say(key, "a", all, "b", t)
		}
	}
	return all
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
