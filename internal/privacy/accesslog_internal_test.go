package privacy

import (
	"log/slog"
	"strconv"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// Note must be fast, because it is called whenever guests' data is read.
func BenchmarkAccessLogNote(b *testing.B) {
	s := &AccessLog{every: time.Hour}
	a, now := lost.Actor{Account: "acc_1", Kind: lost.ByKey, ID: "key_1"}, time.Now()
	for n := 0; b.Loop(); n++ {
		s.Note(a, lost.ItemSeen, "loc_1", "item_"+strconv.Itoa(n%1000), now)
	}
}

// An entry may have been written although the write returned an error. Writing it again must not block later entries.
func TestADuplicateAccessLogEntryDoesNotBlockOthers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := &AccessLog{db: db, every: time.Hour, log: slog.New(slog.DiscardHandler)}
		a, now := lost.Actor{Account: "acc_1", Kind: lost.ByKey, ID: "key_1"}, time.Now()
		first := lost.NewAuditEntry(a, lost.ItemSeen, "item_1", "", now)
		for _, lines := range [][]lost.AuditEntry{{first},
			{first, lost.NewAuditEntry(a, lost.ItemSeen, "item_2", "", now)}} {
			s.waiting = lines
			s.flush()
		}
		log, err := db.Audit(t.Context(), "acc_1", lost.AuditFilter{PageCursor: lost.PageCursor{Limit: 10}})
		if err != nil || len(log.Data) != 2 || len(s.waiting) > 0 {
			t.Errorf("got %d entries written, %d waiting, %v", len(log.Data), len(s.waiting), err)
		}
	})
}
