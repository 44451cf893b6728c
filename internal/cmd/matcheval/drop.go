package main

import (
	"hash/fnv"
	"slices"

	"homeward/internal/lost/match"
	"homeward/internal/lost/match/matchtest"
)

// withoutHalf returns samples of a set, and those of the same set with a dictionary that lacks half of its words.
// Weights that are fitted to both do not rely on the dictionary alone, which was written with the words of the set in
// mind.
func withoutHalf(set matchtest.Set, samples []sample) []sample {
	const half = 50
	by := match.Matcher{}.Forgetting(func(form string) bool {
		hash := fnv.New32a()
		_, _ = hash.Write([]byte("seed" + form)) // always the same words
		return int(hash.Sum32()>>8%100) < half
	})
	return append(slices.Clip(samples), collect(set.Requests, set.Finds, by)...)
}
