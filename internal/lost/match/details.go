package match

import (
	"maps"
	"math"
	"slices"
)

// detailWeights tells how much a mark of each class tells an item apart from others of its kind.
var detailWeights = map[Class]float64{
	Brand: 1, Product: 0.5, Motif: 1, Origin: 1, Pattern: 0.5, Part: 0.4, Material: 0.4, State: 0.3, Number: 1, Word: 1,
}

// compareDetails compares the details that tell items of a kind apart: proper names, numbers, motifs and other words
// for what is on an item. A description can leave some of them out. But if each of the two has a detail that the other
// lacks, they are rather two different items: a sticker of NASA and a sticker of a cactus.
func compareDetails(e *Evidence, request, found Profile, rare func(string) float64, near likeness) {
	missing := lackingDetails(request, found, near.toRequest, rare)
	extra := lackingDetails(found, request, near.toFound, rare)
	e[missingDetails], e[extraDetails] = math.Sqrt(missing), math.Sqrt(extra)
	e[rivalDetails] = math.Sqrt(min(missing, extra))
}

// lackingDetails returns how many details of a subject the other one lacks. near tells how similar the other one's
// marks are.
func lackingDetails(p, other Profile, near map[string]float64, rare func(string) float64) (sum float64) {
	for _, name := range slices.Sorted(maps.Keys(p.marks)) {
		class := p.marks[name]
		if p.slight[name] || class == Word && !p.isDetail(name) || class == Number && len(name) < 2 {
			continue
		}
		met := max(other.similar(name, class, p), near[name])
		if other.mentions(name, p) {
			met = 1
		}
		sum += detailWeights[class] * rare(name) * max(0, 1-met)
	}
	return sum
}

// isDetail reports whether a word that is not in the dictionary is for what is on an item: a thing, an animal, a plant
// or a proper name. People also write about how they lost it.
func (p Profile) isDetail(name string) bool {
	for _, s := range p.senses {
		if s.mark == name {
			return s.thing || s.being
		}
	}
	return p.proper[p.spelled[name]]
}
