package store_test

import (
	"testing"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

func TestStorableTextKeepsDifferentTextsDifferent(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Grüße 日本 \ufffd": "Grüße 日本 \ufffd", "a\xffb": "a\ufffdFFb", "a\xfeb": "a\ufffdFEb",
		"\x00": "\ufffd00", "\xe6\x97": "\ufffdE6\ufffd97", "日\xe6": "日\ufffdE6",
	} {
		if got := store.StorableText(text); got != want {
			t.Errorf("StorableText(%q) = %q, want %q", text, got, want)
		}
	}
}

// PostgreSQL rejects such texts. SQLite would store them, and the database could not be moved.
func TestTextsThatOnlySQLiteCouldStoreAreRefused(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for _, text := range []string{"a\xff", "a\x00", "\xed\xa0\x80"} {
			err := db.Write(t.Context(), func(tx *store.Tx) error {
				return tx.InsertImport(lost.Import{Account: "acc_1", ID: "imp_1", File: text})
			})
			if lost.CodeOf(err) != lost.Unreadable {
				t.Errorf("%q: got %v, want a lost.Unreadable error", text, err)
			}
			if _, err := db.Location(t.Context(), "acc_1", text); lost.CodeOf(err) != lost.NotFound {
				t.Errorf("a look-up of %q: got %v, want not-found", text, err)
			}
			err = db.Write(t.Context(), func(tx *store.Tx) error {
				_, err := tx.LockItem("acc_1", "loc_1", text)
				return err
			})
			if lost.CodeOf(err) != lost.NotFound {
				t.Errorf("a look-up of %q in a transaction: got %v, want not-found", text, err)
			}
		}
	})
}

// The reason of a failed job may quote what a server has sent.
func TestAJobsReasonMayContainAnyBytes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			if err := tx.AddJob("acc_1", store.JobImport, "imp_1", tx.Now()); err != nil {
				return err
			}
			return tx.FailJob(store.Job{Account: "acc_1", ID: "job_1"}, "server said \xff\x00")
		})
		if err != nil {
			t.Errorf("got %v, want no error", err)
		}
	})
}
