package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"homeward/internal/lost"
)

// pgEngine is a PostgreSQL database with a pgx connection pool.
type pgEngine struct {
	pool  *pgxpool.Pool
	citus bool // whether the Citus extension is installed
}

func openPostgres(ctx context.Context, dsn string) (*pgEngine, error) {
	cfg, err := poolConfig(dsn)
	if err != nil {
		return nil, err
	}
	requireWritable(cfg, dsn)
	useDeadlines(cfg)
	numberConnections(cfg)
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	e := &pgEngine{pool: pool}
	if err := e.ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	if err := pool.QueryRow(ctx,
		"SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')").Scan(&e.citus); err != nil {
		pool.Close()
		return nil, fmt.Errorf("list the database extensions: %w", err)
	}
	return e, nil
}

// poolConfig returns the pool configuration for a database URL, with our defaults.
func poolConfig(dsn string) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil,
			errors.New("the database address is invalid; " +
				"use postgres://user:password@host:5432/name")
	}
	// By default, pgx opens 4 connections on a small machine. With more of them, concurrent commits
	// can share an fsync.
	if !strings.Contains(dsn, "pool_max_conns") {
		cfg.MaxConns = int32(max(8, 4*runtime.NumCPU()))
	}
	if cfg.ConnConfig.ConnectTimeout == 0 {
		cfg.ConnConfig.ConnectTimeout = 5 * time.Second
	}
	// This name identifies our connections to the database administrator.
	if _, ok := cfg.ConnConfig.RuntimeParams["application_name"]; !ok {
		cfg.ConnConfig.RuntimeParams["application_name"] = "homeward"
	}
	return cfg, nil
}

// connNumber is the key of a connection's number; see txHandle.
const connNumber = "homeward number"

// numberConnections numbers the connections of a pool in the order in which they are opened.
func numberConnections(cfg *pgxpool.Config) {
	var opened atomic.Uint32
	cfg.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		conn.PgConn().CustomData()[connNumber] = opened.Add(1) - 1
		return nil
	}
}

