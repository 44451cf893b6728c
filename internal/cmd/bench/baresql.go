package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// selectedColumns returns the columns of items i and of their locations l.
func selectedColumns() []string {
	var columns []string
	for _, name := range bareItemColumns() {
		columns = append(columns, "i."+name)
	}
	for _, name := range bareLocationColumns() {
		columns = append(columns, "l."+name)
	}
	return columns
}

// returnedColumns returns the same columns for a statement that changes items. It has no join.
func returnedColumns() []string {
	columns := bareItemColumns()
	for _, name := range bareLocationColumns() {
		columns = append(columns,
			"(SELECT l."+name+" FROM locations l WHERE l.account_id = items.account_id AND l.id = items.location_id)")
	}
	return columns
}

// separator separates columns in a row of SQLite. Texts have no control characters.
const separator = 0x1f

// joinColumns returns the columns of a row for SQLite: as one text, because the driver allocates memory for each column
// and its name.
func joinColumns(columns ...string) string {
	for n, column := range columns {
		if n == colWeight || n == colIsDocument || n >= colDefaultPlace {
			columns[n] = "coalesce(" + column + ", '')" // concat_ws skips NULL
		}
	}
	return fmt.Sprintf("concat_ws(char(%d), %s)", separator, strings.Join(columns, ", "))
}

// listColumns returns the columns of a row for PostgreSQL, whose driver allocates nothing for a column.
func listColumns(columns ...string) string { return strings.Join(columns, ", ") }

const (
	bareLocation = " JOIN locations l ON l.account_id = i.account_id AND l.id = i.location_id"
	// bareAdded inserts an item that is never due for a check. Otherwise the service would check it, in its own turn.
	bareAdded = `INSERT INTO items (account_id, location_id, id, reference, source, status,
		description, discovery_place, discovery_date, brand, model, color, storage_place, notes,
		image_url, weight, weight_unit, box_type, is_document,
		owner_first, owner_last, owner_email, owner_phone, created_at, updated_at, search, look_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
		$15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $24, $25, 0)`
	bareMoved = `UPDATE items SET status = $4, updated_at = $5
		WHERE account_id = $1 AND location_id = $2 AND id = $3`
	bareImageAdded = `UPDATE items SET image_file = $4, image_url = '', updated_at = $5,
		images = '[' || CAST($6 AS TEXT) || CASE WHEN images = '' THEN ']' ELSE ',' || substr(images, 2) END
		WHERE account_id = $1 AND location_id = $2 AND id = $3`
	// bareWaiting finds an item to check, or a job that is due or running. The time when a running job is due is the
	// end of its lease.
	bareWaiting = `SELECT kind FROM jobs WHERE state = 'due' AND (due_at <= $1 OR attempt > 0 AND failures = 0)
		UNION ALL SELECT 'item check' FROM items WHERE look_at > 0 AND look_at <= $1 LIMIT 1`
)

// bareTexts returns the text of every query, given the columns of a row and the database's own query for a search.
func bareTexts(row func(columns ...string) string, search string) [bareQueries]string {
	returning := " RETURNING " + row(returnedColumns()...)
	// The total is read from the counts that the service keeps. The baseline handler does not keep them when it creates
	// an item, so it has both advantages.
	const total = `(SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) FROM item_counts
		WHERE account_id = $1 AND location_id = $2)`
	return [bareQueries]string{
		bareGet: "SELECT " + row(selectedColumns()...) + " FROM items i" + bareLocation +
			" WHERE i.account_id = $1 AND i.location_id = $2 AND i.id = $3",
		bareList: "SELECT " + row(append(selectedColumns(), total)...) + " FROM items i" + bareLocation +
			fmt.Sprintf(" WHERE i.account_id = $1 AND i.location_id = $2 ORDER BY i.seq DESC LIMIT %d",
				lost.DefaultLimit),
		bareSearch:   search,
		bareAdd:      bareAdded + returning,
		bareMove:     bareMoved + returning,
		bareAddImage: bareImageAdded + returning,
		bareToken:    "SELECT substr(search, 1, 3) FROM items WHERE account_id = $1 AND location_id = $2 LIMIT 1",
		bareJobs:     bareWaiting,
		bareDates:    "SELECT kind FROM jobs WHERE state = 'due' AND kind = '" + store.JobApplyTerms + "' LIMIT 1",
	}
}

const bareHits = "(SELECT count(*) FROM hits)"

// fileSearch finds the newest matches in the text index alone, and stops one above the highest total that is exact.
// It then reads rows until the page is full. The rows are in the order of the subquery, because CROSS JOIN keeps
// SQLite from reordering the join.
func fileSearch() string {
	return fmt.Sprintf(`WITH hits (seq) AS MATERIALIZED (SELECT rowid FROM items_search
		WHERE items_search MATCH $3 ORDER BY rowid DESC LIMIT %d)
		SELECT %s FROM hits CROSS JOIN items i ON i.seq = hits.seq
		CROSS JOIN locations l ON l.account_id = i.account_id AND l.id = i.location_id
		WHERE i.account_id = $1 AND i.location_id = $2 AND i.search LIKE $4 LIMIT %d`,
		lost.MaxBoundedTotal+1, joinColumns(append(selectedColumns(), bareHits)...), lost.DefaultLimit)
}

