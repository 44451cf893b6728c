package transfer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"homeward/internal/store"
)

// Row is one row of a table, encoded as a line of JSON: an array of its values in the order of the
// columns. The line is the same for SQLite and PostgreSQL.
type Row struct {
	Line   []byte // ends with a line feed; valid until the next row is read
	values []any
}

// Texts calls visit with each text value in the row.
func (r Row) Texts(visit func(text string)) {
	for _, v := range r.values {
		if text, ok := v.(string); ok {
			visit(text)
		}
	}
}

// Rows calls visit for each row of a table that belongs to the account, or for all rows if account
// is empty.
func Rows(ctx context.Context, s *store.Snapshot, t Table, account string, visit func(r Row) error) error {
	return eachRow(ctx, s.Raw(), t, account, "", visit)
}

// where returns the condition that selects the rows of one account. In a table without an account
// column, no rows belong to an account. Directory entries that belong to the installation are
// excluded.
func (t Table) where(account string) (condition string, args []any) {
	switch {
	case account == "":
		return "", nil
	case !t.hasColumn("account_id"):
		return " WHERE 1 = 0", nil
	case t.Name == "directory":
		var kinds []string
		for _, k := range store.SystemEntryKinds() {
			kinds = append(kinds, "'"+string(k)+"'")
		}
		return " WHERE account_id = $1 AND kind NOT IN (" + strings.Join(kinds, ", ") + ")", []any{account}
	default:
		return " WHERE account_id = $1", []any{account}
	}
}

// eachRow is like Rows, but order may contain ORDER BY, LIMIT and OFFSET clauses.
func eachRow(ctx context.Context, raw store.Raw, t Table, account, order string, visit func(r Row) error) error {
	condition, args := t.where(account)
	rs, err := raw.Query(ctx, "SELECT "+t.quotedColumns()+" FROM "+store.QuoteName(t.Name)+condition+order, args...)
	return t.visitRows(rs, err, visit)
}

// visitRows calls visit for each row of a result with the columns of the table.
func (t Table) visitRows(rs store.Rows, err error, visit func(r Row) error) error {
	if err != nil {
		return fmt.Errorf("read table %s: %w", t.Name, err)
	}
	defer rs.Close()
	lines := newLineEncoder(t)
	values := make([]any, len(t.Columns))
	targets := make([]any, len(t.Columns))
	for i := range values {
		targets[i] = &values[i]
	}
	for rs.Next() {
		if err := rs.Scan(targets...); err != nil {
			return fmt.Errorf("read table %s: %w", t.Name, err)
		}
		row, err := lines.encode(values)
		if err != nil {
			return fmt.Errorf("read table %s: %w", t.Name, err)
		}
		if err := visit(row); err != nil {
			return err
		}
	}
	return rs.Err()
}

// lineEncoder encodes rows of a table. It reuses its memory for the next row.
type lineEncoder struct {
	table   Table
	values  []any // of the row, portable
	line    bytes.Buffer
	encoder *json.Encoder
}

func newLineEncoder(t Table) *lineEncoder {
	e := &lineEncoder{table: t, values: make([]any, len(t.Columns))}
	e.encoder = json.NewEncoder(&e.line)
	e.encoder.SetEscapeHTML(false)
	return e
}

