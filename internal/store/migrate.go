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
	"time"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Migrations returns the migration files.
func Migrations() fs.FS { return migrationFiles }

// migration is one change to the schema: NNNN_name.sql for both databases, or
// NNNN_name.postgres.sql and NNNN_name.sqlite.sql if the databases need different SQL.
type migration struct {
	version int64
	name    string
	script  string
	// serves is the newest migration that a program must know to run on this schema; 0 if the file
	// does not specify it.
	serves int64
}

var servesPattern = regexp.MustCompile(`(?m)^-- serves (\d+)$`)

// parseServes returns the value of serves in a migration script, or 0 if there is none.
func parseServes(script string) (int64, error) {
	found := servesPattern.FindStringSubmatch(script)
	if found == nil {
		return 0, nil
	}
	return strconv.ParseInt(found[1], 10, 64)
}

// Migrate applies the missing migrations and returns their names. If several instances of the
// service start at the same time, one migrates and the others wait. Migrate returns an error if the
// schema is newer than this program, unless the schema declares that it is compatible. During a
// rolling update, instances of the previous version run on the newer schema and may be restarted.
func (db *DB) Migrate(ctx context.Context) (applied []string, err error) {
	if err := db.Usable(ctx); err != nil {
		return nil, err
	}
	return db.MigrateUnfinished(ctx)
}

// MigrateUnfinished is like Migrate, but accepts a database for which Usable returns an error.
// Package transfer uses it to migrate a database while it is being moved.
func (db *DB) MigrateUnfinished(ctx context.Context) (applied []string, err error) {
	pending, err := db.PendingMigrations(ctx)
	if err != nil {
		return nil, err
	}
	if len(pending) == 0 { // the database is empty or up to date
		return db.applyMigrations(ctx)
	}
	e, done, err := db.engine.forMigrations(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	m := *db
	m.engine, m.h = e, e
	return m.applyMigrations(ctx)
}

// applyMigrations applies the missing migrations and returns their names.
func (db *DB) applyMigrations(ctx context.Context) (applied []string, err error) {
	steps, err := migrations(db.d.name)
	if err != nil {
		return nil, err
	}
	var versions []int64
	for n, step := range steps {
		if slices.Contains(versions, step.version) {
			continue
		}
		began := time.Now()
		done, err := db.applyMigration(withoutTimeout(ctx), step)
		if err != nil {
			return applied, migrationError(step, err)
		}
		if done {
			applied = append(applied, step.name)
			if db.observer.OnMigration != nil {
				db.observer.OnMigration(step.name, time.Since(began))
			}
		}
		if n > 0 {
			continue
		}
		if versions, err = db.appliedVersions(ctx); err != nil { // usually all migrations are applied
			return applied, err
		}
	}
	if err := db.checkServes(ctx, steps[len(steps)-1].version); err != nil {
		return applied, err
	}
	if err := db.adoptChangeNumbers(ctx); err != nil {
		return applied, err
	}
	if distributed, err := db.isDistributed(ctx); err != nil || !distributed {
		return applied, err
	}
	_, err = db.Distribute(ctx) // distributes new tables
	return applied, err
}

// PendingMigrations returns the names of the migrations that Migrate would apply to a database that is not empty. It
// does not wait for another instance that is migrating the database.
func (db *DB) PendingMigrations(ctx context.Context) (pending []string, err error) {
	rs, err := db.h.Query(ctx, db.d.tableExists, MigrationsTable)
	exists, _, err := firstValue[bool](rs, err)
	if err != nil || !exists {
		return nil, err
	}
	applied, err := db.appliedVersions(ctx)
	if err != nil {
		return nil, err
	}
	steps, err := migrations(db.d.name)
	if err != nil {
		return nil, err
	}
	for _, step := range steps {
		if !slices.Contains(applied, step.version) {
			pending = append(pending, step.name)
		}
	}
	return pending, nil
}

// checkServes returns an error unless a program that knows migrations up to newest may run on the schema.
func (db *DB) checkServes(ctx context.Context, newest int64) error {
	rs, err := db.h.Query(ctx,
		"SELECT COALESCE(MAX(version), 0), COALESCE(MAX(serves), 0), COALESCE(MAX(CASE WHEN version > $1 AND serves "+
			"= 0 THEN version END), 0) FROM schema_migrations", newest)
	_, _, err = firstRow(rs, err, func(rs rows) (none struct{}, err error) {
		var have, serves, undeclared int64
		if err = rs.Scan(&have, &serves, &undeclared); err == nil && (serves > newest || undeclared > 0) {
			err = fmt.Errorf("the database has schema version %d, but this program supports only %d: "+
				"use a newer version of homeward",
				have, newest)
		}
		return none, err
	})
	return err
}

// SchemaVersion returns the number of the newest applied migration, or 0 for an empty database.
func (db *DB) SchemaVersion(ctx context.Context) (int64, error) { return db.schemaVersion(ctx) }

// MigrateTo applies the missing migrations up to and including the given version. Package transfer
// uses it to prepare a database for the rows of an older schema.
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

// migrationsBetween lists the migrations after the version after, up to and including the version
// until.
func migrationsBetween(dialect string, after, until int64) ([]migration, error) {
	steps, err := migrations(dialect)
	return slices.DeleteFunc(steps, func(m migration) bool { return m.version <= after || m.version > until }), err
}

func migrationError(step migration, err error) error {
	return fmt.Errorf("migration %s: %w", step.name, err)
}

// NewestSchema returns the number of the newest migration that this program knows.
func (db *DB) NewestSchema() (int64, error) { return newestSchema(db.d.name) }

// NewestSchemaFor is like NewestSchema, but for a database that is not open.
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

// applyMigration applies a migration unless it has already been applied. It reports whether it
// applied the migration.
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

// migrations lists the migrations for a dialect, sorted by version.
func migrations(dialect string) ([]migration, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	var steps []migration
	for _, file := range names {
		name := strings.TrimSuffix(path.Base(file), ".sql")
		if base, suffix, ok := strings.Cut(name, "."); ok {
			if suffix != dialect {
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
