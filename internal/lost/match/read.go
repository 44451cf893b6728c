package match

import (
	"slices"
	"strings"
)

// reader reads subjects with the dictionary, or without it to measure the dictionary's contribution.
type reader struct {
	dictionary *dictionary
	literal    bool // the dictionary is not used
	exact      bool // misspellings do not match
	plain      bool // the thesaurus is not used
	spoken     languages
}

func (r reader) read(s Subject) Profile {
	p := Profile{
		marks: map[string]Class{}, spelled: map[string]string{}, outlines: map[string]bool{}, exact: r.exact,
		plain: r.plain, signs: map[string]bool{}, models: map[string]bool{}, colours: map[string]bool{},
		room: map[string]bool{}, place: map[string]bool{}, types: map[string]bool{}, slight: map[string]bool{},
		words: map[string]bool{}, denied: map[string]bool{}, from: map[string][]string{}, initials: map[string]bool{},
		makers: map[string]bool{}, written: map[string]bool{}, bearers: map[string]bool{}, proper: map[string]bool{},
		ordinary: map[string]bool{}, day: s.Day,
	}
	r.spoken = r.dictionary.spoken(s.Description, s.Color, s.More, s.Place)
	for _, text := range []string{s.Description, s.Brand, s.Model, s.Color} {
		r.readAll(&p, text)
	}
	p.aside = true
	r.readAll(&p, s.More)
	r.addPhotoColours(&p, s.PhotoColors)
	for _, text := range []string{s.Description, s.More} { // needs the marks that were read above
		readBearers(&p, text)
	}
	for _, t := range tokens(s.Brand) { // the brand field has a brand, even if it is not in the dictionary
		if p.marks[stem(t.text)] == Word {
			p.marks[stem(t.text)] = Brand
		}
	}
	for _, t := range tokens(s.Model) {
		if _, known := p.marks[t.text]; !known || hasFigures(t.text) {
			p.models[t.text] = true
		}
	}
	r.readPlace(&p, s.Place)
	for _, name := range []string{s.FirstName, s.LastName} {
		for _, t := range tokens(name) {
			if len(t.text) < 3 || slices.Contains(p.names, t.text) {
				continue
			}
			p.names = append(p.names, t.text)
			if len(r.dictionary.forms[t.text]) > 0 {
				p.ordinary[t.text] = true
			}
		}
	}
	p.finishSenses()
	if first, last := initial(s.FirstName), initial(s.LastName); first != "" && last != "" {
		p.initials[first+last] = true
	}
	return p
}

// addPhotoColours adds the colours of photos, if the texts mention none. They are no marks: nobody has to mention them.
func (r reader) addPhotoColours(p *Profile, colours []string) {
	if len(p.colours) > 0 {
		return
	}
	for _, name := range colours {
		if c := r.dictionary.concepts[name]; c != nil && c.class == Colour {
			p.shown = append(p.shown, name)
		}
	}
}

// readAll adds the meaning of a text and the names in it to a profile.
func (r reader) readAll(p *Profile, text string) {
	r.readText(p, text)
	r.readInitials(p, text)
	readNames(p, text)
}

// readText adds the meaning of a text to a profile.
func (r reader) readText(p *Profile, text string) {
	text = readFigures(p, text)
	all := tokens(text)
	product := 0 // position of the last product or brand
	until := 0   // end of the last term found so far
	denied := false
	for i, t := range all {
		if t.clause {
			product, denied = i-modelReach-1, false
		}
		found := r.at(all[i:])
		if r.denies(all[i:]) {
			denied = true
			continue
		}
		if denied && (i < until || !fillers[t.text]) { // "without a case": the item has no case
			p.denied[t.text] = true
			until = max(until, i+found.length)
			denied = i+1 < until
			continue
		}
		if len(p.words) < maxMarks {
			p.words[t.text] = true
		}
		if r.verb(all, i) {
			continue
		}
		slightly := i < until
		until = max(until, i+found.length)
		if r.note(p, found, t.text, slightly) {
			product = i
		}
		switch {
		case hasFigures(t.text):
			r.readFigure(p, all, i, i-product <= modelReach)
		case modelWords[t.text] && i-product <= modelReach:
			p.models[t.text] = true
			p.mark(t.text, Word, false)
		case found.none() && len(t.text) >= 3 && !slightly:
			own, term := r.senses(all[i:])
			p.markWord(t.text, own, term)
			if t.capital && !t.clause && len(own) == 0 {
				p.addProper(t.text)
			}
		}
	}
}

// addProper adds a capitalized word that the dictionary lacks to the proper names, unless the thesaurus has it.
func (p *Profile) addProper(word string) {
	if len(p.proper) < maxWritten && len(theThesaurus().senses(word)) == 0 {
		p.proper[word] = true
	}
}

// note adds the meaning of the words that start at word, and reports whether it is a product or a brand.
func (r reader) note(p *Profile, found meaning, word string, slightly bool) (named bool) {
	p.word, p.wordSenses = word, nil
	if found.length > 1 {
		p.word = ""
	} else if len(found.whole) > 0 && !r.plain {
		p.wordSenses = theThesaurus().senses(word)
	}
	for _, c := range found.whole {
		p.add(c, slightly)
		named = named || c.class == Product || c.class == Brand
	}
	p.word, p.wordSenses = word, nil
	for _, c := range found.parts {
		p.add(c, true)
	}
	return named
}

