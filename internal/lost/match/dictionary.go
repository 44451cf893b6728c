package match

import (
	"embed"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// Class is what a term says about a thing.
type Class string

// The classes of terms. Words and numbers are those that the dictionary does not know.
const (
	Kind     Class = "kind"     // what it is
	Family   Class = "family"   // what it is, broadly: a beanie and a cap are headwear
	Brand    Class = "brand"    // who made it
	Product  Class = "product"  // which of the maker's things it is
	Colour   Class = "colour"   // see shades
	Material Class = "material" // what it is made of
	Pattern  Class = "pattern"  // stripes, dots
	Part     Class = "part"     // a strap, a lid
	Motif    Class = "motif"    // what is drawn, written or hung on it
	State    Class = "state"    // cracked, new, empty
	Size     Class = "size"
	Person   Class = "person" // whose: a child's, a lady's
	Origin   Class = "origin" // the country of a passport or a flag
	Place    Class = "place"  // where it was
	Stop     Class = "stop"   // says nothing
	Word     Class = "word"
	Number   Class = "number"
)

// concept is one meaning, whatever the language.
type concept struct {
	name    string
	class   Class
	implied []*concept
}

// dictionary finds the meanings of words.
type dictionary struct {
	concepts map[string]*concept
	forms    map[string][]sense // by folded words with a blank between
	longest  map[string]int     // how many words the longest form has that begins with a word
	shelves  map[shelf][]string // forms of one word, to be searched for slips
	met      memo               // what words meant that were looked for before
	missed   memo               // what was meant by those that nobody knew
}

// memo remembers what was found out about words. People use few: what many have written is soon all there.
//
// There is one for the whole process, and so words of all accounts are in it. That tells nobody anything: what a word
// means is the same for everybody, nothing says who wrote it, and nobody can ask which words are there. It is bounded,
// and gone with the process.
type memo struct {
	sync.RWMutex
	meanings map[string][]sense
}

// maxMet bounds a memo, which begins anew when it is full.
const maxMet = 20_000

// of returns what a word means, and finds it out where nobody asked before.
func (m *memo) of(word string, find func(string) []sense) []sense {
	m.RLock()
	meanings, met := m.meanings[word]
	m.RUnlock()
	if met {
		return meanings
	}
	meanings = find(word)
	m.Lock()
	defer m.Unlock()
	if m.meanings == nil || len(m.meanings) >= maxMet {
		m.meanings = make(map[string][]sense)
	}
	m.meanings[strings.Clone(word)] = meanings
	return meanings
}

// shelf is where words stand that may be slips of one another.
type shelf struct {
	first  byte
	length int
}

//go:embed terms/*.txt
var termFiles embed.FS

// terms is the built-in dictionary. It is read when it is first needed: most commands never do.
var terms = sync.OnceValue(func() *dictionary { //nolint:gochecknoglobals // made once from embedded files, never changed
	files, err := termFiles.ReadDir("terms")
	if err != nil {
		panic(err) // embedded: it is there
	}
	d := newDictionary()
	var lines []entry
	for _, f := range files {
		text, err := termFiles.ReadFile("terms/" + f.Name())
		if err != nil {
			panic(err)
		}
		more, err := entries(string(text))
		if err != nil {
			panic(fmt.Errorf("terms/%s: %w", f.Name(), err))
		}
		lines = append(lines, more...)
	}
	if err := d.add(lines); err != nil {
		panic(err)
	}
	return d
})

// entry is a line of the dictionary: a name, what it implies, and the ways to say it.
type entry struct {
	class   Class
	name    string
	implied []string
	forms   []form
}

// form is one of the ways to say something.
type form struct {
	text string
	in   languages
}

// entries reads a file of the dictionary.
func entries(text string) (all []entry, err error) {
	var class Class
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if section, ok := strings.CutPrefix(line, "["); ok {
			class = Class(strings.TrimSuffix(section, "]"))
			continue
		}
		head, forms, ok := strings.Cut(line, "=")
		if !ok || class == "" {
			return nil, fmt.Errorf("line %d is no entry: %s", n+1, line)
		}
		name, implied, _ := strings.Cut(head, ":")
		name = strings.TrimSpace(name)
		all = append(all, entry{class, name, strings.Fields(implied), readForms(forms, ofNames[name])})
	}
	return all, nil
}

// readForms reads the ways to say something: those of one language after those of another, or of all together.
func readForms(text string, in languages) (all []form) {
	groups := strings.Split(text, "|")
	for n, group := range groups {
		one := in
		switch {
		case len(groups) == bits.OnesCount8(anyLanguage):
			one = 1 << n
		case in == 0:
			one = anyLanguage
		}
		for text := range strings.SplitSeq(group, ",") {
			all = append(all, form{strings.TrimSpace(text), one})
		}
	}
	return all
}

func newDictionary() *dictionary {
	return &dictionary{
		concepts: map[string]*concept{}, forms: map[string][]sense{}, longest: map[string]int{},
		shelves: map[shelf][]string{},
	}
}

