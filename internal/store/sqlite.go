package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// sqliteEngine has one connection for writing and many for reading. Writes that are queued at the
// same time share one commit and thus one fsync; see writeLoop.
type sqliteEngine struct {
	file       string
	mode       sqliteMode
	opened     os.FileInfo // identifies the file that was opened
	readers    *sql.DB
	reads      statements
	rowReaders *sql.DB // for queries that read one row by its key, so that none of them waits for a long query
	rowReads   statements
	writer     *sql.DB
	tx         *sqliteTx // the writer's only connection; used only by writeLoop
	queue      chan *queuedWrite
	stop       chan struct{}
	stopped    chan struct{}
	maxWait    time.Duration // maxWriteWait, or less in tests
}

// sqliteBusyTimeout is how long a statement waits for another process's lock, in milliseconds.
const sqliteBusyTimeout = "15000"

// sqliteMode is what a SQLite file is opened for.
type sqliteMode int

const (
	durableMode   sqliteMode = iota // every commit survives a power failure
	unsyncedMode                    // commits survive the end of the process, but not a power failure
	loadMode                        // nothing survives; see OpenForLoad
	migrationMode                   // like durableMode, but large sorts use files; see forMigrations
)

// pragmas returns the pragmas of every connection, as part of its address.
func (m sqliteMode) pragmas() string {
	// Other processes may write too. The operator's commands do so while the service is running,
	// and may have to wait a long time on a busy machine.
	pragmas := []string{"busy_timeout(" + sqliteBusyTimeout + ")"}
	switch m {
	case loadMode:
		// Without a journal, SQLite keeps no copy of the pages that a transaction changes. Keeping them
		// takes time that grows with the square of the size of a transaction. Foreign keys are
		// checked at the end, all at once. Sorting for an index uses files, because it may need more
		// space than there is memory.
		pragmas = append(pragmas, "journal_mode(OFF)", "foreign_keys(0)", "synchronous(OFF)", "cache_size(-65536)",
			"temp_store(FILE)")
	default:
		synchronous, temporary := "synchronous(FULL)", "temp_store(MEMORY)"
		if m == unsyncedMode {
			synchronous = "synchronous(OFF)"
		}
		if m == migrationMode {
			temporary = "temp_store(FILE)"
		}
		pragmas = append(pragmas, "journal_mode(WAL)", "foreign_keys(1)", temporary, synchronous,
			"secure_delete(1)") // overwrites deleted data, because guests have a right to erasure
	}
	return "_pragma=" + strings.Join(pragmas, "&_pragma=")
}

// writerPragmas returns the additional pragmas of the writer's only connection. A load or a migration puts SQLite's
// temporary files next to the database, because a container image may have no other writable folder.
//
// PRAGMA temp_store_directory is deprecated, but SQLite has no other way except an environment variable.
// It sets a variable of the whole process, which must not change while another connection uses it.
// Therefore only a load and a migration set it, once, before they open the readers. Connections in other modes keep
// temporary data in memory.
func (m sqliteMode) writerPragmas(folder string) string {
	if m != loadMode && m != migrationMode {
		return ""
	}
	folder = "'" + strings.ReplaceAll(folder, "'", "''") + "'"
	return "&_pragma=temp_store_directory(" + url.QueryEscape(folder) + ")"
}

