package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"homeward/internal/lost"
)

// handle runs SQL on a pool of read connections or in a transaction. It hides the differences
// between the drivers, so that every query is written only once.
type handle interface {
	// Query runs a statement that is prepared once, with the same plan for all arguments.
	Query(ctx context.Context, sql string, args ...any) (rows, error)
	// QueryPlanned is like Query, but for statements whose best plan depends on the arguments, such
	// as searches and filters. The database plans each run.
	QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error)
}

// uninterruptedContext is the context of a query that is not interrupted; see withoutInterrupt.
type uninterruptedContext struct{ context.Context } //nolint:containedctx // this is a context

type callerKey struct{}

func (uninterruptedContext) Done() <-chan struct{}            { return nil }
func (uninterruptedContext) Err() error                       { return nil }
func (uninterruptedContext) Deadline() (_ time.Time, ok bool) { return time.Time{}, false }

// Value returns the caller's context for callerKey.
func (b uninterruptedContext) Value(key any) any {
	if key == (callerKey{}) {
		return b.Context
	}
	return b.Context.Value(key)
}

// withoutInterrupt returns the context of a query that reads one row by its key, outside of a transaction. It is not
// interrupted when the caller gives up: the drivers would start goroutines that wait for that, which takes longer than
// the query. On PostgreSQL, it can be interrupted while it waits for a connection. On SQLite, it waits only for other
// such queries.
func withoutInterrupt(ctx context.Context) context.Context { return uninterruptedContext{ctx} }

// callerContext returns the caller's context, and whether the query is not to be interrupted.
func callerContext(ctx context.Context) (_ context.Context, uninterrupted bool) {
	if caller, found := ctx.Value(callerKey{}).(context.Context); found {
		return caller, true
	}
	return ctx, false
}

// txHandle is a handle that runs SQL inside a transaction.
type txHandle interface {
	handle
	// Exec runs a statement and returns the number of affected rows.
	Exec(ctx context.Context, sql string, args ...any) (int64, error)
	// Queue schedules a statement to run before the next statement that returns a result, or before
	// the commit at the latest. PostgreSQL receives both statements together, which saves a round
	// trip.
	Queue(ctx context.Context, sql string, args ...any) error
	// QueueForItem is like Queue, but for a statement that inserts an item, or that inserts rows because of an item.
	// PostgreSQL runs the insertion of an item and the statements that directly follow it as one statement.
	QueueForItem(ctx context.Context, item, sql string, args ...any) error
	// QueueQuery is like Queue, but for a query. It calls read with the rows, during the commit at
	// the latest, and DB.Write returns any error from read. On PostgreSQL, read can run after the
	// commit, when an error can no longer roll anything back. Therefore the other statements must
	// include the conditions that read checks. After QueueForItem, the query may not see the inserted rows.
	QueueQuery(ctx context.Context, read func(rows) error, sql string, args ...any) error
	// Number returns a number that identifies the connection among those of the pool. It is not unique.
	Number() uint32
	// Script runs several statements without arguments.
	Script(ctx context.Context, sql string) error
	// InsertRows inserts rows into a table until next returns nil, in the fastest way that the
	// database offers, and returns the number of rows.
	InsertRows(ctx context.Context, table string, columns []string, next func() ([]any, error)) (int64, error)
}

// rows is the result of a query.
type rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close()
}

// engine is a connection to one of the two kinds of databases.
type engine interface {
	handle
	// write runs fn once in a transaction and commits it. An error from fn rolls the transaction
	// back. DB.Write retries it after a conflict.
	write(ctx context.Context, fn func(txHandle) error) error
	// snapshot runs fn on a consistent view of the database.
	snapshot(ctx context.Context, fn func(handle) error) error
	// forMigrations returns the engine for migrations. The caller must call done after them.
	forMigrations(ctx context.Context) (e engine, done func(), err error)
	// unfinished returns the reason why the database cannot be used now, or an empty string.
	unfinished(ctx context.Context) (string, error)
	ping(ctx context.Context) error
	// scrub removes deleted data from SQLite's write-ahead log, and reports whether it succeeded. It
	// does not block other users of the database.
	scrub(ctx context.Context) (done bool, err error)
	// broadcast sends texts to every process that listens. There is none for SQLite.
	broadcast(ctx context.Context, texts []string) error
	// listen calls ready, and then heard with each text that any process sends. It returns if the connection fails or
	// the context ends.
	listen(ctx context.Context, ready func(), heard func(text string)) error
	close()
	dialect() dialect
	pools() []Pool
	// cacheStats returns the hits and misses of the statement cache.
	cacheStats() CacheStats
}

// limitClause returns a LIMIT clause with a literal number, for frequent queries with few different
// limits. With an argument, SQLite would plan the statement again for each value.
func limitClause(rows int) string { return " LIMIT " + strconv.Itoa(rows) }

// collect reads all rows. It reserves capacity for a typical page and the next record, because records are large and
// expensive to copy.
func collect[T any](rs rows, err error, scan func(rows) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	out := []T{}
	for rs.Next() {
		v, err := scan(rs)
		if err != nil {
			return nil, err
		}
		if cap(out) == 0 {
			out = make([]T, 0, lost.DefaultLimit+1)
		}
		out = append(out, v)
	}
	return out, rs.Err()
}

// firstRow reads the first row, and reports whether there is one.
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

