package store

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// keysOf reads the columns of every primary key, unique index and foreign key as "table kind: columns".
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
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	return keys
}

// With Citus, a unique or foreign key must contain the distribution column of its table.
func TestEveryKeyContainsTheDistributionColumn(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		tables := map[string]bool{}
		for _, key := range keysOf(t, db) {
			what, columns, _ := strings.Cut(key, ": ")
			table, kind, _ := strings.Cut(what, " ")
			tables[table] = true
			by, named := DistributionColumn(table), strings.Fields(columns)
			switch {
			case by == "":
				if table != sharedTable {
					t.Errorf("%s is complete on every node, but is not the list of migrations", table)
				}
			case !slices.Contains(named, by):
				t.Errorf("a %s key of %s does not contain %s: %s", kind, table, by, columns)
			case by == "account_id" && named[0] != by:
				t.Errorf("a %s key of %s does not begin with %s: %s", kind, table, by, columns)
			}
		}
		if len(tables) < 30 {
			t.Errorf("only %d tables have a key", len(tables))
		}
	})
}

// While copies are replaced one by one, the previous version runs on the new schema: a migration must not remove what
// it needs, and must say which versions it serves.
func TestMigrationsServeThePreviousVersion(t *testing.T) {
	const first = 40 // earlier migrations do not say it
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
				t.Errorf("%s must begin with a line \"-- serves NNNN\": the newest migration that a program must "+
					"know to run on it, at most %04d", step.name, steps[n-1].version)
			}
			if fault := breaking(step.script); fault != "" {
				t.Errorf("%s has %q, which the previous version may need: remove it in a later version", step.name,
					fault)
			}
		}
	}
}

// breaking finds a statement that breaks running programs. An index may be dropped: that only makes them slower.
func breaking(script string) string {
	for statement := range strings.SplitSeq(strings.ToUpper(script), ";") {
		for _, fault := range []string{
			"DROP TABLE", "DROP COLUMN", "RENAME", "ALTER COLUMN", "ADD CONSTRAINT", "CREATE UNIQUE INDEX",
		} {
			if strings.Contains(statement, fault) &&
				!(fault == "CREATE UNIQUE INDEX" && strings.Contains(strings.ToUpper(script), "CREATE TABLE")) {
				return fault
			}
		}
		if strings.Contains(statement, "ADD COLUMN") && strings.Contains(statement, "NOT NULL") &&
			!strings.Contains(statement, "DEFAULT") {
			return "ADD COLUMN … NOT NULL without DEFAULT"
		}
	}
	return ""
}

func TestANewerSchemaIsAcceptedIfItSaysSo(t *testing.T) {
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
			served          bool
		}{{newest + 1, newest, true}, {newest + 2, newest - 1, true}, {newest + 3, newest + 1, false}} {
			err := db.Write(t.Context(), func(tx *Tx) error {
				return tx.queue("INSERT INTO schema_migrations (version, applied_at, serves) VALUES ($1, 0, $2)",
					c.version, c.serves)
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Migrate(t.Context()); (err == nil) != c.served {
				t.Errorf("schema %d that serves %d: %v", c.version, c.serves, err)
			}
		}
	})
}

// An error of a Citus node may come without its code.
func TestAConflictOnACitusNodeIsRecognized(t *testing.T) {
	for message, overtaken := range map[string]bool{
		`duplicate key value violates unique constraint "items_reference_102051"`:                        true,
		`insert or update on table "items_102040" violates foreign key constraint "items_location_fkey"`: true,
		"cache lookup failed for relation 1":                                                             false,
	} {
		if err := pgError(&pgconn.PgError{Code: "XX000", Message: message}); errors.Is(err, errConflict) != overtaken {
			t.Errorf("%s: %v", message, err)
		}
	}
}
