package match

import (
	"maps"
	"math"
	"slices"
)

// feature is one thing that speaks for or against a pair.
type feature int

// What is looked at. The weights tell how much each counts.
const (
	sameKind feature = iota
	sameFamily
	otherKind
	sameBrand
	otherBrand
	sameProduct
	sameModel
	otherModel
	sameColour
	otherColour
	sameMaterial
	samePattern
	otherPattern
	samePart
	sameMotif
	sameState
	sameSize
	otherSize
	samePerson
	otherPerson
	sharedWords
	alikeWords
	sharedNumbers
	sharedInitials
	otherInitials
	sharedName
	otherName // somebody else's is written on it
	samePlace
	sameRoom
	otherRoom
	soon
	late
	otherMaterial
	otherMotif
	unsaidMotif // the request has one, and the find says of none
	sameOrigin
	otherOrigin
	otherSide
	otherNumber // both are marked with a number, and not the same
	otherBearer // it bears somebody else's name
	otherGiven  // of another of the family
	strayColour // each has a colour that the other has not
	uncovered   // what the find says and the request does not
	unanswered  // what the request says and the find does not
	features
)

type evidence [features]float64

// Counts is how many of the open finds of a location have a term, and under "" how many there are. Each is counted as far as MaxCounted.
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

// Score is how well a find answers a request.
type Score struct {
	Value   float64 // 0 to 1
	Reasons []string
}

// Likely tells that the find is worth a call.
func (s Score) Likely() bool { return s.Value >= likelyFrom }

// Possible tells that the find is worth a look.
func (s Score) Possible() bool { return s.Value >= possibleFrom }

// When a thing is found that was lost on a day: from so many days before it, because people err, to so many after.
const (
	DaysBefore = 1
	DaysAfter  = 60
)

// Compare tells how well a find answers a request. Pairs whose days do not go together have no score.
func Compare(request, found Profile, c Counts) Score { return Judge{}.Compare(request, found, c) }

func compare(request, found Profile, rare func(string) float64) (e evidence, ok bool) {
	if !compareDays(&e, request.day, found.day) {
		return e, false
	}
	compareKinds(&e, request, found, rare)
	compareBrands(&e, request, found, rare)
	compareColours(&e, request.colours, found.colours)
	compareMarks(&e, request, found, rare)
	compareNames(&e, request, found)
	comparePlaces(&e, request, found)
	return e, true
}

// compareDays refuses what was found too early or too late.
func compareDays(e *evidence, lost, found int) bool {
	if lost == 0 || found == 0 {
		return true
	}
	days := found - lost
	if days < -DaysBefore || days > DaysAfter {
		return false
	}
	e[soon] = math.Exp(-math.Abs(float64(days)) / 3)
	e[late] = math.Log1p(max(0, float64(days)-5)) / math.Log1p(DaysAfter-5)
	return true
}

func compareKinds(e *evidence, request, found Profile, rare func(string) float64) {
	var known, same, asked bool
	for name, class := range found.marks {
		_, shared := request.marks[name]
		switch {
		case class == Kind:
			known = true
			if shared {
				same = true
				e[sameKind] = max(e[sameKind], 0.5+rare(name)/2)
			}
		case class == Family && shared:
			e[sameFamily] = 1
		}
	}
	for _, class := range request.marks {
		asked = asked || class == Kind
	}
	if known && asked && !same && e[sameFamily] == 0 {
		e[otherKind] = 1
	}
}

func compareBrands(e *evidence, request, found Profile, rare func(string) float64) {
	mine, theirs := false, false
	for name, class := range found.marks {
		if class != Brand && class != Product {
			continue
		}
		mine = mine || class == Brand
		if _, shared := request.marks[name]; !shared {
			continue
		}
		if class == Brand {
			e[sameBrand] = max(e[sameBrand], 0.5+rare(name)/2)
		} else {
			e[sameProduct] = max(e[sameProduct], 0.5+rare(name)/2)
		}
	}
	for _, class := range request.marks {
		theirs = theirs || class == Brand
	}
	if mine && theirs && e[sameBrand] == 0 {
		e[otherBrand] = 1
	}
	shared := common(request.models, found.models)
	switch {
	case shared > 0:
		e[sameModel] = float64(shared) / float64(len(found.models))
		e[sameModel] = 0.5 + e[sameModel]/2
	case len(request.models) > 0 && len(found.models) > 0 && e[sameProduct] > 0 && !found.figures(request.models):
		e[otherModel] = 1
	}
}