func openSQLite(ctx context.Context, file string, mode sqliteMode) (*sqliteEngine, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("create the database folder: %w", err)
	}
	// Only the owner may read the file, because it contains guests' data. SQLite gives its
	// additional files the same permissions.
	if f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600); err == nil {
		_ = f.Close() // if this fails, opening the database returns the reason
	}
	dsn := sqliteURL(file) + "?" + mode.pragmas()
	writer, err := sql.Open("sqlite", dsn+mode.writerPragmas(filepath.Dir(file)))
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	writer.SetMaxOpenConns(1)
	if err := writer.PingContext(ctx); err != nil { // creates the file in WAL mode before the readers open it
		_ = writer.Close()
		return nil, fmt.Errorf("open the database %s: %w", file, err)
	}
	opened, err := os.Stat(file)
	if err != nil {
		_ = writer.Close()
		return nil, fmt.Errorf("stat the database: %w", err)
	}
	conn, err := writer.Conn(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the database: %w", err), writer.Close())
	}
	readers, err := openReaders(dsn)
	if err != nil {
		return nil, errors.Join(err, conn.Close(), writer.Close())
	}
	rowReaders, err := openReaders(dsn)
	if err != nil {
		return nil, errors.Join(err, readers.Close(), conn.Close(), writer.Close())
	}
	e := &sqliteEngine{
		file: file, mode: mode, opened: opened, readers: readers, rowReaders: rowReaders, writer: writer,
		tx:    &sqliteTx{conn: conn},
		queue: make(chan *queuedWrite, maxGroup), stop: make(chan struct{}), stopped: make(chan struct{}),
		maxWait: maxWriteWait,
	}
	go e.writeLoop()
	return e, nil
}

// openReaders returns a pool of connections that only read.
func openReaders(dsn string) (*sql.DB, error) {
	// mode=rw keeps SQLite from creating an empty file if ours is missing.
	readers, err := sql.Open("sqlite", dsn+"&mode=rw&_pragma=query_only(1)")
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	readers.SetMaxOpenConns(max(4, 2*runtime.NumCPU()))
	readers.SetMaxIdleConns(max(4, 2*runtime.NumCPU()))
	return readers, nil
}

func (e *sqliteEngine) dialect() dialect { return sqliteDialect() }

// broadcast does nothing, because only one process serves pages.
func (e *sqliteEngine) broadcast(context.Context, []string) error { return nil }

func (e *sqliteEngine) listen(ctx context.Context, ready func(), _ func(text string)) error {
	ready()
	<-ctx.Done()
	return ctx.Err()
}

// forMigrations returns connections that sort in files. To create an index on a table with a million rows, SQLite sorts
// hundreds of megabytes, for which a container may not have the memory.
func (e *sqliteEngine) forMigrations(ctx context.Context) (_ engine, done func(), err error) {
	if e.mode != durableMode {
		return e, func() {}, nil
	}
	m, err := openSQLite(ctx, e.file, migrationMode)
	if err != nil {
		return nil, nil, err
	}
	return m, m.close, nil
}

// pools returns the readers' pools. The writer holds its only connection permanently, and callers
// wait for the writer in DB.Write.
func (e *sqliteEngine) pools() []Pool {
	poolOf := func(name string, db *sql.DB) Pool {
		s := db.Stats()
		return Pool{
			Name: name, InUse: s.InUse, Idle: s.Idle, Max: s.MaxOpenConnections, Waits: s.WaitCount,
			Waited: s.WaitDuration,
		}
	}
	return []Pool{poolOf("readers", e.readers), poolOf("row readers", e.rowReaders)}
}

func (e *sqliteEngine) cacheStats() CacheStats {
	return CacheStats{
		Name: "statements", Hits: e.reads.hits.Load() + e.rowReads.hits.Load() + e.tx.stmts.hits.Load(),
		Misses: e.reads.misses.Load() + e.rowReads.misses.Load() + e.tx.stmts.misses.Load(),
	}
}

// ping also checks the file. If the file was moved, deleted or replaced, writes would still
// succeed, but their data would be lost.
func (e *sqliteEngine) ping(ctx context.Context) error {
	info, err := os.Stat(e.file)
	if err != nil {
		return fmt.Errorf("stat the database: %w", err)
	}
	if !os.SameFile(info, e.opened) {
		return errors.New("the database file was replaced by another file")
	}
	return e.readers.PingContext(ctx)
}

// scrub copies the write-ahead log into the database file and truncates the log, because the log
// contains former versions of pages. Most of this runs concurrently with writers. Waiting in the
// last step would block them, so scrub gives up immediately if a reader still uses a former
// version.
func (e *sqliteEngine) scrub(ctx context.Context) (done bool, err error) {
	const attempts, pause = 10, 20 * time.Millisecond
	conn, err := e.readers.Conn(ctx)
	if err != nil {
		return false, sqliteError(err)
	}
	defer func() {
		// Make later statements on this connection wait for locks again.
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA busy_timeout = "+sqliteBusyTimeout)
		_ = conn.Close()
	}()
	if _, err := conn.ExecContext(ctx, "PRAGMA busy_timeout = 0"); err != nil {
		return false, sqliteError(err)
	}
	for range attempts {
		busy := 0
		for _, mode := range []string{"PASSIVE", "TRUNCATE"} {
			var pages, copied int
			if err := conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &pages,
				&copied); err != nil {
				return false, sqliteError(err)
			}
		}
		if busy == 0 {
			return true, nil
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(pause):
		}
	}
	return false, nil
}