// requireRow reads the first row, and returns a NotFound error if there is none.
func requireRow[T any](what string, rs rows, err error, scan func(rows) (T, error)) (T, error) {
	v, found, err := firstRow(rs, err, scan)
	if err == nil && !found {
		err = lost.Missing(what)
	}
	return v, err
}

// firstValue reads the only column of the first row, and reports whether there is a row.
func firstValue[T any](rs rows, err error) (T, bool, error) {
	return firstRow(rs, err, func(rs rows) (v T, err error) {
		err = rs.Scan(&v)
		return v, err
	})
}

func scanText(rs rows) (text string, err error) {
	err = rs.Scan(&text)
	return text, err
}

func scanNumber(rs rows) (n int64, err error) {
	err = rs.Scan(&n)
	return n, err
}

// scanTexts reads all rows of a query that has the given number of text columns.
func scanTexts(rs rows, err error, columns int) ([][]string, error) {
	return collect(rs, err, func(rs rows) ([]string, error) {
		row, targets := make([]string, columns), make([]any, columns)
		for n := range row {
			targets[n] = &row[n]
		}
		return row, rs.Scan(targets...)
	})
}

// writeStrings encodes a list as JSON. It encodes nil as an empty string.
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

// toJSON encodes a value that contains only strings, numbers and times, so encoding cannot fail.
func toJSON(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// readJSON decodes the text of a JSON column into dst. It does nothing if the text is empty.
func readJSON(what, text string, dst any) error {
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), dst); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}

// countTotal counts the records of a list up to lost.MaxTotal. If the page is not full, or follows a page whose total
// is known, it needs no query.
func (r reader) countTotal(ctx context.Context, page lost.Page, onPage int, matching string,
	args ...any) (lost.Total, error) {
	if page.After != "" {
		return page.Counted, nil
	}
	if onPage > 0 && onPage < page.Limit || onPage == 0 && page.Number == 1 {
		return lost.TotalOf(page.Offset() + onPage), nil
	}
	return r.countMatching(ctx, matching, args...)
}

// countMatching counts the rows of a query up to lost.MaxTotal.
func (r reader) countMatching(ctx context.Context, matching string, args ...any) (lost.Total, error) {
	rs, err := r.h.QueryPlanned(ctx,
		fmt.Sprintf("SELECT count(*) FROM (%s LIMIT %d) AS matching", matching, lost.MaxTotal+1), args...)
	n, _, err := firstValue[int](rs, err)
	return lost.TotalOf(n), err
}

// isStorable reports whether both databases can store a text. PostgreSQL stores neither NUL nor invalid UTF-8.
func isStorable(text string) bool { return strings.IndexByte(text, 0) < 0 && utf8.ValidString(text) }

// hasUnstorableText reports whether an argument of a statement is a text that PostgreSQL rejects.
func hasUnstorableText(args []any) bool {
	return slices.ContainsFunc(args, func(arg any) bool {
		s, ok := arg.(string)
		return ok && !isStorable(s)
	})
}

// StorableText returns a text that both databases can store. In place of each byte that they cannot store, it has the
// character U+FFFD and the byte in hexadecimal, so that different texts stay different.
func StorableText(text string) string {
	if isStorable(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if r == 0 || r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, "%c%02X", utf8.RuneError, text[0])
		} else {
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// textGuard rejects statements that would write a text that PostgreSQL cannot store, so that a SQLite database never
// has one and can be moved. Requests are checked where they are decoded, so this is the last resort.
type textGuard struct{ txHandle }

func checkTexts(args []any) error {
	if hasUnstorableText(args) {
		return lost.E(lost.Unreadable,
			"A text cannot be stored, because it contains the character NUL or is not valid UTF-8.")
	}
	return nil
}

// isRead reports whether a statement writes nothing. Reads are not guarded, because no row has such a text.
func isRead(sql string) bool {
	if !strings.HasPrefix(sql, "WITH") {
		return strings.HasPrefix(sql, "SELECT")
	}
	locks := strings.Count(sql, "FOR UPDATE")
	return !strings.Contains(sql, "INSERT INTO") && !strings.Contains(sql, "DELETE FROM") &&
		strings.Count(sql, "UPDATE") == locks
}

// Query also returns the rows of statements that write.
func (g textGuard) Query(ctx context.Context, sql string, args ...any) (rows, error) {
	if !isRead(sql) {
		if err := checkTexts(args); err != nil {
			return nil, err
		}
	}
	return g.txHandle.Query(ctx, sql, args...)
}

func (g textGuard) QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error) {
	if !isRead(sql) {
		if err := checkTexts(args); err != nil {
			return nil, err
		}
	}
	return g.txHandle.QueryPlanned(ctx, sql, args...)
}

func (g textGuard) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	if err := checkTexts(args); err != nil {
		return 0, err
	}
	return g.txHandle.Exec(ctx, sql, args...)
}

func (g textGuard) Queue(ctx context.Context, sql string, args ...any) error {
	if err := checkTexts(args); err != nil {
		return err
	}
	return g.txHandle.Queue(ctx, sql, args...)
}

func (g textGuard) QueueForItem(ctx context.Context, item, sql string, args ...any) error {
	if err := checkTexts(args); err != nil {
		return err
	}
	return g.txHandle.QueueForItem(ctx, item, sql, args...)
}

func (g textGuard) QueueQuery(ctx context.Context, read func(rows) error, sql string, args ...any) error {
	if err := checkTexts(args); err != nil {
		return err
	}
	return g.txHandle.QueueQuery(ctx, read, sql, args...)
}
