package match

import (
	"maps"
	"math"
	"slices"
)

// compareMarks compares the remaining marks: those that both subjects have, and those that only one has.
func compareMarks(e *Evidence, request, found Profile, rare func(string) float64, near likeness) {
	requested := map[Class]bool{}
	for name, class := range request.marks {
		requested[class] = requested[class] || !found.mentions(name, request)
	}
	others := e[otherInitials]+e[otherName]+e[otherBearer]+e[otherGiven] > 0 // somebody else's name is on the item
	total, covered := 0.0, 0.0
	for _, name := range slices.Sorted(maps.Keys(found.marks)) {
		class := found.marks[name]
		similar := request.similar(name, class, found)
		if similar > 0 || !found.slight[name] {
			total += classWeights[class]
			covered += classWeights[class] * max(similar, near.toFound[name])
		}
		if class == Word {
			e[alikeWords] += similar
		}
		if _, shared := request.marks[name]; shared && !(others && slices.Contains(inscriptions, name)) {
			if f, ok := sharedFeatures[class]; ok {
				e[f] += rareness(class, name, rare)
			}
		}
	}
	for class, f := range differentFeatures {
		if requested[class] && e[sharedFeatures[class]] == 0 && found.hasClass(class) {
			e[f] = 1
		}
	}
	if requested[Motif] && !found.hasClass(Motif) {
		e[unsaidMotif] = 1
	}
	for _, f := range []feature{sharedWords, alikeWords, sharedNumbers, sameMotif, samePart, sameState} {
		e[f] = math.Sqrt(e[f])
	}
	if total > 0 {
		e[uncovered] = 1 - covered/total
	}
	e[unanswered] = unmet(request, found, near)
	compareSides(e, request, found)
	compareNumbers(e, request, found)
}

// For each class: the feature if both subjects share a term, the feature if their terms differ, and the weight of a
// term.
var (
	sharedFeatures = map[Class]feature{
		Material: sameMaterial, Pattern: samePattern, Part: samePart, Motif: sameMotif, State: sameState,
		Size: sameSize, Person: samePerson, Origin: sameOrigin, Word: sharedWords, Number: sharedNumbers,
	}
	differentFeatures = map[Class]feature{
		Pattern: otherPattern, Size: otherSize, Person: otherPerson, Material: otherMaterial, Motif: otherMotif,
		Origin: otherOrigin, State: otherState,
	}
	classWeights = map[Class]float64{
		Kind: 1, Brand: 1, Product: 1, Colour: 0.6, Material: 0.6, Pattern: 0.8, Part: 0.5, Motif: 1, State: 0.5,
		Size: 0.3, Person: 0.3, Origin: 1, Word: 0.8, Number: 0.8,
	}
)

// similar returns how well a subject matches a mark of another subject: 1 for the same mark or the claimant's name,
// and less for a similar colour or word.
func (p Profile) similar(name string, class Class, other Profile) float64 {
	switch {
	case p.has(name, other):
		return 1
	case class == Colour:
		return p.likeColour(name)
	case class != Word:
		return 0
	case slices.ContainsFunc(p.names, func(n string) bool { return stem(n) == name }):
		return 1
	}
	return p.likeWord(name)
}

// likeColour returns the nearness of the most similar colour.
func (p Profile) likeColour(colour string) (most float64) {
	for mine := range p.colours {
		most = max(most, nearness(mine, colour))
	}
	for _, seen := range p.shown {
		if photoNearness(colour, seen) > 0 { // in another light it may be the same
			return 1
		}
	}
	return most
}

// unmet returns the share of a request's dictionary terms that the found item does not have.
func unmet(request, found Profile, near likeness) float64 {
	const whole = 1_000_000 // the sum of integers does not depend on the order
	total, matched := 0, 0
	for name, class := range request.marks {
		switch class {
		case Family, Word, Number, Person, Size:
			continue
		}
		similar := max(found.similar(name, class, request), near.toRequest[name])
		if found.mentions(name, request) {
			similar = 1
		}
		if similar > 0 || !request.slight[name] {
			total += whole
			matched += int(similar * whole)
		}
	}
	if total == 0 {
		return 0
	}
	return 1 - float64(matched)/float64(total)
}

// compareSides compares the sides, such as those of a left and a right glove.
func compareSides(e *Evidence, request, found Profile) {
	for _, side := range [...][2]string{{"left-side", "right-side"}, {"right-side", "left-side"}} {
		_, mine := request.marks[side[0]]
		_, both := request.marks[side[1]]
		_, other := found.marks[side[1]]
		_, same := found.marks[side[0]]
		if mine && !both && other && !same {
			e[otherSide] = 1
		}
	}
}

// inscriptions are motifs that only count together with the text of the inscription.
var inscriptions = []string{"initials", "engraving", "name-written"}

// rareness returns the weight of a shared mark.
func rareness(class Class, name string, rare func(string) float64) float64 {
	switch {
	case class == Person, class == Size:
		return 0.5
	case class == Number && len(name) < 3:
		return rare(name) * 0.3
	}
	return rare(name)
}

func (p Profile) hasClass(class Class) bool {
	for _, c := range p.marks {
		if c == class {
			return true
		}
	}
	return false
}

// likeWord returns the similarity of the most similar word.
func (p Profile) likeWord(word string) (most float64) {
	if p.exact {
		return 0
	}
	for name, class := range p.marks {
		if class != Word || len(name) < 4 || len(word) < 4 || name[0] != word[0] {
			continue
		}
		if alike(name, word) {
			return 0.9
		}
		if n := prefix(name, word); n >= 5 && 2*n >= max(len(name), len(word)) {
			most = 0.7
		}
	}
	return most
}

func prefix(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
