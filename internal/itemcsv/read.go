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

// Reader reads the rows of a file. Use NewReader to create one.
type Reader struct {
	// Unknown lists the headings that do not match a column. Their cells are not imported.
	Unknown []string

	csv      *csv.Reader
	known    map[string]*column // by normalised heading
	columns  []*column          // by position; nil for unknown columns
	headings map[string]string  // headings as in the file, by column name
	shift    int                // number of lines before the first line that the CSV reader reads
	rows     int
}

// Row is one row that is not empty.
type Row struct {
	Line  int               `json:"line"`  // line number in the file, from 1
	Cells map[string]string `json:"cells"` // by column name, without empty cells
	Extra bool              `json:"extra,omitempty"`

	Location string `json:"location,omitempty"` // id of the row's location, in an import into all locations
}

// wholeRow is the field of a problem with a whole row.
const wholeRow = "row"

// refuse returns the error for a file that cannot be read.
func refuse(code, format string, args ...any) error {
	var p lost.Problems
	p.Add("file", code, format, args...)
	return p.Err()
}

// NewReader returns a Reader and reads the headings. It returns an error if the file cannot be read. If locations is
// true, the file must have a column with the locations; otherwise such a column is unknown.
func NewReader(content []byte, locations bool) (*Reader, error) {
	r, headings, err := open(content)
	if err != nil {
		return nil, err
	}
	r.known = byKey(locations)
	if err := r.head(headings); err != nil {
		return nil, err
	}
	if locations && r.headings[LocationColumn] == "" {
		return nil, refuse("no-location-column",
			"must have a column with the heading location in the first line, or choose the location of the items")
	}
	return r, nil
}

// open returns a Reader without columns, and the headings of the file.
func open(content []byte) (*Reader, []string, error) {
	switch content = bytes.TrimPrefix(content, []byte(byteOrderMark)); {
	case len(content) > MaxBytes:
		return nil, nil, refuse("too-large", "must be at most %d MB; split it into several files", MaxBytes>>20)
	case !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0:
		return nil, nil, refuse("not-utf-8", "must be text in UTF-8; in Excel, save it as “CSV UTF-8”")
	}
	r := &Reader{}
	separator, content := r.separator(lineFeeds(content))
	if line := firstLongLine(content, byte(separator)); line > 0 {
		return nil, nil,
			refuse("too-many-columns", "must have at most %d columns; line %d has more", maxColumns, line+r.shift)
	}
	r.csv = csv.NewReader(bytes.NewReader(content))
	r.csv.Comma, r.csv.FieldsPerRecord, r.csv.ReuseRecord = separator, -1, true
	headings, err := r.csv.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil,
			refuse("empty", "must not be empty: the first line must have the headings, and every other line an item")
	case err != nil:
		return nil, nil, r.broken(err)
	}
	return r, headings, nil
}

// lineFeeds converts the line breaks of a file whose lines end with a carriage return only, as older programs for the
// Mac write it. Line breaks inside of its cells may be line feeds.
func lineFeeds(content []byte) []byte {
	quoted := false
	for n, b := range content {
		switch {
		case b == '"':
			quoted = !quoted
		case quoted || b != '\r' && b != '\n':
		case b == '\r' && !bytes.HasPrefix(content[n:], []byte("\r\n")):
			return bytes.ReplaceAll(content, []byte("\r"), []byte("\n"))
		default:
			return content
		}
	}
	return content
}

// firstLongLine returns the first line with more than maxColumns fields, or 0 if there is none. It runs before the
// CSV reader, which would allocate hundreds of bytes for each field, even if it is empty. It counts fields like the
// CSV reader, up to the first broken quotation mark, where the CSV reader stops.
func firstLongLine(content []byte, separator byte) int {
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

// separator detects the field separator: the most frequent candidate in the first line, or the one in a sep= line
// from Excel. It returns the content without that line.
func (r *Reader) separator(content []byte) (rune, []byte) {
	line, rest, _ := bytes.Cut(content, []byte("\n"))
	if name, ok := bytes.CutPrefix(bytes.ToLower(bytes.TrimRight(line[:min(len(line), 8)], "\r")),
		[]byte("sep=")); ok && len(name) == 1 && strings.Contains(separators, string(name)) {
		r.shift = 1
		return rune(name[0]), rest
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

// head maps the headings to columns. It returns an error if a column is missing or duplicated.
func (r *Reader) head(headings []string) error {
	r.headings = map[string]string{}
	for _, heading := range headings {
		heading = strings.TrimSpace(unguard(heading))
		c := r.known[key(heading)]
		switch {
		case c == nil && heading != "":
			r.Unknown = append(r.Unknown, lost.Shorten(heading, lost.MaxShort))
		case c != nil && r.headings[c.name] != "":
			return refuse("duplicate", "must have each column only once; “%s” and “%s” are the same",
				r.headings[c.name], lost.Shorten(heading, lost.MaxShort))
		case c != nil:
			r.headings[c.name] = heading
		}
		r.columns = append(r.columns, c)
	}
	if r.headings["description"] == "" {
		return refuse("no-description",
			"must have a column with the heading description in the first line")
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

// broken converts an error from the CSV reader to an error that tells the user the line and the remedy.
func (r *Reader) broken(err error) error {
	p, ok := errors.AsType[*csv.ParseError](err)
	if !ok {
		return fmt.Errorf("read CSV file: %w", err)
	}
	return refuse("broken-quotes",
		"cannot be read from line %d onwards: put text that contains a quotation mark in quotation marks, and "+
			"double the quotation marks inside", p.StartLine+r.shift)
}

// Patch returns the patch for the item in a row. Its problems include cells that cannot be parsed.
func (w Row) Patch() lost.ImportedItemPatch {
	var p lost.ImportedItemPatch
	if w.Extra {
		p.Item.Problems.Add(wholeRow, "too-many-fields",
			"has more fields than headings: put text that contains the separator in quotation marks")
	}
	for _, c := range columns { // in a fixed order, so that the order of problems is fixed too
		if text, ok := w.Cells[c.name]; ok && c.set != nil {
			c.set(&p, text)
		}
	}
	return p
}
