package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// distributionColumns maps tables that are read before the account is known to their distribution
// columns: the hash of a token, or the throttle slot of a login. Tables that describe the database
// itself belong to no account and have no distribution column.
var distributionColumns = map[string]string{
	"directory": "hash", "challenges": "hash", "throttles": "slot", MigrationsTable: "", BackupTable: "",
	ChangeBaseTable: "", LeaseTable: "",
}

// DistributionColumn returns the column that Citus distributes a table by, or an empty string for a
// table that is replicated to every node. All rows with the same account id are on the same node.
func DistributionColumn(table string) string {
	if column, ok := distributionColumns[table]; ok {
		return column
	}
	return "account_id"
}

// colocatedWith returns the table that a table is colocated with, or "none". Rows of colocated
// tables that have the same key are on the same node.
func colocatedWith(table string) string {
	switch first := map[string]string{"account_id": "accounts", "hash": "directory"}[DistributionColumn(table)]; first {
	case "", table:
		return "none"
	default:
		return first
	}
}

// Distribute distributes all tables that are not distributed yet, including their rows, across the
// Citus nodes, and returns the names of these tables. It runs in one transaction, which blocks
// other transactions.
func (db *DB) Distribute(ctx context.Context) (tables []string, err error) {
	if !db.d.citus {
		return nil,
			errors.New("the Citus extension is not installed in the database: run CREATE EXTENSION citus and add " +
				"its nodes (citus_add_node)")
	}
	err = db.Write(withoutTimeout(ctx), func(tx *Tx) (err error) {
		tables, err = tx.distribute()
		return err
	})
	return tables, err
}

func (db *DB) isDistributed(ctx context.Context) (bool, error) {
	if !db.d.citus {
		return false, nil
	}
	rs, err := db.h.Query(ctx, "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = to_regclass('accounts')")
	n, _, err := firstValue[int](rs, err)
	return n > 0, err
}

func (tx *Tx) distribute() ([]string, error) {
	if err := tx.setSequential(); err != nil {
		return nil, err
	}
	if _, err := tx.exec(tx.d.migrationLock); err != nil {
		return nil, err
	}
	tables, err := tx.localTables()
	if err != nil {
		return nil, err
	}
	// A foreign key can only refer to rows on the same node, and triggers would prevent the copied
	// rows from being deleted. Therefore the foreign keys and triggers of these tables are dropped
	// first and recreated on the distributed tables.
	constraints, err := tx.constraints(tables)
	if err != nil {
		return nil, err
	}
	var steps []string
	for _, c := range constraints {
		steps = append(steps, c.drop)
	}
	if err := tx.scripts(steps); err != nil {
		return nil, err
	}
	steps = nil
	for _, table := range tables {
		if err := tx.distributeTable(table); err != nil {
			return nil, err
		}
		steps = append(steps, "SELECT truncate_local_data_after_distributing_table('"+table+"')")
	}
	for _, c := range constraints {
		steps = append(steps, c.add)
	}
	return tables, tx.scripts(steps)
}

