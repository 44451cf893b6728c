package privacy_test

import (
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
)

// batches counts the entries in each batch of an export.
type batches []int

func (b *batches) Write(_ string, entries []lost.AuditEntry) error {
	*b = append(*b, len(entries))
	return nil
}

// An export is written in batches, so that its memory does not grow with the log.
func TestTheAuditLogIsExportedInBatches(t *testing.T) {
	testkit.EachAccount(t, func(l *testkit.Account) {
		write := func(tx *store.Tx) error {
			for n := range 1200 {
				e := lost.NewAuditEntry(l.Owner.Actor(), lost.LoggedIn, "", "", tx.Now().Add(time.Duration(n)))
				if err := tx.AddAudit(e); err != nil {
					return err
				}
			}
			return nil
		}
		if err := l.DB.Write(t.Context(), write); err != nil {
			t.Fatal(err)
		}
		l.Clock.Advance(time.Second)
		var got batches
		if err := l.Services.AuditLog.ExportTo(t.Context(), l.Owner.Actor(), lost.AuditFilter{}, &got); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, batches{500, 500, 200}) {
			t.Errorf("got batches of %v entries, want 500, 500 and 200", got)
		}
	})
}
