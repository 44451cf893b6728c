package match

import "strings"

// Line is a field of a record, folded, and how much it counts in a search. The parts of a code have no meaning: PET-7QX
// is no pet.
type Line struct {
	Text   string
	Weight float64
	Code   bool
}

// Rank is how well a record matches a query. Exact is set if it contains every word of the query as typed. Score is 0
// if no word matches.
type Rank struct {
	Score float64
	Exact bool
}

// Least returns the lowest score of records that match a query well enough, given the records that were ranked. Terms
// that no record matches do not count, so that a word that nobody wrote down does not hide all records.
func (q *Query) Least() float64 {
	const least = 0.3 // of the terms
	total, matched := 0.0, 0.0
	for _, t := range q.terms {
		if t.stop {
			continue
		}
		total += t.weight
		if t.matched {
			matched += t.weight
		}
	}
	if total == 0 {
		return 1
	}
	return least * matched / total
}

// Rank returns how well a record matches a query. Vocabulary.Groups must have been called for the query before. Records
// with a score below Least, which depends on all records, do not match.
func (q *Query) Rank(lines []Line) Rank {
	d := searchTerms()
	words := make([][]textWord, len(lines))
	for n, line := range lines {
		words[n] = textWords(d, line.Text)
	}
	best := q.best(d, lines, words)
	total, sum := 0.0, 0.0
	exact := true
	before := hit{line: -1}
	for n, t := range q.terms {
		if t.stop {
			continue
		}
		h := best[n]
		total += t.weight
		sum += t.weight * h.quality
		t.matched = t.matched || h.quality > 0
		if t.aspect {
			continue
		}
		sum += h.proximity(before, isNumber(t.text)) * t.weight
		before = h
		exact = exact && t.isIn(lines, words)
	}
	if total == 0 || sum == 0 {
		return Rank{}
	}
	return Rank{Score: sum / total, Exact: exact}
}

// hit is the best match of a term in a record: its line, and the number of its word there.
type hit struct {
	quality    float64
	line, word int
}

// proximity returns how much more a hit counts because of the hit before: room 301, not only both somewhere. Adjectives
// come before or after their nouns, depending on the language, but numbers come after what they count.
func (h hit) proximity(before hit, number bool) float64 {
	const nextToEachOther, oneBetween = 0.15, 0.07
	if h.quality == 0 || h.line != before.line || h.word < 0 || before.word < 0 {
		return 0
	}
	switch off := h.word - before.word; {
	case off == 1, off == -1 && !number:
		return nextToEachOther
	case (off == 2 || off == -2) && !number:
		return oneBetween
	default:
		return 0
	}
}

// best returns the best match of each term in a record.
func (q *Query) best(d *dictionary, lines []Line, words [][]textWord) []hit {
	best := make([]hit, len(q.terms))
	for n, line := range lines {
		for _, word := range words[n] {
			isPart := line.Code && len(word.text) < len(line.Text)
			for i, quality := range q.qualities(d, word.text) {
				if isPart && !strings.HasPrefix(word.text, q.terms[i].text) {
					continue
				}
				if quality *= line.Weight; quality > best[i].quality {
					best[i] = hit{quality, n, word.number}
				}
			}
		}
		for i, t := range q.terms {
			for _, p := range t.longer {
				quality := line.Weight * p.quality
				if quality > best[i].quality && strings.Contains(line.Text, p.Text) {
					best[i] = hit{quality, n, -1}
				}
			}
		}
	}
	return best
}

// qualities returns how well a word matches each term.
func (q *Query) qualities(d *dictionary, word string) []float64 {
	if known, ok := q.known[word]; ok {
		return known
	}
	if q.known == nil {
		q.known = map[string][]float64{}
	}
	var all []float64 // nil if none matches, like most words
	for n, t := range q.terms {
		if quality := t.quality(d, word); quality > 0 {
			if all == nil {
				all = make([]float64, len(q.terms))
			}
			all[n] = quality
		}
	}
	q.known[word] = all
	return all
}

// isIn reports whether a record contains every word of the term as typed, at the beginning of a word or, if it is
// long enough, in a compound.
func (t *queryTerm) isIn(lines []Line, words [][]textWord) bool {
	const compound = 4
	for _, own := range t.words {
		found := false
		for n := range lines {
			if len(own) >= compound && strings.Contains(lines[n].Text, own) {
				found = true
			}
			for _, word := range words[n] {
				found = found || strings.HasPrefix(word.text, own)
			}
		}
		if !found && !t.isAlso(lines) {
			return false
		}
	}
	return true
}

// isAlso reports whether a record contains another spelling of the term that means exactly the same.
func (t *queryTerm) isAlso(lines []Line) bool {
	for _, also := range t.also {
		for _, line := range lines {
			if strings.Contains(line.Text, also) {
				return true
			}
		}
	}
	return false
}
