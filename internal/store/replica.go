package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"homeward/internal/lost"
)

// A list waits up to replicaWait for the replica to catch up. If the replica repeatedly does not
// catch up, or fails, it is suspended. Each further suspension is longer, until the replica works
// again.
const (
	replicaWait    = 30 * time.Millisecond
	replicaPoll    = 2 * time.Millisecond
	replicaTimeout = time.Second // timeout for one check
	replicaMisses  = 3           // consecutive checks without catching up before it is suspended
	minPause       = time.Second
	maxPause       = 30 * time.Second
)

// replica is a PostgreSQL replica of the primary. A list is read from it only if it has replayed
// everything that any instance of the service committed before the list was requested; otherwise
// the list is read from the primary. This way all callers read their own writes, and instances do
// not have to tell each other who wrote what.
//
// Reading the primary's position takes one small query. Lists that are requested while a check runs
// share the next check.
type replica struct {
	primary rowQuerier
	pool    rowQuerier // the replica itself
	engine  engine     // the same, for lists
	system  string     // identifies the database; it is the same on the primary and its replicas

	mu             sync.Mutex
	next           *freshnessCheck // the check that new callers join
	busy           bool
	misses         int
	pause          time.Duration
	suspendedUntil time.Time

	// The number of lists read from the replica, and the number read from the primary because the
	// replica could not be used.
	replicaReads, primaryReads atomic.Int64
}

// rowQuerier is a connection pool. The type of DB leads here: with the pool's own type, the compiler would read and
// partly compile the driver again for each package that uses DB.
type rowQuerier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// freshnessCheck checks whether the replica has caught up with the primary. Callers share it.
type freshnessCheck struct {
	done  chan struct{}
	fresh bool
}

// UseReplica makes the database read lists from a replica whenever the replica has caught up. The
// replica does not have to be running yet.
func (db *DB) UseReplica(ctx context.Context, setting string) error {
	primaryEngine := db.engine
	if g, ok := primaryEngine.(inspectedEngine); ok {
		primaryEngine = g.engine
	}
	primary, ok := primaryEngine.(*pgEngine)
	if !ok {
		return errors.New("only PostgreSQL can have a replica")
	}
	if primary.citus {
		return errors.New("a replica cannot be used with Citus, because the nodes have no common log position: " +
			"remove the replica")
	}
	r := &replica{primary: primary.pool, pause: minPause}
	if err := primary.pool.QueryRow(ctx,
		"SELECT CAST(system_identifier AS TEXT) FROM pg_control_system()").Scan(&r.system); err != nil {
		return fmt.Errorf("read the system identifier of the database: %w", pgError(err))
	}
	cfg, err := poolConfig(setting)
	if err != nil {
		return err
	}
	cfg.ConnConfig.ConnectTimeout = replicaTimeout
	useDeadlines(cfg)
	pool, err := pgxpool.NewWithConfig(context.WithoutCancel(ctx), cfg) // connects on demand
	if err != nil {
		return fmt.Errorf("open the replica: %w", err)
	}
	r.pool, r.engine = pool, &pgEngine{pool: pool}
	db.replica = r
	return nil
}

// CheckReplica returns an error unless the replica responds and is a replica of this database.
func (db *DB) CheckReplica(ctx context.Context) error {
	var follows, same, paused bool
	err := db.replica.pool.QueryRow(ctx,
		`SELECT pg_is_in_recovery(), (SELECT CAST(system_identifier AS TEXT) FROM pg_control_system()) = $1,
		CASE WHEN pg_is_in_recovery() THEN pg_is_wal_replay_paused() ELSE FALSE END`,
		db.replica.system).Scan(&follows, &same, &paused)
	switch {
	case err != nil:
		return fmt.Errorf("query the replica: %w", pgError(err))
	case !same:
		return errors.New("the server is a replica of another database")
	case !follows:
		return errors.New("the server is not a replica")
	case paused:
		return errors.New("replay is paused on the replica, so it falls behind: " +
			"run SELECT pg_wal_replay_resume() there")
	default:
		return nil
	}
}

// ReplicaReads returns how many lists were read from the replica, and how many from the primary
// because the replica could not be used.
func (db *DB) ReplicaReads() (replica, primary int64) {
	if db.replica == nil {
		return 0, 0
	}
	return db.replica.replicaReads.Load(), db.replica.primaryReads.Load()
}

// HasReplica reports whether lists may be read from a replica.
func (db *DB) HasReplica() bool { return db.replica != nil }

