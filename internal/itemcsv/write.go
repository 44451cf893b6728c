package itemcsv

import (
	"bufio"
	"encoding/csv"
	"io"
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
	// Language is the language in which status, source and destination are written. If it is empty, they have the
	// API's names.
	Language string
	// FileURL returns the URL of an uploaded file.
	FileURL func(name string) string
}

// Writer writes items as CSV: UTF-8, commas, one line of headings. Use NewWriter to create one.
type Writer struct {
	*Table
	fileURL  func(string) string
	language *i18n.Language // nil for the API's names
	row      []string
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
	headings := Columns()
	if len(o.Headings) == len(headings) {
		headings = o.Headings
	}
	t, err := NewTable(w, headings...)
	out := &Writer{Table: t, fileURL: o.FileURL, row: make([]string, len(columns))}
	if o.Language != "" {
		out.language = i18n.Choose(o.Language)
	}
	return out, err
}

// lineBreaks converts all line breaks to \n, because CSV readers differ in how they treat \r.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Write writes one item. The row may be buffered until Flush is called.
func (w *Writer) Write(i lost.Item) error {
	for n, c := range columns {
		w.row[n] = c.get(&i)
		if c.name == imageColumn && w.row[n] == "" && i.ImageFile != "" {
			w.row[n] = w.fileURL(i.ImageFile)
		}
		if text := valueTexts[c.name][w.row[n]]; w.language != nil && text != "" {
			w.row[n] = w.language.Say(text)
		}
	}
	return w.Row(w.row...)
}

// Table writes rows of text. Use NewTable to create one.
type Table struct{ csv *csv.Writer }

// NewTable returns a Table and writes the headings.
func NewTable(w io.Writer, headings ...string) (*Table, error) {
	t := &Table{csv.NewWriter(bufio.NewWriterSize(w, buffered))}
	return t, t.csv.Write(headings)
}

// Row writes one row and prevents spreadsheets from evaluating its cells as formulas. The row may be buffered until
// Flush is called.
func (t *Table) Row(cells ...string) error {
	for n, text := range cells {
		cells[n] = guard(lineBreaks.Replace(text))
	}
	return t.csv.Write(cells)
}

// Flush writes buffered rows.
func (t *Table) Flush() error {
	t.csv.Flush()
	return t.csv.Error()
}
