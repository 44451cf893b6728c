package itemcsv

import (
	"strings"
	"unicode"
)

// fullName is a column of a file that contains a person's first and last name. Map splits it.
const fullName = "owner.fullName"

// The columns into which Map splits a full name.
const (
	firstName = "owner.firstName"
	lastName  = "owner.lastName"
)

// splitName splits a person's name. Before a comma is the last name. Names in Chinese and Japanese characters begin
// with the last name. Other names end with it, and it includes words such as "van" before it. A text that cannot be
// split, such as a single word or a couple, is the last name.
func splitName(text string) (first, last string) {
	if last, first, found := strings.Cut(text, ","); found {
		return strings.TrimSpace(first), strings.TrimSpace(last)
	}
	words := strings.Fields(text)
	switch {
	case len(words) < 2 || strings.ContainsAny(text, "&+/"):
		return "", strings.Join(words, " ")
	case strings.ContainsFunc(text, isEastAsian):
		return strings.Join(words[1:], " "), words[0]
	}
	n := 1
	for n < len(words)-1 && !unicode.IsLower([]rune(words[n])[0]) {
		n++
	}
	return strings.Join(words[:n], " "), strings.Join(words[n:], " ")
}

func isEastAsian(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }

// setName sets the columns of a name from a text with both names, unless the file has columns for them.
func setName(cells map[string]string, text string) {
	first, last := splitName(text)
	for column, name := range map[string]string{firstName: first, lastName: last} {
		if name != "" && cells[column] == "" {
			cells[column] = name
		}
	}
}

// Overlap reports whether two columns set the same field of an item.
func Overlap(a, b string) bool {
	name := func(column string) bool { return column == firstName || column == lastName }
	return a == b || a == fullName && name(b) || b == fullName && name(a)
}
