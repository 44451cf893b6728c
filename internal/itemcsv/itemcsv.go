// Package sheet reads and writes items as CSV, the form in which every other program takes and gives lists. It knows the columns,
// what else they are called, and how to keep a spreadsheet from taking text for a formula.
package itemcsv

import (
	"strings"

	"homeward/internal/lost"
)

// Bounds of a file that is read.
const (
	MaxBytes   = 10 << 20
	MaxRows    = 50_000
	maxColumns = 200
)

// column is one column: how it is headed, how it is read from an item, and how it is put into what becomes one. A column that the
// service fills in by itself cannot be set; it may stand in a file all the same.
type column struct {
	name string
	also []string // other headings, as key gives them
	get  func(*lost.Item) string
	set  func(*lost.CarriedPatch, string)
}

// Columns names the columns of an export, in their order. They are added to, and neither renamed nor moved.
func Columns() []string {
	names := make([]string, len(columns))
	for n, c := range columns {
		names[n] = c.name
	}
	return names
}

// key makes one of the ways in which people write the same heading: "Owner e-mail" and "owner.email" are both owneremail.
func key(heading string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\u00a0._-/:*()#", r) {
			return -1
		}
		return r
	}, strings.ToLower(heading))
}

// byKey finds columns by heading. Where nothing is found, there is no such column.
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

// guard keeps a spreadsheet from running text as a formula: an apostrophe goes before text that begins as one does. Text that looks as if that had
// been done gets another, so that unguard gives back every text.
func guard(text string) string {
	if formula(text) {
		return "'" + text
	}
	return text
}

// unguard takes away what guard put there.
func unguard(text string) string {
	if rest, marked := strings.CutPrefix(text, "'"); marked && formula(rest) {
		return rest
	}
	return text
}

// formula tells text that begins as a formula does, apostrophes aside.
func formula(text string) bool {
	text = strings.TrimLeft(text, "'")
	return text != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(text)[0])
}
