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
}

func (r reader) read(s Subject) Profile {
	p := Profile{
		marks: map[string]Class{}, spelled: map[string]string{}, outlines: map[string]bool{}, exact: r.exact, signs: map[string]bool{}, models: map[string]bool{}, colours: map[string]bool{},
		room: map[string]bool{}, place: map[string]bool{}, initials: map[string]bool{}, makers: map[string]bool{}, written: map[string]bool{}, bearers: map[string]bool{}, day: s.Day,
	}
	for _, text := range []string{s.Description, s.Brand, s.Model, s.Color, s.More} {
		r.readText(&p, text)
		r.readInitials(&p, text)
		readNames(&p, text)
	}
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
			if len(t.text) >= 3 && !slices.Contains(p.names, t.text) {
				p.names = append(p.names, t.text)
			}
		}
	}
	if first, last := initial(s.FirstName), initial(s.LastName); first != "" && last != "" {
		p.initials[first+last] = true
	}
	return p
}

// readText adds what a text says to a profile.
func (r reader) readText(p *Profile, text string) {
	text = readFigures(p, text)
	all := tokens(text)
	product := 0 // where a product or a brand was last named
	for i := range all {
		t := all[i].text
		if all[i].fresh {
			product = i - modelReach - 1
		}
		found := r.at(all[i:])
		for _, c := range found {
			p.add(c)
			if c.class == Product || c.class == Brand {
				product = i
			}
		}
		switch {
		case hasFigures(t):
			if i-product <= modelReach {
				p.models[t] = true
			}
			if len(t) >= 4 && isNumber(t) || i-product > modelReach && (len(t) >= 3 || i > 0 && !all[i].fresh && numbering[all[i-1].text]) {
				p.signs[t] = true
			}
			if len(t) >= 2 {
				p.mark(t, Number)
			}
		case modelWords[t] && i-product <= modelReach:
			p.models[t] = true
			p.mark(t, Word)
		case len(found) == 0 && len(t) >= 3:
			p.markWord(t)
		}
	}
}

// at finds what the words at the beginning mean: the longest term, and every shorter one in it, because
// a word more must never take a meaning away.
func (r reader) at(words []token) (found []*concept) {
	if r.literal {
		return nil
	}
	d := r.dictionary
	key := words[0].text
	for n := 1; n < d.longest[words[0].text] && n < len(words) && !words[n].fresh; n++ {
		key += " " + words[n].text
		last := key
		if stems := d.forms[last]; len(stems) == 0 {
			last = strings.TrimSuffix(strings.TrimSuffix(key, "s"), "n")
		}
		found = merge(found, d.forms[last])
	}
	return merge(found, d.word(words[0].text, r.exact))
}
