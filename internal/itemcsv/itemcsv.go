// Package itemcsv reads and writes items as CSV: it defines the columns and their alternative headings. Table writes
// CSV with other columns, such as the audit log. The package protects spreadsheets from text that looks like a
// formula. It does not access the database: package desk imports and exports items.
package itemcsv

import (
	"strings"
	"unicode/utf8"

	"homeward/internal/lost"
)

// Limits of an imported file.
const (
	MaxBytes   = 10 << 20
	MaxRows    = 50_000
	maxColumns = 200
)

// column is one column: its heading, a function that gets the text from an item, and a function that sets it during
// an import. A column without set is ignored during an import.
type column struct {
	name string
	also []string // alternative headings, normalised by key
	date bool     // it contains a date
	get  func(*lost.Item) string
	set  func(*lost.ImportedItemPatch, string)
}

// Columns lists the headings of an export in order. New columns must be added at the end, and existing columns must
// not be renamed or moved, because other programs read these files.
func Columns() []string {
	names := make([]string, len(columns))
	for n, c := range columns {
		names[n] = c.name
	}
	return names
}

// key normalises a heading: "Owner e-mail" and "owner.email" are both owneremail.
func key(heading string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\u00a0._-/:*()#", r) {
			return -1
		}
		return r
	}, strings.ToLower(heading))
}

// byKey maps normalised headings to columns. locations says whether one of them is the location.
func byKey(locations bool) map[string]*column {
	found := map[string]*column{}
	if c := locationColumn(); locations {
		for _, heading := range append(c.also, c.name) {
			found[heading] = c
		}
	}
	for n := range columns {
		c := &columns[n]
		found[key(c.name)] = c
		for _, also := range c.also {
			found[also] = c
		}
	}
	return found
}

// guard prevents spreadsheets from evaluating text as a formula: it adds an apostrophe before text that starts like a
// formula. It does the same after each comma, semicolon and line break, because a program that expects another
// separator than the file has starts a cell there, even inside quotation marks. If there are apostrophes already,
// another one is added, so that unguard can restore every text.
func guard(text string) string {
	var b strings.Builder
	done := 0
	for n := range len(text) {
		if formulaAt(text, n, text[n:]) {
			b.WriteString(text[done:n] + "'")
			done = n
		}
	}
	if b.Len() == 0 {
		return text
	}
	return b.String() + text[done:]
}

// unguard reverses guard.
func unguard(text string) string {
	var b strings.Builder
	done := 0
	for n := range len(text) {
		if text[n] == '\'' && formulaAt(text, n, text[n+1:]) {
			b.WriteString(text[done:n])
			done = n + 1
		}
	}
	return b.String() + text[done:]
}

// formulaAt reports whether a cell can start at a position of a text, and rest starts like a formula. It ignores
// apostrophes and spaces before the formula. Line breaks count only at the start of the text.
func formulaAt(text string, position int, rest string) bool {
	signs := "=+-@\t＝＋－＠"
	switch {
	case position == 0:
		signs += "\r\n"
	case !strings.Contains(",;\n", text[position-1:position]):
		return false
	}
	first, size := utf8.DecodeRuneInString(strings.TrimLeft(rest, "' \u00a0"))
	return size > 0 && strings.ContainsRune(signs, first)
}