func (tx *Tx) scripts(statements []string) error {
	for _, s := range statements {
		if err := tx.h.Script(tx.ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// setSequential makes Citus change the shards of a table sequentially, over one connection to each
// node. Otherwise one transaction could not make several such changes. It also allows triggers,
// which is safe because each of our triggers reads only its own row.
func (tx *Tx) setSequential() error {
	if !tx.d.citus {
		return nil
	}
	return tx.h.Script(tx.ctx,
		"SET LOCAL citus.multi_shard_modify_mode TO 'sequential'; SET LOCAL citus.enable_unsafe_triggers TO on")
}

func (tx *Tx) distributeTable(table string) (err error) {
	if DistributionColumn(table) == "" {
		_, err = tx.exec("SELECT create_reference_table(CAST(CAST($1 AS TEXT) AS REGCLASS))", table)
	} else {
		_, err = tx.exec("SELECT create_distributed_table(CAST(CAST($1 AS TEXT) AS REGCLASS), $2, colocate_with => $3)",
			table, DistributionColumn(table), colocatedWith(table))
	}
	if err != nil {
		return fmt.Errorf("distribute %s: %w", table, err)
	}
	return nil
}

// localTables returns the tables that are not distributed. Tables that others are colocated with
// come first.
func (tx *Tx) localTables() ([]string, error) {
	rs, err := tx.h.Query(tx.ctx,
		`SELECT CAST(c.relname AS TEXT) FROM pg_class c WHERE c.relkind = 'r'
				AND c.relnamespace = to_regnamespace('public')
		AND NOT c.relispartition AND NOT EXISTS (SELECT 1 FROM pg_dist_partition p WHERE p.logicalrelid = c.oid)
		AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') ORDER BY 1`)
	tables, err := collect(rs, err, scanText)
	slices.SortStableFunc(tables, func(a, b string) int { return cmp.Compare(colocationRank(a), colocationRank(b)) })
	return tables, err
}

func colocationRank(table string) int {
	if colocatedWith(table) == "none" {
		return 0
	}
	return 1
}

// constraint is a foreign key or trigger of a table, with the statements that drop and create it.
type constraint struct{ table, drop, add string }

// constraints returns the foreign keys and triggers of tables.
func (tx *Tx) constraints(tables []string) ([]constraint, error) {
	rs, err := tx.h.Query(tx.ctx,
		`SELECT h.name, 'ALTER TABLE ' || h.name || ' DROP CONSTRAINT ' || quote_ident(h.own),
				'ALTER TABLE ' || h.name || ' ADD CONSTRAINT ' || quote_ident(h.own) || ' ' || h.definition
		FROM (SELECT CAST(CAST(conrelid AS REGCLASS) AS TEXT) AS name, conname AS own,
		pg_get_constraintdef(oid) AS definition FROM pg_constraint
			WHERE contype = 'f' AND connamespace = to_regnamespace('public')) AS h
		UNION ALL SELECT h.name, 'DROP TRIGGER ' || quote_ident(h.own) || ' ON ' || h.name, h.definition
		FROM (SELECT CAST(CAST(tgrelid AS REGCLASS) AS TEXT) AS name, tgname AS own,
		pg_get_triggerdef(oid) AS definition FROM pg_trigger WHERE NOT tgisinternal) AS h`)
	all, err := collect(rs, err, func(rs rows) (f constraint, err error) {
		err = rs.Scan(&f.table, &f.drop, &f.add)
		return f, err
	})
	return slices.DeleteFunc(all, func(f constraint) bool { return !slices.Contains(tables, f.table) }), err
}

// Scope is the reason why a statement may access all accounts or, with Citus, all shards of a
// table. Every other statement must restrict each of its tables to an account or to another value
// of the distribution column; see InspectStatements.
type Scope string

// The reasons for accessing all accounts. Requests use only DirectoryScope.
const (
	CleanupScope    Scope = "upkeep"     // deletes old rows of all accounts, in batches
	BackgroundScope Scope = "background" // finds due work of all accounts, which is then claimed account by account
	OperatorScope   Scope = "operator"   // lists accounts, counts rows, and works on the whole database
	// DirectoryScope is for removing a directory entry by its subject. The directory is distributed by the
	// hash of the token, which is not known when a session is ended or a key is revoked. Removing
	// the entry takes one index lookup on each shard. So does looking for the keys of a website, whose hashes share
	// only their beginning.
	DirectoryScope Scope = "freeing"
)

type (
	scopeKey   struct{}
	requestKey struct{}
)

// withScope marks the context of a statement that may access all accounts.
func withScope(ctx context.Context, e Scope) context.Context {
	return context.WithValue(ctx, scopeKey{}, e)
}

// ScopeOf returns the reason why a statement may access all accounts, or an empty string if it may
// not.
func ScopeOf(ctx context.Context) Scope {
	e, _ := ctx.Value(scopeKey{}).(Scope)
	return e
}

// WithRequest marks the context of a request, which must not access several accounts.
func WithRequest(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestKey{}, true)
}

// IsRequest reports whether a context was marked by WithRequest.
func IsRequest(ctx context.Context) bool { return ctx.Value(requestKey{}) != nil }

// inspect is called before every statement. Only tests set it.
//
//nolint:gochecknoglobals // set once, by a test program, before it opens a database
var inspect func(ctx context.Context, sql string)

// InspectStatements sets a function that is called before every statement on databases opened
// afterwards. Tests use it to check that statements name the account.
func InspectStatements(fn func(ctx context.Context, sql string)) { inspect = fn }

// inspectedEngine calls inspect before every statement.
type inspectedEngine struct{ engine }

func (e inspectedEngine) Query(ctx context.Context, sql string, args ...any) (rows, error) {
	inspect(ctx, sql)
	return e.engine.Query(ctx, sql, args...)
}

func (e inspectedEngine) QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error) {
	inspect(ctx, sql)
	return e.engine.QueryPlanned(ctx, sql, args...)
}

func (e inspectedEngine) write(ctx context.Context, fn func(txHandle) error) error {
	return e.engine.write(ctx, func(h txHandle) error { return fn(inspectedTx{h}) })
}

type inspectedTx struct{ txHandle }

func (h inspectedTx) Query(ctx context.Context, sql string, args ...any) (rows, error) {
	inspect(ctx, sql)
	return h.txHandle.Query(ctx, sql, args...)
}

func (h inspectedTx) QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error) {
	inspect(ctx, sql)
	return h.txHandle.QueryPlanned(ctx, sql, args...)
}

func (h inspectedTx) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	inspect(ctx, sql)
	return h.txHandle.Exec(ctx, sql, args...)
}

func (h inspectedTx) Queue(ctx context.Context, sql string, args ...any) error {
	inspect(ctx, sql)
	return h.txHandle.Queue(ctx, sql, args...)
}

func (h inspectedTx) QueueForItem(ctx context.Context, item, sql string, args ...any) error {
	inspect(ctx, sql)
	return h.txHandle.QueueForItem(ctx, item, sql, args...)
}

func (h inspectedTx) QueueQuery(ctx context.Context, read func(rows) error, sql string, args ...any) error {
	inspect(ctx, sql)
	return h.txHandle.QueueQuery(ctx, read, sql, args...)
}