func compareColours(e *evidence, request, found map[string]bool) {
	if len(request) == 0 || len(found) == 0 {
		return
	}
	sum, best := 0.0, 0.0
	for _, theirs := range slices.Sorted(maps.Keys(found)) { // in one order, in which they always add up to the same
		near := 0.0
		for mine := range request {
			near = max(near, nearness(mine, theirs))
		}
		sum, best = sum+near, max(best, near)
	}
	e[sameColour] = (best + sum/float64(len(found))) / 2
	if best < 0.25 {
		e[otherColour] = 1 - 4*best
	}
	e[strayColour] = min(stray(request, found), stray(found, request))
}

// stray is how far the colour of one that the other comes least near to is from it.
func stray(one, other map[string]bool) (most float64) {
	for a := range one {
		near := 0.0
		for b := range other {
			near = max(near, nearness(a, b))
		}
		most = max(most, 1-near)
	}
	return most
}

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
	opposing = map[Class]feature{Pattern: otherPattern, Size: otherSize, Person: otherPerson, Material: otherMaterial, Motif: otherMotif, Origin: otherOrigin}
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

// compareNumbers notes that both are marked with figures, and with others.
func compareNumbers(e *evidence, request, found Profile) {
	if len(request.signs) > 0 && len(found.signs) > 0 && !found.figures(request.signs) {
		e[otherNumber] = 1
	}
}

// figures tells whether a find has one of some figures, wherever it says it.
func (p Profile) figures(some map[string]bool) bool {
	for name := range some {
		if _, said := p.marks[name]; said {
			return true
		}
	}
	return false
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

// compareNames looks for who misses it in what the find says: a name, or initials.
func compareNames(e *evidence, request, found Profile) {
	for i, name := range request.names {
		if _, shared := found.marks[stem(name)]; shared {
			e[sharedName] += 1 + float64(min(i, 1)) // a last name is rarer
		}
	}
	e[sharedName] = min(e[sharedName], 2) / 2
	if len(found.written) > 0 && e[sharedName] == 0 && !request.mentions(found.written) {
		e[otherName] = 0.5
		if len(request.written) > 0 {
			e[otherName] = 1
		}
	}
	compareBearers(e, request, found)
	switch {
	case common(request.initials, found.initials) > 0:
		e[sharedInitials] = 1
	case len(request.initials) > 0 && len(found.initials) > 0:
		e[otherInitials] = 1
	}
}

// compareBearers looks whether it bears the name of who misses it, of somebody of the family, or of somebody else.
func compareBearers(e *evidence, request, found Profile) {
	if len(found.bearers) == 0 || len(request.names) == 0 {
		return
	}
	shared, others := 0, map[string]bool{}
	for name := range found.bearers {
		if slices.Contains(request.names, name) {
			shared++
		} else {
			others[name] = true
		}
	}
	if len(others) == 0 || request.mentions(others) {
		return
	}
	switch {
	case shared == 0:
		e[otherBearer] = 1
	case shared == 1 && !found.bearers[request.names[0]]:
		e[otherGiven] = 1
	}
}

// mentions tells whether a request says one of some names, or something like it.
func (p Profile) mentions(names map[string]bool) bool {
	for name := range names {
		if _, said := p.marks[stem(name)]; said || p.written[name] || slices.Contains(p.names, name) {
			return true
		}
	}
	return false
}

func comparePlaces(e *evidence, request, found Profile) {
	if len(request.place) > 0 && len(found.place) > 0 {
		meant := meantBy(request.place, found)
		e[samePlace] = float64(common(meant, found.place)) / float64(min(len(meant), len(found.place)))
	}
	switch {
	case common(request.room, found.room) > 0:
		e[sameRoom] = 1
	case len(request.room) > 0 && len(found.room) > 0:
		e[otherRoom] = 1
	}
}

// meantBy gives the words of a place as the find has them, where they are the same but for slips. Two that mean one are one: whoever writes a place once more, and
// rightly now, has said no other.
func meantBy(place map[string]bool, found Profile) map[string]bool {
	meant := make(map[string]bool, len(place))
	for word := range place {
		meant[found.placeLike(word)] = true
	}
	return meant
}

// placeLike gives the word of a find's place that a word is alike, or else the word itself.
func (p Profile) placeLike(word string) string {
	if p.place[word] || p.exact {
		return word
	}
	best := word
	for name := range p.place {
		if alike(name, word) && (best == word || name < best) { // of two, always the same one
			best = name
		}
	}
	return best
}

func common(a, b map[string]bool) (n int) {
	for name := range a {
		if b[name] {
			n++
		}
	}
	return n
}