// readFresh calls read with the replica if it has caught up, and otherwise with the primary. If the
// read fails on the replica, it is repeated on the primary.
func readFresh[T any](ctx context.Context, db *DB, read func(r reader) (T, error)) (T, error) {
	if db.replica == nil {
		return read(db.reader)
	}
	if db.replica.isFresh(ctx) {
		onReplica := db.reader
		onReplica.h = db.replica.engine
		v, err := read(onReplica)
		if code := lost.CodeOf(err); err == nil || code != lost.Internal && code != lost.Unavailable {
			db.replica.replicaReads.Add(1)
			return v, err
		}
		if ctx.Err() != nil { // the caller has canceled, so the replica may not be at fault
			return v, err
		}
		db.replica.suspend()
	}
	db.replica.primaryReads.Add(1)
	return read(db.reader)
}

// isFresh reports whether the replica has everything that has been committed so far.
func (r *replica) isFresh(ctx context.Context) bool {
	l := r.joinCheck()
	if l == nil {
		return false
	}
	wait := time.NewTimer(replicaWait)
	defer wait.Stop()
	select {
	case <-l.done:
		return l.fresh
	case <-wait.C:
	case <-ctx.Done():
	}
	return false
}

// joinCheck returns the next check to wait for, or nil while the replica is suspended.
func (r *replica) joinCheck() *freshnessCheck {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Now().Before(r.suspendedUntil) {
		return nil
	}
	if r.next == nil {
		r.next = &freshnessCheck{done: make(chan struct{})}
		if !r.busy {
			r.busy = true
			go r.runChecks()
		}
	}
	return r.next
}

// runChecks runs checks while callers are waiting. No caller can join a check that has started.
func (r *replica) runChecks() {
	for {
		r.mu.Lock()
		l := r.next
		r.next, r.busy = nil, l != nil
		r.mu.Unlock()
		if l == nil {
			return
		}
		l.fresh = r.check()
		close(l.done)
	}
}

func (r *replica) check() bool {
	ctx, cancel := context.WithTimeout(context.Background(), replicaTimeout)
	defer cancel()
	caughtUp, err := r.caughtUp(ctx)
	switch {
	case err != nil:
		r.suspend()
	case caughtUp:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.misses, r.pause = 0, minPause
	default:
		r.recordMiss()
	}
	return caughtUp && err == nil
}

// caughtUp reads the primary's position, waits briefly for the replica to reach it, and reports
// whether it did.
func (r *replica) caughtUp(ctx context.Context) (caughtUp bool, err error) {
	var position string
	if err := r.primary.QueryRow(ctx, "SELECT CAST(pg_current_wal_flush_lsn() AS TEXT)").Scan(&position); err != nil {
		return false, err
	}
	for deadline := time.Now().Add(replicaWait); ; {
		err = r.pool.QueryRow(ctx,
			`SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= CAST(CAST($1 AS TEXT) AS PG_LSN)
			AND (SELECT CAST(system_identifier AS TEXT) FROM pg_control_system()) = $2`,
			position, r.system).Scan(&caughtUp)
		if err != nil || caughtUp || time.Now().After(deadline) {
			return caughtUp, err
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(replicaPoll): // the replica sends no notification
		}
	}
}

// recordMiss counts a check in which the replica had not caught up.
func (r *replica) recordMiss() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.misses++; r.misses >= replicaMisses {
		r.suspendLocked()
	}
}

// suspend stops the use of the replica for some time.
func (r *replica) suspend() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.suspendLocked()
}

// suspendLocked is like suspend, but for a caller that holds the lock. It does not extend an
// existing suspension, however many reads have failed.
func (r *replica) suspendLocked() {
	if now := time.Now(); now.After(r.suspendedUntil) {
		r.suspendedUntil = now.Add(r.pause)
		r.pause = min(2*r.pause, maxPause)
	}
}

func (r *replica) close() { r.engine.close() }

// The following methods, which serve lists and searches in the API and the dashboard, may read from
// a replica. Data needed for authentication or for a change is read from the primary.

// Items lists a location's items.
func (db *DB) Items(ctx context.Context, account, location string, f lost.ItemFilter) (lost.List[lost.Item], error) {
	return readFresh(ctx, db, func(r reader) (lost.List[lost.Item], error) {
		return r.Items(ctx, account, location, f)
	})
}

