package match

import (
	"maps"
	"slices"
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
	makers   map[string]bool // initials too, but more likely letters of a maker
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