// serverSearch finds the newest matches, and lets PostgreSQL decide whether to use the text index or to read the newest
// items until there are enough matches.
func serverSearch() string {
	return fmt.Sprintf(`WITH hits AS MATERIALIZED (SELECT seq FROM items
		WHERE account_id = $1 AND location_id = $2 AND search LIKE $4 AND $3 <> '' ORDER BY seq DESC LIMIT %d)
		SELECT %s FROM (SELECT seq FROM hits ORDER BY seq DESC LIMIT %d) AS h
		JOIN items i ON i.account_id = $1 AND i.location_id = $2 AND i.seq = h.seq%s ORDER BY i.seq DESC`,
		lost.MaxBoundedTotal+1, listColumns(append(selectedColumns(), bareHits)...), lost.DefaultLimit, bareLocation)
}

// bareFile is a SQLite database with one connection for writing, several for reading, and the same settings as the
// service.
type bareFile struct {
	readers, writer *sql.DB
	prepared        [bareQueries]*sql.Stmt
	rows            sync.Pool // of *fileRow
}

// fileRow holds a row in the driver's memory, and its columns.
type fileRow struct {
	joined sql.RawBytes
	target [1]any
	texts  [bareColumns + 1][]byte
}

func newFileRow() any {
	r := &fileRow{}
	r.target[0] = &r.joined
	return r
}

// split splits the row into its columns.
func (r *fileRow) split() [][]byte {
	n, rest := 0, []byte(r.joined)
	for more := true; more && n < len(r.texts); n++ {
		r.texts[n], rest, more = bytes.Cut(rest, []byte{separator})
	}
	return r.texts[:n]
}

func openBareFile(ctx context.Context, file string) (_ *bareFile, err error) {
	dsn := "file:" + (&url.URL{Path: file}).EscapedPath() +
		"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)" +
		"&_pragma=foreign_keys(1)&_pragma=temp_store(MEMORY)"
	b := &bareFile{rows: sync.Pool{New: newFileRow}}
	if b.writer, err = sql.Open("sqlite", dsn); err != nil {
		return nil, err
	}
	if b.readers, err = sql.Open("sqlite", dsn+"&_pragma=query_only(1)"); err != nil {
		return nil, err
	}
	b.writer.SetMaxOpenConns(1)
	b.readers.SetMaxOpenConns(max(4, 2*runtime.NumCPU()))
	b.readers.SetMaxIdleConns(max(4, 2*runtime.NumCPU()))
	for q, text := range bareTexts(joinColumns, fileSearch()) {
		pool := b.readers
		if bareQuery(q).writes() {
			pool = b.writer
		}
		stmt, err := pool.PrepareContext(ctx, text) //nolint:sqlclosecheck // closed with its pool
		if err != nil {
			return nil, errors.Join(fmt.Errorf("query %d: %w", q, err), b.close())
		}
		b.prepared[q] = stmt
	}
	return b, nil
}

func (b *bareFile) close() error { return errors.Join(b.readers.Close(), b.writer.Close()) }

func (b *bareFile) run(ctx context.Context, q bareQuery, each func(row [][]byte), args ...any) (err error) {
	rows, err := b.prepared[q].QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	r := b.rows.Get().(*fileRow)
	defer b.rows.Put(r)
	for rows.Next() {
		if err := rows.Scan(r.target[:]...); err != nil {
			return err
		}
		each(r.split())
	}
	return rows.Err()
}

// searchArg returns an expression for the text index, which has only trigrams.
func (b *bareFile) searchArg(token, word string) string {
	const maxTrigrams = 12 // as in the service
	quoted := []string{`"` + token + `"`}
	letters := []rune(word)
	for n := 0; n+3 <= len(letters) && n < maxTrigrams; n++ {
		quoted = append(quoted, `"`+string(letters[n:n+3])+`"`)
	}
	return strings.Join(quoted, " AND ")
}

// bareRemote is a PostgreSQL database with a pgx connection pool, which prepares every statement once for each
// connection.
type bareRemote struct {
	pool  *pgxpool.Pool
	texts [bareQueries]string
}

func openBareServer(ctx context.Context, setting string) (*bareRemote, error) {
	cfg, err := pgxpool.ParseConfig(setting)
	if err != nil {
		return nil, err
	}
	cfg.MaxConns = int32(max(8, 4*runtime.NumCPU())) // as in the service
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	return &bareRemote{pool, bareTexts(listColumns, serverSearch())}, err
}

func (b *bareRemote) close() error {
	b.pool.Close()
	return nil
}

func (b *bareRemote) run(ctx context.Context, q bareQuery, each func(row [][]byte), args ...any) error {
	// The server sends text, which is copied to the response.
	options := []any{pgx.QueryResultFormats{pgx.TextFormatCode}}
	if q == bareSearch { // planned for the word, because words differ in how frequent they are
		options = append(options, pgx.QueryExecModeCacheDescribe)
	}
	rows, err := b.pool.Query(ctx, b.texts[q], append(options, args...)...)
	if err != nil {
		return err
	}
	for rows.Next() {
		each(rows.RawValues())
	}
	rows.Close()
	return rows.Err()
}

// searchArg returns the word, because PostgreSQL's index finds the trigrams itself.
func (b *bareRemote) searchArg(_, word string) string { return word }
