package match

import (
	"embed"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// Class is the kind of information that a term gives.
type Class string

// The classes of terms. Word and Number are for terms that are not in the dictionary.
const (
	Kind     Class = "kind"     // the kind of item
	Family   Class = "family"   // a group of kinds: a beanie and a cap are headwear
	Brand    Class = "brand"    // the maker
	Product  Class = "product"  // a product of the maker
	Colour   Class = "colour"   // see shades
	Material Class = "material" // leather, wool
	Pattern  Class = "pattern"  // stripes, dots
	Part     Class = "part"     // a strap, a lid
	Motif    Class = "motif"    // a drawing, inscription or attachment
	State    Class = "state"    // cracked, new, empty
	Size     Class = "size"
	Person   Class = "person" // for a child, for a woman
	Origin   Class = "origin" // the country of a passport or a flag
	Place    Class = "place"  // where an item was found or lost
	Stop     Class = "stop"   // has no meaning
	Word     Class = "word"
	Number   Class = "number"
)

// concept is a meaning, independent of language.
type concept struct {
	name    string
	class   Class
	implied []*concept
	senses  []meant // in the thesaurus; see addSenses
}

// dictionary finds the meanings of words.
type dictionary struct {
	concepts map[string]*concept
	forms    map[string][]sense  // by folded words, separated by spaces
	longest  map[string]int      // number of words of the longest form that begins with a word
	buckets  map[bucket][]string // one-word forms, searched for misspellings
	byLength map[int][]string    // one-word forms of at least five letters; only for queries
	children map[*concept]int    // number of concepts that imply a concept directly; only for queries
	words    map[*concept][]form // one-word forms in the order of the dictionary
	exact    memo                // meanings of known words
	similar  memo                // meanings of misspelled words
}

// memo caches the meanings of words. People use few different words, so it quickly contains most of them.
//
// It is shared by all accounts of the process. This does not leak data: the meaning of a word is the same for all
// accounts, the memo does not record who wrote it, and its words cannot be listed. It is bounded and only in memory.
type memo struct {
	sync.RWMutex
	meanings map[string][]sense
}

// maxMemo is the maximum size of a memo. A full memo is cleared.
const maxMemo = 20_000

// get returns the meanings of a word. If they are not cached, it looks them up and caches them.
func (m *memo) get(word string, find func(string) []sense) []sense {
	m.RLock()
	meanings, met := m.meanings[word]
	m.RUnlock()
	if met {
		return meanings
	}
	meanings = find(word)
	m.Lock()
	defer m.Unlock()
	if m.meanings == nil || len(m.meanings) >= maxMemo {
		m.meanings = make(map[string][]sense)
	}
	m.meanings[strings.Clone(word)] = meanings
	return meanings
}

// bucket is the first letter and the length of a word, by which similar words are found.
type bucket struct {
	first  byte
	length int
}

//go:embed terms/*.txt queryterms/*.txt
var termFiles embed.FS

// terms is the built-in dictionary. It is loaded on first use, because most commands do not need it.
//
//nolint:gochecknoglobals // read once from embedded files, never changed
var terms = sync.OnceValue(func() *dictionary {
	d := loadDictionary("terms")
	d.addSenses(theThesaurus())
	return d
})

// searchTerms is the dictionary for queries. It has words of more languages, and words that are too vague to compare
// items by.
//
//nolint:gochecknoglobals // read once from embedded files, never changed
var searchTerms = sync.OnceValue(func() *dictionary {
	d := loadDictionary("terms", "queryterms")
	d.byLength, d.children = map[int][]string{}, map[*concept]int{}
	for key, forms := range d.buckets {
		for _, form := range forms {
			if allowedErrors(form) > 0 {
				d.byLength[key.length] = append(d.byLength[key.length], form)
			}
		}
	}
	for _, c := range d.concepts {
		for _, parent := range c.implied {
			d.children[parent]++
		}
	}
	return d
})

// loadDictionary reads the embedded files of directories.
func loadDictionary(directories ...string) *dictionary {
	return loadDictionaryWithout(func(string) bool { return false }, directories...)
}

// loadDictionaryWithout reads the embedded files of directories, without some words.
func loadDictionaryWithout(forget func(form string) bool, directories ...string) *dictionary {
	d := newDictionary()
	var lines []entry
	for _, directory := range directories {
		lines = append(lines, readEntries(directory)...)
	}
	for n, e := range lines {
		if e.class != Stop {
			lines[n].forms = slices.DeleteFunc(e.forms, func(f form) bool { return forget(f.text) })
		}
	}
	if err := d.add(lines); err != nil {
		panic(err)
	}
	return d
}

// readEntries reads the embedded files of a directory.
func readEntries(directory string) (lines []entry) {
	files, err := termFiles.ReadDir(directory)
	if err != nil {
		panic(err) // cannot happen: the files are embedded
	}
	for _, f := range files {
		text, err := termFiles.ReadFile(directory + "/" + f.Name())
		if err != nil {
			panic(err)
		}
		more, err := entries(string(text))
		if err != nil {
			panic(fmt.Errorf("%s/%s: %w", directory, f.Name(), err))
		}
		lines = append(lines, more...)
	}
	return lines
}

// entry is a line of the dictionary: the name of a concept, the names of implied concepts, and the forms.
type entry struct {
	class   Class
	name    string
	implied []string
	forms   []form
}

// form is a word or term for a concept, with its languages.
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
			return nil, fmt.Errorf("line %d is not an entry: %s", n+1, line)
		}
		name, implied, _ := strings.Cut(head, ":")
		name = strings.TrimSpace(name)
		all = append(all, entry{class, name, strings.Fields(implied), readForms(forms, stopWordLanguages[name])})
	}
	return all, nil
}

