package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteEngine has one connection that writes and many that read. Writes that wait at the same time share one commit
// and so one fsync: see writeLoop.
type sqliteEngine struct {
	file    string
	opened  os.FileInfo // state of the file when it was opened
	readers *sql.DB
	reads   statements
	writer  *sql.DB
	tx      *sqliteTx // the writer's only connection; used only by writeLoop
	queue   chan *queuedWrite
	stop    chan struct{}
	stopped chan struct{}
}

func openSQLite(ctx context.Context, file string, durable bool) (*sqliteEngine, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("make the database folder: %w", err)
	}
	// Only the owner may read the file: it holds guests' data. SQLite gives its other files the same permissions.
	if f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600); err == nil {
		_ = f.Close() // if this failed, opening the database returns the reason
	}
	// Other processes may write too: the operator's commands do while the service runs, and may wait long on a busy
	// machine.
	pragmas := "_pragma=busy_timeout(15000)&_pragma=journal_mode(WAL)&_pragma=foreign_keys(1)" +
		"&_pragma=temp_store(MEMORY)&_pragma=synchronous(FULL)" +
		"&_pragma=secure_delete(1)" // overwrites deleted data, because guests have a right to erasure
	if !durable {
		pragmas = strings.Replace(pragmas, "synchronous(FULL)", "synchronous(OFF)", 1)
	}
	dsn := sqliteURL(file) + "?" + pragmas
	writer, err := sql.Open("sqlite", dsn)
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
		return nil, fmt.Errorf("find the database: %w", err)
	}
	// rw: never create an empty file in place of ours
	readers, err := sql.Open("sqlite", dsn+"&mode=rw&_pragma=query_only(1)")
	if err != nil {
		_ = writer.Close()
		return nil, fmt.Errorf("open the database: %w", err)
	}
	readers.SetMaxOpenConns(max(4, 2*runtime.NumCPU()))
	readers.SetMaxIdleConns(max(4, 2*runtime.NumCPU()))
	conn, err := writer.Conn(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the database: %w", err), readers.Close(), writer.Close())
	}
	e := &sqliteEngine{
		file: file, opened: opened, readers: readers, writer: writer, tx: &sqliteTx{conn: conn},
		queue: make(chan *queuedWrite, maxGroup), stop: make(chan struct{}), stopped: make(chan struct{}),
	}
	go e.writeLoop()
	return e, nil
}

func (e *sqliteEngine) dialect() dialect { return sqliteDialect() }

// pools describes the readers only: the writer holds its one connection permanently, and callers wait for it in
// DB.Write.
func (e *sqliteEngine) pools() []Pool {
	s := e.readers.Stats()
	return []Pool{{
		Name: "readers", InUse: s.InUse, Idle: s.Idle, Max: s.MaxOpenConnections, Waits: s.WaitCount,
		Waited: s.WaitDuration,
	}}
}

func (e *sqliteEngine) cacheStats() CacheStats {
	return CacheStats{
		Name: "statements", Hits: e.reads.hits.Load() + e.tx.stmts.hits.Load(),
		Misses: e.reads.misses.Load() + e.tx.stmts.misses.Load(),
	}
}

// ping also checks the file: one that was moved, deleted or replaced can still be written to, but the data would be
// lost.
func (e *sqliteEngine) ping(ctx context.Context) error {
	now, err := os.Stat(e.file)
	if err != nil {
		return fmt.Errorf("find the database: %w", err)
	}
	if !os.SameFile(now, e.opened) {
		return errors.New("find the database: the file was replaced by another")
	}
	return e.readers.PingContext(ctx)
}

// scrub copies the write-ahead log into the database and empties it, because it contains former versions of pages. Most
// of that runs beside the writers. The last step would block them, so it does not wait: if somebody reads a former
// version, it stops at once.
func (e *sqliteEngine) scrub(ctx context.Context) (done bool, err error) {
	const tries, pause = 10, 20 * time.Millisecond
	conn, err := e.readers.Conn(ctx)
	if err != nil {
		return false, sqliteError(err)
	}
	defer func() {
		// the value it was opened with
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA busy_timeout = 5000")
		_ = conn.Close()
	}()
	if _, err := conn.ExecContext(ctx, "PRAGMA busy_timeout = 0"); err != nil {
		return false, sqliteError(err)
	}
	for range tries {
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
	_ = e.readers.Close()
	_ = e.writer.Close()
}

func (e *sqliteEngine) Query(ctx context.Context, query string, args ...any) (rows, error) {
	return e.reads.query(ctx, e.readers, query, args)
}

func (e *sqliteEngine) QueryPlanned(ctx context.Context, query string, args ...any) (rows, error) {
	return e.reads.query(ctx, e.readers, query, args)
}

// statements prepares each text once. Its size is bounded: when it is full, unused statements are closed.
type statements struct {
	hits, misses atomic.Int64

	mu    sync.Mutex
	known map[string]*statement
}

type statement struct {
	*sql.Stmt
	users int
}

const maxStatements = 256

type preparer interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// get returns the prepared statement of a text. The caller must call done.
func (s *statements) get(ctx context.Context, db preparer, query string) (stmt *sql.Stmt, done func(), err error) {
	if known := s.acquire(query, nil); known != nil {
		s.hits.Add(1)
		return known.Stmt, func() { s.release(known) }, nil
	}
	s.misses.Add(1)
	made, err := db.PrepareContext(ctx, query)
	if err != nil {
		return nil, nil, err
	}
	known := s.acquire(query, made)
	return known.Stmt, func() { s.release(known) }, nil
}

// acquire finds a statement and increments its users. If there is none, it adds the one that was just made.
func (s *statements) acquire(query string, made *sql.Stmt) *statement {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.known[query]
	switch {
	case known != nil && made != nil: // another goroutine made it at the same time
		_ = made.Close()
	case known == nil && made == nil:
		return nil
	case known == nil:
		if s.known == nil {
			s.known = map[string]*statement{}
		}
		if len(s.known) >= maxStatements {
			s.evictIdle()
		}
		known = &statement{Stmt: made}
		s.known[query] = known
	}
	known.users++
	return known
}

func (s *statements) evictIdle() {
	for query, idle := range s.known {
		if idle.users == 0 {
			_ = idle.Close()
			delete(s.known, query)
		}
	}
}

func (s *statements) release(known *statement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known.users--
}

func (s *statements) query(ctx context.Context, db preparer, query string, args []any) (rows, error) {
	stmt, done, err := s.get(ctx, db, query)
	if err != nil {
		return nil, sqliteError(err)
	}
	rs, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		done()
		return nil, sqliteError(err)
	}
	return &sqliteRows{Rows: rs, done: sync.OnceFunc(done)}, nil
}

func (s *statements) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stmt := range s.known {
		_ = stmt.Close()
	}
	s.known = nil
}

// sqliteRows adapts the rows of database/sql.
type sqliteRows struct {
	*sql.Rows
	done func()
}

func (r *sqliteRows) Close() {
	_ = r.Rows.Close()
	r.done()
}

func (r *sqliteRows) Err() error { return sqliteError(r.Rows.Err()) }

// sqliteError maps the driver's errors to those of this package.
func sqliteError(err error) error {
	driver, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		if errors.Is(err, context.DeadlineExceeded) {
			return unavailableError(err)
		}
		return err
	}
	switch driver.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return fmt.Errorf("%w: %w", errConflict, err)
	}
	switch driver.Code() & 0xff { // the low byte of an extended code is the primary code
	case sqlite3.SQLITE_FULL:
		return diskFullError(err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN,
		sqlite3.SQLITE_IOERR:
		return unavailableError(err)
	}
	return err
}
