package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Examination is what a database tells of itself to somebody who looks for what is wrong.
type Examination struct {
	Version    string        // of the database's program
	TooOld     bool          // for this service
	Schema     int64         // 0 for a database that was never used
	Newest     int64         // schema that this program knows
	Extensions []string      // that are neither there nor can be made
	Ahead      time.Duration // of the database's clock before this machine's
	Secrets    []string      // fingerprints of the secrets it is used with, the present one's first; none where there was none yet
}

const oldestPostgres = 140000

// Examine asks a database for it, and changes nothing.
func (db *DB) Examine(ctx context.Context) (x Examination, err error) {
	ctx = across(ctx, Operator)
	if x.Newest, err = db.NewestSchema(); err != nil {
		return x, err
	}
	if db.d.name == "postgres" {
		err = db.examinePostgres(ctx, &x)
	} else {
		rs, bad := db.h.Query(ctx, "SELECT sqlite_version()")
		x.Version, _, err = value[string](rs, bad)
	}
	if err != nil {
		return x, err
	}
	tables, err := db.everyTable(ctx)
	if err != nil {
		return x, err
	}
	for _, t := range tables {
		switch t.Name {
		case stepsTable:
			x.Schema, err = db.schemaVersion(ctx)
		case "directory":
			x.Secrets, err = db.SecretPrints(ctx)
		}
		if err != nil {
			return x, err
		}
	}
	return x, nil
}

func (db *DB) examinePostgres(ctx context.Context, x *Examination) error {
	before := db.Now()
	rs, err := db.h.Query(ctx, "SELECT current_setting('server_version'), current_setting('server_version_num')::bigint, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint")
	_, _, err = one(rs, err, func(rs rows) (none struct{}, err error) {
		var number, now int64
		if err := rs.Scan(&x.Version, &number, &now); err != nil {
			return none, err
		}
		x.TooOld = number < oldestPostgres
		x.Ahead = fromMicros(now).Sub(before.Add(db.Now().Sub(before) / 2))
		return none, nil
	})
	if err != nil {
		return err
	}
	for _, name := range []string{"pg_trgm", "btree_gin"} {
		rs, err := db.h.Query(ctx, "SELECT count(*) FROM pg_available_extensions WHERE name = $1", name)
		if n, _, err := value[int64](rs, err); err != nil {
			return err
		} else if n == 0 {
			x.Extensions = append(x.Extensions, name)
		}
	}
	return nil
}

// QuickCheck looks whether a SQLite file is sound; PostgreSQL sees to that itself. It reads the whole file, and may end before it is through.
func (db *DB) QuickCheck(ctx context.Context) error {
	if db.d.name == "postgres" {
		return nil
	}
	rs, err := db.h.Query(ctx, "PRAGMA quick_check(1)")
	said, _, err := value[string](rs, err)
	if err == nil && said != "ok" {
		err = fmt.Errorf("%w: %s", ErrUnsound, said)
	}
	return err
}

// ErrUnsound says that a database is damaged.
var ErrUnsound = errors.New("the database is damaged")
