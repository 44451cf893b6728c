package match

import "math"

// Counts is how many of a location's open finds have a term, and under "" the number of finds. Each count ends at
// MaxCounted.
type Counts map[string]int

// MaxCounted is where counting ends: a term that so many finds have is common.
const MaxCounted = 2000

// rarity returns how rare a term is among the finds: from 0 for a term that every find has, to 1.
func (c Counts) rarity(term string) float64 {
	all := float64(max(c[""], minFinds))
	return max(0, min(1, math.Log((all+1)/(float64(c[term])+0.5))/math.Log(all+1)))
}

// minFinds is the assumed minimum number of finds: among only a few, no term is common.
const minFinds = 100
