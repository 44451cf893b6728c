package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"homeward/internal/lost"
)

// handle runs SQL: a pool that reads, or a transaction. Both drivers are behind it, so that every query is written
// once.
type handle interface {
	// Query runs a statement that is prepared once and planned for any arguments.
	Query(ctx context.Context, sql string, args ...any) (rows, error)
	// QueryPlanned is for statements whose best plan depends on the arguments, such as searches and filters: the
	// database plans each run.
	QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error)
}

// txHandle is a handle inside a transaction.
type txHandle interface {
	handle
	// Exec runs a statement and returns the number of affected rows.
	Exec(ctx context.Context, sql string, args ...any) (int64, error)
	// Queue runs a statement before the next one that returns something, at the latest before the commit. On PostgreSQL
	// both are sent together, which saves a round trip.
	Queue(ctx context.Context, sql string, args ...any) error
	// QueueQuery is Queue for a query: read is called with the rows, at the latest during the commit. Its error is
	// returned by the write. On PostgreSQL it may come after the commit, and undo nothing: what read checks must also
	// be in the conditions of the other statements.
	QueueQuery(ctx context.Context, read func(rows) error, sql string, args ...any) error
	// Script runs several statements that take no arguments.
	Script(ctx context.Context, sql string) error
	// InsertRows inserts rows into a table until next returns nil, in the fastest way the database offers, and returns
	// how many it inserted.
	InsertRows(ctx context.Context, table string, columns []string, next func() ([]any, error)) (int64, error)
}

// rows is the result of a query.
type rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close()
}

// engine is one of the two databases.
type engine interface {
	handle
	// write runs fn once in a transaction and commits it; an error of fn rolls it back. DB.Write repeats it after a
	// conflict.
	write(ctx context.Context, fn func(txHandle) error) error
	// snapshot runs fn on a view of the database at one moment.
	snapshot(ctx context.Context, fn func(handle) error) error
	// unfinished returns why the database cannot be used now, or nothing.
	unfinished(ctx context.Context) (string, error)
	ping(ctx context.Context) error
	// scrub removes deleted data from files other than the tables, and reports whether it could. It blocks nobody.
	scrub(ctx context.Context) (done bool, err error)
	close()
	dialect() dialect
	pools() []Pool
	// cacheStats are the hits and misses of the statement cache.
	cacheStats() CacheStats
}

// limitClause is a LIMIT with a literal number, for frequent queries that use few different limits. With an argument,
// SQLite would plan the statement again for each value.
func limitClause(rows int) string { return " LIMIT " + strconv.Itoa(rows) }

// collect reads all rows. It reserves space for a usual page, because records are large and expensive to copy.
func collect[T any](rs rows, err error, scan func(rows) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	out := make([]T, 0, lost.DefaultLimit)
	for rs.Next() {
		v, err := scan(rs)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rs.Err()
}

// firstRow reads the first row, if there is one.
func firstRow[T any](rs rows, err error, scan func(rows) (T, error)) (v T, found bool, _ error) {
	if err != nil {
		return v, false, err
	}
	defer rs.Close()
	if !rs.Next() {
		return v, false, rs.Err()
	}
	v, err = scan(rs)
	if err != nil {
		return v, false, err
	}
	rs.Close()
	return v, true, rs.Err()
}

// requireRow reads the first row, and returns NotFound if there is none.
func requireRow[T any](what string, rs rows, err error, scan func(rows) (T, error)) (T, error) {
	v, found, err := firstRow(rs, err, scan)
	if err == nil && !found {
		err = lost.Missing(what)
	}
	return v, err
}

// firstValue reads the only column of the first row.
func firstValue[T any](rs rows, err error) (T, bool, error) {
	return firstRow(rs, err, func(rs rows) (v T, err error) {
		err = rs.Scan(&v)
		return v, err
	})
}

// scanText reads a row with one text.
func scanText(rs rows) (text string, err error) {
	err = rs.Scan(&text)
	return text, err
}

// scanTexts reads rows with the given number of texts.
func scanTexts(rs rows, err error, columns int) ([][]string, error) {
	return collect(rs, err, func(rs rows) ([]string, error) {
		row, into := make([]string, columns), make([]any, columns)
		for n := range row {
			into[n] = &row[n]
		}
		return row, rs.Scan(into...)
	})
}

// writeStrings encodes a list of names as JSON; nil is the empty text.
func writeStrings(s []string) string {
	if s == nil {
		return ""
	}
	return toJSON(s)
}

func readStrings(text string) (s []string, err error) {
	err = readJSON("a list of names", text, &s)
	return s, err
}

// toJSON encodes a value of texts, numbers and times, which cannot fail.
func toJSON(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// readJSON decodes a JSON column; the empty text changes nothing.
func readJSON(what, text string, dst any) error {
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), dst); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}

// countTotal counts the records of a list up to lost.MaxTotal. A page that is not full needs no query.
func (r reader) countTotal(ctx context.Context, page lost.Page, onPage int, matching string,
	args ...any) (lost.Total, error) {
	if onPage > 0 && onPage < page.Limit || onPage == 0 && page.Number == 1 {
		return lost.TotalOf(page.Offset() + onPage), nil
	}
	rs, err := r.h.QueryPlanned(ctx,
		fmt.Sprintf("SELECT count(*) FROM (%s LIMIT %d) AS matching", matching, lost.MaxTotal+1), args...)
	n, _, err := firstValue[int](rs, err)
	return lost.TotalOf(n), err
}
