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
	Day                              int    // likewise, counted from 1970; 0 if nobody knows
	FirstName, LastName              string // of who misses it
}

// Profile is a subject that was read: what it means rather than how it was said.
type Profile struct {
	marks   map[string]Class  // concepts and words
	spelled map[string]string // how the words were written
	// of words that the dictionary does not know, by which they are found where one is misspelled
	outlines map[string]bool
	exact    bool            // no slips are forgiven
	signs    map[string]bool // figures that mark this one thing: a number on a tag, a date, a strength
	models   map[string]bool // figures and letters that tell models apart
	types    map[string]bool // those of them that are both, like wh1000xm4
	// marks that count only where both say them: parts of longer terms, and what is said aside
	slight   map[string]bool
	aside    bool                // what is read now is said aside
	said     map[string]bool     // all words
	denied   map[string]bool     // those of which it is said that it is not so
	from     map[string][]string // the words that the marks were read from, each alone
	word     string              // which is read now; empty if it is more than one
	ordinary map[string]bool     // names that are words, too
	colours  map[string]bool
	room     map[string]bool // numbers of its place
	place    map[string]bool // words of its place, and whether they tell it by themselves: room 12 is not room 14
	initials map[string]bool
	makers   map[string]bool // initials too, but more likely letters of a maker
	names    []string        // of who misses it, folded
	written  map[string]bool // names that are written on it
	named    []string        // what is said to be a name
	bearers  map[string]bool // words that are somebody's name, as far as one can tell
	day      int             // since 1970; 0 if nobody knows
}

// Read understands a subject.
func Read(s Subject) Profile { return Judge{}.Read(s) }

// MaxTerms bounds what one subject is indexed under.
const MaxTerms = 64

// Terms are what a subject is found by: everything that it says but colours and sizes, which too many share, the name
// of who misses it, and the outlines of its words, which are the same where one is misspelled. What the dictionary
// knows comes before plain words, and outlines last: of too many, the first MaxTerms are the best.
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
	return slices.Concat(known, slices.Compact(words), slices.Sorted(maps.Keys(p.outlines)))
}

// add notes a concept and what it implies, or only slightly.
func (p *Profile) add(c *concept, slightly bool) {
	switch c.class {
	case Stop, Place:
		return
	case Colour:
		p.colours[c.name] = true
	}
	p.mark(c.name, c.class, slightly)
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

// has reports whether a subject says something that another says: what it means, or at least the word, whatever that
// means in its language.
func (p Profile) has(name string, other Profile) bool {
	if _, said := p.marks[name]; said {
		return true
	}
	return slices.ContainsFunc(other.from[name], func(word string) bool { return p.said[word] })
}

// mentions reports whether a find says something that a request says, or that it is not so: either is more than
// nothing.
func (p Profile) mentions(name string, request Profile) bool {
	return p.has(name, request) || slices.ContainsFunc(request.from[name], func(word string) bool {
		return p.denied[word]
	})
}

// markWord notes a word that the dictionary does not know.
func (p *Profile) markWord(word string) {
	root := stem(word)
	p.mark(root, Word, false)
	p.spelled[root] = word
	const least = 6 // shorter ones are alike too often
	if utf8.RuneCountInString(word) < least || p.exact || len(p.outlines) >= MaxTerms {
		return
	}
	if key, ok := outline(root); ok {
		p.outlines[key] = true
	}
}

// maxMarks bounds what is read of one subject: enough for a long letter, and little enough to be compared with many
// others.
const maxMarks = 300
