package store

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// snapshot runs fn in one transaction, which does not see later writes.
func (e *pgEngine) snapshot(ctx context.Context, fn func(handle) error) error {
	ctx = withoutTimeout(ctx) // a snapshot may read every row
	conn, err := e.acquire(ctx)
	if err != nil {
		return err
	}
	defer release(ctx, conn)
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return pgError(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0",
		pgx.QueryExecModeSimpleProtocol); err != nil {
		return pgError(err)
	}
	return fn(pgSnapshot{tx})
}

// pgSnapshot is a handle that runs all queries in one transaction.
type pgSnapshot struct{ tx pgx.Tx }

func (s pgSnapshot) Query(ctx context.Context, sql string, args ...any) (rows, error) {
	rs, err := s.tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, pgError(err)
	}
	return pgRows{Rows: rs}, nil
}

func (s pgSnapshot) QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error) {
	return s.Query(ctx, sql, args...)
}

// InsertRows uses COPY, which is many times faster than INSERT.
func (t *pgTx) InsertRows(ctx context.Context, table string, columns []string,
	next func() ([]any, error)) (int64, error) {
	if err := t.flush(ctx); err != nil {
		return 0, err
	}
	n, err := t.conn.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromFunc(next))
	return n, pgError(err)
}

func (e *pgEngine) write(ctx context.Context, fn func(txHandle) error) error {
	conn, err := e.acquire(ctx)
	if err != nil {
		return err
	}
	defer release(ctx, conn)
	tx := &pgTx{conn: conn, separate: e.citus}
	_ = tx.Queue(ctx, "begin")
	committed := false
	defer func() { // also runs when fn panics
		if !committed {
			tx.rollback()
		}
	}()
	if err := fn(tx); err != nil {
		return err
	}
	if err := tx.commit(ctx); err != nil {
		return err
	}
	committed = true
	return nil
}

// pgTx is one transaction. Statements without a result are batched with the next statement that has
// a result, or with the commit, to save round trips.
type pgTx struct {
	conn     *pgxpool.Conn
	batch    pgx.Batch
	sent     bool       // whether anything was sent to the server; only then is there something to roll back
	group    *itemGroup // statements that will be added to the batch as one; may be nil
	separate bool       // whether to group no statements, because Citus cannot run a statement for several tables
}

func (t *pgTx) Queue(_ context.Context, sql string, args ...any) error {
	t.endGroup()
	t.batch.Queue(sql, args...)
	return nil
}

func (t *pgTx) QueueForItem(ctx context.Context, item, sql string, args ...any) error {
	if t.group != nil && t.group.add(item, sql, args) {
		return nil
	}
	if t.separate || !strings.HasPrefix(sql, itemInsert) {
		return t.Queue(ctx, sql, args...)
	}
	t.endGroup()
	t.group = &itemGroup{item: item}
	t.group.add(item, sql, args)
	return nil
}

// endGroup adds the open group of statements to the batch.
func (t *pgTx) endGroup() {
	if g := t.group; g != nil {
		t.batch.Queue(groupText(g.texts), g.args...)
		t.group = nil
	}
}

func (t *pgTx) QueueQuery(_ context.Context, read func(rows) error, sql string, args ...any) error {
	if g := t.group; g != nil && g.append(sql, args) {
		t.group = nil
		sql, args = groupText(g.texts), g.args
	}
	t.endGroup()
	t.batch.Queue(sql, args...).Query(func(rs pgx.Rows) error { return read(pgRows{rs}) })
	return nil
}

// commit sends the batch and ends the transaction.
func (t *pgTx) commit(ctx context.Context) error {
	if !t.sent { // a single batch is one transaction even without begin and commit
		t.batch.QueuedQueries = t.batch.QueuedQueries[1:]
		return t.flush(ctx)
	}
	// When a failed transaction is committed, PostgreSQL responds with ROLLBACK instead of an
	// error.
	last, err := t.run(ctx, "commit")
	if err == nil && last.String() != "COMMIT" {
		return errors.New("the transaction was rolled back instead of committed")
	}
	return err
}

// flush sends the batch and reads every result.
func (t *pgTx) flush(ctx context.Context) error {
	t.endGroup()
	if t.batch.Len() == 0 {
		return nil
	}
	return pgError(t.send(ctx).Close())
}

func (t *pgTx) send(ctx context.Context) pgx.BatchResults {
	batch := t.batch
	t.batch, t.sent = pgx.Batch{}, true
	return t.conn.SendBatch(ctx, &batch)
}

func (t *pgTx) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	last, err := t.run(ctx, sql, args...)
	return last.RowsAffected(), err
}

// run adds a statement to the batch and sends the batch.
func (t *pgTx) run(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	var last pgconn.CommandTag
	t.endGroup()
	t.batch.Queue(sql, args...).Exec(func(tag pgconn.CommandTag) error {
		last = tag
		return nil
	})
	return last, pgError(t.send(ctx).Close())
}

func (t *pgTx) Query(ctx context.Context, sql string, args ...any) (rows, error) {
	if hasUnstorableText(args) {
		return noRows{}, nil
	}
	t.endGroup()
	before := t.batch.QueuedQueries
	t.batch.Queue(sql, args...)
	res := t.send(ctx)
	for _, queued := range before {
		if err := readResult(res, queued); err != nil {
			_ = res.Close()
			return nil, pgError(err)
		}
	}
	rs, err := res.Query()
	if err != nil {
		_ = res.Close()
		return nil, pgError(err)
	}
	return &pgBatchRows{pgRows: pgRows{rs}, res: res}, nil
}

