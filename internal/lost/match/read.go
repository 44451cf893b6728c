package match

import (
	"slices"
	"strings"
)

// reader reads with a dictionary or, where it is to be shown what that is worth, without.
type reader struct {
	dictionary *dictionary
	literal    bool // no dictionary
	exact      bool // no slips forgiven
	spoken     languages
}

func (r reader) read(s Subject) Profile {
	p := Profile{
		marks: map[string]Class{}, spelled: map[string]string{}, outlines: map[string]bool{}, exact: r.exact,
		signs: map[string]bool{}, models: map[string]bool{}, colours: map[string]bool{},
		room: map[string]bool{}, place: map[string]bool{}, types: map[string]bool{}, slight: map[string]bool{},
		said: map[string]bool{}, denied: map[string]bool{}, from: map[string][]string{}, initials: map[string]bool{},
		makers: map[string]bool{}, written: map[string]bool{}, bearers: map[string]bool{}, ordinary: map[string]bool{},
		day: s.Day,
	}
	r.spoken = r.dictionary.spoken(s.Description, s.Color, s.More, s.Place)
	for _, text := range []string{s.Description, s.Brand, s.Model, s.Color} {
		r.readAll(&p, text)
	}
	p.aside = true
	r.readAll(&p, s.More)
	for _, text := range []string{s.Description, s.More} { // now that it is known what is an ordinary word
		readBearers(&p, text)
	}
	for _, t := range tokens(s.Brand) { // whoever filled it in says that it is one, whether the list knows it or not
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
	if first, last := initial(s.FirstName), initial(s.LastName); first != "" && last != "" {
		p.initials[first+last] = true
	}
	return p
}

// readAll adds what a text says to a profile, and which names are in it.
func (r reader) readAll(p *Profile, text string) {
	r.readText(p, text)
	r.readInitials(p, text)
	readNames(p, text)
}

// readText adds what a text says to a profile.
func (r reader) readText(p *Profile, text string) {
	text = readFigures(p, text)
	all := tokens(text)
	product := 0 // where a product or a brand was last named
	until := 0   // where the longest term ends that was found so far
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
		if denied && (i < until || !fillers[t.text]) { // without a case: it has none
			p.denied[t.text] = true
			until = max(until, i+found.length)
			denied = i+1 < until
			continue
		}
		if len(p.said) < maxMarks {
			p.said[t.text] = true
		}
		if r.verb(all, i) {
			continue
		}
		slightly := i < until
		until = max(until, i+found.length)
		if p.note(found, t.text, slightly) {
			product = i
		}
		switch {
		case hasFigures(t.text):
			r.readFigure(p, all, i, i-product <= modelReach)
		case modelWords[t.text] && i-product <= modelReach:
			p.models[t.text] = true
			p.mark(t.text, Word, false)
		case found.none() && len(t.text) >= 3 && !slightly:
			p.markWord(t.text)
		}
	}
}

// note adds what words mean of which this is the first, and reports whether that is a product or a brand.
func (p *Profile) note(found meaning, word string, slightly bool) (named bool) {
	if p.word = word; found.length > 1 {
		p.word = ""
	}
	for _, c := range found.whole {
		p.add(c, slightly)
		named = named || c.class == Product || c.class == Brand
	}
	p.word = word
	for _, c := range found.parts {
		p.add(c, true)
	}
	return named
}

// readFigure notes a figure: it tells a model near a product or brand, and marks one thing where it is long or called a
// number.
func (r reader) readFigure(p *Profile, all []token, i int, near bool) {
	t := all[i].text
	called := i > 0 && !all[i].fresh && numbering[all[i-1].text]
	if near && !called {
		p.models[t] = true
		if !isNumber(t) {
			p.types[t] = true
		}
	}
	if len(t) >= 4 && isNumber(t) || called || !near && len(t) >= 3 {
		p.signs[t] = true
	}
	if len(t) >= 2 {
		p.mark(t, Number, false)
	}
}

// meaning is what the words at some place of a text mean: the longest term there, how many words it has, and the
// shorter ones in it.
type meaning struct {
	whole, parts []*concept
	length       int
}

func (m meaning) none() bool { return len(m.whole) == 0 }

// concepts are all of them, because a word more must never take a meaning away.
func (m meaning) concepts() []*concept { return slices.Concat(m.whole, m.parts) }

// at finds what the words at the beginning mean.
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
		if longer := meant(d.forms[last], "", r.spoken); len(longer) > 0 {
			found = meaning{whole: longer, parts: merge(found.parts, found.whole), length: n + 1}
		}
	}
	found.parts = slices.DeleteFunc(slices.Clone(found.parts), func(c *concept) bool {
		return slices.Contains(found.whole, c)
	})
	return found
}

// word finds what the first of some words means. A name is no slip of another word, but for that of a brand.
func (r reader) word(words []token) []*concept {
	w := words[0]
	senses := r.dictionary.known(w.text)
	if len(senses) == 0 && !r.exact {
		senses = r.dictionary.slipped(w.text)
		if w.capital && !w.clause && (r.spoken == anyLanguage || r.spoken&german == 0) {
			senses = slices.DeleteFunc(slices.Clone(senses), func(s sense) bool {
				return s.class != Brand && s.class != Product
			})
		}
	}
	return meant(senses, w.written, r.spoken)
}

// denies reports whether the first of some words says that there is something not: no case, ohne Etui.
func (r reader) denies(words []token) bool {
	return denials[words[0].text]&r.spoken != 0 && len(words) > 1 && !words[1].fresh && !hasFigures(words[1].text)
}

var (
	denials = map[string]languages{
		"not": english, "no": english | spanish, "without": english, "nicht": german, "kein": german, "keine": german,
		"keinen": german, "ohne": german, "sans": french, "pas": french,
		"sin": spanish, "senza": italian, "non": italian | french,
	}
	// fillers stand between a denial and what it denies.
	fillers = map[string]bool{
		"a": true, "an": true, "any": true, "the": true, "ein": true, "eine": true, "einen": true, "de": true,
		"d": true, "un": true, "une": true, "una": true, "uno": true, "le": true, "la": true, "very": true,
		"really": true, "in": true,
	}
)

// verb tells that left is no side: left in the bar, I left my bag. Nor is right before, or right there.
func (r reader) verb(all []token, i int) bool {
	if t := all[i].text; t != "left" && t != "right" || r.spoken&english == 0 {
		return false
	}
	after := i+1 < len(all) && !all[i+1].fresh && goings[all[i+1].text]
	before := i > 0 && comings[all[i-1].text]
	return after || before
}

var (
	goings = map[string]bool{
		"in": true, "on": true, "at": true, "my": true, "it": true, "the": true, "a": true, "an": true, "behind": true,
		"under": true, "by": true, "inside": true, "there": true, "next": true, "near": true, "after": true,
		"before": true,
		"here":   true, "over": true, "our": true, "his": true, "her": true, "them": true, "from": true,
		"outside": true, "with": true, "hanging": true, "beside": true, "beneath": true, "between": true, "about": true,
		"around": true, "to": true, "some": true,
	}
	comings = map[string]bool{
		"i": true, "we": true, "was": true, "were": true, "have": true, "had": true, "has": true, "been": true,
		"he": true, "she": true, "they": true, "must": true, "got": true, "ve": true, "and": true, "think": true,
		"probably": true, "may": true, "might": true,
	}
)
