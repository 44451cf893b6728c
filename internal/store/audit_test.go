package store_test

import (
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// TestTheAuditLogCannotBeChanged checks that entries can only be added to the audit log. No SQL
// statement can change it, whether it comes from a bug or from a database administrator; only
// cleanup can delete old entries.
func TestTheAuditLogCannotBeChanged(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		by := lost.Actor{Account: account, Kind: lost.ByUser, ID: "usr_1"}
		write(t, db, func(tx *store.Tx) error {
			old := lost.NewAuditEntry(by, lost.LoggedIn, "", "", tx.Now().Add(-48*time.Hour))
			if err := tx.AddAudit(old); err != nil {
				return err
			}
			return tx.AddAudit(lost.NewAuditEntry(by, lost.LoggedOut, "", "", tx.Now()))
		})
		wantEntries := func(want int) {
			t.Helper()
			if rows := store.TableRows(t, db, "audit", "deed id"); len(rows) != want {
				t.Errorf("got %d entries, want %d", len(rows), want)
			}
		}
		for _, statement := range []string{"UPDATE audit SET note = 'x'", "DELETE FROM audit",
			"UPDATE audit SET at = 0 WHERE deed = 'logged-in'"} {
			if err := store.Do(t, db, statement); err == nil {
				t.Errorf("%s was allowed", statement)
			}
		}
		wantEntries(2)
		// SQLite ignores or rejects this statement. PostgreSQL has no REPLACE.
		_ = store.Do(t, db,
			"REPLACE INTO audit SELECT account_id, id, at, actor_kind, actor_id, actor_name, 'forged', subject, note "+
				"FROM audit")
		for _, row := range store.TableRows(t, db, "audit", "deed id") {
			if strings.Contains(row, "forged") {
				t.Error("an entry was replaced")
			}
		}
		wantEntries(2)
		write(t, db, func(tx *store.Tx) error {
			if n, err := tx.PruneAudit(tx.Now().Add(-24*time.Hour), 10); n != 1 || err != nil {
				t.Errorf("PruneAudit: got %d, %v, want 1", n, err)
			}
			return nil
		})
		wantEntries(1)
		if err := store.Do(t, db, "DELETE FROM audit"); err == nil {
			t.Error("DELETE was allowed after PruneAudit")
		}
	})
}
