package store

import (
	"context"
	"errors"
	"math"
	"strings"
)

// Rows is the result of a query, with the same interface for both drivers.
type Rows = rows

// Raw runs queries for package transfer, which copies whole tables and therefore reads all
// accounts. No other package may use it.
type Raw struct {
	h handle
	d dialect
}

// Raw gives package transfer direct access to the tables.
func (r reader) Raw() Raw { return Raw{r.h, r.d} }

// Postgres reports whether the database is PostgreSQL.
func (r Raw) Postgres() bool { return r.d.name == "postgres" }

// Query runs a query that may read all accounts.
func (r Raw) Query(ctx context.Context, sql string, args ...any) (Rows, error) {
	return r.h.Query(withScope(ctx, OperatorScope), sql, args...)
}

// RawTx is like Raw, but runs in a transaction.
type RawTx struct {
	Raw
	tx *Tx
}

// Raw gives package transfer direct access to the tables inside the transaction.
func (tx *Tx) Raw() RawTx { return RawTx{tx.reader.Raw(), tx} }

// Exec runs a statement and returns the number of affected rows.
func (x RawTx) Exec(sql string, args ...any) (int64, error) {
	return x.tx.h.Exec(withScope(x.tx.ctx, OperatorScope), sql, args...)
}

// Script runs several statements without arguments.
func (x RawTx) Script(sql string) error { return x.tx.h.Script(x.tx.ctx, sql) }

// InsertRows inserts rows into a table until next returns nil, in the fastest way that the database
// offers.
func (x RawTx) InsertRows(table string, columns []string, next func() ([]any, error)) error {
	_, err := x.tx.h.InsertRows(x.tx.ctx, table, columns, next)
	return err
}

// AllowAuditDelete allows the transaction to delete from the audit log, which triggers would
// otherwise prevent.
func (x RawTx) AllowAuditDelete() error { return x.tx.d.allowAuditDelete(x.tx, math.MaxInt64) }

// ForbidAuditDelete ends the effect of AllowAuditDelete.
func (x RawTx) ForbidAuditDelete() error { return x.tx.d.allowAuditDelete(x.tx, 0) }

// HasRowIDs reports whether the rows of a table can be selected by the hidden column rowid or ctid.
func (x RawTx) HasRowIDs(table string) (bool, error) {
	if x.d.name == "postgres" {
		return !x.d.citus, nil
	}
	rs, err := x.tx.h.Query(withScope(x.tx.ctx, OperatorScope),
		"SELECT count(*) FROM sqlite_schema WHERE name = $1 AND sql LIKE '%WITHOUT ROWID%'", table)
	without, _, err := firstValue[int](rs, err)
	return without == 0, err
}

// Migrate applies the missing migrations after the version after, up to and including the version
// until.
func (x RawTx) Migrate(after, until int64) error {
	steps, err := migrationsBetween(x.d.name, after, until)
	if err != nil {
		return err
	}
	for _, step := range steps {
		if _, err := x.tx.applyMigration(step); err != nil {
			return migrationError(step, err)
		}
	}
	return nil
}

// WriteOnce is like Write without retries, for a function that consumes its input and therefore
// cannot run twice. IsConflict recognizes the errors after which Write would have retried.
func (db *DB) WriteOnce(ctx context.Context, fn func(tx *Tx) error) error {
	ctx = context.WithValue(ctx, onceKey{}, true)
	var tx *Tx
	err := db.engine.write(ctx, func(h txHandle) error {
		tx = db.transaction(ctx, h)
		return tx.run(fn)
	})
	if err == nil {
		db.reportCommit(tx)
	}
	return err
}

type onceKey struct{}

// runsOnce reports whether a context belongs to WriteOnce.
func runsOnce(ctx context.Context) bool { return ctx.Value(onceKey{}) != nil }

// IsConflict reports whether a write failed because a unique value is already used, a referenced
// row is missing, or two transactions conflicted.
func IsConflict(err error) bool { return errors.Is(err, errConflict) }

// MaintenanceContext returns a context for work on a whole database. Statements with this context
// may access all accounts, have no timeout and wait for their turn, as with BatchContext.
func MaintenanceContext(ctx context.Context) context.Context {
	return BatchContext(withoutTimeout(withScope(ctx, OperatorScope)), nil)
}

// QuoteName quotes the name of a table or column for SQL.
func QuoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Snapshot is a consistent view of the database at one point in time, unaffected by later writes.
type Snapshot struct{ reader }

// Snapshot runs fn with a Snapshot of the current state of the database.
func (db *DB) Snapshot(ctx context.Context, fn func(s *Snapshot) error) error {
	return db.engine.snapshot(MaintenanceContext(ctx), func(h handle) error {
		r := db.reader
		r.h = h
		return fn(&Snapshot{r})
	})
}

// SchemaVersion returns the number of the newest applied migration.
func (s *Snapshot) SchemaVersion(ctx context.Context) (int64, error) { return s.schemaVersion(ctx) }

// SecretFingerprint returns the fingerprint of the current secret, or an empty string if the
// database was never used with one.
func (s *Snapshot) SecretFingerprint(ctx context.Context) (string, error) {
	return s.secretFingerprint(ctx)
}

func (r reader) secretFingerprint(ctx context.Context) (string, error) {
	first, _, err := r.Lookup(ctx, secretEntry, "")
	return first.Subject, err
}
