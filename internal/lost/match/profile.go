package match

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Subject is what is known of a thing that was found, or of one that is missed.
type Subject struct {
	Description, Brand, Model, Color string
	More                             string // notes of the desk, or what only the owner can know
	Place                            string // where it was found, or is thought to have been lost
	Day                              int    // likewise, counted from 1970; 0 where nobody knows
	FirstName, LastName              string // of who misses it
}

// Profile is a subject that was read: what it means rather than how it was said.
type Profile struct {
	marks    map[string]Class  // concepts and words
	spelled  map[string]string // how the words were written
	outlines map[string]bool   // of words that the dictionary does not know, by which they are found where one is misspelled
	exact    bool              // no slips are forgiven
	signs    map[string]bool   // figures that mark this one thing: a number on a tag, a date, a strength
	models   map[string]bool   // figures and letters that tell models apart
	colours  map[string]bool
	room     map[string]bool // numbers of its place
	place    map[string]bool // words of its place
	initials map[string]bool
	names    []string        // of who misses it, folded
	written  map[string]bool // names that are written on it
	named    []string        // what is said to be a name
	bearers  map[string]bool // words that are somebody's name, as far as one can tell
	day      int             // since 1970; 0 where nobody knows
}

// Read understands a subject.
func Read(s Subject) Profile { return Judge{}.Read(s) }

// MaxTerms bounds what one subject is indexed under.
const MaxTerms = 64

// Terms are what a subject is found by: everything that it says but colours and sizes, which too many share, and the outlines of its words, which are the same
// where one is misspelled. What the dictionary knows comes before plain words where there are too many, and outlines last; all are in order.
func (p Profile) Terms() []string {
	var known, words []string
	for name, class := range p.marks {
		switch class {
		case Colour, Size, Person:
		case Word:
			words = append(words, name)
		default:
			known = append(known, name)
		}
	}
	slices.Sort(known)
	slices.Sort(words)
	all := slices.Concat(known, words, slices.Sorted(maps.Keys(p.outlines)))
	all = all[:min(len(all), MaxTerms)]
	slices.Sort(all)
	return all
}

// reader reads with a dictionary or, where it is to be shown what that is worth, without.
type reader struct {
	dictionary *dictionary
	literal    bool // no dictionary
	exact      bool // no slips forgiven
}