func (e *sqliteEngine) close() {
	close(e.stop)
	<-e.stopped
	e.tx.stmts.close()
	_ = e.tx.conn.Close()
	e.reads.close()
	e.rowReads.close()
	_ = e.readers.Close()
	_ = e.rowReaders.Close()
	_ = e.writer.Close()
}

func (e *sqliteEngine) Query(ctx context.Context, query string, args ...any) (rows, error) {
	if caller, uninterrupted := callerContext(ctx); uninterrupted {
		if err := caller.Err(); err != nil {
			return nil, err
		}
		return e.rowReads.query(ctx, e.rowReaders, query, args)
	}
	return e.reads.query(ctx, e.readers, query, args)
}

func (e *sqliteEngine) QueryPlanned(ctx context.Context, query string, args ...any) (rows, error) {
	return e.reads.query(ctx, e.readers, query, args)
}

// statements is a cache of prepared statements, by their SQL text. Its size is limited: when it is
// full, unused statements are closed.
type statements struct {
	hits, misses atomic.Int64

	mu     sync.Mutex
	cached map[string]*statement
}

type statement struct {
	*sql.Stmt
	users int
}

const maxStatements = 256

type preparer interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// get returns the prepared statement for a query. The caller must release it after using it.
func (s *statements) get(ctx context.Context, db preparer, query string) (*statement, error) {
	if stmt := s.acquire(query, nil); stmt != nil {
		s.hits.Add(1)
		return stmt, nil
	}
	s.misses.Add(1)
	prepared, err := db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.acquire(query, prepared), nil
}

// acquire returns the cached statement for a query and increments its number of users. If the query
// is not cached, acquire adds prepared to the cache, or returns nil if prepared is nil.
func (s *statements) acquire(query string, prepared *sql.Stmt) *statement {
	s.mu.Lock()
	defer s.mu.Unlock()
	stmt := s.cached[query]
	switch {
	case stmt != nil && prepared != nil: // another goroutine has prepared it at the same time
		_ = prepared.Close()
	case stmt == nil && prepared == nil:
		return nil
	case stmt == nil:
		if s.cached == nil {
			s.cached = map[string]*statement{}
		}
		if len(s.cached) >= maxStatements {
			s.evictIdle()
		}
		stmt = &statement{Stmt: prepared}
		s.cached[query] = stmt
	}
	stmt.users++
	return stmt
}

func (s *statements) evictIdle() {
	for query, stmt := range s.cached {
		if stmt.users == 0 {
			_ = stmt.Close()
			delete(s.cached, query)
		}
	}
}

func (s *statements) release(stmt *statement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stmt.users--
}

func (s *statements) query(ctx context.Context, db preparer, query string, args []any) (rows, error) {
	stmt, err := s.get(ctx, db, query)
	if err != nil {
		return nil, sqliteError(err)
	}
	rs, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		s.release(stmt)
		return nil, sqliteError(err)
	}
	return &sqliteRows{Rows: rs, from: s, stmt: stmt}, nil
}

func (s *statements) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stmt := range s.cached {
		_ = stmt.Close()
	}
	s.cached = nil
}

// sqliteRows adapts sql.Rows to the rows interface.
type sqliteRows struct {
	*sql.Rows
	from *statements
	stmt *statement // nil after Close, and if the statement is not in the cache
}

func (r *sqliteRows) Close() {
	_ = r.Rows.Close()
	if r.stmt != nil {
		r.from.release(r.stmt)
		r.stmt = nil
	}
}

func (r *sqliteRows) Err() error { return sqliteError(r.Rows.Err()) }
