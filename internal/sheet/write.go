package sheet

import (
	"bufio"
	"encoding/csv"
	"io"
	"strings"

	"homeward/internal/lost"
)

// Options is how a file is written.
type Options struct {
	// Mark puts a byte order mark first, by which Excel knows that the text is UTF-8.
	Mark bool
	// FileURL gives the address of an uploaded file.
	FileURL func(name string) string
}

// Writer writes items as CSV: UTF-8, commas, one line of headings. Make one with NewWriter.
type Writer struct {
	csv     *csv.Writer
	fileURL func(string) string
	row     []string
}

const byteOrderMark = "\ufeff"

// buffered is how many bytes are kept back at most.
const buffered = 64 << 10

// NewWriter makes a Writer and writes the headings.
func NewWriter(w io.Writer, o Options) (*Writer, error) {
	if o.Mark {
		if _, err := io.WriteString(w, byteOrderMark); err != nil {
			return nil, err
		}
	}
	out := &Writer{csv: csv.NewWriter(bufio.NewWriterSize(w, buffered)), fileURL: o.FileURL, row: make([]string, len(columns))}
	return out, out.csv.Write(Columns())
}

// lineBreaks has all of them be one: those who read CSV do not agree on the others.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Write writes one item. It may be kept back until Flush.
func (w *Writer) Write(i lost.Item) error {
	for n, c := range columns {
		text := c.get(i)
		if c.name == imageColumn && text == "" && i.ImageFile != "" {
			text = w.fileURL(i.ImageFile)
		}
		w.row[n] = guard(lineBreaks.Replace(text))
	}
	return w.csv.Write(w.row)
}

// Flush hands over what was kept back.
func (w *Writer) Flush() error {
	w.csv.Flush()
	return w.csv.Error()
}
