package match

import (
	"maps"
	"math"
	"slices"
)

// compareMarks compares the remaining marks: those that both have, and those that only one has.
func compareMarks(e *evidence, request, found Profile, rare func(string) float64) {
	says := map[Class]bool{}
	for name, class := range request.marks {
		says[class] = says[class] || !found.mentions(name, request)
	}
	others := e[otherInitials]+e[otherName]+e[otherBearer]+e[otherGiven] > 0 // it has somebody else's name
	said, covered := 0.0, 0.0
	for _, name := range slices.Sorted(maps.Keys(found.marks)) {
		class := found.marks[name]
		similar := request.similar(name, class, found)
		if similar > 0 || !found.slight[name] {
			said += telling[class]
			covered += telling[class] * similar
		}
		if class == Word {
			e[alikeWords] += similar
		}
		if _, shared := request.marks[name]; shared && !(others && slices.Contains(inscriptions, name)) {
			if f, ok := sharing[class]; ok {
				e[f] += rareness(class, name, rare)
			}
		}
	}
	for class, f := range opposing {
		if says[class] && e[sharing[class]] == 0 && found.says(class) {
			e[f] = 1
		}
	}
	if says[Motif] && !found.says(Motif) {
		e[unsaidMotif] = 1
	}
	for _, f := range []feature{sharedWords, alikeWords, sharedNumbers, sameMotif, samePart, sameState} {
		e[f] = math.Sqrt(e[f])
	}
	if said > 0 {
		e[uncovered] = 1 - covered/said
	}
	e[unanswered] = unmet(request, found)
	compareSides(e, request, found)
	compareNumbers(e, request, found)
}

// The feature of each class if both share a term, the feature if their terms differ, and the weight of a term.
var (
	sharing = map[Class]feature{
		Material: sameMaterial, Pattern: samePattern, Part: samePart, Motif: sameMotif, State: sameState,
		Size: sameSize, Person: samePerson, Origin: sameOrigin, Word: sharedWords, Number: sharedNumbers,
	}
	opposing = map[Class]feature{
		Pattern: otherPattern, Size: otherSize, Person: otherPerson, Material: otherMaterial, Motif: otherMotif,
		Origin: otherOrigin, State: otherState,
	}
	telling = map[Class]float64{
		Kind: 1, Brand: 1, Product: 1, Colour: 0.6, Material: 0.6, Pattern: 0.8, Part: 0.5, Motif: 1, State: 0.5,
		Size: 0.3, Person: 0.3, Origin: 1, Word: 0.8, Number: 0.8,
	}
)

// similar returns how far a subject has a mark of another: the same mark, a similar colour or word, or the claimant's
// name.
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
	return most
}

// unmet returns the share of a request's dictionary terms that the find does not have.
func unmet(request, found Profile) float64 {
	const whole = 1_000_000 // integers, whose sum does not depend on the order
	asked, met := 0, 0
	for name, class := range request.marks {
		switch class {
		case Family, Word, Number, Person, Size:
			continue
		}
		similar := found.similar(name, class, request)
		if found.mentions(name, request) {
			similar = 1
		}
		if similar > 0 || !request.slight[name] {
			asked += whole
			met += int(similar * whole)
		}
	}
	if asked == 0 {
		return 0
	}
	return 1 - float64(met)/float64(asked)
}

// compareSides distinguishes a left glove from a right one.
func compareSides(e *evidence, request, found Profile) {
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

// inscriptions are motifs that mean nothing without the text of the inscription.
var inscriptions = []string{"initials", "engraving", "name-written"}

// rareness returns how much a shared mark counts.
func rareness(class Class, name string, rare func(string) float64) float64 {
	switch {
	case class == Person, class == Size:
		return 0.5
	case class == Number && len(name) < 3:
		return rare(name) * 0.3
	}
	return rare(name)
}

func (p Profile) says(class Class) bool {
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
