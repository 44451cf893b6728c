package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"homeward/internal/lost"
)

// column is one column of a table. A row is scanned into a T, which contains a record of type R.
type column[T, R any] struct {
	name  string
	scan  func(row *T) any    // returns the target for Scan
	value func(record *R) any // returns the value to write
}

// table describes how records of type R are stored. The text columns are derived from the record's
// list of fields.
type table[T, R any] struct {
	columns []column[T, R] // fixed columns first
	fixed   int            // number of columns that are written only on insert
}

// newTable returns a table with the fixed columns first. It panics if one of them is missing from
// columns; all tables are built when the program starts.
func newTable[T, R any](fixed []string, columns []column[T, R]) table[T, R] {
	t := table[T, R]{fixed: len(fixed)}
	for _, name := range fixed {
		index := slices.IndexFunc(columns, func(c column[T, R]) bool { return c.name == name })
		if index < 0 {
			panic("no field for the fixed column " + name)
		}
		t.columns = append(t.columns, columns[index])
	}
	for _, c := range columns {
		if !slices.Contains(fixed, c.name) {
			t.columns = append(t.columns, c)
		}
	}
	return t
}

// names returns the names of the columns, for SELECT and INSERT.
func (t *table[T, R]) names() []string {
	names := make([]string, len(t.columns))
	for n := range t.columns {
		names[n] = t.columns[n].name
	}
	return names
}

// params returns the placeholders for all columns, starting with $1, for INSERT.
func (t *table[T, R]) params() string {
	list := make([]string, len(t.columns))
	for n := range t.columns {
		list[n] = param(n + 1)
	}
	return strings.Join(list, ", ")
}

// sets returns the assignments to all columns that are not fixed, for UPDATE, and the number of the
// next placeholder. $1 and $2 are reserved for the key.
func (t *table[T, R]) sets() (list string, next int) {
	next = 3
	sets := make([]string, 0, len(t.columns))
	for _, c := range t.columns[t.fixed:] {
		sets = append(sets, c.name+" = "+param(next))
		next++
	}
	return strings.Join(sets, ", "), next
}

func param(n int) string { return "$" + strconv.Itoa(n) }

// appendTargets appends the targets for Scan.
func (t *table[T, R]) appendTargets(to []any, row *T) []any {
	for n := range t.columns {
		to = append(to, t.columns[n].scan(row))
	}
	return to
}

// separator separates the columns of a joined row. Texts are stored without it, see storedText.
const separator = "\x1f"

// joinedColumns returns a SELECT expression that joins columns into one text. The drivers take much longer for a row
// with many columns: they allocate memory for every value, and SQLite's also for every name.
func joinedColumns(columns []string) string {
	// Without a name, SQLite would use the whole expression, and its driver would copy it for each result.
	return "concat_ws('" + separator + "', " + strings.Join(columns, ", ") + ") AS joined"
}

// emptyIfNull returns an expression for a column of a joined row that may be NULL. A joined row omits NULL.
func emptyIfNull(column string) string { return "COALESCE(CAST(" + column + " AS TEXT), '')" }

// splitColumns sets the targets to the columns of a joined row. The texts share the memory of the row.
func splitColumns(row string, targets []any) error {
	if n := strings.Count(row, separator) + 1; n != len(targets) {
		return fmt.Errorf("a row has %d columns instead of %d", n, len(targets))
	}
	for _, target := range targets {
		text, rest, _ := strings.Cut(row, separator)
		if err := setColumn(target, text); err != nil {
			return err
		}
		row = rest
	}
	return nil
}

// setColumn sets a target for Scan to the text of a column. The empty text is NULL for a pointer.
func setColumn(target any, text string) (err error) {
	switch target := target.(type) {
	case *string:
		*target = text
	case *int64:
		*target, err = strconv.ParseInt(text, 10, 64)
	case *bool:
		*target, err = strconv.ParseBool(text)
	case **bool:
		if text != "" {
			*target = new(bool)
			err = setColumn(*target, text)
		}
	case **int:
		if text != "" {
			*target = new(int)
			**target, err = strconv.Atoi(text)
		}
	default:
		return fmt.Errorf("no joined column can be read as %T", target)
	}
	return err
}

// storedText returns a text as it is stored.
func storedText(text string) string { return strings.ReplaceAll(text, separator, " ") }

// insertValues returns the values of a new record, followed by more.
func (t *table[T, R]) insertValues(record *R, more ...any) []any {
	out := make([]any, 0, len(t.columns)+len(more))
	for n := range t.columns {
		out = append(out, t.columns[n].value(record))
	}
	return append(out, more...)
}

// updateValues returns the key of a record and the values of its columns that are not fixed,
// followed by more.
func (t *table[T, R]) updateValues(account, id string, record *R, more ...any) []any {
	out := make([]any, 0, 2+len(t.columns)+len(more))
	out = append(out, account, id)
	for n := t.fixed; n < len(t.columns); n++ {
		out = append(out, t.columns[n].value(record))
	}
	return append(out, more...)
}

// textColumns returns a column for each text field, except for columns listed in shared. The name
// function returns a field's column name, and inside returns the record within a row.
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
			func(record *R) any { return storedText(*f.Text(record)) },
		})
	}
	return columns
}

