package category

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"homeward/internal/lost"
	"homeward/internal/lost/match"
)

// languages is a set of languages.
type languages uint16

// codes lists the languages in the order of their bits.
var codes = [...]string{"en", "de", "fr", "es", "it", "nl", "pt", "pl", "ja", "zh"}

// The languages in which the last noun of a phrase is its head: iPhone Hülle is a case. In the others it is the first.
const (
	english      languages = 1 << 0
	german       languages = 1 << 1
	dutch        languages = 1 << 5
	japanese     languages = 1 << 8
	chinese      languages = 1 << 9
	headLast               = english | german | dutch | japanese | chinese
	compounds              = german | dutch
	allLanguages languages = 1<<len(codes) - 1
)

// role is what a term does in a description.
type role uint8

const (
	plain     role = iota // it says nothing about the category, such as a colour
	noun                  // it names the thing
	holder                // it holds another thing: case
	product               // it names the thing, unless a noun does
	brand                 // it is a maker with a usual kind of thing
	with                  // what follows is in or on the thing
	relation              // what follows is where the thing is, or what it is for
	of                    // what follows may be what a container contains
	container             // a quantity or package: pair, bottle
)

// sense is a meaning of a term.
type sense struct {
	category lost.Category
	role     role
	weak     bool // too vague to decide against another term
	contains bool // it is also a container
	in       languages
}

// vocabulary contains the meanings of terms: folded words, separated by spaces.
type vocabulary struct {
	terms   map[string][]sense
	lengths map[string]int      // number of words of the longest term that begins with a word
	runes   map[rune]int        // number of characters of the longest term of a script without spaces, by its first one
	similar map[bucket][]string // words that may be misspelled, by first letter and length
}

type bucket struct {
	first  byte
	length int
}

//go:embed kinds.txt words/*.txt
var files embed.FS

// loaded is the vocabulary. It is loaded on first use, because most commands do not need it.
//
//nolint:gochecknoglobals // read once from embedded files, never changed
var loaded = sync.OnceValue(func() *vocabulary {
	v := &vocabulary{
		terms: map[string][]sense{}, lengths: map[string]int{}, runes: map[rune]int{}, similar: map[bucket][]string{},
	}
	v.addFile("words/products.txt", product, allLanguages)
	for n, code := range codes {
		v.addFile("words/"+code+".txt", noun, 1<<n)
	}
	v.addDictionary()
	v.addFile("words/brands.txt", brand, allLanguages)
	return v
})

// roles maps the names of sections to their roles.
var roles = map[string]role{
	"@none": plain, "@case": holder, "@with": with, "@for": relation, "@of": of, "@container": container,
}

// addFile adds the terms of an embedded file.
func (v *vocabulary) addFile(name string, usual role, in languages) {
	for _, e := range readEntries(name) {
		s := sense{role: usual, in: in}
		if section, ok := roles[e.key]; ok {
			s.role = section
		} else {
			s.category = checked(name, e.key)
		}
		for _, term := range e.values {
			one := s
			term, one.weak = strings.CutPrefix(term, "?")
			v.add(term, one)
		}
	}
}

// addDictionary adds the terms of the dictionary of package match.
func (v *vocabulary) addDictionary() {
	kinds := map[string]sense{}
	for _, e := range readEntries("kinds.txt") {
		for _, kind := range strings.Fields(strings.Join(e.values, " ")) {
			kind, weak := strings.CutPrefix(kind, "?")
			kinds[kind] = sense{category: checked("kinds.txt", e.key), role: noun, weak: weak}
		}
	}
	for term := range match.Terms() {
		s, known := kinds[term.Concept]
		switch {
		case known && term.Class == match.Product:
			s.role = product
		case !known && (term.Class == match.Product || term.Class == match.Brand):
			continue
		}
		s.in = allLanguages
		if n := slices.Index(codes[:], term.Language); n >= 0 {
			s.in = 1 << n
		}
		v.add(term.Text, s)
	}
}

// add adds a meaning of a term. A meaning in a language that the term has already counts for the other languages only,
// so that the files of this package have priority over the dictionary.
func (v *vocabulary) add(term string, s sense) {
	var t text
	t.read(term)
	if len(t.words) == 0 {
		return
	}
	key := string(t.folded)
	for n := range v.terms[key] {
		old := &v.terms[key][n]
		if old.in&s.in == 0 {
			continue
		}
		if s.role == container && old.role == noun || s.role == noun && old.role == container {
			old.contains = true
			if s.role == noun {
				old.role, old.category = noun, s.category
			}
		}
		if s.in &^= old.in; s.in == 0 {
			return
		}
	}
	s.contains = s.contains || s.role == container
	v.index(key, t)
	v.terms[key] = append(v.terms[key], s)
	if s.in&german != 0 && strings.ContainsAny(term, "äöüÄÖÜ") {
		v.add(umlauts.Replace(term), s)
	}
}

var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue")

// index makes a new term findable.
func (v *vocabulary) index(key string, t text) {
	if len(v.terms[key]) > 0 {
		return
	}
	first := t.at(0, 1)
	v.lengths[string(first)] = max(v.lengths[string(first)], len(t.words))
	if t.words[0].unspaced {
		r, _ := utf8.DecodeRuneInString(key)
		v.runes[r] = max(v.runes[r], utf8.RuneCountInString(key))
		return
	}
	if len(t.words) == 1 && allowedErrors(key) > 0 {
		b := bucket{key[0], len(key)}
		v.similar[b] = append(v.similar[b], key)
	}
}

// entry is a line of a file: a key and its comma-separated values.
type entry struct {
	key    string
	values []string
}

func readEntries(name string) (all []entry) {
	data, err := files.ReadFile(name)
	if err != nil {
		panic(err) // cannot happen: the files are embedded
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, values, ok := strings.Cut(line, "=")
		if !ok {
			panic(fmt.Errorf("%s: not an entry: %s", name, line))
		}
		e := entry{key: strings.TrimSpace(key)}
		for value := range strings.SplitSeq(values, ",") {
			if value = strings.TrimSpace(value); value != "" {
				e.values = append(e.values, value)
			}
		}
		all = append(all, e)
	}
	return all
}

// checked returns a category that a file names.
func checked(file, name string) lost.Category {
	if !slices.Contains(lost.Categories(), lost.Category(name)) {
		panic(fmt.Errorf("%s: no category %q", file, name))
	}
	return lost.Category(name)
}