// encode returns the row with these values. It is valid until the next call.
func (e *lineEncoder) encode(values []any) (r Row, err error) {
	for i, c := range e.table.Columns {
		if e.values[i], err = portable(c.Kind, values[i]); err != nil {
			return r, fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	e.line.Reset()
	if err := e.encoder.Encode(e.values); err != nil {
		return r, err
	}
	return Row{Line: e.line.Bytes(), values: e.values}, nil
}

// encoded holds binary data as Base64, because JSON cannot represent it. In older dumps, it also holds text that is not
// valid UTF-8.
type encoded struct {
	Base64 string `json:"base64"`
}

// portable converts a value to a type that has the same JSON form for SQLite and PostgreSQL. It replaces the characters
// of a text that PostgreSQL cannot store, which earlier versions accepted with SQLite.
func portable(k Kind, v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	switch v := v.(type) {
	case string:
		if k == TextKind {
			return store.StorableText(v), nil
		}
	case []byte:
		if k == BytesKind {
			return encoded{base64.StdEncoding.EncodeToString(v)}, nil
		}
	case int64:
		switch k {
		case IntegerKind:
			return v, nil
		case BooleanKind:
			return v != 0, nil
		case RealKind:
			return float64(v), nil
		}
	case int32:
		return portable(k, int64(v))
	case int16:
		return portable(k, int64(v))
	case float32:
		return portable(k, float64(v))
	case float64:
		if k == RealKind {
			return v, nil
		}
	case bool:
		if k == BooleanKind {
			return v, nil
		}
	}
	return nil, fmt.Errorf("got a value of type %T, but the schema declares %s", v, k)
}

// parse returns the values in a row's Line. It replaces the characters of a text that PostgreSQL cannot store, and
// reports whether there were any.
func (t Table) parse(line []byte) (values []any, replaced bool, err error) {
	var cells []json.RawMessage
	if err := json.Unmarshal(line, &cells); err != nil {
		return nil, false, fmt.Errorf("a row of table %s is not JSON: %w", t.Name, err)
	}
	if len(cells) != len(t.Columns) {
		return nil, false, fmt.Errorf("a row of table %s has %d values, want %d", t.Name, len(cells), len(t.Columns))
	}
	values = make([]any, len(cells))
	for i, c := range t.Columns {
		v, err := c.Kind.parse(cells[i])
		if err != nil {
			return nil, false, fmt.Errorf("invalid value in %s.%s: %w", t.Name, c.Name, err)
		}
		if text, is := v.(string); is {
			storable := store.StorableText(text)
			replaced = replaced || storable != text
			v = storable
		}
		values[i] = v
	}
	return values, replaced, nil
}

func (k Kind) parse(cell json.RawMessage) (any, error) {
	if string(cell) == "null" {
		return nil, nil
	}
	switch k {
	case IntegerKind:
		return strconv.ParseInt(string(cell), 10, 64)
	case RealKind:
		return strconv.ParseFloat(string(cell), 64)
	case BooleanKind:
		return strconv.ParseBool(string(cell))
	case TextKind:
		if len(cell) > 0 && cell[0] == '"' {
			var text string
			err := json.Unmarshal(cell, &text)
			return text, err
		}
	}
	var r encoded
	if err := json.Unmarshal(cell, &r); err != nil {
		return nil, err
	}
	content, err := base64.StdEncoding.DecodeString(r.Base64)
	if k == TextKind {
		return string(content), err
	}
	return content, err
}

// Sum is a checksum of a table's rows that does not depend on their order.
type Sum struct {
	Rows int64
	sum  [4]uint64
}

// Add adds the row with the given Line.
func (s *Sum) Add(line []byte) {
	s.Rows++
	hash := sha256.Sum256(line)
	for i := range s.sum {
		s.sum[i] += binary.LittleEndian.Uint64(hash[8*i:])
	}
}

// add adds the rows of another checksum.
func (s *Sum) add(rows Sum) {
	s.Rows += rows.Rows
	for i := range s.sum {
		s.sum[i] += rows.sum[i]
	}
}

// subtract removes rows, all of which were added before.
func (s *Sum) subtract(rows Sum) {
	s.Rows -= rows.Rows
	for i := range s.sum {
		s.sum[i] -= rows.sum[i]
	}
}

// String returns the checksum in hexadecimal.
func (s *Sum) String() string {
	var all []byte
	for _, word := range s.sum {
		all = binary.LittleEndian.AppendUint64(all, word)
	}
	return hex.EncodeToString(all)
}

// sumOf computes the checksum of an account's rows in a table, or of all rows if account is empty.
func sumOf(ctx context.Context, raw store.Raw, t Table, account string) (s Sum, err error) {
	err = eachRow(ctx, raw, t, account, "", func(row Row) error {
		s.Add(row.Line)
		return nil
	})
	return s, err
}
