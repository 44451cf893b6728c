package itemcsv

import (
	"bufio"
	"encoding/csv"
	"io"
	"regexp"
	"strings"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// Options configures a Writer.
type Options struct {
	// ByteOrderMark adds a byte order mark at the beginning, so that Excel recognises UTF-8.
	ByteOrderMark bool
	// Headings replace the names of the columns in the first line, if there are any.
	Headings []string
	// Language is the language in which status, source, destination and weight are written. The separator is the one
	// that spreadsheets expect in this language. If it is empty, the file has the API's names and commas.
	Language string
	// Locations contains the names of the items' locations by id. If it is not nil, the last column contains
	// them.
	Locations map[string]string
	// FileURL returns the URL of an uploaded file.
	FileURL func(name string) string
}

// Writer writes items as CSV: UTF-8, one line of headings. Use NewWriter to create one.
type Writer struct {
	*Table
	fileURL   func(string) string
	language  *i18n.Language // nil for the API's names
	locations map[string]string
	row       []string
}

const byteOrderMark = "\ufeff"

// buffered is the size of the write buffer in bytes.
const buffered = 64 << 10

// NewWriter returns a Writer and writes the headings.
func NewWriter(w io.Writer, o Options) (*Writer, error) {
	if o.ByteOrderMark {
		if _, err := io.WriteString(w, byteOrderMark); err != nil {
			return nil, err
		}
	}
	headings, separator := Columns(), ','
	if o.Locations != nil {
		headings = append(headings, LocationColumn)
	}
	if len(o.Headings) == len(headings) {
		headings = o.Headings
	}
	out := &Writer{fileURL: o.FileURL, locations: o.Locations, row: make([]string, len(headings))}
	if o.Language != "" {
		out.language = i18n.Choose(o.Language)
		separator = separatorOf(out.language)
	}
	var err error
	out.Table, err = newTable(w, separator, headings)
	return out, err
}

// separatorOf returns the separator that spreadsheets expect in a language: if numbers contain a comma, it is the
// semicolon.
func separatorOf(l *i18n.Language) rune {
	if l.DecimalMark() == "," {
		return ';'
	}
	return ','
}

// lineBreaks converts all line breaks to \n, because CSV readers differ in how they treat \r.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Write writes one item. The row may be buffered until Flush is called.
func (w *Writer) Write(i lost.Item) error {
	for n, c := range columns {
		w.row[n] = c.get(&i)
		if c.name == imageColumn {
			w.row[n] = w.imageURL(i)
		}
		if w.language != nil {
			w.row[n] = valueText(w.language, c.name, w.row[n])
		}
		if c.name == weightColumn && w.language != nil { // 1.5 would be a date
			w.row[n] = strings.Replace(w.row[n], ".", w.language.DecimalMark(), 1)
		}
	}
	if w.locations != nil {
		w.row[len(columns)] = w.locations[i.LocationID]
	}
	return w.guarded(w.row)
}

// imageURL returns the address of the main photo. Addresses of photos of identity papers and payment cards are left
// out, because everybody who has the file could open them.
func (w *Writer) imageURL(i lost.Item) string {
	switch {
	case i.Category.IsIdentity():
		return ""
	case i.ImageURL == "" && i.ImageFile != "":
		return w.fileURL(i.ImageFile)
	}
	return i.ImageURL
}

// Table writes rows of text. Use NewTable to create one.
type Table struct{ csv *csv.Writer }

// NewTable returns a Table with commas and writes the headings.
func NewTable(w io.Writer, headings ...string) (*Table, error) { return newTable(w, ',', headings) }

func newTable(w io.Writer, separator rune, headings []string) (*Table, error) {
	t := &Table{csv.NewWriter(bufio.NewWriterSize(w, buffered))}
	t.csv.Comma = separator
	return t, t.csv.Write(headings)
}

// negativeNumber matches a number below zero, which is no formula although it starts like one.
var negativeNumber = regexp.MustCompile(`^-[0-9]+(\.[0-9]+)?$`)

// Row writes one row and prevents spreadsheets from evaluating its cells as formulas. They can add up numbers below
// zero. The row may be buffered until Flush is called.
func (t *Table) Row(cells ...string) error {
	return t.write(cells, negativeNumber.MatchString)
}

// guarded writes one row of texts, of which also a number below zero is guarded.
func (t *Table) guarded(cells []string) error {
	return t.write(cells, func(string) bool { return false })
}

func (t *Table) write(cells []string, harmless func(string) bool) error {
	for n, text := range cells {
		if !harmless(text) {
			cells[n] = guard(lineBreaks.Replace(text))
		}
	}
	return t.csv.Write(cells)
}

// Flush writes buffered rows.
func (t *Table) Flush() error {
	t.csv.Flush()
	return t.csv.Error()
}