// readResult reads the result of a queued statement.
func readResult(res pgx.BatchResults, queued *pgx.QueuedQuery) error {
	if queued.Fn != nil {
		return queued.Fn(res)
	}
	_, err := res.Exec()
	return err
}

// QueryPlanned is the same as Query, because searches do not run in transactions, and all
// statements of a batch use the same query mode.
func (t *pgTx) QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error) {
	return t.Query(ctx, sql, args...)
}

func (t *pgTx) Number() uint32 {
	n, _ := t.conn.Conn().PgConn().CustomData()[connNumber].(uint32)
	return n
}

func (t *pgTx) Script(ctx context.Context, sql string) error {
	if err := t.flush(ctx); err != nil {
		return err
	}
	for _, statement := range splitStatements(sql) {
		if _, err := t.conn.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol); err != nil {
			return pgError(err)
		}
	}
	return nil
}

var commentPattern = regexp.MustCompile(`(?m)--.*$`)

// splitStatements splits a script into statements. Otherwise Citus would send the whole script to
// its nodes for each statement. Scripts must not contain semicolons or dashes inside quotes, except
// in functions between $$.
func splitStatements(script string) (statements []string) {
	statement := ""
	for part := range strings.SplitSeq(commentPattern.ReplaceAllString(script, ""), ";") {
		if statement += part; strings.Count(statement, "$$")%2 == 1 {
			statement += ";"
			continue
		}
		if statement = strings.TrimSpace(statement); statement != "" {
			statements = append(statements, statement)
		}
		statement = ""
	}
	return statements
}

// rollback rolls the transaction back, or closes the connection if that fails.
func (t *pgTx) rollback() {
	if !t.sent {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if _, err := t.conn.Exec(ctx, "rollback"); err != nil {
		_ = t.conn.Conn().Close(ctx)
	}
}

// pgBatchRows are the rows returned by the last statement of a batch. Closing them ends the batch.
type pgBatchRows struct {
	pgRows
	res    pgx.BatchResults
	err    error
	closed bool
}

func (r *pgBatchRows) Close() {
	if r.closed {
		return
	}
	r.closed = true
	r.Rows.Close()
	r.err = pgError(r.res.Close())
}

func (r *pgBatchRows) Err() error {
	if err := r.pgRows.Err(); err != nil {
		return err
	}
	return r.err
}

// itemInsert is the start of the statement that inserts an item.
const itemInsert = "INSERT INTO items "

// maxGrouped is the number of statements in the largest group: those for a new item that has an owner and is matched,
// with its event, and a query.
const maxGrouped = 9

// itemGroup is the insertion of an item and the statements that insert rows because of it.
type itemGroup struct {
	item  string
	n     int
	texts [maxGrouped]string
	args  []any
}

// add adds a statement, unless it is for another item or the group is full.
func (g *itemGroup) add(item, sql string, args []any) bool {
	if item != g.item || g.n > 0 && !strings.Contains(sql, fromItems) {
		return false
	}
	return g.append(sql, args)
}

func (g *itemGroup) append(sql string, args []any) bool {
	if g.n == maxGrouped {
		return false
	}
	if g.n == 0 {
		const usual = 120 // arguments of the statements for a new item
		g.args = make([]any, 0, usual)
	}
	g.texts[g.n] = sql
	g.args = append(g.args, args...)
	g.n++
	return true
}

// groupTexts holds the combined texts of groups.
var groupTexts = struct {
	mu    sync.Mutex
	known map[[maxGrouped]string]string
}{known: map[[maxGrouped]string]string{}}

// groupText returns one statement for a group.
func groupText(texts [maxGrouped]string) string {
	const maxKnown = 100 // there are few combinations
	groupTexts.mu.Lock()
	defer groupTexts.mu.Unlock()
	text, ok := groupTexts.known[texts]
	if !ok {
		text = combineStatements(texts[:])
		if len(groupTexts.known) >= maxKnown {
			clear(groupTexts.known)
		}
		groupTexts.known[texts] = text
	}
	return text
}

// fromItems is what the statements for an item select from.
const fromItems = " FROM items WHERE account_id = "

var placeholder = regexp.MustCompile(`\$(\d+)`)

// combineStatements returns one statement with the effect of the insertion of an item and of those after it. They
// cannot see the inserted item, so they select from what the insertion returns. The texts may end with empty ones.
func combineStatements(texts []string) string {
	var parts []string
	used := 0 // placeholders
	for n, text := range texts {
		first, last := used, used
		text = placeholder.ReplaceAllStringFunc(text, func(p string) string {
			number, _ := strconv.Atoi(p[1:])
			last = max(last, first+number)
			return param(first + number)
		})
		used = last
		if n > 0 && strings.HasPrefix(text, "INSERT ") { // a query at the end reads all items
			text = strings.ReplaceAll(text, fromItems, " FROM item WHERE account_id = ")
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	end := len(parts) - 1
	if end == 0 {
		return parts[0]
	}
	parts[0] += " RETURNING account_id, id, location_id"
	for n, text := range parts[:end] {
		parts[n] = "part" + strconv.Itoa(n) + " AS (" + text + ")"
	}
	parts[0] = strings.Replace(parts[0], "part0", "item", 1)
	return "WITH " + strings.Join(parts[:end], ", ") + " " + parts[end]
}
