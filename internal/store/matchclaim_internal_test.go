package store

import (
	"strings"
	"testing"
	"time"
)

// Claiming match jobs of each account in turn reads a few jobs, however many are waiting.
func TestTheNextMatchJobIsReadFromAnIndex(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		if db.d.citus {
			t.Skip("the plans of Citus name its shards")
		}
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := db.Write(t.Context(), func(tx *Tx) error {
			for n := range 5000 {
				if err := tx.AddJob([]string{"acc_1", "acc_2"}[n/4999], JobMatch, "item_none", tx.Now()); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, after := range []string{"", "acc_1", "acc_2"} {
			args := []any{after, micros(db.Now().Add(time.Second))}
			if db.d.name != "sqlite" {
				checkPostgresPlan(t, db, "the job after "+after, 1, db.d.nextMatchJob(), args)
				continue
			}
			rs, err := db.h.Query(t.Context(), "EXPLAIN QUERY PLAN "+db.d.nextMatchJob(), args...)
			steps, err := collect(rs, err, func(rs rows) (detail string, err error) {
				var id, parent, unused int
				err = rs.Scan(&id, &parent, &unused, &detail)
				return detail, err
			})
			plan := strings.Join(steps, "; ")
			if err != nil || plan != "SEARCH jobs USING INDEX jobs_matching (account_id>?)" {
				t.Errorf("the plan is %q, %v", plan, err)
			}
		}
	})
}
