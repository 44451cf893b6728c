package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	_ "embed" // embeds the last measurement
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"homeward/internal/app"
	"homeward/internal/store"
)

// minFinds is the minimum number of found items. With fewer, half-empty pages distort the result.
const minFinds = 100

// size is the space that a table uses.
type size struct {
	Rows    int64 `json:"rows"`
	Table   int64 `json:"table"`   // bytes
	Indexes int64 `json:"indexes"` // bytes
}

// sizes holds the space used by every table in one database, and the numbers of found items and requests in it.
type sizes struct {
	Finds    int64           `json:"finds"`
	Requests int64           `json:"requests"`
	Tables   map[string]size `json:"tables"`
}

// measured holds the sizes for each database engine.
type measured map[string]sizes

//go:embed measured.json
var lastMeasurement []byte

const measuredFile = "internal/cmd/capacity/measured.json"

func lastMeasured() (m measured, err error) { return m, json.Unmarshal(lastMeasurement, &m) }

func (m measured) save() error {
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(measuredFile, append(text, '\n'), 0o644) // readable by all users
}

// measure creates items and all related records through the use cases, and measures the space that they use.
func measure(ctx context.Context, finds int, server string, progress io.Writer) (measured, error) {
	folder, err := os.MkdirTemp("", "homeward-capacity-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	_, _ = fmt.Fprintf(progress, "sqlite: recording %d found items\n", finds)
	file := filepath.Join(folder, "homeward.db")
	m := measured{}
	if m["sqlite"], err = measureGrowth(ctx, filepath.Join(folder, "sqlite"), file, finds, sizesOfSQLite); err != nil ||
		server == "" {
		return m, err
	}
	_, _ = fmt.Fprintf(progress, "postgres: recording %d found items\n", finds)
	database, drop, err := makeDatabase(ctx, server)
	if err != nil {
		return nil, err
	}
	m["postgres"], err = measureGrowth(ctx, filepath.Join(folder, "postgres"), database, finds, sizesOfPostgres)
	return m, errors.Join(err, drop())
}

// measureGrowth returns how much a database grows while it is filled. The size of the empty database is subtracted,
// because it already has one or two pages for each index.
func measureGrowth(ctx context.Context, data, database string, finds int, read func(ctx context.Context,
	database string) (sizes, error)) (s sizes, err error) {
	db, err := store.Open(ctx, database, time.Now)
	if err != nil {
		return s, err
	}
	_, err = db.Migrate(ctx)
	db.Close()
	if err != nil {
		return s, err
	}
	empty, err := read(ctx, database)
	if err != nil {
		return s, err
	}
	if err := fill(ctx, data, database, finds); err != nil {
		return s, err
	}
	s, err = read(ctx, database)
	for name, t := range s.Tables {
		before := empty.Tables[name]
		s.Tables[name] = size{Rows: t.Rows, Table: t.Table - before.Table, Indexes: t.Indexes - before.Indexes}
	}
	return s, err
}

// fill creates a demo of ninety days: items, owners, messages, choices, parcels, events and their deliveries, created
// by the service itself. With more items, the days are busier.
func fill(ctx context.Context, data, database string, finds int) error {
	cfg := app.Config{
		Listen: "127.0.0.1:0", Data: data, Database: database, Demo: true, DemoFinds: finds,
		RetryUnit: 15 * time.Second, Retention: 2400 * time.Hour, MailFrom: "capacity@example.com", Carrier: "tariff",
	}
	program, err := app.New(ctx, cfg, io.Discard, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-program.Ready():
			cancel() // makes Run return and close the database
		case <-ctx.Done():
		}
	}()
	return program.Run(ctx)
}