// readFigure reads a figure. Near a product or brand it is part of a model; if it is long or introduced as a number,
// it identifies the item.
func (r reader) readFigure(p *Profile, all []token, i int, near bool) {
	t := all[i].text
	introduced := i > 0 && !all[i].fresh && numbering[all[i-1].text]
	if near && !introduced {
		p.models[t] = true
		if !isNumber(t) {
			p.types[t] = true
		}
	}
	if len(t) >= 4 && isNumber(t) || introduced || !near && len(t) >= 3 {
		p.signs[t] = true
	}
	if len(t) >= 2 {
		p.mark(t, Number, false)
	}
}

// meaning is the meaning of the words at a position of a text: the longest term, its number of words, and the shorter
// terms in it.
type meaning struct {
	whole, parts []*concept
	length       int
}

func (m meaning) none() bool { return len(m.whole) == 0 }

// concepts returns all concepts, because an additional word must never remove a meaning.
func (m meaning) concepts() []*concept { return slices.Concat(m.whole, m.parts) }

// at returns the meaning of the first words.
func (r reader) at(words []token) (found meaning) {
	if r.literal {
		return found
	}
	d := r.dictionary
	key := words[0].text
	found.whole = r.word(words)
	if len(found.whole) > 0 {
		found.length = 1
	}
	for n := 1; n < d.longest[words[0].text] && n < len(words) && !words[n].fresh; n++ {
		key += " " + words[n].text
		last := key
		if stems := d.forms[last]; len(stems) == 0 {
			last = strings.TrimSuffix(strings.TrimSuffix(key, "s"), "n")
		}
		if longer := selectConcepts(d.forms[last], "", r.spoken); len(longer) > 0 {
			found = meaning{whole: longer, parts: merge(found.parts, found.whole), length: n + 1}
		}
	}
	found.parts = slices.DeleteFunc(slices.Clone(found.parts), func(c *concept) bool {
		return slices.Contains(found.whole, c)
	})
	return found
}

// word returns the meaning of the first word. The spelling of a capitalized word, which may be a name, is corrected
// only if the result is a brand or product.
func (r reader) word(words []token) []*concept {
	w := words[0]
	senses := r.dictionary.known(w.text)
	if len(senses) == 0 && !r.exact {
		senses = r.dictionary.misspelled(w.text)
		if w.capital && !w.clause && (r.spoken == anyLanguage || r.spoken&german == 0) {
			senses = slices.DeleteFunc(slices.Clone(senses), func(s sense) bool {
				return s.class != Brand && s.class != Product
			})
		}
	}
	return selectConcepts(senses, w.written, r.spoken)
}

// denies reports whether the first word negates the next: no case, ohne Etui.
func (r reader) denies(words []token) bool {
	return denials[words[0].text]&r.spoken != 0 && len(words) > 1 && !words[1].fresh && !hasFigures(words[1].text)
}

var (
	denials = map[string]languages{
		"not": english, "no": english | spanish, "without": english, "nicht": german, "kein": german, "keine": german,
		"keinen": german, "ohne": german, "sans": french, "pas": french,
		"sin": spanish, "senza": italian, "non": italian | french,
	}
	// fillers can appear between a negation and the negated word.
	fillers = map[string]bool{
		"a": true, "an": true, "any": true, "the": true, "ein": true, "eine": true, "einen": true, "de": true,
		"d": true, "un": true, "une": true, "una": true, "uno": true, "le": true, "la": true, "very": true,
		"really": true, "in": true,
	}
)

// verb reports whether the word is "left" or "right" but does not mean a side, as in "left in the bar", "I left my
// bag" and "right there".
func (r reader) verb(all []token, i int) bool {
	if t := all[i].text; t != "left" && t != "right" || r.spoken&english == 0 {
		return false
	}
	after := i+1 < len(all) && !all[i+1].fresh && wordsAfterVerb[all[i+1].text]
	before := i > 0 && wordsBeforeVerb[all[i-1].text]
	return after || before
}

var (
	wordsAfterVerb = map[string]bool{
		"in": true, "on": true, "at": true, "my": true, "it": true, "the": true, "a": true, "an": true, "behind": true,
		"under": true, "by": true, "inside": true, "there": true, "next": true, "near": true, "after": true,
		"before": true,
		"here":   true, "over": true, "our": true, "his": true, "her": true, "them": true, "from": true,
		"outside": true, "with": true, "hanging": true, "beside": true, "beneath": true, "between": true, "about": true,
		"around": true, "to": true, "some": true,
	}
	wordsBeforeVerb = map[string]bool{
		"i": true, "we": true, "was": true, "were": true, "have": true, "had": true, "has": true, "been": true,
		"he": true, "she": true, "they": true, "must": true, "got": true, "ve": true, "and": true, "think": true,
		"probably": true, "may": true, "might": true,
	}
)
