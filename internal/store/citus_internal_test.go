package store

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// keysOf returns the columns of every primary key, unique index and foreign key, in the form "table
// kind: columns".
func keysOf(t *testing.T, db *DB) []string {
	t.Helper()
	query := `SELECT c.relname || ' ' || CASE WHEN i.indisprimary THEN 'primary' ELSE 'unique' END || ': ' ||
			(SELECT string_agg(pg_get_indexdef(i.indexrelid, k + 1, true), ' ' ORDER BY k)
			FROM generate_series(0, i.indnkeyatts - 1) AS k)
		FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE i.indisunique
		AND c.relnamespace = to_regnamespace('public')
		UNION ALL SELECT c.relname || ' foreign: ' || replace(substring(pg_get_constraintdef(f.oid)
		FROM '\(([^)]*)\)'), ',', '')
		FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid WHERE f.contype = 'f'
		AND c.relnamespace = to_regnamespace('public')`
	if db.d.name == "sqlite" {
		query = `SELECT m.name || CASE i.origin WHEN 'pk' THEN ' primary: '
				ELSE ' unique: ' END || (SELECT group_concat(x.name, ' ') FROM pragma_index_info(i.name) x)
			FROM sqlite_schema m JOIN pragma_index_list(m.name) i WHERE m.type = 'table' AND i."unique"
			AND m.name NOT LIKE 'items_search%'
			UNION ALL SELECT m.name || ' foreign: ' || group_concat(f."from", ' ') FROM sqlite_schema m
			JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table' GROUP BY m.name, f.id`
	}
	rs, err := db.h.Query(withScope(t.Context(), OperatorScope), query)
	keys, err := collect(rs, err, scanText)
	if err != nil || len(keys) < 40 {
		t.Fatalf("got %d keys, %v, want at least 40", len(keys), err)
	}
	return keys
}

// TestEveryKeyContainsTheDistributionColumn checks that every unique and foreign key contains the
// distribution column of its table, as Citus requires.
func TestEveryKeyContainsTheDistributionColumn(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		tables := map[string]bool{}
		for _, line := range keysOf(t, db) {
			key, columns, _ := strings.Cut(line, ": ")
			table, kind, _ := strings.Cut(key, " ")
			tables[table] = true
			column, keyColumns := DistributionColumn(table), strings.Fields(columns)
			switch {
			case column == "":
				if !slices.Contains([]string{MigrationsTable, BackupTable, ChangeBaseTable, LeaseTable}, table) {
					t.Errorf("table %s has no distribution column", table)
				}
			case !slices.Contains(keyColumns, column):
				t.Errorf("a %s key of %s does not contain %s: %s", kind, table, column, columns)
			case column == "account_id" && keyColumns[0] != column:
				t.Errorf("a %s key of %s does not begin with %s: %s", kind, table, column, columns)
			}
		}
		if len(tables) < 30 {
			t.Errorf("got %d tables with a key, want at least 30", len(tables))
		}
	})
}

// TestMigrationsServeThePreviousVersion checks that migrations keep everything that the previous
// version needs, and declare which versions can still run. During a rolling update, the previous
// version runs on the new schema.
func TestMigrationsServeThePreviousVersion(t *testing.T) {
	const first = 40 // earlier migrations have no such declaration
	for _, dialect := range []string{"sqlite", "postgres"} {
		steps, err := migrations(dialect)
		if err != nil {
			t.Fatal(err)
		}
		for n, step := range steps {
			if step.version < first {
				continue
			}
			if !strings.HasPrefix(step.script, "-- serves ") || step.serves == 0 || step.serves > steps[n-1].version {
				t.Errorf("%s must begin with a line \"-- serves NNNN\", where NNNN is the newest migration that a "+
					"program must know to run on this schema, at most %04d", step.name, steps[n-1].version)
			}
			if change := breakingChange(step.script); change != "" {
				t.Errorf("%s has %q, which breaks the previous version: make this change in a later version", step.name,
					change)
			}
		}
	}
}

// breakingChange returns the first change in script that would break running programs, or an empty
// string. Dropping an index is allowed, because it only slows them down.
func breakingChange(script string) string {
	for statement := range strings.SplitSeq(strings.ToUpper(script), ";") {
		for _, change := range []string{
			"DROP TABLE", "DROP COLUMN", "RENAME", "ALTER COLUMN", "ADD CONSTRAINT", "CREATE UNIQUE INDEX",
		} {
			if strings.Contains(statement, change) &&
				!(change == "CREATE UNIQUE INDEX" && strings.Contains(strings.ToUpper(script), "CREATE TABLE")) {
				return change
			}
		}
		if strings.Contains(statement, "ADD COLUMN") && strings.Contains(statement, "NOT NULL") &&
			!strings.Contains(statement, "DEFAULT") {
			return "ADD COLUMN … NOT NULL without DEFAULT"
		}
	}
	return ""
}

func TestANewerSchemaIsAcceptedIfItServesThisVersion(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		steps, err := migrations(db.d.name)
		if err != nil {
			t.Fatal(err)
		}
		newest := steps[len(steps)-1].version
		for _, c := range []struct {
			version, serves int64
			accepted        bool
		}{{newest + 1, newest, true}, {newest + 2, newest - 1, true}, {newest + 3, newest + 1, false}} {
			err := db.Write(t.Context(), func(tx *Tx) error {
				return tx.queue("INSERT INTO schema_migrations (version, applied_at, serves) VALUES ($1, 0, $2)",
					c.version, c.serves)
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Migrate(t.Context()); (err == nil) != c.accepted {
				t.Errorf("schema %d that serves %d: got error %v", c.version, c.serves, err)
			}
		}
	})
}

// TestAConflictOnACitusNodeIsRecognized covers errors that a Citus node reports without an error
// code.
func TestAConflictOnACitusNodeIsRecognized(t *testing.T) {
	for message, conflict := range map[string]bool{
		`duplicate key value violates unique constraint "items_reference_102051"`:                        true,
		`insert or update on table "items_102040" violates foreign key constraint "items_location_fkey"`: true,
		"cache lookup failed for relation 1":                                                             false,
	} {
		if err := pgError(&pgconn.PgError{Code: "XX000", Message: message}); errors.Is(err, errConflict) != conflict {
			t.Errorf("%s: got %v", message, err)
		}
	}
}