func (r reader) read(s Subject) Profile {
	p := Profile{
		marks: map[string]Class{}, spelled: map[string]string{}, outlines: map[string]bool{}, exact: r.exact, signs: map[string]bool{}, models: map[string]bool{}, colours: map[string]bool{},
		room: map[string]bool{}, place: map[string]bool{}, initials: map[string]bool{}, written: map[string]bool{}, bearers: map[string]bool{}, day: s.Day,
	}
	for _, text := range []string{s.Description, s.Brand, s.Model, s.Color, s.More} {
		r.readText(&p, text)
		readInitials(&p, text)
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
	text = r.readFigures(p, text)
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

// readFigures takes dates and strengths of lenses out of a text, which are figures that mean something together.
func (r reader) readFigures(p *Profile, text string) string {
	if !hasFigures(text) && !strings.ContainsAny(text, "SMLX") {
		return text
	}
	text = dates.ReplaceAllStringFunc(text, func(date string) string {
		parts := strings.FieldsFunc(date, func(r rune) bool { return !unicode.IsDigit(r) })
		for i := range parts {
			parts[i] = strings.TrimLeft(parts[i], "0")
		}
		slices.Sort(parts[:2]) // which is the day and which the month, nobody can tell
		year := parts[2]
		name := "date " + parts[0] + " " + parts[1] + " " + year[max(0, len(year)-2):]
		p.signs[name] = true
		p.mark(name, Number)
		return " "
	})
	for word := range strings.FieldsFuncSeq(text, besideSizes) {
		if size, is := sizes[word]; is {
			p.mark(size, Size)
		}
	}
	if !strings.ContainsAny(text, "+-") {
		return text
	}
	return strengths.ReplaceAllStringFunc(text, func(strength string) string {
		name := "strength " + strings.TrimRight(strings.TrimRight(strings.ReplaceAll(strength, ",", "."), "0"), ".")
		p.signs[name] = true
		p.mark(name, Number)
		return " "
	})
}

var (
	dates     = regexp.MustCompile(`\b\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})\b`)
	strengths = regexp.MustCompile(`[+-]\d(?:[.,]\d{1,2})?\b`)
)

// sizes are the letters that clothes are marked with.
var sizes = map[string]string{"XXS": "small", "XS": "small", "S": "small", "M": "medium", "L": "large", "XL": "large", "XXL": "large", "XXXL": "large"}

// besideSizes tells what stands before and after them. In K.M. and S-Bahn, no letter is a size.
func besideSizes(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;()/", r) }

// numbering are the words after which even short figures mark one thing.
var numbering = map[string]bool{
	"no": true, "nr": true, "number": true, "tag": true, "num": true, "nummer": true, "numero": true, "n": true, "locker": true, "marke": true, "strength": true, "size": true, "gr": true, "sz": true, "taille": true, "talla": true, "taglia": true, "grosse": true,
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
	return merge(found, d.word(words[0].text, r.exact))
}

// add notes a concept and what it implies.
func (p *Profile) add(c *concept) {
	switch c.class {
	case Stop, Place:
		return
	case Colour:
		p.colours[c.name] = true
	}
	p.mark(c.name, c.class)
	for _, implied := range c.implied {
		p.add(implied)
	}
}

func (p *Profile) mark(name string, class Class) {
	if len(p.marks) >= maxMarks {
		return
	}
	if _, known := p.marks[name]; !known || class != Word {
		p.marks[name] = class
	}
}

// markWord notes a word that the dictionary does not know.
func (p *Profile) markWord(word string) {
	root := stem(word)
	p.mark(root, Word)
	p.spelled[root] = word
	const least = 6 // shorter ones are alike too often
	if utf8.RuneCountInString(word) < least || p.exact || len(p.outlines) >= MaxTerms {
		return
	}
	if key, ok := outline(root); ok {
		p.outlines[key] = true
	}
}

// maxMarks bounds what is read of one subject: enough for a long letter, and little enough to be compared with many others.
const maxMarks = 300

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
	for clause := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(",;:!?()/|\n", r) }) {
		for word := range strings.FieldsSeq(clause) {
			bare := []rune(strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
			if hasFigures(word) { // the number of a model
				bare = nil
			}
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
}

// readNames notes what is said to be written on a thing: name tag "Wendt", au nom de Feldkamp, 'Milo', the letter M.
func readNames(p *Profile, text string) {
	note := func(words string) {
		for _, t := range tokens(words) {
			if !naming[t.text] && len(p.written) < maxWritten {
				p.written[t.text] = true
				if isNumber(t.text) && len(t.text) >= 2 {
					p.signs[t.text] = true
				}
			}
		}
	}
	lower := strings.ToLower(text)
	if mentions(lower, "nam", "nom", "label", "mark", "tiquet", "chrift", "tellt", "intest") {
		for _, found := range namings.FindAllStringSubmatch(text, -1) {
			note(found[1])
			p.named = append(p.named, found[1])
		}
	}
	if strings.ContainsAny(text, quoteMarks) {
		for _, found := range quotes.FindAllStringSubmatch(text, -1) {
			note(found[2])
		}
	}
	if mentions(lower, "lett", "letra", "buch", "stamp", "marqu") {
		for _, found := range letters.FindAllStringSubmatch(text, -1) {
			note(found[1])
		}
	}
}

// mentions tells whether a text has any of some pieces of words. Most have none, and are spared a slow search.
func mentions(text string, pieces ...string) bool {
	return slices.ContainsFunc(pieces, func(piece string) bool { return strings.Contains(text, piece) })
}

// quoteMarks open what quotes finds.
const quoteMarks = `'"‘“„«`

// maxWritten bounds the words that are taken for writing.
const maxWritten = 20

var (
	// namings finds what follows a word for name, as far as it begins with capitals.
	namings = regexp.MustCompile(`(?i:\b(?:name[ds]?|namen|nombre|nom|prénom|nome|surname|labell?ed|marked|étiquette|etiqueta|beschriftet|ausgestellt auf|intestat[oa] a))(?i:\s+(?:tag|tape|is|on|it|inside|of|de|di|label|ist|steht|lautet|grabado))*\s*[:=,]?\s*((?:(?:Dr|Mr|Mrs|Ms|Herr|Frau)\.?\s+)?\p{Lu}[\p{L}'.-]+(?:,?\s+\p{Lu}[\p{L}'.-]+){0,2})`)
	// quotes finds short writing between marks. An apostrophe opens none.
	quotes = regexp.MustCompile(`(^|[\s(:=,])['"‘“„«]\s?([\p{L}\p{N}][^'"’“”»\n]{0,30}?)\s?['"’“”»]`)
	// letters finds a single letter that is a mark.
	letters = regexp.MustCompile(`(?i:\b(?:letter|lettre|lettera|letra|buchstabe|stamped|marqué d'un))\s+(\p{Lu})\b`)
)

// readBearers notes whose name a thing bears: Krüger, Manfred; P. Vandenberghe; and on papers, cards and purses every word that begins
// with a capital and that the dictionary does not know.
func readBearers(p *Profile, text string) {
	note := func(words string) {
		for _, t := range tokens(words) {
			if len(t.text) >= 3 && p.marks[stem(t.text)] == Word && !naming[t.text] && len(p.bearers) < maxWritten {
				p.bearers[t.text] = true
			}
		}
	}
	for _, name := range p.named {
		note(name)
	}
	var patterns []*regexp.Regexp
	if shouts(text) {
		patterns = append(patterns, initialCapitals)
	}
	if strings.Contains(text, ",") {
		patterns = append(patterns, surnameFirst)
	}
	if strings.Contains(text, ".") {
		patterns = append(patterns, initialFirst)
	}
	if p.marks["document"] == Family || p.marks["card-family"] == Family || p.marks["money-holder"] == Family {
		patterns = append(patterns, capitals)
	}
	for _, pattern := range patterns {
		for _, found := range pattern.FindAllStringSubmatch(text, -1) {
			note(found[1])
		}
	}
}

var (
	surnameFirst    = regexp.MustCompile(`((?:^|[\s:(])\p{Lu}[\p{L}'-]{2,},\s*\p{Lu}(?:[\p{L}'-]+|\.))`)
	initialFirst    = regexp.MustCompile(`(?:^|[\s:(])\p{Lu}\.\s?(\p{Lu}[\p{L}'-]{2,})`)
	initialCapitals = regexp.MustCompile(`(?:^|[\s:(])\p{Lu}\s(\p{Lu}{4,})`)
	capitals        = regexp.MustCompile(`[\s:(]['"]?(\p{Lu}[\p{L}'-]{2,})`)
)

// shouts tells whether a text has a word in capitals, of four letters or more.
func shouts(text string) bool {
	run := 0
	for _, r := range text {
		if run++; !unicode.IsUpper(r) {
			run = 0
		}
		if run == 4 {
			return true
		}
	}
	return false
}

// naming are words that stand where names do and are none.
var naming = map[string]bool{"the": true, "mrs": true, "herr": true, "frau": true, "dr": true, "mr": true, "ms": true, "name": true, "tag": true, "no": true, "on": true, "inside": true, "and": true}

func initial(name string) string {
	for _, r := range foldWord(name) {
		return string(r)
	}
	return ""
}