// columnName returns the column name of a field: its entry in names, or the field name in snake
// case if it has no entry.
func columnName(names map[string]string, field string) string {
	if name, ok := names[field]; ok {
		return name
	}
	return snakeCase(field)
}

// snakeCase converts a name like contact.zipCode to contact_zip_code.
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

// searchable returns the values of a record's searchable fields.
func searchable[R, P any](fields []lost.RecordField[R, P], record *R, by lost.SearchRule,
	except ...string) []string {
	texts := make([]string, 0, len(fields))
	for n := range fields {
		if f := &fields[n]; f.Search == by && !slices.Contains(except, f.Name) {
			texts = append(texts, *f.Text(record))
		}
	}
	return texts
}

// locationRow holds a location while it is scanned.
type locationRow struct {
	lost.Location
	kind, reminders, shipping, metadata    string
	hours, closures, slots, keeping, areas string
	created, updated                       int64
}

// locationColumnNames maps location fields to column names that cannot be derived from the field
// name.
var locationColumnNames = map[string]string{
	"account": "account_id", "pickupTime.from": "pickup_from", "pickupTime.to": "pickup_to", "matching": "sisters",
}

func locationColumn(field string) string { return columnName(locationColumnNames, field) }

// locationValueColumns are the location columns that are not plain text.
var locationValueColumns = []column[locationRow, lost.Location]{
	{
		"type", func(r *locationRow) any { return &r.kind },
		func(l *lost.Location) any { return string(l.Type) },
	},
	{
		"storage_duration", func(r *locationRow) any { return &r.StorageDuration },
		func(l *lost.Location) any { return l.StorageDuration },
	},
	{
		"keeping_rules", func(r *locationRow) any { return &r.keeping },
		func(l *lost.Location) any { return writeList(l.KeepingRules) },
	},
	{
		"reminders", func(r *locationRow) any { return &r.reminders },
		func(l *lost.Location) any { return writePointee(l.Reminders) },
	},
	{
		"shipping", func(r *locationRow) any { return &r.shipping },
		func(l *lost.Location) any { return writePointee(l.Shipping) },
	},
	{
		"opening_hours", func(r *locationRow) any { return &r.hours },
		func(l *lost.Location) any { return writeList(l.OpeningHours) },
	},
	{
		"closures", func(r *locationRow) any { return &r.closures },
		func(l *lost.Location) any { return writeList(l.Closures) },
	},
	{
		"slots", func(r *locationRow) any { return &r.slots },
		func(l *lost.Location) any { return writeSlots(l.Slots) },
	},
	{
		"metadata", func(r *locationRow) any { return &r.metadata },
		func(l *lost.Location) any { return writeMetadata(l.Metadata) },
	},
	{
		"public_register", func(r *locationRow) any { return &r.PublicRegister },
		func(l *lost.Location) any { return l.PublicRegister },
	},
	{
		"public_areas", func(r *locationRow) any { return &r.areas },
		func(l *lost.Location) any { return writeList(l.PublicAreas) },
	},
	{
		"sisters", func(r *locationRow) any { return &r.Matching.Sisters },
		func(l *lost.Location) any { return l.Matching.Sisters },
	},
	{
		"match_hint", func(r *locationRow) any { return &r.Matching.Hint },
		func(l *lost.Location) any { return l.Matching.Hint },
	},
	{
		"created_at", func(r *locationRow) any { return &r.created },
		func(l *lost.Location) any { return micros(l.CreatedAt) },
	},
	{
		"updated_at", func(r *locationRow) any { return &r.updated },
		func(l *lost.Location) any { return micros(l.UpdatedAt) },
	},
}

// locationSQL describes the locations table.
var locationSQL = newLocationTable() //nolint:gochecknoglobals // built once from fixed lists

type locationTable struct {
	table[locationRow, lost.Location]
	insert, update string
}

func newLocationTable() (t locationTable) {
	inside := func(r *locationRow) *lost.Location { return &r.Location }
	texts := textColumns(lost.LocationFields(), locationColumn, nil, inside)
	t.table = newTable([]string{"account_id", "id", "permalink", "created_at"}, append(texts, locationValueColumns...))
	last := len(t.columns)
	t.insert = "INSERT INTO locations (" + strings.Join(t.names(), ", ") + ", name_key, search) VALUES (" + t.params() +
		", " +
		param(last+1) + ", " + param(last+2) + ")"
	sets, next := t.sets()
	t.update = "UPDATE locations SET " + sets + ", name_key = " + param(next) + ", search = " + param(next+1) +
		" WHERE account_id = $1 AND id = $2"
	return t
}

// writePointee encodes a value as JSON. It encodes nil as an empty string.
func writePointee[T any](v *T) string {
	if v == nil {
		return ""
	}
	return toJSON(v)
}

// writeList encodes a list as JSON. It encodes an empty list as an empty string.
func writeList[T any](list []T) string {
	if len(list) == 0 {
		return ""
	}
	return toJSON(list)
}

// writeSlots encodes slots as JSON. It encodes none as an empty string.
func writeSlots(s lost.Slots) string {
	if s == (lost.Slots{}) {
		return ""
	}
	return toJSON(s)
}
