package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// addSubject indexes an item under the given terms.
func addSubject(t *testing.T, db *store.DB, id string, source lost.Source, day int, terms ...string) {
	t.Helper()
	write(t, db, func(tx *store.Tx) error {
		return tx.Index(account,
			store.MatchSubject{Account: account, ItemID: id, Pool: "pool", Source: source, Day: day, Terms: terms})
	})
}

func TestCandidatesHaveMostInCommon(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		addSubject(t, db, "both", lost.Found, 100, "umbrella", "duck")
		addSubject(t, db, "one", lost.Found, 101, "umbrella")
		addSubject(t, db, "rare", lost.Found, 102, "duck")
		addSubject(t, db, "late", lost.Found, 161, "umbrella", "duck")
		addSubject(t, db, "early", lost.Found, 98, "umbrella", "duck")
		addSubject(t, db, "a request", lost.Request, 100, "umbrella", "duck")
		addSubject(t, db, "changed", lost.Found, 100, "umbrella", "duck")
		addSubject(t, db, "changed", lost.Found, 100, "hat")
		search := store.CandidateSearch{
			Account: account, Pool: "pool", Source: lost.Found, From: 99, To: 160, LimitPerTerm: 10,
			Terms: []store.WeightedTerm{{Term: "umbrella", Weight: 1}, {Term: "duck", Weight: 5}},
		}
		ask := func(what string, s store.CandidateSearch, most int, want ...string) {
			t.Helper()
			if got, err := db.Candidates(t.Context(), s, most); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %q, %v, want %q", what, got, err, want)
			}
		}
		ask("all", search, 10, "both", "rare", "one")
		ask("the best", search, 2, "both", "rare")
		few := search
		few.LimitPerTerm, few.Terms = 1, search.Terms[:1]
		ask("the earliest of many", few, 10, "both")
		few.LatestFirst = true
		ask("the latest of many", few, 10, "one")
		for _, elsewhere := range []store.CandidateSearch{{Account: "acc_other", Pool: "pool"},
			{Account: account, Pool: "other"}} {
			s := search
			s.Account, s.Pool = elsewhere.Account, elsewhere.Pool
			ask("elsewhere", s, 10)
		}
		s := search
		s.Terms = nil
		ask("nothing to go by", s, 10)
		write(t, db, func(tx *store.Tx) error { return tx.Unindex(account, "both") })
		ask("no longer sought", search, 10, "rare", "one")
	})
}

func TestTermsAreCountedUpToAMaximum(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for n := range 12 {
			addSubject(t, db, fmt.Sprint("f", n), lost.Found, 100, "umbrella", fmt.Sprint("word", n%3))
		}
		addSubject(t, db, "r", lost.Request, 100, "umbrella")
		counts, err := db.CountTerms(t.Context(), account, "pool", lost.Found,
			[]string{"umbrella", "word1", "nothing", ""}, 10)
		if err != nil || counts["umbrella"] != 10 || counts["word1"] != 4 || counts["nothing"] != 0 ||
			counts[""] != 10 {
			t.Errorf("%v, %v", counts, err)
		}
		counts, err = db.CountTerms(t.Context(), account, "pool", lost.Request, []string{"umbrella"}, 10)
		if err != nil || counts["umbrella"] != 1 || len(counts) != 1 {
			t.Errorf("requests: %v, %v", counts, err)
		}
	})
}

// A find that is suggested for many requests is withdrawn in batches, and each request is matched again.
func TestMatchesAreWithdrawnInBatches(t *testing.T) {
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, named("Hotel"))
		found := addItem(t, db, l, described("An umbrella"))
		var requests []lost.Item
		for n := range 5 {
			r := addItem(t, db, l, described(fmt.Sprint("Request ", n)))
			requests = append(requests, r)
			write(t, db, func(tx *store.Tx) error {
				return tx.SaveSuggestions(r,
					[]lost.Match{{RequestID: r.ID, ItemID: found.ID, Score: 900_000, Likelihood: lost.Likely}})
			})
		}
		write(t, db, func(tx *store.Tx) error {
			_, err := tx.RejectMatch(account, requests[0].ID, found.ID, "usr_1")
			return err
		})
		finishAll(t, db)
		shown, err := db.RequestsSuggesting(t.Context(), found, "", 3)
		rest, err2 := db.RequestsSuggesting(t.Context(), found, shown[len(shown)-1], 3)
		if err != nil || err2 != nil || len(shown) != 3 || len(rest) != 1 || slices.Contains(shown, requests[0].ID) {
			t.Fatalf("suggested for %q and %q, %v %v", shown, rest, err, err2)
		}
		for _, more := range []bool{true, false, false} {
			write(t, db, func(tx *store.Tx) error {
				got, err := tx.WithdrawMatches(found, 3)
				if got != more {
					t.Errorf("more: %v, want %v", got, more)
				}
				return err
			})
		}
		if left, err := db.RequestsSuggesting(t.Context(), found, "", 10); err != nil || len(left) != 0 {
			t.Errorf("%q are left: %v", left, err)
		}
		if again := finishAll(t, db); again != 4 {
			t.Errorf("%d requests are matched again, want 4", again)
		}
		if refused, err := db.RejectedMatches(t.Context(), requests[0]); err != nil || len(refused) != 1 {
			t.Errorf("rejected: %q, %v", refused, err)
		}
	})
}

// finishAll finishes the match jobs and returns how many there were.
func finishAll(t *testing.T, db *store.DB) (many int) {
	t.Helper()
	write(t, db, func(tx *store.Tx) error {
		jobs, err := tx.ClaimJobs([]string{store.JobMatch}, 100, time.Minute)
		many = len(jobs)
		for _, j := range jobs {
			if err := tx.FinishJob(j); err != nil {
				return err
			}
		}
		return err
	})
	return many
}
