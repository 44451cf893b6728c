package match

import "strings"

// Line is a field of a record, folded, and how much it counts in a search.
type Line struct {
	Text   string
	Weight float64
}

// Rank is how well a record matches a query. Exact is set if it contains every word of the query as typed. Score is 0
// if the record does not match.
type Rank struct {
	Score float64
	Exact bool
}

// Rank returns how well a record matches a query. Vocabulary.Groups must have been called for the query before.
func (q *Query) Rank(lines []Line) Rank {
	d := searchTerms()
	words := make([][]textWord, len(lines))
	for n, line := range lines {
		words[n] = textWords(d, line.Text)
	}
	total, sum, exact := 0.0, 0.0, true
	var before place
	for _, t := range q.terms {
		if t.stop {
			continue
		}
		best, at := t.best(d, lines, words)
		total += t.weight
		sum += t.weight * best
		if t.aspect {
			continue
		}
		if best > 0 && at.line == before.line && at.word == before.word+1 { // room 301, not only both somewhere
			const nextToEachOther = 0.15
			sum += nextToEachOther * t.weight
		}
		before = at
		exact = exact && t.isIn(lines, words)
	}
	const least = 0.3
	if total == 0 || sum < least*total {
		return Rank{}
	}
	return Rank{Score: sum / total, Exact: exact}
}

// place is the position of a word in a record.
type place struct{ line, word int }

// best returns how well the best word of a record matches the term, and its position.
func (t *queryTerm) best(d *dictionary, lines []Line, words [][]textWord) (best float64, at place) {
	at = place{-1, -1}
	for n, line := range lines {
		for _, word := range words[n] {
			if q := line.Weight * t.quality(d, word.text); q > best {
				best, at = q, place{n, word.number}
			}
		}
		for phrase, q := range t.longer {
			if q *= line.Weight; q > best && strings.Contains(line.Text, phrase) {
				best, at = q, place{n, -1}
			}
		}
	}
	return best, at
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
