package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Migrations are the migration files.
func Migrations() fs.FS { return migrationFiles }

// migration is one change of the schema: NNNN_name.sql for both databases, or a pair NNNN_name.postgres.sql and
// NNNN_name.sqlite.sql if they must differ.
type migration struct {
	version int64
	name    string
	script  string
	// the oldest newest migration that a program may know to run on this schema; 0 if the file does not say
	serves int64
}

var servesPattern = regexp.MustCompile(`(?m)^-- serves (\d+)$`)

// parseServes reads which programs can run on the schema after a migration.
func parseServes(script string) (int64, error) {
	found := servesPattern.FindStringSubmatch(script)
	if found == nil {
		return 0, nil
	}
	return strconv.ParseInt(found[1], 10, 64)
}

// Migrate applies the migrations that are missing and returns their names. Copies of the service may start together:
// one migrates, the others wait and find it done. A schema that is newer than this program is accepted if it says so:
// while copies are replaced one by one, those of the previous version run on it, and may be restarted. Otherwise it is
// an error.
func (db *DB) Migrate(ctx context.Context) (applied []string, err error) {
	if err := db.Usable(ctx); err != nil {
		return nil, err
	}
	return db.MigrateUnfinished(ctx)
}

// MigrateUnfinished is Migrate for a database that Usable refuses: package transfer migrates it while it is being
// moved.
func (db *DB) MigrateUnfinished(ctx context.Context) (applied []string, err error) {
	steps, err := migrations(db.d.name)
	if err != nil {
		return nil, err
	}
	var taken []int64
	for n, step := range steps {
		if slices.Contains(taken, step.version) {
			continue
		}
		done, err := db.applyMigration(withoutTimeout(ctx), step)
		if err != nil {
			return applied, migrationError(step, err)
		}
		if done {
			applied = append(applied, step.name)
		}
		if n > 0 {
			continue
		}
		if taken, err = db.appliedVersions(ctx); err != nil { // usually all have been applied
			return applied, err
		}
	}
	if err := db.checkServes(ctx, steps[len(steps)-1].version); err != nil {
		return applied, err
	}
	if distributed, err := db.isDistributed(ctx); err != nil || !distributed {
		return applied, err
	}
	_, err = db.Distribute(ctx) // the tables that are new
	return applied, err
}

// checkServes returns an error unless a program that knows migrations up to newest may run on the schema.
func (db *DB) checkServes(ctx context.Context, newest int64) error {
	rs, err := db.h.Query(ctx,
		"SELECT COALESCE(MAX(version), 0), COALESCE(MAX(serves), 0), COALESCE(MAX(CASE WHEN version > $1 AND serves "+
			"= 0 THEN version END), 0) FROM schema_migrations", newest)
	_, _, err = firstRow(rs, err, func(rs rows) (none struct{}, err error) {
		var have, serves, silent int64
		if err = rs.Scan(&have, &serves, &silent); err == nil && (serves > newest || silent > 0) {
			err = fmt.Errorf("the database has schema version %d, which a program that knows only %d cannot use: use "+
				"a newer homeward", have, newest)
		}
		return none, err
	})
	return err
}

// SchemaVersion is the number of the newest migration that was applied, 0 for an empty database.
func (db *DB) SchemaVersion(ctx context.Context) (int64, error) { return db.schemaVersion(ctx) }

// MigrateTo applies the migrations up to and including a version, as far as they have not been applied. Package
// transfer prepares a database for the rows of an older schema with it.
func (db *DB) MigrateTo(ctx context.Context, version int64) error {
	steps, err := migrationsBetween(db.d.name, 0, version)
	if err != nil {
		return err
	}
	for _, step := range steps {
		if _, err := db.applyMigration(ctx, step); err != nil {
			return migrationError(step, err)
		}
	}
	return nil
}