// requireWritable makes connections to a database with several hosts skip the hosts that are read-only, because they
// are standbys, unless the address has target_session_attrs. Otherwise the service would stay on a standby that was
// the first to respond, and every write would fail even after the failover.
func requireWritable(cfg *pgxpool.Config, dsn string) {
	c := cfg.ConnConfig
	isOther := func(f *pgconn.FallbackConfig) bool { return f.Host != c.Host || f.Port != c.Port }
	if c.ValidateConnect == nil && slices.ContainsFunc(c.Fallbacks, isOther) &&
		!strings.Contains(dsn, "target_session_attrs") {
		c.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
}

func (e *pgEngine) dialect() dialect {
	if e.citus {
		return citusDialect()
	}
	return postgresDialect()
}

// scrub does nothing: dumps contain no deleted rows, and the next vacuum removes them from the
// tables.
func (e *pgEngine) scrub(context.Context) (done bool, err error) { return true, nil }

func (e *pgEngine) ping(ctx context.Context) error { return pgError(e.pool.Ping(ctx)) }

func (e *pgEngine) close() { e.pool.Close() }

// pageChannel is the name of the PostgreSQL channel over which processes tell each other what open pages show.
const pageChannel = "homeward_page_changes"

func (e *pgEngine) broadcast(ctx context.Context, texts []string) error {
	conn, err := e.acquire(ctx)
	if err != nil {
		return err
	}
	defer release(ctx, conn)
	for _, text := range texts {
		if _, err := conn.Exec(ctx, "SELECT pg_notify($1, $2)", pageChannel, text); err != nil {
			return pgError(err)
		}
	}
	return nil
}

// listen uses a connection of its own, because it holds the connection for as long as it listens.
func (e *pgEngine) listen(ctx context.Context, ready func(), heard func(text string)) error {
	const checkInterval = 15 * time.Second // the connection is checked if nothing was heard for so long
	conn, err := pgx.ConnectConfig(ctx, e.pool.Config().ConnConfig)
	if err != nil {
		return pgError(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "LISTEN "+pageChannel); err != nil {
		return pgError(err)
	}
	ready()
	timeouts := deadlineConnOf(conn)
	for {
		timeouts.setTimeout(0)
		wait, cancel := context.WithTimeout(ctx, checkInterval)
		n, err := conn.WaitForNotification(wait)
		quiet := wait.Err() != nil && ctx.Err() == nil
		cancel()
		timeouts.setTimeout(responseTimeout)
		switch {
		case err == nil:
			heard(n.Payload)
		case quiet:
			err = conn.Ping(ctx)
		}
		if err != nil {
			return pgError(err)
		}
	}
}

// forMigrations returns the same engine: PostgreSQL itself limits the memory for creating an index.
func (e *pgEngine) forMigrations(context.Context) (engine, func(), error) { return e, func() {}, nil }

func (e *pgEngine) pools() []Pool {
	s := e.pool.Stat()
	return []Pool{{
		Name: "main", InUse: int(s.AcquiredConns()), Idle: int(s.IdleConns()), Max: int(s.MaxConns()),
		Waits: s.EmptyAcquireCount(), Waited: s.EmptyAcquireWaitTime(),
	}}
}

// cacheStats returns empty statistics, because the driver caches statements separately for each
// connection.
func (e *pgEngine) cacheStats() CacheStats { return CacheStats{} }

func (e *pgEngine) Query(ctx context.Context, sql string, args ...any) (rows, error) {
	if hasUnstorableText(args) {
		return noRows{}, nil
	}
	return e.query(ctx, sql, args)
}

func (e *pgEngine) QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error) {
	if hasUnstorableText(args) {
		return noRows{}, nil
	}
	return e.query(ctx, sql, plannedArgs(args))
}

// query runs on its own connection, which is released when the returned rows are closed.
func (e *pgEngine) query(ctx context.Context, sql string, args []any) (rows, error) {
	caller, _ := callerContext(ctx)
	conn, err := e.acquire(caller)
	if err != nil {
		return nil, err
	}
	rs, err := conn.Query(ctx, sql, args...)
	if err != nil {
		release(ctx, conn)
		return nil, pgError(err)
	}
	return &pgPoolRows{pgRows: pgRows{rs}, done: sync.OnceFunc(func() { release(ctx, conn) })}, nil
}

// plannedArgs adds an argument that makes pgx use an unnamed statement, which PostgreSQL plans for
// its arguments on every run. A named statement can get a generic plan from its sixth run on; for a
// search, that plan reads the whole index.
func plannedArgs(args []any) []any {
	return append([]any{pgx.QueryExecModeCacheDescribe}, args...)
}

// noRows is an empty result: that of a query for a text that no row can contain, as on SQLite. Such a text may come
// from a URL.
type noRows struct{}

func (noRows) Next() bool        { return false }
func (noRows) Scan(...any) error { return pgx.ErrNoRows }
func (noRows) Err() error        { return nil }
func (noRows) Close()            {}

type pgRows struct{ pgx.Rows }

func (r pgRows) Err() error { return pgError(r.Rows.Err()) }

// pgPoolRows are rows that hold a pool connection until they are closed or read to the end.
type pgPoolRows struct {
	pgRows
	done func()
}

func (r *pgPoolRows) Next() bool {
	more := r.Rows.Next()
	if !more { // Next has closed the rows
		r.done()
	}
	return more
}

func (r *pgPoolRows) Close() {
	r.Rows.Close()
	r.done()
}

// IsNoDatabase reports whether the server responded that the database does not exist.
func IsNoDatabase(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pgErr.Code == "3D000"
}

// pgError maps PostgreSQL errors to this package's errors.
func pgError(err error) error {
	if err == nil {
		return nil
	}
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pgServerError(pgErr, err)
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	_, isNet := errors.AsType[net.Error](err)
	_, isConnect := errors.AsType[*pgconn.ConnectError](err)
	isClosed := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
	if isNet || isConnect || isClosed || pgconn.SafeToRetry(err) {
		return unavailableError(err)
	}
	return err
}

// pgServerError maps an error that the server has returned.
func pgServerError(pgErr *pgconn.PgError, err error) error {
	switch pgErr.Code {
	case "23505", "23503", "40001", "40P01": // unique, foreign key, serialization, deadlock
		return fmt.Errorf("%w: %w", errConflict, err)
	case "23502": // a missing value; see newItemTable
		if pgErr.TableName == "items" && pgErr.ColumnName == "look_at" {
			return fmt.Errorf("%w: %w", errConflict, err)
		}
	case "53100":
		return diskFullError(err)
	case "XX000":
		// While Citus copies rows between nodes, it forwards a node's errors without their
		// codes, so only the message can be tested. PostgreSQL itself always sets a code. The
		// message is in English only if lc_messages is English on the nodes. Only a superuser
		// can set this for a connection, so docs/operate/scaling.md requires it.
		if strings.Contains(pgErr.Message, "violates unique constraint") ||
			strings.Contains(pgErr.Message, "violates foreign key constraint") {
			return fmt.Errorf("%w: %w", errConflict, err)
		}
	case "25006", "57014", "55P03", "58030": // read-only, canceled by a server timeout, locked, disk failure
		return unavailableError(err)
	}
	switch pgErr.Code[:min(2, len(pgErr.Code))] {
	case "08", "53": // connection errors, insufficient resources
		return unavailableError(err)
	}
	if strings.HasPrefix(pgErr.Code, "57P") { // shutting down, starting up, or terminated by the administrator
		return unavailableError(err)
	}
	return err
}

func unavailableError(cause error) error {
	return lost.E(lost.Unavailable, "The database is not available right now. Try again.").WithCause(cause)
}

// IsDiskFull reports whether an error says that the database's disk is full.
func IsDiskFull(err error) bool { return errors.Is(err, errDiskFull) }

// errDiskFull is wrapped by errors that say that the database's disk is full.
var errDiskFull = errors.New("the database's disk is full")

// diskFullError returns an error that says that the database disk is full. Writes work again after
// space has been freed.
func diskFullError(cause error) error {
	e := lost.E(lost.Unavailable,
		"The database disk is full, so nothing can be saved. "+
			"Reading still works. Try again later.").WithCause(fmt.Errorf("%w: %w", errDiskFull, cause))
	e.Wait = diskFullRetry
	return e
}

// diskFullRetry is how long a client should wait before it tries again.
const diskFullRetry = 30 * time.Second
