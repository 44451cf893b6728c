package match

import (
	"maps"
	"math"
	"slices"
)

// compareMarks looks at everything else that both say, and at what only one of them says.
func compareMarks(e *evidence, request, found Profile, rare func(string) float64) {
	says := map[Class]bool{}
	for _, class := range request.marks {
		says[class] = true
	}
	said, covered := 0.0, 0.0
	for _, name := range slices.Sorted(maps.Keys(found.marks)) {
		class := found.marks[name]
		said += telling[class]
		if _, shared := request.marks[name]; shared {
			covered += telling[class]
			if f, ok := sharing[class]; ok {
				e[f] += rareness(class, name, rare)
			}
			if class == Word {
				e[alikeWords]++
			}
		} else if class == Word {
			similar := request.likeWord(name)
			covered += telling[class] * similar
			e[alikeWords] += similar
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

// What a term of each class is for, where both say it and where they say others, and how much it tells by itself.
var (
	sharing = map[Class]feature{
		Material: sameMaterial, Pattern: samePattern, Part: samePart, Motif: sameMotif, State: sameState, Size: sameSize, Person: samePerson, Origin: sameOrigin, Word: sharedWords, Number: sharedNumbers,
	}
	opposing = map[Class]feature{Pattern: otherPattern, Size: otherSize, Person: otherPerson, Material: otherMaterial, Motif: otherMotif, Origin: otherOrigin, State: otherState}
	telling  = map[Class]float64{
		Kind: 1, Brand: 1, Product: 1, Colour: 0.6, Material: 0.6, Pattern: 0.8, Part: 0.5, Motif: 1, State: 0.5, Size: 0.3, Person: 0.3, Origin: 1, Word: 0.8, Number: 0.8,
	}
)

// unmet is how much of what a request says by terms that the dictionary knows is not said of a find.
func unmet(request, found Profile) float64 {
	asked, met := 0.0, 0.0
	for name, class := range request.marks {
		switch class {
		case Family, Word, Number, Person, Size:
			continue
		}
		asked++
		if _, shared := found.marks[name]; shared {
			met++
		}
	}
	if asked == 0 {
		return 0
	}
	return 1 - met/asked
}

// compareSides tells a left glove from a right one.
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

// rareness is what a shared mark is worth.
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

// likeWord tells how much the word that comes nearest to one is alike it.
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