// readForms reads the forms of an entry: one group for each language in order, or one group for all.
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
		buckets: map[bucket][]string{}, words: map[*concept][]form{},
	}
}

// add adds entries. They may imply concepts of any other entry.
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
				return fmt.Errorf("%s implies %s, which does not exist", e.name, name)
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
		at := bucket{key[0], len(key)}
		d.buckets[at] = append(d.buckets[at], key)
	}
	if len(words) == 1 {
		d.words[c] = append(d.words[c], form{key, f.in})
	}
	d.forms[key] = append(d.forms[key], sense{concept: c, in: f.in, spelled: f.text})
	d.longest[words[0]] = max(d.longest[words[0]], len(words))
}

// known returns the meanings of a word. It also recognizes plurals, compounds, and spellings without umlauts.
func (d *dictionary) known(word string) []sense {
	if len(word) > maxCompared { // longer than any word in the dictionary
		return nil
	}
	return d.exact.get(word, func(word string) []sense {
		found := d.plainWord(word)
		compound := d.compound(word)
		if len(found) == 0 {
			return compound
		}
		// The dictionary may list a compound without the meaning of its first part: Lederhandschuhe (leather gloves)
		// is listed only as gloves.
		for _, s := range compound {
			if s.head && !slices.ContainsFunc(found, func(f sense) bool { return f.concept == s.concept }) {
				found = append(slices.Clip(found), s)
			}
		}
		return found
	})
}

// misspelled returns the meanings of an unknown word, assuming that one or two letters are wrong.
func (d *dictionary) misspelled(word string) []sense {
	if len(word) > maxCompared {
		return nil
	}
	return d.similar.get(word, d.findSimilar)
}

// inflected returns the forms under which a word may be in the dictionary.
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

// endings are rules that turn an inflected word into its form in the dictionary.
var endings = [...]struct{ off, on string }{
	{"s", ""}, {"es", ""}, {"en", ""}, {"n", ""}, {"e", ""}, {"er", ""}, {"x", ""}, {"ies", "y"}, {"ves", "f"},
	{"i", "o"}, {"i", "e"}, {"e", "a"}, {"he", "a"}, {"hi", "o"}, {"ern", ""}, {"nen", ""}, {"a", "o"}, {"as", "o"},
	{"os", "o"}, {"eaux", "eau"}, {"aux", "al"}, {"es", "e"}, {"em", ""}, {"en", "e"}, {"chen", ""},
}

// compound returns the meanings of a compound: of its last part and, if known, of its first part. Kinderjacke is a
// jacket for a child.
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

// plainWord returns the meanings of a word or of its uninflected form.
func (d *dictionary) plainWord(word string) []sense {
	for _, form := range inflected(word) {
		if found := d.forms[form]; len(found) > 0 {
			return found
		}
	}
	return nil
}

// findSimilar returns the meanings of the most similar words, up to the allowed number of wrong letters.
func (d *dictionary) findSimilar(word string) (found []sense) {
	most := allowedErrors(word)
	if len(word) < 6 || most == 0 {
		return nil
	}
	for off := 1; off <= most && found == nil; off++ {
		for length := len(word) - off; length <= len(word)+off; length++ {
			for _, form := range d.buckets[bucket{word[0], length}] {
				if len(form) >= 5 && allowedErrors(form) > 0 && distance(word, form, off) == off {
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
