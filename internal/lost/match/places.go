package match

import "strings"

// readPlace notes where it was.
func (r reader) readPlace(p *Profile, text string) {
	all := tokens(text)
	for i, t := range all {
		if hasFigures(t.text) {
			p.room[strings.TrimLeft(t.text, "0")] = true
			continue
		}
		found := r.at(all[i:])
		for _, c := range found {
			if c.class != Stop {
				p.place[c.name] = true
			}
		}
		if len(found) == 0 && len(t.text) >= 3 {
			p.place[stem(t.text)] = true
		}
	}
}

func comparePlaces(e *evidence, request, found Profile) {
	if len(request.place) > 0 && len(found.place) > 0 {
		meant := meantBy(request.place, found)
		e[samePlace] = float64(overlap(meant, found.place)) / float64(min(len(meant), len(found.place)))
	}
	switch {
	case overlap(request.room, found.room) > 0:
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
