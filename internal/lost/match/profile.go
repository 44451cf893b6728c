package match

import (
	"maps"
	"slices"
	"unicode/utf8"
)

// Subject contains the data of a found item or a request.
type Subject struct {
	Description, Brand, Model, Color string
	More                             string // the desk's notes, or details that only the owner can know
	Place                            string // where it was found or lost
	Day                              int    // day of the discovery or loss, in days since 1970; 0 if not known
	FirstName, LastName              string // of the claimant
	Serial                           string // serial number
	Category                         string // such as umbrella; the empty text and OtherCategory say nothing
	// PhotoColors are the main colours of the thing on photos, as names of the dictionary such as navy. They count if
	// the texts mention no colour.
	PhotoColors []string
	Meanings    []Vector // of its texts; usually none
}

// OtherCategory is the category of things that no other category fits.
const OtherCategory = "other"

// Profile is the meaning of a subject, independent of its wording.
type Profile struct {
	serial, category string // comparable; see comparableSerial
	meanings         []Vector

	marks   map[string]Class  // concepts and words
	spelled map[string]string // original spelling of the words
	senses  []sensed          // the marks that the thesaurus knows
	// outlines contains the outlines of unknown words, which are the same for most misspellings.
	outlines map[string]bool
	exact    bool            // misspellings do not match
	plain    bool            // the thesaurus is not used
	signs    map[string]bool // identifying figures: a number on a tag, a date, a strength
	models   map[string]bool // figures and letters that distinguish models
	types    map[string]bool // models with both figures and letters, like wh1000xm4
	// slight contains the marks that only count if both subjects have them: parts of longer terms, and marks from
	// additional remarks.
	slight map[string]bool
	aside  bool                // the text being read is an additional remark
	words  map[string]bool     // all words
	denied map[string]bool     // words that are negated
	from   map[string][]string // the single words that each mark was read from
	word   string              // the word being read; empty for several words
	// wordSenses contains the meanings that the thesaurus has for the word being read.
	wordSenses []meant
	ordinary   map[string]bool // names that are also words
	colours    map[string]bool
	shown      []string        // colours on photos, if the texts mention none
	room       map[string]bool // numbers in the description of its place
	place      map[string]bool // words of its place; false if a word counts only with its number, like room in room 12
	initials   map[string]bool
	makers     map[string]bool // letters that may be initials, but are more likely a maker
	names      []string        // names of the claimant, folded
	written    map[string]bool // names that are written on the item
	proper     map[string]bool // capitalized words that neither the dictionary nor the thesaurus knows
	named      []string        // texts that are introduced as a name
	bearers    map[string]bool // words that are probably somebody's name
	day        int             // in days since 1970; 0 if not known
}

// Read analyses a subject.
func Read(s Subject) Profile { return Matcher{}.Read(s) }

// MaxTerms is the maximum number of index terms of a subject.
const MaxTerms = 64

// Terms returns the index terms of a subject: its marks, the claimant's names, and the outlines of unknown words,
// which are the same for most misspellings. Colours, sizes and persons are left out, because too many subjects share
// them. Terms of the dictionary come before other words, and outlines come last, so that the first MaxTerms are the
// best.
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
	for _, name := range p.names {
		if root := stem(name); !p.ordinary[name] && p.marks[root] == "" {
			words = append(words, root)
		}
	}
	slices.Sort(known)
	slices.Sort(words)
	if p.serial != "" {
		known = append([]string{"serial:" + p.serial}, known...)
	}
	return slices.Concat(known, slices.Compact(words), p.senseTerms(), slices.Sorted(maps.Keys(p.outlines)))
}

// Kinds returns the kinds of item that a subject mentions, sorted.
func (p Profile) Kinds() (kinds []string) {
	for name, class := range p.marks {
		if class == Kind {
			kinds = append(kinds, name)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// add adds a concept and the concepts that it implies.
func (p *Profile) add(c *concept, slightly bool) {
	switch c.class {
	case Stop, Place:
		return
	case Colour:
		p.colours[c.name] = true
	}
	p.mark(c.name, c.class, slightly)
	switch c.class {
	case Kind, Part, Motif, Material, Pattern, State:
		p.sense(c.name, c.class, mergeSenses(p.wordSenses, c.senses), true)
	}
	p.wordSenses = nil // they are those of the word, not of what it implies
	for _, implied := range c.implied {
		p.add(implied, slightly)
	}
}

func (p *Profile) mark(name string, class Class, slightly bool) {
	if len(p.marks) >= maxMarks {
		return
	}
	_, known := p.marks[name]
	if !known || class != Word {
		p.marks[name] = class
	}
	if p.word != "" && !slices.Contains(p.from[name], p.word) {
		p.from[name] = append(p.from[name], p.word)
	}
	switch slightly = slightly || p.aside; {
	case !slightly:
		delete(p.slight, name)
	case !known:
		p.slight[name] = true
	}
}

// has reports whether a subject has a mark of another subject: the same meaning, or the same word with another
// meaning in its language.
func (p Profile) has(name string, other Profile) bool {
	if _, ok := p.marks[name]; ok {
		return true
	}
	return slices.ContainsFunc(other.from[name], func(word string) bool { return p.words[word] })
}

// mentions reports whether a found item has a mark of a request, or negates it.
func (p Profile) mentions(name string, request Profile) bool {
	return p.has(name, request) || slices.ContainsFunc(request.from[name], func(word string) bool {
		return p.denied[word]
	})
}

// markWord adds a word that is not in the dictionary, with its meanings in the thesaurus.
func (p *Profile) markWord(word string, own, term []meant) {
	root := stem(word)
	p.mark(root, Word, false)
	p.spelled[root] = word
	p.sense(root, Word, own, true)
	p.sense(root, Word, term, false)
	const least = 6 // shorter words are too often similar by chance
	if utf8.RuneCountInString(word) < least || p.exact || len(p.outlines) >= MaxTerms {
		return
	}
	if key, ok := outline(root); ok {
		p.outlines[key] = true
	}
}

// maxMarks is the maximum number of marks of a subject. It is enough for a long letter, and low enough to compare a
// subject with many others.
const maxMarks = 300