// migrationsBetween lists the migrations after one version up to and including another.
func migrationsBetween(dialect string, after, until int64) ([]migration, error) {
	steps, err := migrations(dialect)
	return slices.DeleteFunc(steps, func(m migration) bool { return m.version <= after || m.version > until }), err
}

func migrationError(step migration, err error) error {
	return fmt.Errorf("migration %s: %w", step.name, err)
}

// NewestSchema is the number of the newest migration that this program knows.
func (db *DB) NewestSchema() (int64, error) { return newestSchema(db.d.name) }

// NewestSchemaFor is NewestSchema for a database that is not open.
func NewestSchemaFor(setting string) (int64, error) {
	if IsPostgres(setting) {
		return newestSchema(postgresDialect().name)
	}
	return newestSchema(sqliteDialect().name)
}

func newestSchema(dialect string) (int64, error) {
	steps, err := migrations(dialect)
	if err != nil {
		return 0, err
	}
	return steps[len(steps)-1].version, nil
}

func (r reader) appliedVersions(ctx context.Context) ([]int64, error) {
	rs, err := r.h.Query(ctx, "SELECT version FROM schema_migrations")
	return collect(rs, err, func(rs rows) (version int64, err error) {
		err = rs.Scan(&version)
		return version, err
	})
}

func (r reader) schemaVersion(ctx context.Context) (int64, error) {
	rs, err := r.h.Query(ctx, "SELECT COALESCE(MAX(version), 0) FROM schema_migrations")
	v, _, err := firstValue[int64](rs, err)
	return v, err
}

func (db *DB) applyMigration(ctx context.Context, step migration) (done bool, err error) {
	err = db.Write(ctx, func(tx *Tx) (err error) {
		done, err = tx.applyMigration(step)
		return err
	})
	return done, err
}

// applyMigration applies a migration, unless it was applied before.
func (tx *Tx) applyMigration(step migration) (done bool, err error) {
	if tx.d.migrationLock != "" {
		if _, err := tx.exec(tx.d.migrationLock); err != nil {
			return false, err
		}
	}
	const table = `CREATE TABLE IF NOT EXISTS schema_migrations
		(version BIGINT NOT NULL PRIMARY KEY, applied_at BIGINT NOT NULL)`
	if err := tx.h.Script(tx.ctx, table); err != nil {
		return false, err
	}
	rs, err := tx.h.Query(tx.ctx, "SELECT version FROM schema_migrations WHERE version = $1", step.version)
	if _, found, err := firstValue[int64](rs, err); found || err != nil {
		return false, err
	}
	if err := tx.setSequential(); err != nil {
		return false, err
	}
	if err := tx.h.Script(tx.ctx, step.script); err != nil {
		return false, err
	}
	if step.serves == 0 { // the column may not exist yet
		return true,
			tx.queue("INSERT INTO schema_migrations (version, applied_at) VALUES ($1, $2)", step.version,
				micros(tx.now))
	}
	return true,
		tx.queue("INSERT INTO schema_migrations (version, applied_at, serves) VALUES ($1, $2, $3)", step.version,
			micros(tx.now), step.serves)
}

// migrations lists the migrations for a dialect in order.
func migrations(dialect string) ([]migration, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	var steps []migration
	for _, file := range names {
		name := strings.TrimSuffix(path.Base(file), ".sql")
		if base, only, pair := strings.Cut(name, "."); pair {
			if only != dialect {
				continue
			}
			name = base
		}
		number, _, _ := strings.Cut(name, "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("migration file %s has no number", file)
		}
		script, err := migrationFiles.ReadFile(file)
		if err != nil {
			return nil, err
		}
		serves, err := parseServes(string(script))
		if err != nil {
			return nil, fmt.Errorf("migration file %s: %w", file, err)
		}
		steps = append(steps, migration{version: version, name: name, script: string(script), serves: serves})
	}
	slices.SortFunc(steps, func(a, b migration) int { return int(a.version - b.version) })
	return steps, nil
}
