// Package itemcsv reads and writes items as CSV. It knows the columns and their other names, and protects spreadsheets
// from text that looks like a formula.
package itemcsv

import (
	"strings"

	"homeward/internal/lost"
)

// Limits of a file that is read.
const (
	MaxBytes   = 10 << 20
	MaxRows    = 50_000
	maxColumns = 200
)

// column is one column: its heading, how it is read from an item, and how it is set when a file is imported. A column
// without set is ignored in an imported file.
type column struct {
	name string
	also []string // other headings, as key returns them
	get  func(*lost.Item) string
	set  func(*lost.ImportedItemPatch, string)
}

// Columns lists the columns of an export in their order. New ones are added at the end; none is renamed or moved,
// because other programs read these files.
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

// byKey returns the columns by normalised heading.
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

// guard prevents a spreadsheet from running text as a formula: it puts an apostrophe before text that begins like one.
// Text that already has apostrophes gets another, so that unguard restores every text.
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

// formula reports whether a text begins like a formula, after any apostrophes.
func formula(text string) bool {
	text = strings.TrimLeft(text, "'")
	return text != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(text)[0])
}