// Locations lists an account's locations.
func (db *DB) Locations(ctx context.Context, account string, only []string,
	f lost.LocationFilter) (lost.List[lost.Location], error) {
	return readFresh(ctx, db, func(r reader) (lost.List[lost.Location], error) {
		return r.Locations(ctx, account, only, f)
	})
}

// AccountItems lists the items of several locations.
func (db *DB) AccountItems(ctx context.Context, account string, only []string,
	f lost.ItemFilter) (lost.List[lost.Item], error) {
	return readFresh(ctx, db, func(r reader) (lost.List[lost.Item], error) {
		return r.AccountItems(ctx, account, only, f)
	})
}

// SearchRows returns the newest rows that a search finds.
func (db *DB) SearchRows(ctx context.Context, account string, only []string, f lost.ItemFilter,
	s TextSearch) (FoundRows, error) {
	return readFresh(ctx, db, func(r reader) (FoundRows, error) { return r.SearchRows(ctx, account, only, f, s) })
}

// Events lists an account's events.
func (db *DB) Events(ctx context.Context, account string, f lost.EventFilter) (lost.List[lost.Event], error) {
	return readFresh(ctx, db, func(r reader) (lost.List[lost.Event], error) { return r.Events(ctx, account, f) })
}

// Deliveries lists deliveries to an endpoint.
func (db *DB) Deliveries(ctx context.Context, account string, f lost.DeliveryFilter) (lost.List[lost.Delivery], error) {
	return readFresh(ctx, db, func(r reader) (lost.List[lost.Delivery], error) { return r.Deliveries(ctx, account, f) })
}

// History lists an item's history.
func (db *DB) History(ctx context.Context, account, item string, page lost.Page) (lost.List[lost.Entry], error) {
	return readFresh(ctx, db, func(r reader) (lost.List[lost.Entry], error) {
		return r.History(ctx, account, item, page)
	})
}

// Messages lists an item's messages.
func (db *DB) Messages(ctx context.Context, account, item string, page lost.Page) (lost.List[lost.Message], error) {
	return readFresh(ctx, db, func(r reader) (lost.List[lost.Message], error) {
		return r.Messages(ctx, account, item, page)
	})
}

// AccountMessages lists an account's messages.
func (db *DB) AccountMessages(ctx context.Context, account string, only []string,
	f lost.MessageFilter) (lost.CursorPage[lost.Message], error) {
	return readFresh(ctx, db, func(r reader) (lost.CursorPage[lost.Message], error) {
		return r.AccountMessages(ctx, account, only, f)
	})
}

// Tasks lists a location's tasks.
func (db *DB) Tasks(ctx context.Context, account, location string, page lost.Page) (lost.List[lost.Task], error) {
	return readFresh(ctx, db, func(r reader) (lost.List[lost.Task], error) {
		return r.Tasks(ctx, account, location, page)
	})
}

// FirstTasks returns the first tasks of each kind.
func (db *DB) FirstTasks(ctx context.Context, account string, only []string, kinds []lost.TaskKind,
	limit int) ([]lost.TaskGroup, error) {
	return readFresh(ctx, db, func(r reader) ([]lost.TaskGroup, error) {
		return r.FirstTasks(ctx, account, only, kinds, limit)
	})
}

// ItemsAtPlace lists the items at a storage place.
func (db *DB) ItemsAtPlace(ctx context.Context, account, location string, names []string,
	page lost.Page) (lost.List[lost.Item], error) {
	return readFresh(ctx, db, func(r reader) (lost.List[lost.Item], error) {
		return r.ItemsAtPlace(ctx, account, location, names, page)
	})
}

// Places lists a location's storage places.
func (db *DB) Places(ctx context.Context, account, location, from string, limit int) ([]lost.StoragePlace, error) {
	return readFresh(ctx, db, func(r reader) ([]lost.StoragePlace, error) {
		return r.Places(ctx, account, location, from, limit)
	})
}

// Audit lists an account's audit log.
func (db *DB) Audit(ctx context.Context, account string, f lost.AuditFilter) (lost.CursorPage[lost.AuditEntry], error) {
	return readFresh(ctx, db, func(r reader) (lost.CursorPage[lost.AuditEntry], error) {
		return r.Audit(ctx, account, f)
	})
}

// CountAudit counts the entries of an account's audit log.
func (db *DB) CountAudit(ctx context.Context, account string, f lost.AuditFilter) (lost.Total, error) {
	return readFresh(ctx, db, func(r reader) (lost.Total, error) { return r.CountAudit(ctx, account, f) })
}
