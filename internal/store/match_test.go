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

func TestCandidatesHaveTheHighestWeights(t *testing.T) {
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
		check := func(name string, s store.CandidateSearch, limit int, want ...string) {
			t.Helper()
			if got, err := db.Candidates(t.Context(), s, limit); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
			}
		}
		check("all", search, 10, "both", "rare", "one")
		check("the best", search, 2, "both", "rare")
		limited := search
		limited.LimitPerTerm, limited.Terms = 1, search.Terms[:1]
		check("the earliest", limited, 10, "both")
		limited.LatestFirst = true
		check("the latest", limited, 10, "one")
		for _, other := range []store.CandidateSearch{{Account: "acc_other", Pool: "pool"},
			{Account: account, Pool: "other"}} {
			s := search
			s.Account, s.Pool = other.Account, other.Pool
			check("another account or pool", s, 10)
		}
		s := search
		s.Terms = nil
		check("no terms", s, 10)
		write(t, db, func(tx *store.Tx) error { return tx.Unindex(account, "both") })
		check("after Unindex", search, 10, "rare", "one")
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
			t.Errorf("found: got %v, %v", counts, err)
		}
		counts, err = db.CountTerms(t.Context(), account, "pool", lost.Request, []string{"umbrella"}, 10)
		if err != nil || counts["umbrella"] != 1 || len(counts) != 1 {
			t.Errorf("requests: got %v, %v", counts, err)
		}
	})
}

// TestMatchesAreWithdrawnInBatches checks that WithdrawMatches removes a found item's suggestions
// in batches and that each request is matched again.
func TestMatchesAreWithdrawnInBatches(t *testing.T) {
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		found := addItem(t, db, l, withDescription("An umbrella"))
		var requests []lost.Item
		for n := range 5 {
			r := addItem(t, db, l, withDescription(fmt.Sprint("Request ", n)))
			requests = append(requests, r)
			write(t, db, func(tx *store.Tx) error {
				return tx.SaveSuggestions(r, []lost.Match{{
					RequestID: r.ID, ItemID: found.ID, Score: 900_000, Likelihood: lost.Likely, Other: found,
				}})
			})
		}
		write(t, db, func(tx *store.Tx) error {
			_, err := tx.RejectMatch(requests[0], found, "usr_1")
			return err
		})
		finishAll(t, db)
		first, err := db.RequestsWithSuggestion(t.Context(), found, "", 3)
		rest, err2 := db.RequestsWithSuggestion(t.Context(), found, first[len(first)-1], 3)
		if err != nil || err2 != nil || len(first) != 3 || len(rest) != 1 || slices.Contains(first, requests[0].ID) {
			t.Fatalf("RequestsWithSuggestion: got %q and %q, %v, %v", first, rest, err, err2)
		}
		for _, more := range []bool{true, false, false} {
			write(t, db, func(tx *store.Tx) error {
				got, err := tx.WithdrawMatches(found, 3)
				if got != more {
					t.Errorf("WithdrawMatches: got %t, want %t", got, more)
				}
				return err
			})
		}
		if remaining, err := db.RequestsWithSuggestion(t.Context(), found, "", 10); err != nil || len(remaining) != 0 {
			t.Errorf("RequestsWithSuggestion after WithdrawMatches: got %q, %v, want none", remaining, err)
		}
		if n := finishAll(t, db); n != 4 {
			t.Errorf("got %d match jobs, want 4", n)
		}
		if rejected, err := db.RejectedMatches(t.Context(), requests[0]); err != nil || len(rejected) != 1 {
			t.Errorf("RejectedMatches: got %q, %v, want 1", rejected, err)
		}
	})
}

// finishAll finishes all match jobs and returns the number of jobs.
func finishAll(t *testing.T, db *store.DB) (count int) {
	t.Helper()
	write(t, db, func(tx *store.Tx) error {
		jobs, err := tx.ClaimJobs([]string{store.JobMatch}, 100, time.Minute)
		count = len(jobs)
		for _, j := range jobs {
			if err := tx.FinishJob(j); err != nil {
				return err
			}
		}
		return err
	})
	return count
}

// Open pages of other locations do not hear of a match.
func TestAChangeOfMatchesHasTheLocationsOfItsItems(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var got []store.PageChange
		there, here := addLocation(t, db, withName("Hotel")), addLocation(t, db, withName("Airport"))
		request := addItem(t, db, there, withDescription("A request"))
		found := addItem(t, db, here, withDescription("A find"))
		db.UseEvents(store.Events{OnPageChange: func(changes []store.PageChange) { got = append(got, changes...) }})
		write(t, db, func(tx *store.Tx) error {
			return tx.SaveSuggestions(request, []lost.Match{{
				RequestID: request.ID, ItemID: found.ID, Likelihood: lost.Likely, Other: found,
			}})
		})
		write(t, db, func(tx *store.Tx) error {
			_, err := tx.RejectMatch(request, found, "usr_1")
			return err
		})
		locations := map[string]string{request.ID: there.ID, found.ID: here.ID}
		if len(got) != 4 {
			t.Errorf("got %d changes, want two of each item", len(got))
		}
		for _, c := range got {
			if c.Location != locations[c.Item] {
				t.Errorf("got %+v, want the location %s", c, locations[c.Item])
			}
		}
	})
}
