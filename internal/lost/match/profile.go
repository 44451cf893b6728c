package match

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// Subject is what is known of a thing that was found, or of one that is missed.
type Subject struct {
	Description, Brand, Model, Color string
	More                             string // notes of the desk, or what only the owner can know
	Place                            string // where it was found, or is thought to have been lost
	Day                              string // likewise, as 2026-11-15; empty where nobody knows
	FirstName, LastName              string // of who misses it
}

// Profile is a subject that was read: what it means rather than how it was said.
type Profile struct {
	marks    map[string]Class // concepts and words
	head     string           // the kind that was named first
	numbers  map[string]bool
	models   map[string]bool // figures and letters that tell models apart
	colours  map[string]bool
	room     map[string]bool // numbers of its place
	place    map[string]bool // words of its place
	initials map[string]bool
	names    []string // of who misses it, folded
	day      int      // since 1970; 0 where nobody knows
}

// Read understands a subject.
func Read(s Subject) Profile { return reader{dictionary: terms()}.read(s) }

// reader reads with a dictionary or, where it is to be shown what that is worth, without.
type reader struct {
	dictionary *dictionary
	literal    bool // no dictionary, and no slips forgiven
}

func (r reader) read(s Subject) Profile {
	p := Profile{
		marks: map[string]Class{}, numbers: map[string]bool{}, models: map[string]bool{}, colours: map[string]bool{},
		room: map[string]bool{}, place: map[string]bool{}, initials: map[string]bool{}, day: dayOf(s.Day),
	}
	for _, text := range []string{s.Description, s.Brand, s.Model, s.Color, s.More} {
		r.readText(&p, text)
		readInitials(&p, text)
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
	all := tokens(text)
	product := -10 // where a product or a brand was last named
	for i := range all {
		t := all[i].text
		found := r.at(all[i:])
		for _, c := range found {
			p.add(c)
			if c.class == Product || c.class == Brand {
				product = i
			}
		}
		switch {
		case hasFigures(t):
			p.numbers[t] = true
			if i-product <= modelReach {
				p.models[t] = true
			}
			if len(t) >= 2 {
				p.mark(t, Number)
			}
		case len(found) == 0 && len(t) >= 3:
			p.mark(stem(t), Word)
		case len(t) >= 2 && i-product <= modelReach && modelWords[t]:
			p.models[t] = true
		}
	}
}

// modelReach is how many words after a product or brand figures still tell its model.
const modelReach = 3

// modelWords tell models apart beside figures.
var modelWords = map[string]bool{
	"pro": true, "max": true, "mini": true, "plus": true, "ultra": true, "se": true, "air": true, "lite": true, "xs": true, "xr": true, "fe": true, "note": true, "fold": true, "flip": true, "edge": true,
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
	return merge(found, d.word(words[0].text))
}

// add notes a concept and what it implies.
func (p *Profile) add(c *concept) {
	switch c.class {
	case Stop, Place:
		return
	case Colour:
		p.colours[c.name] = true
	case Kind:
		if p.head == "" {
			p.head = c.name
		}
	}
	p.mark(c.name, c.class)
	for _, implied := range c.implied {
		p.add(implied)
	}
}

func (p *Profile) mark(name string, class Class) {
	if _, known := p.marks[name]; !known || class != Word {
		p.marks[name] = class
	}
}

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

// readInitials notes letters that stand for a name: K.M., K. M. or KM where nothing else is in capitals.
func readInitials(p *Profile, text string) {
	var letters []rune
	flush := func() {
		if len(letters) == 2 || len(letters) == 3 {
			p.initials[strings.ToLower(string([]rune{letters[0], letters[len(letters)-1]}))] = true
		}
		letters = letters[:0]
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '.' }) {
		bare := []rune(strings.Trim(word, "."))
		switch {
		case len(bare) == 1 && unicode.IsUpper(bare[0]):
			letters = append(letters, bare[0])
		case strings.Contains(string(bare), ".") || len(bare) <= 3 && len(bare) > 1:
			flush()
			for _, r := range bare {
				if unicode.IsUpper(r) {
					letters = append(letters, r)
				}
			}
			flush()
		default:
			flush()
		}
	}
	flush()
}

func initial(name string) string {
	for _, r := range foldWord(name) {
		return string(r)
	}
	return ""
}

// dayOf counts the days since 1970 of a date, 0 where there is none.
func dayOf(date string) int {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return 0
	}
	return int(t.Unix() / (24 * 60 * 60))
}
