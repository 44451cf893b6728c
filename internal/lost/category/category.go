// Package category suggests the category of an item from its description, brand and model. It understands ten
// languages. It has no state and no side effects, and it always suggests the same for the same texts.
package category

import (
	"math/bits"
	"sync"

	"homeward/internal/lost"
)

// Texts are the words from which a category is suggested.
type Texts struct {
	Description, Brand, Model string
	Language                  string // of the writer, if known; it decides between equal meanings only
}

// Suggest returns the most likely category. It is empty if the texts do not say what the item is.
func Suggest(t Texts) lost.Category {
	r, _ := readers.Get().(*reader)
	defer readers.Put(r)
	return r.suggest(t)
}

// SuggestFor suggests the category of an item or request.
func SuggestFor(i lost.Item) lost.Category {
	return Suggest(Texts{Description: i.Description, Brand: i.Brand, Model: i.Model, Language: i.Language})
}

// OfWord returns the category of the things that a word names. The word must be spelled right. The result is empty for
// words that are not certain, and for other words.
func OfWord(word string) lost.Category {
	r, _ := readers.Get().(*reader)
	defer readers.Put(r)
	r.text.folded, r.text.words, r.terms = r.text.folded[:0], r.text.words[:0], r.terms[:0]
	r.text.read(word)
	r.look()
	r.guessLanguages("")
	r.splitCompounds()
	if found := r.choose(); found.level == strong {
		return found.category
	}
	return ""
}

// readers keeps the memory of readers for the next texts.
var readers = sync.Pool{New: func() any { return &reader{vocabulary: loaded()} }}

// reader reads the texts of one item.
type reader struct {
	*vocabulary
	text
	terms    []term
	spoken   languages
	certain  bool // several words tell the languages
	lastHead bool // the last noun of a phrase is its head
}

// term is what the vocabulary knows about one or more words.
type term struct {
	from, to int // the first word, and the one after the last
	senses   []sense
	first    []sense // the meanings of the first part of a compound
	fresh    bool
	number   bool
	unspaced bool
	gap      bool // no other term follows directly
}

func (r *reader) suggest(t Texts) lost.Category {
	r.text.folded, r.text.words, r.terms = r.text.folded[:0], r.text.words[:0], r.terms[:0]
	r.text.read(t.Description)
	r.text.read(t.Brand)
	r.text.read(t.Model)
	r.look()
	r.guessLanguages(t.Language)
	r.splitCompounds()
	found := r.choose()
	if found.level < strong && r.correct() {
		r.guessLanguages(t.Language)
		if corrected := r.choose(); corrected.level > found.level {
			found = corrected
		}
	}
	if found.level == 0 && mentionsMoney(t.Description) {
		return lost.MoneyCategory
	}
	return found.category
}

// look finds the terms of the texts: at each word, the longest.
func (r *reader) look() {
	for i := 0; i < len(r.words); {
		if r.words[i].unspaced {
			r.lookUnspaced(i)
			i++
			continue
		}
		t := term{from: i, to: i + 1, fresh: r.words[i].fresh, number: r.words[i].number}
		for n := min(r.lengths[string(r.at(i, i+1))], len(r.words)-i); n > 0; n-- {
			if r.interrupted(i, i+n) {
				continue
			}
			if t.senses = r.vocabulary.terms[string(r.at(i, i+n))]; t.senses != nil {
				t.to = i + n
				break
			}
		}
		if key := r.at(i, i+1); t.senses == nil && len(key) <= maxWord {
			t.senses = r.inflected(string(key))
		}
		r.terms = append(r.terms, t)
		i = t.to
	}
}

// interrupted reports whether a new clause starts after the first word.
func (r *reader) interrupted(from, to int) bool {
	for _, w := range r.words[from+1 : to] {
		if w.fresh {
			return true
		}
	}
	return false
}

// lookUnspaced finds the terms in a word of a script without spaces: at each character, the longest.
func (r *reader) lookUnspaced(i int) {
	w := r.words[i]
	all := r.folded[w.begin:w.end]
	fresh, gap := w.fresh, false
	for len(all) > 0 {
		size := runeLength(all, 1)
		var senses []sense
		for n := r.longest(all); n > 0; n-- {
			length := runeLength(all, n)
			if senses = r.vocabulary.terms[string(all[:length])]; senses != nil {
				size = length
				break
			}
		}
		if senses == nil {
			gap = true
		} else {
			if n := len(r.terms); n > 0 && gap {
				r.terms[n-1].gap = true
			}
			r.terms = append(r.terms, term{from: i, to: i + 1, senses: senses, fresh: fresh, unspaced: true})
			fresh, gap = false, false
		}
		all = all[size:]
	}
}

// longest returns the number of characters of the longest term that may start here.
func (r *reader) longest(s []byte) int {
	const latin = 16 // iphone in iphoneケース
	c, _ := decode(s)
	if c < 0x80 {
		return latin
	}
	return r.runes[c]
}

// guessLanguages guesses the languages of the texts from the terms that are not common to all.
func (r *reader) guessLanguages(hint string) {
	const whole = 2520 // divisible by 1 to 10
	var scores [len(codes)]int
	best := 0
	for i, t := range r.terms {
		in := languages(0)
		for _, s := range t.senses {
			if s.in != allLanguages {
				in |= s.in
			}
		}
		for n := range scores {
			if in&(1<<n) != 0 {
				scores[n] += whole * (t.to - t.from) / bits.OnesCount16(uint16(in))
				if i == 0 {
					scores[n] += whole / 4 // the first word often names the thing
				}
			}
		}
	}
	for n, code := range codes {
		if code == hint {
			scores[n] += whole / 4
		}
		best = max(best, scores[n])
	}
	r.spoken, r.certain = 0, best > whole*3/2
	for n, score := range scores {
		if score*10 > best*7 {
			r.spoken |= 1 << n
		}
	}
	if best == 0 {
		r.spoken = allLanguages
	}
	first, last := 0, 0
	for n, score := range scores {
		if headLast&(1<<n) != 0 {
			last = max(last, score)
		} else {
			first = max(first, score)
		}
	}
	r.lastHead = last >= first
}

// splitCompounds looks up the parts of unknown words of languages that have compounds.
func (r *reader) splitCompounds() {
	if r.spoken&compounds == 0 {
		return
	}
	for n := range r.terms {
		t := &r.terms[n]
		if key := r.at(t.from, t.to); t.senses == nil && len(key) >= 6 && len(key) <= maxWord {
			t.senses, t.first = r.compound(string(key))
		}
	}
}

// correct looks up unknown words again, assuming that letters are wrong, and reports whether it found one.
func (r *reader) correct() (found bool) {
	const most = 8 // words, because this is slow
	tried := 0
	for n := range r.terms {
		t := &r.terms[n]
		key := r.at(t.from, t.to)
		if t.senses != nil || t.number || t.unspaced || tried >= most || allowedErrors(string(key)) == 0 {
			continue
		}
		tried++
		if t.senses = r.misspelled(string(key)); t.senses != nil {
			found = true
		}
	}
	return found
}

// meaning returns the most likely meaning of a term in the languages of the texts.
func (r *reader) meaning(t term) sense {
	for _, s := range t.senses {
		if s.in&r.spoken != 0 {
			return s
		}
	}
	if len(t.senses) == 0 {
		return sense{}
	}
	foreign := t.senses[0]
	foreign.weak = foreign.weak || r.certain
	return foreign
}
