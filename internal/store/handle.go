package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"homeward/internal/lost"
)

// handle runs SQL: a pool that reads, or a transaction. Both drivers fit behind it, so every
// query in this room is written once, against this.
type handle interface {
	// Query runs a statement that is prepared once and planned for any arguments.
	Query(ctx context.Context, sql string, args ...any) (rows, error)
	// QueryPlanned is for statements whose best plan depends on the arguments
	// (searches, filters): the engine plans each run anew.
	QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error)
}

// txHandle is a handle inside a transaction.
type txHandle interface {
	handle
	// Exec runs a statement now and tells how many rows it touched.
	Exec(ctx context.Context, sql string, args ...any) (int64, error)
	// Later runs a statement before the next one that answers, at the latest before the
	// commit. On PostgreSQL it travels with that one: a round trip saved.
	Queue(ctx context.Context, sql string, args ...any) error
	// Ask is Later for a statement that answers: read gets the rows once they are there, at the
	// latest when the commit is. Its error is that of the write, but on PostgreSQL it may come after the
	// commit and undo nothing: what is asked must hold for everything else that is written, or stand in its conditions.
	Ask(ctx context.Context, read func(rows) error, sql string, args ...any) error
	// Script runs several statements that take no arguments.
	Script(ctx context.Context, sql string) error
	// InsertRows inserts rows into a table until next returns nil, in the fastest way the database offers, and returns how
	// many it inserted.
	InsertRows(ctx context.Context, table string, columns []string, next func() ([]any, error)) (int64, error)
}

// rows is what both drivers' rows can do.
type rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close()
}

// engine is one of the two databases.
type engine interface {
	handle
	// write runs fn in one transaction and commits it; an error from fn rolls it back. It runs
	// fn once; DB.Write runs it again when somebody else was quicker.
	write(ctx context.Context, fn func(txHandle) error) error
	// snapshot runs fn on the database as it is at one moment.
	snapshot(ctx context.Context, fn func(handle) error) error
	// unfinished returns why the database cannot be used now, or nothing.
	unfinished(ctx context.Context) (string, error)
	ping(ctx context.Context) error
	// scrub empties what is kept beside the tables of what was deleted, and tells whether it could. Nobody waits for it.
	scrub(ctx context.Context) (done bool, err error)
	close()
	dialect() dialect
	pools() []Pool
	// prepared tells how often a statement was at hand, and how often it had to be made.
	cacheStats() CacheUse
}

// atMost bounds a query that is asked often and with few bounds. They are written out, because SQLite plans by the bound and so prepares a statement
// again each time one is bound to it.
func atMost(rows int) string { return " LIMIT " + strconv.Itoa(rows) }

// collect reads all rows. There is room for a usual page from the start: records are large to be copied.
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

// one reads the first row, if there is one.
func one[T any](rs rows, err error, scan func(rows) (T, error)) (v T, found bool, _ error) {
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

// record reads a row that ought to be there.
func record[T any](what string, rs rows, err error, scan func(rows) (T, error)) (T, error) {
	v, found, err := one(rs, err, scan)
	if err == nil && !found {
		err = lost.Missing(what)
	}
	return v, err
}

// value reads one column of one row.
func value[T any](rs rows, err error) (T, bool, error) {
	return one(rs, err, func(rs rows) (v T, err error) {
		err = rs.Scan(&v)
		return v, err
	})
}

// scanText reads a row of one text.
func scanText(rs rows) (text string, err error) {
	err = rs.Scan(&text)
	return text, err
}

// scanTexts reads rows of so many texts.
func scanTexts(rs rows, err error, columns int) ([][]string, error) {
	return collect(rs, err, func(rs rows) ([]string, error) {
		row, into := make([]string, columns), make([]any, columns)
		for n := range row {
			into[n] = &row[n]
		}
		return row, rs.Scan(into...)
	})
}

// writeStrings keeps a list of names as JSON; nil is the empty text.
func writeStrings(s []string) string {
	if s == nil {
		return ""
	}
	return written(s)
}

func readStrings(text string) (s []string, err error) {
	err = readJSON("a list of names", text, &s)
	return s, err
}

// written is a value of text, numbers and times as JSON, which never fails.
func written(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// readJSON reads what a column keeps as JSON; the empty text is nothing.
func readJSON(what, text string, dst any) error {
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), dst); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}

// total counts a list's records for as far as it is told. A short page tells by itself.
func (r reader) total(ctx context.Context, page lost.Page, onPage int, matching string, args ...any) (lost.Total, error) {
	if onPage > 0 && onPage < page.Limit || onPage == 0 && page.Number == 1 {
		return lost.TotalOf(page.Offset() + onPage), nil
	}
	rs, err := r.h.QueryPlanned(ctx, fmt.Sprintf("SELECT count(*) FROM (%s LIMIT %d) AS matching", matching, lost.MaxTotal+1), args...)
	n, _, err := value[int](rs, err)
	return lost.TotalOf(n), err
}
