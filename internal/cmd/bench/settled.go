package main

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
)

// settledInsert adds $3 finished deliveries to one endpoint, starting at time $4, one every $5 microseconds. Their
// IDs sort before all new ones. They have no events, because the benchmark does not read them.
const settledInsert = `INSERT INTO deliveries (account_id, id, event_id, event_type, endpoint_id, state, claim,
		attempts, created_at, settled_at)
	WITH RECURSIVE n (i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < CAST($3 AS BIGINT)),
	made (at) AS (SELECT CAST($4 AS BIGINT) + i * CAST($5 AS BIGINT) FROM n)
	SELECT CAST($1 AS TEXT), 'dlv_0000000000' || CAST(at AS TEXT), 'evt_0000000000' || CAST(at AS TEXT), 'pickup',
		CAST($2 AS TEXT), 'delivered', 1,
		'[{"at":' || CAST(at AS TEXT) || ',"status":200,"us":1834}]', at, at + 2500 FROM made`

// The finished deliveries cover most of the retention period: from settledFor ago until settledUntil ago.
const settledFor, settledUntil = 28 * 24 * time.Hour, 24 * time.Hour

// statement is an SQL statement with its arguments.
type statement struct {
	sql  string
	args []any
}

// addSettled adds finished deliveries to the database: a third each for the endpoints in h.one, h.many and h.own.
func (h *webhookSite) addSettled(ctx context.Context, finished int) error {
	var inserts []statement
	for _, group := range [][]target{h.one, h.many, h.own} {
		n := (finished/3 + len(group) - 1) / len(group)
		if n == 0 {
			continue
		}
		from := time.Now().Add(-settledFor)
		step := (settledFor - settledUntil) / time.Duration(n)
		for _, t := range group {
			inserts = append(inserts,
				statement{settledInsert, []any{t.account, t.endpoint, n, from.UnixMicro(), step.Microseconds()}})
			h.finished += n
		}
	}
	return h.runStatements(ctx, inserts)
}

// runStatements runs statements that fill the database, and then database maintenance.
func (s *site) runStatements(ctx context.Context, inserts []statement) error {
	if s.engine == "postgres" {
		return s.fillPostgres(ctx, inserts)
	}
	return s.fillSQLite(ctx, inserts)
}

func (s *site) fillPostgres(ctx context.Context, inserts []statement) error {
	conn, err := pgx.Connect(ctx, s.setting)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for _, insert := range inserts {
			if _, err := tx.Exec(ctx, insert.sql, insert.args...); err != nil {
				return err
			}
		}
		return nil
	})
	for _, upkeep := range []string{"VACUUM ANALYZE", "CHECKPOINT"} {
		if err == nil {
			_, err = conn.Exec(ctx, upkeep)
		}
	}
	return err
}

func (s *site) fillSQLite(ctx context.Context, inserts []statement) (err error) {
	db, err := sql.Open("sqlite",
		"file:"+(&url.URL{Path: s.setting}).EscapedPath()+"?_pragma=busy_timeout(5000)&_pragma=cache_size(-65536)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, insert := range inserts {
		if _, err := tx.ExecContext(ctx, insert.sql, insert.args...); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)") // otherwise the next write would have to do this
	return err
}
