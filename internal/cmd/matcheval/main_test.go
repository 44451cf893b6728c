package main

import (
	"math"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/lost/match"
	"homeward/internal/lost/match/matchtest"
)

// The held-back set is never used to write or fit rules, so it shows what to expect of other texts.
func TestTheHeldBackSetIsRankedAsDocumented(t *testing.T) {
	set, err := matchtest.Load("../../lost/match/matchtest/heldback")
	if err != nil {
		t.Fatal(err)
	}
	samples := collect(set.Requests, set.Finds, match.Matcher{})
	rank := func(s sample) []guess { return s.guesses(match.Matcher{}, match.CurrentWeights()) }
	byID := map[string]sample{}
	for _, s := range samples {
		byID[s.request.ID] = s
	}
	v := judge(set.Requests, func(r matchtest.Request) []guess { return rank(byID[r.ID]) })
	if v.first < 0.88 || v.five < 0.96 || v.trueLikely < 0.56 || v.noneLikely > 0.12 {
		t.Errorf("got %+v, want at least 0.88 first, 0.96 among five, 0.56 likely, and 0.12 misled", v)
	}
	const tolerance = 6 // percentage points
	for n, of := range likelihoodsOf(samples, rank) {
		likelihood, share := lost.Likelihoods()[n], 100*of.share()
		if want := likelihood.PercentRight(); math.Abs(share-float64(want)) > tolerance {
			t.Errorf("%s matches: %.1f of 100 are right, documented are %d", likelihood, share, want)
		}
	}
}
