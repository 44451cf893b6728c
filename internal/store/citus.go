package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// sharedTable is on every machine whole: it tells of the schema, and has no account.
const sharedTable = "schema_migrations"

// distributionColumns are what those tables are spread by that are asked before an account is known: a hash of what somebody brings, and the number that whoever tries to log in goes by.
var distributionColumns = map[string]string{"directory": "hash", "challenges": "hash", "throttles": "slot", sharedTable: ""}

// SpreadBy gives the column by which a table lies on several machines, empty where each of them has all of it. All that has one account is on one.
func SpreadBy(table string) string {
	if own, ok := distributionColumns[table]; ok {
		return own
	}
	return "account_id"
}

// colocatedWith names the table beside whose rows those of a table lie that have the same key.
func colocatedWith(table string) string {
	switch first := map[string]string{"account_id": "accounts", "hash": "directory"}[SpreadBy(table)]; first {
	case "", table:
		return "none"
	default:
		return first
	}
}

// Distribute spreads the tables of a PostgreSQL with Citus over its machines, as far as they are not, and names those that it spread. Rows that are there go along. All is done or nothing;
// meanwhile others wait.
func (db *DB) Distribute(ctx context.Context) (tables []string, err error) {
	if !db.d.citus {
		return nil, errors.New("the database has no Citus: it takes a PostgreSQL with that extension (CREATE EXTENSION citus) and its machines (citus_add_node)")
	}
	err = db.Write(withoutTimeout(ctx), func(tx *Tx) (err error) {
		tables, err = tx.distribute()
		return err
	})
	return tables, err
}

// isDistributed tells whether the tables lie on several machines.
func (db *DB) isDistributed(ctx context.Context) (bool, error) {
	if !db.d.citus {
		return false, nil
	}
	rs, err := db.h.Query(ctx, "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = to_regclass('accounts')")
	n, _, err := value[int](rs, err)
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
	// A foreign key can lead only to what is beside it, and a trigger would keep the rows that have left from being removed here. Those of tables that are on
	// their way are laid down, and taken up where they have arrived.
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

// scripts runs statements one after the other.
func (tx *Tx) scripts(statements []string) error {
	for _, s := range statements {
		if err := tx.h.Script(tx.ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// setSequential has what is done to all shards of a table done to one after the other, over one connection to each machine: then one transaction may do several such things. Triggers
// are allowed: Citus has each machine run those of its shards, and ours look at nothing but their row.
func (tx *Tx) setSequential() error {
	if !tx.d.citus {
		return nil
	}
	return tx.h.Script(tx.ctx, "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'; SET LOCAL citus.enable_unsafe_triggers TO on")
}

func (tx *Tx) distributeTable(table string) (err error) {
	if SpreadBy(table) == "" {
		_, err = tx.exec("SELECT create_reference_table(CAST(CAST($1 AS TEXT) AS REGCLASS))", table)
	} else {
		_, err = tx.exec("SELECT create_distributed_table(CAST(CAST($1 AS TEXT) AS REGCLASS), $2, colocate_with => $3)", table, SpreadBy(table), colocatedWith(table))
	}
	if err != nil {
		return fmt.Errorf("spread %s: %w", table, err)
	}
	return nil
}

// localTables names the tables that are on one machine, those first beside which others lie.
func (tx *Tx) localTables() ([]string, error) {
	rs, err := tx.h.Query(tx.ctx, `SELECT CAST(c.relname AS TEXT) FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = to_regnamespace('public')
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

// constraint is what holds a table where it is, and the statements that lay it down and take it up.
type constraint struct{ table, drop, add string }

// constraints gives the foreign keys and triggers of some tables, as PostgreSQL writes them down.
func (tx *Tx) constraints(of []string) ([]constraint, error) {
	rs, err := tx.h.Query(tx.ctx, `SELECT h.name, 'ALTER TABLE ' || h.name || ' DROP CONSTRAINT ' || quote_ident(h.own), 'ALTER TABLE ' || h.name || ' ADD CONSTRAINT ' || quote_ident(h.own) || ' ' || h.definition
		FROM (SELECT CAST(CAST(conrelid AS REGCLASS) AS TEXT) AS name, conname AS own, pg_get_constraintdef(oid) AS definition FROM pg_constraint
			WHERE contype = 'f' AND connamespace = to_regnamespace('public')) AS h
		UNION ALL SELECT h.name, 'DROP TRIGGER ' || quote_ident(h.own) || ' ON ' || h.name, h.definition
		FROM (SELECT CAST(CAST(tgrelid AS REGCLASS) AS TEXT) AS name, tgname AS own, pg_get_triggerdef(oid) AS definition FROM pg_trigger WHERE NOT tgisinternal) AS h`)
	all, err := collect(rs, err, func(rs rows) (f constraint, err error) {
		err = rs.Scan(&f.table, &f.drop, &f.add)
		return f, err
	})
	return slices.DeleteFunc(all, func(f constraint) bool { return !slices.Contains(of, f.table) }), err
}
