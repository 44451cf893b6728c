package match

import "strings"

// readPlace adds the place of a subject to a profile.
func (r reader) readPlace(p *Profile, text string) {
	all := tokens(text)
	for i, t := range all {
		if hasFigures(t.text) {
			p.room[strings.TrimLeft(t.text, "0")] = true
			continue
		}
		numbered := i+1 < len(all) && hasFigures(all[i+1].text) && !all[i+1].fresh
		note := func(word string) { p.place[word] = p.place[word] || !numbered }
		found := r.at(all[i:])
		for _, c := range found.concepts() {
			if c.class != Stop {
				note(c.name)
			}
		}
		if found.none() && len(t.text) >= 3 {
			note(stem(t.text))
		}
	}
}

func comparePlaces(e *Evidence, request, found Profile) {
	switch {
	case overlap(request.room, found.room) > 0:
		e[sameRoom] = 1
	case len(request.room) > 0 && len(found.room) > 0:
		e[otherRoom] = 1
	}
	shared, meant := 0, matchPlaceWords(request.place, found)
	for word, alone := range meant {
		if theirs, ok := found.place[word]; ok && (alone && theirs || e[sameRoom] > 0) {
			shared++
		}
	}
	if shared > 0 {
		e[samePlace] = float64(shared) / float64(min(len(meant), len(found.place)))
	}
}

// matchPlaceWords replaces the words of a place with the similar words of the found item's place. Two spellings of
// the same word become one, so that repeating a place in another spelling does not add a second place.
func matchPlaceWords(place map[string]bool, found Profile) map[string]bool {
	meant := make(map[string]bool, len(place))
	for word, alone := range place {
		like := found.placeLike(word)
		meant[like] = meant[like] || alone
	}
	return meant
}

// placeLike returns the word of the found item's place that is similar to a word, or the word itself.
func (p Profile) placeLike(word string) string {
	if _, same := p.place[word]; same || p.exact {
		return word
	}
	best := word
	for name := range p.place {
		if alike(name, word) && (best == word || name < best) { // deterministic if there are several
			best = name
		}
	}
	return best
}
