package store_test

import (
	"slices"
	"testing"
	"time"

	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

func TestMatchJobsAreClaimedFromEachAccountInTurn(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		write(t, db, func(tx *store.Tx) error {
			for _, account := range []string{"acc_1", "acc_1", "acc_1", "acc_2", "acc_3", "acc_3"} {
				if err := tx.AddJob(account, store.JobMatch, "item_none", tx.Now()); err != nil {
					return err
				}
			}
			if err := tx.AddJob("acc_2", store.JobThumbnail, "a.jpg", tx.Now()); err != nil {
				return err
			}
			return tx.AddJob("acc_4", store.JobMatch, "item_none", tx.Now().Add(time.Hour)) // not due yet
		})
		after := ""
		for n, want := range [][]string{{"acc_1", "acc_2"}, {"acc_3", "acc_1"}, {"acc_3", "acc_1"}, nil} {
			write(t, db, func(tx *store.Tx) error {
				jobs, last, err := tx.ClaimMatchJobs(after, 2, time.Minute)
				var got []string
				for _, j := range jobs {
					got = append(got, j.Account)
				}
				if !slices.Equal(got, want) {
					t.Errorf("claim %d: got jobs of %q, want %q", n, got, want)
				}
				after = last
				return err
			})
		}
	})
}
