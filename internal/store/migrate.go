package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migration is one step of the schema: NNNN_name.sql for both databases, or a pair
// NNNN_name.postgres.sql and NNNN_name.sqlite.sql where they must differ.
type migration struct {
	version int64
	name    string
	script  string
}

// Migrate brings the schema to this version and names the steps it took. Copies of
// the service may start together: one migrates, the others wait and find it done. A
// schema that is newer than this program is refused.
func (db *DB) Migrate(ctx context.Context) (applied []string, err error) {
	steps, err := migrations(db.d.name)
	if err != nil {
		return nil, err
	}
	for _, step := range steps {
		done, err := db.migrateStep(patiently(ctx), step)
		if err != nil {
			return applied, fmt.Errorf("migration %s: %w", step.name, err)
		}
		if done {
			applied = append(applied, step.name)
		}
	}
	have, err := db.SchemaVersion(ctx)
	if err != nil {
		return applied, err
	}
	if newest := steps[len(steps)-1].version; have > newest {
		return applied, fmt.Errorf("the database has schema version %d, this program knows only %d: use a newer homeward", have, newest)
	}
	return applied, nil
}

// SchemaVersion is the number of the newest step taken, 0 for an empty database.
func (db *DB) SchemaVersion(ctx context.Context) (int64, error) {
	rs, err := db.h.Query(ctx, "SELECT COALESCE(MAX(version), 0) FROM schema_migrations")
	v, _, err := value[int64](rs, err)
	return v, err
}

func (db *DB) migrateStep(ctx context.Context, step migration) (done bool, err error) {
	err = db.Write(ctx, func(tx *Tx) error {
		done = false
		if db.d.migrationLock != "" {
			if _, err := tx.exec(db.d.migrationLock); err != nil {
				return err
			}
		}
		if err := tx.h.Script(tx.ctx, "CREATE TABLE IF NOT EXISTS schema_migrations (version BIGINT NOT NULL PRIMARY KEY, applied_at BIGINT NOT NULL)"); err != nil {
			return err
		}
		rs, err := tx.h.Query(tx.ctx, "SELECT version FROM schema_migrations WHERE version = $1", step.version)
		if _, found, err := value[int64](rs, err); found || err != nil {
			return err
		}
		if err := tx.h.Script(tx.ctx, step.script); err != nil {
			return err
		}
		done = true
		return tx.later("INSERT INTO schema_migrations (version, applied_at) VALUES ($1, $2)", step.version, micros(tx.now))
	})
	return done, err
}

// migrations lists the steps for a dialect in order.
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
		steps = append(steps, migration{version: version, name: name, script: string(script)})
	}
	slices.SortFunc(steps, func(a, b migration) int { return int(a.version - b.version) })
	return steps, nil
}