// add takes entries in. What they imply may stand in any of them.
func (d *dictionary) add(all []entry) error {
	for _, e := range all {
		c := d.concepts[e.name]
		if c == nil {
			c = &concept{name: e.name, class: e.class}
			d.concepts[e.name] = c
		}
		if c.class != e.class {
			return fmt.Errorf("%s is both %s and %s", e.name, c.class, e.class)
		}
		for _, form := range e.forms {
			d.addForm(form, c)
		}
	}
	for _, e := range all {
		c := d.concepts[e.name]
		for _, name := range e.implied {
			implied := d.concepts[name]
			if implied == nil {
				return fmt.Errorf("%s implies %s, which is not there", e.name, name)
			}
			if implied != c && !slices.Contains(c.implied, implied) {
				c.implied = append(c.implied, implied)
			}
		}
	}
	return nil
}

func (d *dictionary) addForm(f form, c *concept) {
	var words []string
	for _, t := range tokens(f.text) {
		words = append(words, t.text)
	}
	key := strings.Join(words, " ")
	if key == "" {
		return
	}
	same := func(s sense) bool { return s.concept == c && s.spelled == f.text }
	if at := slices.IndexFunc(d.forms[key], same); at >= 0 {
		d.forms[key][at].in |= f.in
		return
	}
	if len(d.forms[key]) == 0 && len(words) == 1 {
		at := shelf{key[0], len(key)}
		d.shelves[at] = append(d.shelves[at], key)
	}
	d.forms[key] = append(d.forms[key], sense{concept: c, in: f.in, spelled: f.text})
	d.longest[words[0]] = max(d.longest[words[0]], len(words))
}

// known finds what one word means, also as a plural, as a compound, or spelled without its umlauts.
func (d *dictionary) known(word string) []sense {
	if len(word) > maxCompared { // no language here has it
		return nil
	}
	return d.met.of(word, func(word string) []sense {
		found := d.plainWord(word)
		compound := d.compound(word)
		if len(found) == 0 {
			return compound
		}
		for _, s := range compound { // what the first part says is not said by the whole: Lederhandschuhe are gloves
			if s.head && !slices.ContainsFunc(found, func(f sense) bool { return f.concept == s.concept }) {
				found = append(slices.Clip(found), s)
			}
		}
		return found
	})
}

// slipped finds what a word means that nobody knows, if a letter or two are wrong.
func (d *dictionary) slipped(word string) []sense {
	if len(word) > maxCompared {
		return nil
	}
	return d.missed.of(word, d.slip)
}

// inflected are the forms under which a word may stand in the dictionary.
func inflected(word string) []string {
	all := []string{word}
	plain := umlauts.Replace(word)
	if plain != word {
		all = append(all, plain)
	}
	for _, base := range all[:len(all):len(all)] {
		for _, e := range endings {
			if rest, ok := strings.CutSuffix(base, e.off); ok && len(rest) >= 3 {
				all = append(all, rest+e.on)
			}
		}
	}
	return all
}

var umlauts = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")

// endings turn plurals into what the dictionary has.
var endings = [...]struct{ off, on string }{
	{"s", ""}, {"es", ""}, {"en", ""}, {"n", ""}, {"e", ""}, {"er", ""}, {"x", ""}, {"ies", "y"}, {"ves", "f"},
	{"i", "o"}, {"i", "e"}, {"e", "a"}, {"he", "a"}, {"hi", "o"}, {"ern", ""}, {"nen", ""}, {"a", "o"}, {"as", "o"},
	{"os", "o"}, {"eaux", "eau"}, {"aux", "al"}, {"es", "e"}, {"em", ""}, {"en", "e"}, {"chen", ""},
}

// compound finds what a word means by its last part and, where that is known too, its first: Kinderjacke is a jacket,
// of a child.
func (d *dictionary) compound(word string) (found []sense) {
	const least = 5
	for cut := 3; cut+least <= len(word); cut++ {
		tail := d.plainWord(word[cut:])
		if len(tail) == 0 {
			continue
		}
		found = slices.Concat(found, tail)
		head := word[:cut]
		for _, first := range []string{head, strings.TrimSuffix(head, "s"), strings.TrimSuffix(head, "n"), head + "e"} {
			if more := d.plainWord(first); len(first) >= 3 && len(more) > 0 {
				for _, s := range more {
					s.head = true
					found = append(found, s)
				}
				return found
			}
		}
		return found
	}
	return nil
}

// plainWord finds a word as it stands, or as a plural.
func (d *dictionary) plainWord(word string) []sense {
	for _, form := range inflected(word) {
		if found := d.forms[form]; len(found) > 0 {
			return found
		}
	}
	return nil
}

// slip finds the one word that was meant where a letter is wrong. Where several are as near, all are meant.
func (d *dictionary) slip(word string) (found []sense) {
	most := slips(word)
	if len(word) < 6 || most == 0 {
		return nil
	}
	for off := 1; off <= most && found == nil; off++ {
		for length := len(word) - off; length <= len(word)+off; length++ {
			for _, form := range d.shelves[shelf{word[0], length}] {
				if len(form) >= 5 && slips(form) > 0 && distance(word, form, off) == off {
					found = merge(found, d.forms[form])
				}
			}
		}
	}
	return found
}

func merge[T comparable](all, more []T) []T {
	for _, c := range more {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}
