package itemcsv

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"homeward/internal/lost"
)

// Reader reads rows of a file. Make one with NewReader.
type Reader struct {
	// Unknown lists the headings that match no column. Their cells are not imported.
	Unknown []string

	csv      *csv.Reader
	columns  []*column         // by position; nil for unknown ones
	headings map[string]string // by column, as in the file
	shift    int               // lines before the first one that csv sees
	rows     int
}

// Row is one row that is not empty.
type Row struct {
	Line  int               `json:"line"`  // number in the file, from 1
	Cells map[string]string `json:"cells"` // by column, without empty ones
	Extra bool              `json:"extra,omitempty"`
}

// wholeRow is the field of a problem with a whole row.
const wholeRow = "row"

// refuse returns why a file cannot be read.
func refuse(code, format string, args ...any) error {
	var p lost.Problems
	p.Add("file", code, format, args...)
	return p.Err()
}

// NewReader reads the headings of a file, or returns why it cannot be read.
func NewReader(content []byte) (*Reader, error) {
	switch content = bytes.TrimPrefix(content, []byte(byteOrderMark)); {
	case len(content) > MaxBytes:
		return nil, refuse("too-large", "must have at most %d MB; split it into several files", MaxBytes>>20)
	case !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0:
		return nil, refuse("not-utf-8", "must be text in UTF-8; in Excel, save it as “CSV UTF-8”")
	}
	r := &Reader{}
	separator, content := r.separator(content)
	if line := crowded(content, byte(separator)); line > 0 {
		return nil,
			refuse("too-many-columns", "must have at most %d columns; line %d has more", maxColumns, line+r.shift)
	}
	r.csv = csv.NewReader(bytes.NewReader(content))
	r.csv.Comma, r.csv.FieldsPerRecord, r.csv.ReuseRecord = separator, -1, true
	headings, err := r.csv.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil,
			refuse("empty", "must not be empty: its first line names the columns, and every other line is an item")
	case err != nil:
		return nil, r.broken(err)
	}
	return r, r.head(headings)
}

// crowded returns the first line with more fields than columns are allowed; 0 if there is none. It runs before the CSV
// reader, which would allocate some hundred bytes for each field, even an empty one. Up to the first broken quotation
// mark, where the CSV reader stops, it counts fields in the same way.
func crowded(content []byte, separator byte) int {
	line, fields, quoted := 1, 1, false
	for _, b := range content {
		switch {
		case b == '"':
			quoted = !quoted
		case b == '\n':
			line++
			if !quoted {
				fields = 1
			}
		case b == separator && !quoted:
			if fields++; fields > maxColumns {
				return line
			}
		}
	}
	return 0
}

// separator detects the field separator: the most frequent candidate in the first line, or the one in a sep= line of
// Excel.
func (r *Reader) separator(content []byte) (rune, []byte) {
	line, rest, _ := bytes.Cut(content, []byte("\n"))
	if said, is := bytes.CutPrefix(bytes.ToLower(bytes.TrimRight(line[:min(len(line), 8)], "\r")),
		[]byte("sep=")); is && len(said) == 1 && strings.Contains(separators, string(said)) {
		r.shift = 1
		return rune(said[0]), rest
	}
	most, best := -1, ','
	for _, s := range separators {
		if n := bytes.Count(line, []byte(string(s))); n > most {
			most, best = n, s
		}
	}
	return best, content
}

const separators = ",;\t"

// head finds the columns by their headings.
func (r *Reader) head(headings []string) error {
	known := byKey()
	r.headings = map[string]string{}
	for _, heading := range headings {
		heading = strings.TrimSpace(unguard(heading))
		c := known[key(heading)]
		switch {
		case c == nil && heading != "":
			r.Unknown = append(r.Unknown, lost.Shorten(heading, lost.MaxShort))
		case c != nil && r.headings[c.name] != "":
			return refuse("duplicate", "must have each column once; “%s” and “%s” are the same", r.headings[c.name],
				lost.Shorten(heading, lost.MaxShort))
		case c != nil:
			r.headings[c.name] = heading
		}
		r.columns = append(r.columns, c)
	}
	if r.headings["description"] == "" {
		return refuse("no-description",
			"must have a column with the heading description; its first line names the columns")
	}
	return nil
}

// Next returns the next row, or io.EOF after the last one. Empty rows are skipped.
func (r *Reader) Next() (Row, error) {
	for {
		fields, err := r.csv.Read()
		if errors.Is(err, io.EOF) {
			return Row{}, io.EOF
		}
		if err != nil {
			return Row{}, r.broken(err)
		}
		row := r.row(fields)
		if len(row.Cells) == 0 && !row.Extra {
			continue
		}
		if r.rows++; r.rows > MaxRows {
			return row, refuse("too-many-rows", "must have at most %d rows; split it into several files", MaxRows)
		}
		return row, nil
	}
}

func (r *Reader) row(fields []string) Row {
	line, _ := r.csv.FieldPos(0)
	row := Row{Line: line + r.shift, Cells: map[string]string{}}
	for n, text := range fields {
		text = strings.TrimSpace(unguard(text))
		switch {
		case text == "":
		case n >= len(r.columns):
			row.Extra = true
		case r.columns[n] != nil && r.columns[n].set != nil:
			row.Cells[r.columns[n].name] = text
		}
	}
	return row
}

// broken returns where the CSV syntax of a file is broken.
func (r *Reader) broken(err error) error {
	p, ok := errors.AsType[*csv.ParseError](err)
	if !ok {
		return fmt.Errorf("read a file: %w", err)
	}
	return refuse("broken-quotes",
		"cannot be read from line %d on: a text with a quotation mark must be in quotation marks, with each inner "+
			"mark doubled", p.StartLine+r.shift)
}

// Patch returns the item of a row. Cells that cannot be read are among its problems.
func (w Row) Patch() lost.ImportedItemPatch {
	var p lost.ImportedItemPatch
	if w.Extra {
		p.Item.Problems.Add(wholeRow, "too-many-fields",
			"has more fields than there are headings: put a text that has the separator in it in quotation marks")
	}
	for _, c := range columns { // in a fixed order, and so are the problems
		if text, is := w.Cells[c.name]; is && c.set != nil {
			c.set(&p, text)
		}
	}
	return p
}
