package store_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// TestAStatementWithoutTheAccountIsFound tests UnscopedTable, which the tests of all packages use
// to check SQL statements.
func TestAStatementWithoutTheAccountIsFound(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT id FROM items WHERE account_id = $1":                                                    "",
		"SELECT id FROM items WHERE id = $1":                                                            "items",
		"SELECT id FROM items WHERE account_id = 'acc_1'":                                               "items",
		"SELECT 1 FROM items i JOIN locations l ON l.account_id = i.account_id WHERE i.account_id = $1": "",
		"SELECT 1 FROM items i JOIN locations l ON l.id = i.location_id WHERE i.account_id = $1":        "locations",
		"SELECT 1 FROM items i, locations l WHERE i.account_id = $1 AND l.id = i.location_id":           "locations",
		"SELECT 1 FROM items i WHERE i.account_id = $1 " +
			"AND EXISTS (SELECT 1 FROM tasks t WHERE t.id = i.id)": "tasks",
		"SELECT 1 FROM items i WHERE i.account_id = $1 AND EXISTS (SELECT 1 FROM tasks t WHERE t.account_id = " +
			"i.account_id)": "",
		"SELECT 1 FROM items WHERE account_id = $1 UNION ALL SELECT 1 FROM items WHERE id = $2":         "items",
		"SELECT 1 FROM (SELECT id FROM items) AS x":                                                     "items",
		"INSERT INTO items (account_id, id) VALUES ($1, $2)":                                            "",
		"INSERT INTO items (id) VALUES ($1)":                                                            "items",
		"INSERT INTO tasks (account_id, id) SELECT account_id, id FROM items WHERE id = $1":             "items",
		"INSERT INTO tasks (account_id, n) VALUES ($1, 1) ON CONFLICT (account_id) DO UPDATE SET n = 2": "",
		"UPDATE items SET a = $2 WHERE id = $1":                                                         "items",
		"UPDATE items AS i SET a = $2 WHERE i.account_id = $1":                                          "",
		"DELETE FROM items WHERE (account_id, id) IN (SELECT account_id, id FROM items WHERE at < $1)":  "items",
		"WITH p (owner) AS MATERIALIZED (SELECT account_id FROM jobs WHERE account_id = $1) UPDATE jobs SET a = 1 " +
			"FROM p WHERE account_id = owner": "jobs",
		"WITH p (x) AS MATERIALIZED (SELECT id FROM jobs WHERE account_id = $1 FOR UPDATE SKIP LOCKED) UPDATE jobs " +
			"SET a = 1 FROM p WHERE account_id = $1 AND id = x": "",
		"SELECT account_id FROM directory WHERE kind = $1 AND hash = $2": "",
		"DELETE FROM directory WHERE account_id = $1":                    "directory",
		"SELECT 1 FROM throttles WHERE kind = $1 AND slot = $2":          "",
		"SELECT MAX(version) FROM schema_migrations":                     "",
	} {
		if got := storetest.UnscopedTable(sql); got != want {
			t.Errorf("%s\n\tUnscopedTable = %q, want %q", sql, got, want)
		}
	}
}

// TestARequestMustNotCrossAccounts checks that a statement that reads several accounts is rejected
// in a request.
func TestARequestMustNotCrossAccounts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		refusal := func(do func(ctx context.Context) error, ctx context.Context) (reason string) {
			defer func() { reason, _ = recover().(string) }()
			if err := do(ctx); err != nil {
				t.Error(err)
			}
			return ""
		}
		accounts := func(ctx context.Context) error { _, err := db.Accounts(ctx, 10); return err }
		if reason := refusal(accounts, t.Context()); reason != "" {
			t.Errorf("an operator's list was rejected: %s", reason)
		}
		if reason := refusal(accounts, store.WithRequest(t.Context())); !strings.Contains(reason, "a request") {
			t.Errorf("a request that lists all accounts: got reason %q", reason)
		}
		items := func(ctx context.Context) error {
			_, err := db.Items(ctx, "acc_1", "loc_1", lost.ItemFilter{Page: lost.Page{Number: 1, Limit: 10}})
			return err
		}
		if reason := refusal(items, store.WithRequest(t.Context())); reason != "" {
			t.Errorf("a list of one account was rejected: %s", reason)
		}
	})
}

// TestEachJobIsClaimedOnceWithoutLocking covers Citus, where workers select jobs without locking
// them, so that two workers may select the same job.
func TestEachJobIsClaimedOnceWithoutLocking(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		store.PickUnlocked(db)
		const jobs, workers = 60, 6
		write(t, db, func(tx *store.Tx) error {
			for n := range jobs {
				if err := tx.AddJob([]string{"acc_1", "acc_2", "acc_3"}[n%3], store.JobMatch, "x",
					tx.Now()); err != nil {
					return err
				}
			}
			return nil
		})
		claimed := make(chan string, jobs*workers)
		done := make(chan error, workers)
		for range workers {
			go func() {
				for {
					var batch []store.Job
					err := db.Write(t.Context(), func(tx *store.Tx) (err error) {
						batch, err = tx.ClaimJobs([]string{store.JobMatch}, 5, time.Hour)
						return err
					})
					for _, j := range batch {
						claimed <- j.ID
					}
					_, due, nextErr := db.NextJob(t.Context(), []string{store.JobMatch})
					if err != nil || nextErr != nil || !due || len(claimed) >= jobs {
						done <- err
						return
					}
				}
			}()
		}
		for range workers {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		close(claimed)
		seen := map[string]bool{}
		for id := range claimed {
			if seen[id] {
				t.Errorf("job %s was claimed twice", id)
			}
			seen[id] = true
		}
		if len(seen) != jobs {
			t.Errorf("%d jobs were claimed, want %d", len(seen), jobs)
		}
	})
}
