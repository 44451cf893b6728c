package match

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// sensed is a mark that the thesaurus knows, with its meanings.
type sensed struct {
	mark   string
	class  Class
	senses []meant
	thing  bool // it is a thing, not a property of one
	being  bool // it is an animal or a plant, which things have the form or a picture of
}

// maxSensed is the maximum number of marks of a subject that are compared by the thesaurus.
const maxSensed = 48

// sense adds the meanings of a mark. It may be read from several words. own is false for the meanings of a longer term
// that begins with the word.
func (p *Profile) sense(mark string, class Class, senses []meant, own bool) {
	if len(senses) == 0 || p.plain {
		return
	}
	thing := class == Kind || class == Word && !p.aside && own && theThesaurus().isThing(senses[0].meaning)
	for n, s := range p.senses {
		if s.mark == mark {
			p.senses[n].senses = mergeSenses(s.senses, senses)
			p.senses[n].thing = s.thing || thing
			return
		}
	}
	p.senses = append(p.senses, sensed{mark: mark, class: class, senses: senses, thing: thing})
}

// finishSenses sorts the marks that the thesaurus knows, so that their order in the text has no effect, and leaves out
// those beyond the maximum.
func (p *Profile) finishSenses() {
	slices.SortFunc(p.senses, func(a, b sensed) int { return strings.Compare(a.mark, b.mark) })
	p.senses = p.senses[:min(len(p.senses), maxSensed)]
	for n, s := range p.senses {
		p.senses[n].being = theThesaurus().isBeing(s.senses[0].meaning)
	}
}

// isGermanNoun reports whether a word that is not in the dictionary is a German noun. It has a capital letter, but is
// hardly a name.
func isGermanNoun(word string) bool { return len(theThesaurus().languages[1].find(word)) > 0 }

// senseTerms returns the index terms of the meanings of things: of the first meaning, and of what is broader.
func (p Profile) senseTerms() (terms []string) {
	const most = 20
	t := theThesaurus()
	for _, s := range p.senses {
		if s.class != Word && s.class != Kind && s.class != Motif {
			continue
		}
		terms = append(terms, senseTerm(s.senses[0].meaning))
		if above := t.broader[s.senses[0].meaning]; s.thing && above != 0 && t.depth[above] >= specificDepth {
			terms = append(terms, senseTerm(above))
		}
	}
	slices.Sort(terms)
	terms = slices.Compact(terms)
	return terms[:min(len(terms), most)]
}

// senseTerm returns the index term of a meaning. Its first character does not appear in words.
func senseTerm(sense uint32) string { return "=" + strconv.FormatUint(uint64(sense), 36) }

// addSenses adds the meanings that the thesaurus has for the words of concepts.
func (d *dictionary) addSenses(t *thesaurus) {
	const most = 3 // words of a concept
	for c, forms := range d.words {
		switch c.class {
		case Kind, Part, Motif, Material, Pattern, State:
		default:
			continue
		}
		known := 0
		for _, f := range forms {
			if f.in&english == 0 || known == most {
				continue
			}
			if found := t.sensesOf(f.text, english); len(found) > 0 {
				known++
				c.senses = mergeSenses(c.senses, found[:1])
			}
		}
	}
}

// senses returns the meanings that the thesaurus has for the first word, and for the longest term that begins with it.
func (r reader) senses(words []token) (own, term []meant) {
	if r.plain {
		return nil, nil
	}
	const longest = 4
	t := theThesaurus()
	key := words[0].text
	own = t.senses(key)
	for n := 1; n < longest && n < len(words) && !words[n].fresh; n++ {
		key += " " + words[n].text
		if longer := t.senses(key); len(longer) > 0 {
			term = longer
		}
	}
	return own, term
}

// likeness tells how similar each mark is to the most similar mark of the other subject, from 0 to 1.
type likeness struct{ toFound, toRequest map[string]float64 }

// compareSenses compares the marks that the thesaurus knows: the things, and all words that describe them.
func compareSenses(e *Evidence, request, found Profile, rare func(string) float64) likeness {
	near := likeness{make(map[string]float64, len(found.senses)), make(map[string]float64, len(request.senses))}
	t := theThesaurus()
	things, most := false, 0.0
	beings, alive := false, 0.0
	for _, f := range found.senses {
		for _, r := range request.senses {
			one := 1.0
			if r.mark != f.mark {
				one = t.related(r.senses, f.senses)
			}
			if r.thing && f.thing {
				things, most = true, max(most, one)
			}
			if r.being && f.being {
				beings, alive = true, max(alive, one)
			}
			const least = 0.25 // less says nothing
			if one >= least {
				near.toFound[f.mark] = max(near.toFound[f.mark], one*relatedCoverage)
				near.toRequest[r.mark] = max(near.toRequest[r.mark], one*relatedCoverage)
			}
		}
		if f.class != Kind {
			e[relatedWords] += near.toFound[f.mark] * rare(f.mark)
		}
	}
	e[relatedWords] = math.Sqrt(e[relatedWords])
	e[unansweredWords] = near.unmetWords(request, found)
	if beings {
		e[otherBeing] = 1 - alive
	}
	if things {
		e[relatedKind] = max(most, e[sameKind])
		if e[sameKind] == 0 {
			e[unrelatedKind] = 1 - most
		}
	}
	return near
}

// unmetWords returns the share of a request's words for things, animals, plants and materials that are not in the
// dictionary and have nothing similar on the found item.
func (l likeness) unmetWords(request, found Profile) float64 {
	total, met := 0.0, 0.0
	for _, s := range request.senses {
		if s.class != Word || !s.thing && !s.being {
			continue
		}
		total++
		if found.mentions(s.mark, request) {
			met++
		} else {
			met += min(1, l.toRequest[s.mark]/relatedCoverage)
		}
	}
	if total == 0 {
		return 0
	}
	return 1 - met/total
}

// relatedCoverage is how much of a mark is covered by one with a common meaning. The words may still differ.
const relatedCoverage = 0.9
