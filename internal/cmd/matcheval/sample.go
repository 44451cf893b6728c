package main

import (
	"cmp"
	"math"
	"slices"

	"homeward/internal/lost/match"
	"homeward/internal/lost/match/matchtest"
)

// sample is a request with the found items that it is compared with.
type sample struct {
	request    matchtest.Request
	candidates []candidate
	right      int // position of the matching item; -1 if it is not a candidate
}

type candidate struct {
	item     string
	evidence match.Evidence
}

// maxCandidates is the maximum number of found items that a request is compared with, as in the service.
const maxCandidates = 80

// index contains the found items of a set, as a matcher reads them.
type index struct {
	finds    []matchtest.Find
	profiles []match.Profile
	with     map[string][]int // found items by term
	counts   match.Counts
}

func newIndex(finds []matchtest.Find, by match.Matcher) index {
	x := index{
		finds: finds, profiles: make([]match.Profile, len(finds)), with: map[string][]int{},
		counts: match.Counts{"": min(len(finds), match.MaxCounted)},
	}
	for n, f := range finds {
		x.profiles[n] = by.Read(f.Subject())
		terms := x.profiles[n].Terms()
		for _, term := range terms[:min(len(terms), match.MaxTerms)] {
			x.with[term] = append(x.with[term], n)
		}
		for _, term := range terms {
			x.counts[term] = min(x.counts[term]+1, match.MaxCounted)
		}
	}
	return x
}

// sample compares a request with the found items that have the most in common with it.
func (x index) sample(r matchtest.Request, by match.Matcher) sample {
	request := by.Read(r.Subject())
	shared := map[int]int{}
	terms := request.Terms()
	for _, term := range terms[:min(len(terms), match.MaxTerms)] {
		const unit = 1000
		weight := 1 + int(math.Round(unit*math.Log(float64(x.counts[""]+2)/float64(x.counts[term]+1))))
		for _, n := range x.with[term] {
			shared[n] += weight
		}
	}
	s := sample{request: r, right: -1}
	chosen := make([]int, 0, len(shared))
	for n := range shared {
		if _, ok := by.Evidence(request, x.profiles[n], x.counts); ok {
			chosen = append(chosen, n)
		}
	}
	slices.SortFunc(chosen, func(a, b int) int {
		return cmp.Or(cmp.Compare(shared[b], shared[a]), cmp.Compare(x.finds[a].ID, x.finds[b].ID))
	})
	for _, n := range chosen[:min(len(chosen), maxCandidates)] {
		e, _ := by.Evidence(request, x.profiles[n], x.counts)
		if x.finds[n].ID == r.Item {
			s.right = len(s.candidates)
		}
		s.candidates = append(s.candidates, candidate{x.finds[n].ID, e})
	}
	return s
}

// collect compares requests with found items.
func collect(requests []matchtest.Request, finds []matchtest.Find, by match.Matcher) (all []sample) {
	x := newIndex(finds, by)
	for _, r := range requests {
		all = append(all, x.sample(r, by))
	}
	return all
}

// guesses ranks the candidates of a sample.
func (s sample) guesses(by match.Matcher, w match.Weights) []guess {
	values := make([]float64, len(s.candidates))
	for n, c := range s.candidates {
		values[n] = w.Value(by.Omit(c.evidence))
	}
	all := make([]guess, 0, len(values))
	for n, value := range values {
		if match.Suggested(value) {
			all = append(all, guess{item: s.candidates[n].item, value: value})
		}
	}
	const suggested = 20 // as in the service
	all = best(all)[:min(len(all), suggested)]
	values = values[:0]
	for _, g := range all {
		values = append(values, g.value)
	}
	for n, chance := range match.Chances(values) {
		all[n].value, all[n].likely = chance, match.Likely(chance)
	}
	return all
}
