package transfer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeward/internal/store"
)

// Examination is the state of a database, for diagnosing problems.
type Examination struct {
	Version    string        // version of the database server or library
	TooOld     bool          // whether the version is too old to be supported
	Schema     int64         // version of the schema; 0 for a database that was never used
	Newest     int64         // newest schema version that this program knows
	Extensions []string      // required extensions that are neither installed nor available
	Ahead      time.Duration // how far the database's clock is ahead of this machine's
	Secrets    []string      // fingerprints of its secrets, the current one first; empty if it was never used
}

const oldestPostgres = 140000

// Examine reads the state of a database and changes nothing.
func Examine(ctx context.Context, db *store.DB) (x Examination, err error) {
	raw := db.Raw()
	if x.Newest, err = db.NewestSchema(); err != nil {
		return x, err
	}
	if raw.Postgres() {
		err = examinePostgres(ctx, db, &x)
	} else {
		rs, queryErr := raw.Query(ctx, "SELECT sqlite_version()")
		x.Version, _, err = value[string](rs, queryErr)
	}
	if err != nil {
		return x, err
	}
	tables, err := allTables(ctx, raw)
	if err != nil {
		return x, err
	}
	for _, t := range tables {
		switch t.Name {
		case store.MigrationsTable:
			x.Schema, err = db.SchemaVersion(ctx)
		case "directory":
			x.Secrets, err = db.SecretFingerprints(ctx)
		}
		if err != nil {
			return x, err
		}
	}
	return x, nil
}

func examinePostgres(ctx context.Context, db *store.DB, x *Examination) error {
	before := db.Now()
	rs, err := db.Raw().Query(ctx,
		`SELECT current_setting('server_version'), current_setting('server_version_num')::bigint,
		(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`)
	_, err = collect(rs, err, func(rs store.Rows) (none struct{}, err error) {
		var number, now int64
		if err := rs.Scan(&x.Version, &number, &now); err != nil {
			return none, err
		}
		x.TooOld = number < oldestPostgres
		x.Ahead = time.UnixMicro(now).Sub(before.Add(db.Now().Sub(before) / 2))
		return none, nil
	})
	if err != nil {
		return err
	}
	for _, name := range []string{"pg_trgm", "btree_gin"} {
		rs, err := db.Raw().Query(ctx, "SELECT count(*) FROM pg_available_extensions WHERE name = $1", name)
		n, _, err := value[int64](rs, err)
		if err != nil {
			return err
		}
		if n == 0 {
			x.Extensions = append(x.Extensions, name)
		}
	}
	return nil
}

// QuickCheck returns ErrDamaged if a SQLite file is damaged. It reads the whole file. For
// PostgreSQL, which verifies its own files, it does nothing.
func QuickCheck(ctx context.Context, db *store.DB) error {
	raw := db.Raw()
	if raw.Postgres() {
		return nil
	}
	rs, err := raw.Query(ctx, "PRAGMA quick_check(1)")
	result, _, err := value[string](rs, err)
	if err == nil && result != "ok" {
		err = fmt.Errorf("%w: %s", ErrDamaged, result)
	}
	return err
}

// ErrDamaged is returned by QuickCheck for a damaged database.
var ErrDamaged = errors.New("the database is damaged")
