// Package itemcsv reads and writes items as CSV: it defines the columns and their alternative headings. Table writes
// CSV with other columns, such as the audit log. The package protects spreadsheets from text that looks like a
// formula. It does not access the database: package desk imports and exports items.
package itemcsv

import (
	"strings"

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

// byKey maps normalised headings to columns.
func byKey() map[string]*column {
	found := map[string]*column{}
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
// formula. If the text already starts with apostrophes, another one is added, so that unguard can restore every text.
func guard(text string) string {
	if formula(text) {
		return "'" + text
	}
	return text
}

// unguard reverses guard.
func unguard(text string) string {
	if rest, marked := strings.CutPrefix(text, "'"); marked && formula(rest) {
		return rest
	}
	return text
}

// formula reports whether a text starts like a formula, ignoring apostrophes before it.
func formula(text string) bool {
	text = strings.TrimLeft(text, "'")
	return text != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(text)[0])
}
