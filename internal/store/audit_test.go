package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
			"REPLACE INTO audit SELECT account_id, id, at, actor_kind, actor_id, actor_name, 'forged', subject, note, "+
				"address FROM audit")
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

func TestTheAuditLogIsFiltered(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		begin := time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC)
		entry := func(account, actor, address string, action lost.AuditAction, subject string) lost.AuditEntry {
			begin = begin.Add(time.Minute)
			a := lost.Actor{Account: account, Kind: lost.ByUser, ID: actor, Name: "Name of " + actor, Address: address}
			return lost.NewAuditEntry(a, action, subject, "note", begin)
		}
		entries := []lost.AuditEntry{
			entry(account, "usr_1", "192.0.2.1", lost.LoggedIn, "ses_1"),
			entry(account, "usr_1", "192.0.2.1", lost.KeyCreated, "key_1"),
			entry(account, "usr_2", "2001:db8::/64", lost.KeyRevoked, "key_1"),
			entry(account, "usr_2", "", lost.LoggedIn, "ses_2"), // as an older version wrote it
			entry("acc_other", "usr_1", "192.0.2.1", lost.KeyCreated, "key_1"),
		}
		write(t, db, func(tx *store.Tx) error {
			for _, e := range entries {
				if err := tx.AddAudit(e); err != nil {
					return err
				}
			}
			return nil
		})
		for name, c := range map[string]struct {
			f    lost.AuditFilter
			want []int
		}{
			"all":               {lost.AuditFilter{}, []int{3, 2, 1, 0}},
			"actor":             {lost.AuditFilter{Actor: "usr_1"}, []int{1, 0}},
			"action":            {lost.AuditFilter{Action: lost.LoggedIn}, []int{3, 0}},
			"actor and action":  {lost.AuditFilter{Actor: "usr_2", Action: lost.LoggedIn}, []int{3}},
			"subject":           {lost.AuditFilter{Subject: "key_1"}, []int{2, 1}},
			"address":           {lost.AuditFilter{Address: "192.0.2.1"}, []int{1, 0}},
			"network":           {lost.AuditFilter{Address: "2001:db8::/64"}, []int{2}},
			"from":              {lost.AuditFilter{From: entries[2].At}, []int{3, 2}},
			"until":             {lost.AuditFilter{Until: entries[2].At}, []int{1, 0}},
			"the far future":    {lost.AuditFilter{Until: begin.AddDate(7000, 0, 0)}, []int{3, 2, 1, 0}},
			"before an entry":   {lost.AuditFilter{PageCursor: lost.PageCursor{Before: entries[2].ID}}, []int{1, 0}},
			"after two entries": {lost.AuditFilter{PageCursor: lost.PageCursor{Skip: 2}}, []int{1, 0}},
			"none":              {lost.AuditFilter{Address: "192.0.2.9"}, nil},
		} {
			c.f.Limit = 10
			found, err := db.Audit(t.Context(), account, c.f)
			if err != nil || found.More {
				t.Fatalf("%s: more entries: %v, error: %v", name, found.More, err)
			}
			want := []lost.AuditEntry{}
			for _, n := range c.want {
				want = append(want, entries[n])
			}
			for n := range found.Data {
				found.Data[n].Actor.Account = account // not read
			}
			if d := cmp.Diff(want, found.Data); d != "" {
				t.Errorf("%s: (-want +got)\n%s", name, d)
			}
			if c.f.Before != "" || c.f.Skip > 0 {
				continue
			}
			if n, err := db.CountAudit(t.Context(), account, c.f); err != nil || n.Count != len(c.want) {
				t.Errorf("%s: counted %d entries, %v, want %d", name, n.Count, err, len(c.want))
			}
		}
	})
}
