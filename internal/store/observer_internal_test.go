package store

import (
	"path/filepath"
	"regexp"
	"testing"
)

// TestBacklogsUseIndexesOnWaitingWork checks that finished work does not slow down Backlogs, which
// monitoring calls every few seconds.
func TestBacklogsUseIndexesOnWaitingWork(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "plan.db"))
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	rs, err := db.h.Query(t.Context(), "EXPLAIN QUERY PLAN "+backlogQuery(), 1)
	steps, err := collect(rs, err, func(rs rows) (detail string, err error) {
		var id, parent, unused int
		err = rs.Scan(&id, &parent, &unused, &detail)
		return detail, err
	})
	if err != nil {
		t.Fatal(err)
	}
	table, partial := regexp.MustCompile(`^(SCAN|SEARCH) (jobs|deliveries|items|d)\b`),
		regexp.MustCompile(`INDEX (jobs_due|jobs_failed|deliveries_due|items_look)\b`)
	searches := 0
	for _, step := range steps {
		if !table.MatchString(step) {
			continue
		}
		if searches++; !partial.MatchString(step) {
			t.Errorf("%q does not use an index on pending work", step)
		}
	}
	if searches < 2*len(JobKinds()) {
		t.Errorf("got %d index searches, want at least 2 per kind of job: %q", searches, steps)
	}
}

func TestQueryNameIsTheVerbAndTheTable(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT a FROM items i WHERE name = 'Anna'": "SELECT items",
		"INSERT INTO jobs (a) VALUES ($1)":          "INSERT jobs",
		"UPDATE items SET a = $1":                   "UPDATE items",
		"DELETE FROM jobs WHERE a = $1":             "DELETE jobs",
		"WITH p AS (SELECT id FROM deliveries FOR UPDATE SKIP LOCKED) UPDATE deliveries SET a": "UPDATE deliveries",
		"WITH RECURSIVE lane AS (SELECT 1 FROM deliveries) SELECT 2":                           "WITH deliveries",
		"begin": "BEGIN",
	} {
		if got := queryName(sql); got != want {
			t.Errorf("%s: got %q, want %q", sql, got, want)
		}
	}
}
