package match

import "math"

// Counts maps terms to the number of a location's open found items that have them, and "" to the number of these
// items. Counts are limited to MaxCounted.
type Counts map[string]int

// MaxCounted is the maximum count. A term with this count is common.
const MaxCounted = 2000

// rarity returns how rare a term is among the found items: from 0 for a term that every item has, to 1.
func (c Counts) rarity(term string) float64 {
	all := float64(max(c[""], minFinds))
	return max(0, min(1, math.Log((all+1)/(float64(c[term])+0.5))/math.Log(all+1)))
}

// minFinds is the number of found items that is assumed if there are fewer, because no term is common among only a
// few items.
const minFinds = 100
