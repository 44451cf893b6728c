package store_test

import (
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// A slow model must not be asked for the same texts by a second worker because another item was indexed.
func TestARunningEmbedJobIsLeftToItsWorker(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		addLocation(t, db, withName("Hotel")) // of the account
		add := func() { write(t, db, func(tx *store.Tx) error { return tx.AddEmbedJob(account) }) }
		claim := func() (jobs []store.Job) {
			t.Helper()
			write(t, db, func(tx *store.Tx) (err error) {
				jobs, err = tx.ClaimJobs([]string{store.JobEmbed}, 10, time.Hour)
				return err
			})
			return jobs
		}
		add()
		add()
		running := claim()
		if len(running) != 1 {
			t.Fatalf("%d jobs, want 1", len(running))
		}
		add()
		if again := claim(); len(again) != 0 {
			t.Errorf("a running job was given to a second worker: %+v", again)
		}
		write(t, db, func(tx *store.Tx) error { return tx.FinishJob(running[0]) })
		add()
		if next := claim(); len(next) != 1 {
			t.Errorf("%d jobs after the first one has ended, want 1", len(next))
		}
	})
}

// Disabled accounts that have embeddings to compute must not take the places of others.
func TestDisabledAccountsAreNotEmbedded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		const version = "model 1"
		write(t, db, func(tx *store.Tx) error {
			for _, id := range []string{"acc_1", "acc_2", "acc_3"} {
				a := lost.Account{ID: id, Name: id, CreatedAt: tx.Now()}
				if id != "acc_3" {
					a.DisabledAt = tx.Now()
				}
				if err := tx.InsertAccount(a); err != nil {
					return err
				}
				run := store.EmbeddingRun{Account: id, Version: version, Done: true}
				if err := tx.SaveEmbeddingRun(run); err != nil {
					return err
				}
				if err := tx.SaveEmbedding(id, store.Embedding{ItemID: "item_1", Part: "text"}); err != nil {
					return err
				}
			}
			return nil
		})
		got, err := db.AccountsToEmbed(t.Context(), version, 1)
		if err != nil || !slices.Equal(got, []string{"acc_3"}) {
			t.Errorf("got %q, %v", got, err)
		}
	})
}
