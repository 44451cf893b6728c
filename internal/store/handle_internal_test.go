package store

import (
	"context"
	"testing"

	"homeward/internal/lost"
)

// countingHandle counts the statements that reach the database.
type countingHandle struct {
	txHandle
	statements int
}

func (c *countingHandle) Query(context.Context, string, ...any) (rows, error) {
	c.statements++
	return noRows{}, nil
}

func (c *countingHandle) QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error) {
	return c.Query(ctx, sql, args...)
}

func (c *countingHandle) Exec(context.Context, string, ...any) (int64, error) {
	c.statements++
	return 0, nil
}

func (c *countingHandle) Queue(context.Context, string, ...any) error {
	c.statements++
	return nil
}

func (c *countingHandle) QueueForItem(context.Context, string, string, ...any) error {
	c.statements++
	return nil
}

func (c *countingHandle) QueueQuery(context.Context, func(rows) error, string, ...any) error {
	c.statements++
	return nil
}

// Every way to run a statement in a transaction is guarded, so that no text reaches a SQLite database that could not be
// moved to PostgreSQL.
func TestEveryWayToWriteRefusesTextsThatCannotBeStored(t *testing.T) {
	const write = "UPDATE views SET name = $1 RETURNING id"
	type guarded func(g textGuard, arg any) error
	ways := map[string]guarded{
		"Query": func(g textGuard, arg any) error {
			_, err := g.Query(t.Context(), write, 1, arg)
			return err
		},
		"QueryPlanned": func(g textGuard, arg any) error {
			_, err := g.QueryPlanned(t.Context(), write, arg)
			return err
		},
		"Exec": func(g textGuard, arg any) error {
			_, err := g.Exec(t.Context(), write, arg)
			return err
		},
		"Queue":        func(g textGuard, arg any) error { return g.Queue(t.Context(), write, arg) },
		"QueueForItem": func(g textGuard, arg any) error { return g.QueueForItem(t.Context(), "itm_1", write, arg) },
		"QueueQuery": func(g textGuard, arg any) error {
			return g.QueueQuery(t.Context(), func(rows) error { return nil }, write, arg)
		},
	}
	for way, run := range ways {
		h := &countingHandle{}
		for _, bad := range []string{"\xff", "a\x00", "\xed\xa0\x80", "日\xe6"} {
			if err := run(textGuard{h}, bad); lost.CodeOf(err) != lost.Unreadable || h.statements > 0 {
				t.Errorf("%s with %q: got %v after %d statements, want a refusal", way, bad, err, h.statements)
			}
		}
		for _, good := range []any{"Grüße 日本", "\ufffd", []byte("\xff\x00"), 1, nil} {
			if err := run(textGuard{h}, good); err != nil {
				t.Errorf("%s with %v: %v", way, good, err)
			}
		}
		if h.statements != 5 {
			t.Errorf("%s: %d statements reached the database, want 5", way, h.statements)
		}
	}
}

// Reads are not refused: they find nothing, because no row has such a text.
func TestReadsAreNotGuarded(t *testing.T) {
	for sql, read := range map[string]bool{
		"SELECT 1": true, "SELECT name FROM views AS v WHERE name = $1 FOR UPDATE OF v": true,
		"WITH n AS (SELECT $1) SELECT * FROM n": true, "WITH n AS (SELECT id FROM a FOR UPDATE) SELECT 1": true,
		"UPDATE views SET name = $1 RETURNING id": false, "INSERT INTO views (name) VALUES ($1)": false,
		"DELETE FROM views WHERE name = $1 RETURNING id":                                        false,
		"WITH n AS (SELECT $1) INSERT INTO views SELECT * FROM n":                               false,
		"WITH n AS (DELETE FROM views WHERE name = $1 RETURNING id) SELECT id FROM n":           false,
		"WITH n AS (SELECT id FROM a FOR UPDATE) UPDATE a SET name = $1 WHERE id IN (SELECT 1)": false,
	} {
		for way, run := range map[string]func(textGuard) (rows, error){
			"Query":        func(g textGuard) (rows, error) { return g.Query(t.Context(), sql, "a\x00") },
			"QueryPlanned": func(g textGuard) (rows, error) { return g.QueryPlanned(t.Context(), sql, "a\x00") },
		} {
			h := &countingHandle{}
			if _, err := run(textGuard{h}); (err == nil) != read || (h.statements > 0) != read {
				t.Errorf("%s of %q: got %v, want a read: %t", way, sql, err, read)
			}
		}
	}
}
