package match

import "math"

// Counts is how many of the open finds of a location have a term, and under "" how many there are. Each is counted as
// far as MaxCounted.
type Counts map[string]int

// MaxCounted is as far as finds are counted: what so many have is common.
const MaxCounted = 2000

// rarity is how rare a term is among the finds: from 0 for one that everything has, to 1.
func (c Counts) rarity(term string) float64 {
	all := float64(max(c[""], fewFinds))
	return max(0, min(1, math.Log((all+1)/(float64(c[term])+0.5))/math.Log(all+1)))
}

// fewFinds is what a location is taken to have at least: with a handful, nothing can be called common.
const fewFinds = 100
