package store

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
	"unicode/utf8"
)

// Row is one row of a table, and the line of JSON that both databases write for it: an array of its values in the order of the columns.
type Row struct {
	Line   []byte // ends with a line feed; good until the next row
	values []any
}

// Texts calls visit with each of the row's texts.
func (r Row) Texts(visit func(text string)) {
	for _, v := range r.values {
		if text, is := v.(string); is {
			visit(text)
		}
	}
}

// Snapshot is a database as it was at one moment, however long it is read and whoever writes meanwhile.
type Snapshot struct{ reader }

// Snapshot shows fn the database at one moment.
func (db *DB) Snapshot(ctx context.Context, fn func(s *Snapshot) error) error {
	ctx = patiently(across(ctx, Operator))
	return db.engine.snapshot(ctx, func(h handle) error {
		r := db.reader
		r.h = h
		return fn(&Snapshot{r})
	})
}

// SchemaVersion is the number of the newest step that the schema had taken.
func (s *Snapshot) SchemaVersion(ctx context.Context) (int64, error) { return s.schemaVersion(ctx) }

// SecretPrint is what tells the secret that the database was first used with from others; empty where it was used with none yet.
func (s *Snapshot) SecretPrint(ctx context.Context) (string, error) { return s.secretPrint(ctx) }

func (r reader) secretPrint(ctx context.Context) (string, error) {
	first, _, err := r.Lookup(ctx, secretEntry, "")
	return first.Subject, err
}

// Rows calls visit with each row of a table: with all, or with one account's alone.
func (s *Snapshot) Rows(ctx context.Context, t Table, account string, visit func(r Row) error) error {
	return s.eachRow(ctx, t, account, "", visit)
}

// of narrows a table to one account's rows; there are none where it does not tell whose they are. What the directory knows of the place is nobody's.
func (t Table) of(account string) (condition string, args []any) {
	switch {
	case account == "":
		return "", nil
	case !t.column("account_id"):
		return " WHERE 1 = 0", nil
	case t.Name == "directory":
		return " WHERE account_id = $1 AND kind NOT IN ('" + string(secretEntry) + "', '" + string(FirstEntry) + "', '" + string(DemoEntry) + "')", []any{account}
	default:
		return " WHERE account_id = $1", []any{account}
	}
}

// eachRow is Rows with an order, and perhaps a beginning, of the caller's.
func (r reader) eachRow(ctx context.Context, t Table, account, order string, visit func(r Row) error) error {
	ctx = across(ctx, Operator)
	condition, args := t.of(account)
	rs, err := r.h.Query(ctx, "SELECT "+strings.Join(t.names(), ", ")+" FROM "+quoted(t.Name)+condition+order, args...)
	if err != nil {
		return fmt.Errorf("read table %s: %w", t.Name, err)
	}
	defer rs.Close()
	var line bytes.Buffer
	write := json.NewEncoder(&line)
	write.SetEscapeHTML(false)
	values, into, written := make([]any, len(t.Columns)), make([]any, len(t.Columns)), make([]any, len(t.Columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rs.Next() {
		if err := rs.Scan(into...); err != nil {
			return fmt.Errorf("read table %s: %w", t.Name, err)
		}
		for i, c := range t.Columns {
			if written[i], err = portable(c.Kind, values[i]); err != nil {
				return fmt.Errorf("read column %s.%s: %w", t.Name, c.Name, err)
			}
		}
		line.Reset()
		if err := write.Encode(written); err != nil {
			return fmt.Errorf("read table %s: %w", t.Name, err)
		}
		if err := visit(Row{Line: line.Bytes(), values: written}); err != nil {
			return err
		}
	}
	return rs.Err()
}

// raw is a text that is none, as SQLite would keep it: JSON has no bytes.
type raw struct {
	Base64 string `json:"base64"`
}

// portable is a value as JSON writes it the same way wherever it came from.
func portable(k Kind, v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	switch v := v.(type) {
	case string:
		switch {
		case k != TextKind:
		case !utf8.ValidString(v):
			return raw{base64.StdEncoding.EncodeToString([]byte(v))}, nil
		default:
			return v, nil
		}
	case []byte:
		if k == BytesKind {
			return raw{base64.StdEncoding.EncodeToString(v)}, nil
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
	return nil, fmt.Errorf("it holds a %T where the schema has %s", v, k)
}

// parse reads a line that a Row had.
func (t Table) parse(line []byte) ([]any, error) {
	var cells []json.RawMessage
	if err := json.Unmarshal(line, &cells); err != nil {
		return nil, fmt.Errorf("a row of table %s is not JSON: %w", t.Name, err)
	}
	if len(cells) != len(t.Columns) {
		return nil, fmt.Errorf("a row of table %s has %d values, not %d", t.Name, len(cells), len(t.Columns))
	}
	values := make([]any, len(cells))
	for i, c := range t.Columns {
		v, err := c.Kind.parse(cells[i])
		if err != nil {
			return nil, fmt.Errorf("a value of %s.%s is not one: %w", t.Name, c.Name, err)
		}
		values[i] = v
	}
	return values, nil
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
	var r raw
	if err := json.Unmarshal(cell, &r); err != nil {
		return nil, err
	}
	content, err := base64.StdEncoding.DecodeString(r.Base64)
	if k == TextKind {
		return string(content), err
	}
	return content, err
}

// Sum tells whether two tables hold the same rows, in whatever order they are read.
type Sum struct {
	Rows int64
	sum  [4]uint64
}

// Add counts a row's line in.
func (s *Sum) Add(line []byte) {
	s.Rows++
	one := sha256.Sum256(line)
	for i := range s.sum {
		s.sum[i] += binary.LittleEndian.Uint64(one[8*i:])
	}
}

// String is the sum of all rows, to be compared.
func (s *Sum) String() string {
	var all []byte
	for _, word := range s.sum {
		all = binary.LittleEndian.AppendUint64(all, word)
	}
	return hex.EncodeToString(all)
}

// sumOf adds up a table's rows.
func (r reader) sumOf(ctx context.Context, t Table, account string) (s Sum, err error) {
	ctx = across(ctx, Operator)
	err = r.eachRow(ctx, t, account, "", func(row Row) error {
		s.Add(row.Line)
		return nil
	})
	return s, err
}
