package store

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"homeward/internal/lost"
)

// column is one column of a table whose rows are read as T, which has the record R inside it.
type column[T, R any] struct {
	name  string
	scan  func(row *T) any    // where a value that is read goes
	value func(record *R) any // what is written
}

// table is how the records R of one kind are stored. The text columns follow from the record's list of fields.
type table[T, R any] struct {
	columns []column[T, R] // the fixed ones first
	fixed   int            // how many are written once, when the record is added
}

// newTable puts the fixed columns first. It panics where one of them is missing, which every start of the program
// shows.
func newTable[T, R any](fixed []string, columns []column[T, R]) table[T, R] {
	t := table[T, R]{fixed: len(fixed)}
	for _, name := range fixed {
		at := slices.IndexFunc(columns, func(c column[T, R]) bool { return c.name == name })
		if at < 0 {
			panic("no field is stored in the column " + name)
		}
		t.columns = append(t.columns, columns[at])
	}
	for _, c := range columns {
		if !slices.Contains(fixed, c.name) {
			t.columns = append(t.columns, c)
		}
	}
	return t
}

// names lists the columns, for SELECT and INSERT.
func (t *table[T, R]) names() []string {
	names := make([]string, len(t.columns))
	for n := range t.columns {
		names[n] = t.columns[n].name
	}
	return names
}

// marks lists the parameters of all columns, $1 first, for INSERT.
func (t *table[T, R]) marks() string {
	marks := make([]string, len(t.columns))
	for n := range t.columns {
		marks[n] = mark(n + 1)
	}
	return strings.Join(marks, ", ")
}

// sets lists the columns that may change with their parameters, for UPDATE. $1 and $2 are left to the key.
func (t *table[T, R]) sets() (list string, next int) {
	next = 3
	sets := make([]string, 0, len(t.columns))
	for _, c := range t.columns[t.fixed:] {
		sets = append(sets, c.name+" = "+mark(next))
		next++
	}
	return strings.Join(sets, ", "), next
}

// mark writes the parameter with a number.
func mark(n int) string { return "$" + strconv.Itoa(n) }

// targets gives where a row that is read goes, with room for more columns behind it.
func (t *table[T, R]) targets(row *T, more int) []any {
	out := make([]any, 0, len(t.columns)+more)
	for n := range t.columns {
		out = append(out, t.columns[n].scan(row))
	}
	return out
}

// insertValues gives what is written of a new record.
func (t *table[T, R]) insertValues(record *R, more ...any) []any {
	out := make([]any, 0, len(t.columns)+len(more))
	for n := range t.columns {
		out = append(out, t.columns[n].value(record))
	}
	return append(out, more...)
}

// updateValues gives the key of a record and what is written of it when it changes.
func (t *table[T, R]) updateValues(account, id string, record *R, more ...any) []any {
	out := make([]any, 0, 2+len(t.columns)+len(more))
	out = append(out, account, id)
	for n := t.fixed; n < len(t.columns); n++ {
		out = append(out, t.columns[n].value(record))
	}
	return append(out, more...)
}

// textColumns makes columns for the fields that are text and have a column of their own. Name gives the column of a
// field, and inside leads to the record in a row.
func textColumns[T, R, P any](fields []lost.RecordField[R, P], name func(field string) string, shared []string,
	inside func(*T) *R,
) (columns []column[T, R]) {
	for n := range fields {
		f, name := &fields[n], name(fields[n].Name)
		if f.Text(new(R)) == nil || slices.Contains(shared, name) {
			continue
		}
		columns = append(columns, column[T, R]{
			name,
			func(row *T) any { return f.At(inside(row)) },
			func(record *R) any { return *f.Text(record) },
		})
	}
	return columns
}

// columnName gives the column of a field: as names has it, else the field's name in snake case.
func columnName(names map[string]string, field string) string {
	if name, is := names[field]; is {
		return name
	}
	return snakeCase(field)
}

// snakeCase writes contact.zipCode as contact_zip_code.
func snakeCase(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r == '.':
			b.WriteByte('_')
		case unicode.IsUpper(r):
			b.WriteByte('_')
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// searchable gives the texts of a record that a search looks through.
func searchable[R, P any](fields []lost.RecordField[R, P], record *R) []string {
	texts := make([]string, 0, len(fields))
	for n := range fields {
		if f := &fields[n]; f.Search {
			texts = append(texts, *f.Text(record))
		}
	}
	return texts
}