// sizesOfSQLite returns the space used by tables and indexes, according to SQLite's page statistics.
func sizesOfSQLite(ctx context.Context, file string) (s sizes, err error) {
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, `SELECT coalesce(m.tbl_name, d.name), coalesce(m.type, 'table'), sum(d.pgsize)
		FROM dbstat AS d LEFT JOIN sqlite_master AS m ON m.name = d.name GROUP BY 1, 2`)
	if err != nil {
		return s, err
	}
	defer func() { _ = rows.Close() }()
	s.Tables = map[string]size{}
	for rows.Next() {
		var name, kind string
		var bytes int64
		if err := rows.Scan(&name, &kind, &bytes); err != nil {
			return s, err
		}
		s.add(name, kind == "index", bytes)
	}
	if err := rows.Err(); err != nil {
		return s, err
	}
	return s, s.count(func(query string) (n int64, err error) { return n, db.QueryRowContext(ctx, query).Scan(&n) })
}

// add adds bytes to a table's size. SQLite's full-text index consists of several separate tables, which are counted
// as an index.
func (s sizes) add(name string, index bool, bytes int64) {
	if strings.HasPrefix(name, "items_search") {
		name, index = "items", true
	}
	t := s.Tables[name]
	if index {
		t.Indexes += bytes
	} else {
		t.Table += bytes
	}
	s.Tables[name] = t
}

// sizesOfPostgres returns the space used by tables and indexes after a full vacuum. The demo's ninety days are
// created within minutes, without autovacuum, so before the vacuum the indexes on items contain every version of
// every row. tableSlack and indexSlack account for the overhead in a database that has been maintained for years.
func sizesOfPostgres(ctx context.Context, database string) (s sizes, err error) {
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	if _, err := conn.Exec(ctx, "VACUUM (FULL, ANALYZE)"); err != nil {
		return s, err
	}
	rows, err := conn.Query(ctx,
		"SELECT relname, pg_table_size(relid), pg_indexes_size(relid) FROM pg_stat_user_tables")
	if err != nil {
		return s, err
	}
	s.Tables = map[string]size{}
	var name string
	var bytes, indexes int64
	if _, err = pgx.ForEachRow(rows, []any{&name, &bytes, &indexes}, func() error {
		s.Tables[name] = size{Table: bytes, Indexes: indexes}
		return nil
	}); err != nil {
		return s, err
	}
	return s, s.count(func(query string) (n int64, err error) { return n, conn.QueryRow(ctx, query).Scan(&n) })
}

// count counts the rows in the measured tables.
func (s *sizes) count(countRows func(query string) (int64, error)) (err error) {
	for name, t := range s.Tables {
		if strings.HasPrefix(name, "sqlite_") {
			delete(s.Tables, name) // belongs to the engine and does not depend on the number of rows
			continue
		}
		if t.Rows, err = countRows("SELECT count(*) FROM " + name); err != nil {
			return err
		}
		s.Tables[name] = t
	}
	var found, requested error
	s.Finds, found = countRows("SELECT count(*) FROM items WHERE source = 'found'")
	s.Requests, requested = countRows("SELECT count(*) FROM items WHERE source = 'request'")
	return cmp.Or(found, requested)
}

// makeDatabase creates a database on a server. Call drop to remove it.
func makeDatabase(ctx context.Context, server string) (database string, drop func() error, err error) {
	at, err := url.Parse(server)
	if err != nil {
		return "", nil, errors.New("HOMEWARD_TEST_POSTGRES must have the form postgres://user:password@host:5432/name")
	}
	name := "capacity_" + strings.ToLower(rand.Text())
	exec := func(ctx context.Context, statement string) error {
		conn, err := pgx.Connect(ctx, server)
		if err != nil {
			return err
		}
		_, err = conn.Exec(ctx, statement)
		return errors.Join(err, conn.Close(ctx))
	}
	if err := exec(ctx, "CREATE DATABASE "+name); err != nil {
		return "", nil, err
	}
	at.Path = "/" + name
	return at.String(), func() error { return exec(context.WithoutCancel(ctx), "DROP DATABASE "+name+" WITH (FORCE)") },
		nil
}
