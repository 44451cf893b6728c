package transfer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"homeward/internal/store"
)

// loadPostgres fills a PostgreSQL database in one transaction.
func (o LoadOptions) loadPostgres(ctx context.Context, fill func(l *Loader) error) (err error) {
	db, err := store.Open(ctx, o.Setting, o.Clock)
	if err != nil {
		return err
	}
	defer db.Close()
	newest, err := o.checkSchema()
	if err != nil {
		return err
	}
	if err := checkOwnTables(ctx, db.Raw()); err != nil {
		return err
	}
	if err := o.checkEmpty(ctx, db); err != nil {
		return err
	}
	if !o.Offline {
		if err := checkUnconnected(ctx, db.Raw()); err != nil {
			return err
		}
	}
	script := func(ctx context.Context, sql string) error {
		return db.WriteOnce(ctx, func(tx *store.Tx) error { return tx.Raw().Script(sql) })
	}
	if err := script(ctx, "CREATE TABLE IF NOT EXISTS "+store.RestoreTable+" (since BIGINT NOT NULL)"); err != nil {
		return err
	}
	err = db.WriteOnce(ctx, func(tx *store.Tx) error { return o.replacePostgres(ctx, tx, newest, fill) })
	if err != nil { // the transaction was rolled back, so the database can be used as before
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		return errors.Join(err, script(ctx, "DROP TABLE IF EXISTS "+store.RestoreTable))
	}
	return nil
}

// replacePostgres drops every table, creates the dump's version of the schema, fills the tables, and migrates them to
// the newest version.
func (o LoadOptions) replacePostgres(
	ctx context.Context, tx *store.Tx, newest int64, fill func(l *Loader) error,
) error {
	raw := tx.Raw()
	if err := dropAll(ctx, raw); err != nil {
		return err
	}
	if err := raw.Migrate(0, o.Schema); err != nil {
		return err
	}
	tables, err := compareTables(ctx, raw.Raw, o.Tables, o.Schema)
	if err != nil {
		return err
	}
	sameTx := func(_ context.Context, fn func(tx *store.Tx) error) error { return fn(tx) }
	if err := fill(&Loader{raw: raw.Raw, tables: tables, write: sameTx}); err != nil {
		return err
	}
	if err := resetSequences(ctx, raw); err != nil {
		return err
	}
	if err := raw.Migrate(o.Schema, newest); err != nil {
		return err
	}
	return tx.MarkRestored()
}

// dropAll drops every table and function in the schema.
func dropAll(ctx context.Context, raw store.RawTx) error {
	const timeouts = "SET LOCAL lock_timeout = '10s'; SET LOCAL statement_timeout = 0; " +
		"SET LOCAL idle_in_transaction_session_timeout = 0"
	if err := raw.Script(timeouts); err != nil {
		return err
	}
	tables, err := allTables(ctx, raw.Raw)
	if err != nil {
		return err
	}
	var drop []string
	for _, t := range tables {
		drop = append(drop, "DROP TABLE IF EXISTS "+store.QuoteName(t.Name)+" CASCADE")
	}
	routines, err := texts(raw.Query(ctx, `SELECT format('DROP ROUTINE IF EXISTS %s CASCADE', p.oid::regprocedure)
		FROM pg_proc p
		WHERE p.pronamespace = current_schema()::text::regnamespace AND p.prokind IN ('f', 'p')
			AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`))
	if err != nil {
		return err
	}
	drop = append(drop, routines...)
	if len(drop) == 0 {
		return nil
	}
	return raw.Script(strings.Join(drop, ";\n"))
}

// resetSequences makes every sequence continue after the highest value in its column.
func resetSequences(ctx context.Context, raw store.RawTx) error {
	serial, err := pairs(ctx, raw.Raw, `SELECT t.relname::text, c.attname::text
		FROM pg_class t JOIN pg_attribute c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped
		WHERE t.relnamespace = current_schema()::text::regnamespace AND t.relkind IN ('r', 'p')
			AND pg_get_serial_sequence(quote_ident(t.relname), c.attname) IS NOT NULL`)
	if err != nil {
		return err
	}
	for _, s := range serial {
		table, column := store.QuoteName(s[0]), s[1]
		rs, err := raw.Query(ctx, "SELECT pg_get_serial_sequence($1, $2)", table, column)
		sequence, _, err := value[string](rs, err)
		if err != nil {
			return err
		}
		const next = "SELECT setval('%s', GREATEST((SELECT COALESCE(MAX(%s), 0) + 1 FROM %s), " +
			"(SELECT last_value + 1 FROM %s)), false)"
		if err := raw.Script(fmt.Sprintf(next, sequence, store.QuoteName(column), table, sequence)); err != nil {
			return err
		}
	}
	return nil
}

// checkUnconnected returns an error if there are other connections to the PostgreSQL database. It waits a second for
// those that are being closed, because the server ends them only after their client has gone.
func checkUnconnected(ctx context.Context, raw store.Raw) error {
	const patience, interval = time.Second, 20 * time.Millisecond
	for until := time.Now().Add(patience); ; {
		others, err := texts(raw.Query(ctx, `SELECT COALESCE(NULLIF(application_name, ''), 'unnamed')
			FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
			AND backend_type = 'client backend' LIMIT 100`))
		if err != nil || len(others) == 0 {
			return err
		}
		if time.Now().After(until) {
			return fmt.Errorf("%d other clients are connected to the PostgreSQL database (%s): stop every instance of "+
				"the service first; if none of them is an instance, use --offline", len(others), others[0])
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(interval):
		}
	}
}
