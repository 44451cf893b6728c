package match

import (
	"bytes"
	"cmp"
	"compress/flate"
	_ "embed" // the thesaurus
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
)

// thesaurusFile is built by internal/cmd/thesaurus. It is compressed, and contains: the number of meanings and of the
// dimensions of vectors; for each meaning its broader meaning (0 if it has none) and its field; for each dimension the
// numbers of all meanings; and for each language its words, sorted, with the number of first letters that a word
// shares with the word before it, the rest of its letters, and its meanings.
//
//go:embed thesaurus/thesaurus.bin
var thesaurusFile []byte

// thesaurus tells how similar the meanings of words are. It knows many more words than the dictionary, but less about
// each of them.
type thesaurus struct {
	broader    []uint32 // for each meaning; 0 for none
	depth      []uint8  // number of broader meanings above a meaning
	fields     []uint8
	vectors    []int8 // of all meanings, one after the other
	dimensions int
	languages  [len(dictionaryLanguages)]wordList
}

// wordList is the sorted list of a language's words.
type wordList struct {
	letters  string   // of all words
	ends     []uint32 // where each word ends in letters
	meanings []uint32 // of all words
	lasts    []uint32 // where the meanings of each word end
}

// theThesaurus is loaded on first use, because most commands do not need it.
//
//nolint:gochecknoglobals // read once from an embedded file, never changed
var theThesaurus = sync.OnceValue(func() *thesaurus {
	t, err := readThesaurus(thesaurusFile)
	if err != nil {
		panic(fmt.Errorf("thesaurus: %w", err)) // cannot happen: the file is embedded
	}
	return t
})

func readThesaurus(file []byte) (*thesaurus, error) {
	const most = 32 << 20
	data, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(file)), most))
	if err != nil {
		return nil, err
	}
	in := &byteReader{data: data}
	count := in.number() + 1
	t := &thesaurus{dimensions: in.number()}
	if in.failed || count > len(data) || t.dimensions == 0 || count*t.dimensions > len(data) {
		return nil, errors.New("the header is invalid")
	}
	t.broader, t.fields, t.depth = make([]uint32, count), make([]uint8, count), make([]uint8, count)
	for n := 1; n < count; n++ {
		t.broader[n] = uint32(in.number())
		t.fields[n] = in.byte()
	}
	t.vectors = make([]int8, count*t.dimensions)
	for d := range t.dimensions {
		for n := 1; n < count; n++ {
			t.vectors[n*t.dimensions+d] = int8(in.byte())
		}
	}
	for n := range t.languages {
		t.languages[n] = in.words(uint32(count))
	}
	if in.failed || slices.ContainsFunc(t.broader, func(b uint32) bool { return int(b) >= count }) {
		return nil, errors.New("the file is incomplete")
	}
	for n := range t.depth {
		t.depth[n] = uint8(len(t.above(uint32(n))))
	}
	return t, nil
}

// byteReader reads the parts of a file. It returns zeros after its end.
type byteReader struct {
	data   []byte
	failed bool
}

func (r *byteReader) number() int {
	n, size := binary.Uvarint(r.data)
	if size <= 0 || n > math.MaxInt32 {
		r.failed = true
		return 0
	}
	r.data = r.data[size:]
	return int(n)
}

func (r *byteReader) byte() byte {
	if len(r.data) == 0 {
		r.failed = true
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b
}

func (r *byteReader) words(limit uint32) (l wordList) {
	var letters []byte
	begin := 0
	for range r.number() {
		same, rest := int(r.byte()), int(r.byte())
		before := letters[begin:]
		if same > len(before) || rest > len(r.data) {
			r.failed = true
			return l
		}
		begin = len(letters)
		letters = append(letters, before[:same]...)
		letters = append(letters, r.data[:rest]...)
		r.data = r.data[rest:]
		for range r.byte() {
			if meaning := uint32(r.number()); meaning < limit {
				l.meanings = append(l.meanings, meaning)
			}
		}
		l.ends, l.lasts = append(l.ends, uint32(len(letters))), append(l.lasts, uint32(len(l.meanings)))
	}
	l.letters = string(letters)
	l.meanings = slices.Clip(l.meanings)
	return l
}

// size returns the number of words of a language.
func (l wordList) size() int { return len(l.ends) }

func (l wordList) at(n int) string {
	begin := uint32(0)
	if n > 0 {
		begin = l.ends[n-1]
	}
	return l.letters[begin:l.ends[n]]
}

// find returns the meanings of a word, the most frequent first.
func (l wordList) find(word string) []uint32 {
	low, high := 0, l.size()
	for low < high {
		middle := int(uint(low+high) >> 1)
		switch found := strings.Compare(l.at(middle), word); {
		case found == 0:
			begin := uint32(0)
			if middle > 0 {
				begin = l.lasts[middle-1]
			}
			return l.meanings[begin:l.lasts[middle]]
		case found < 0:
			low = middle + 1
		default:
			high = middle
		}
	}
	return nil
}

// meant is a possible meaning of a word.
type meant struct {
	meaning uint32
	rank    uint8 // 0 for the most frequent meaning in its language
}

// mergeSenses returns the meanings of two words, the most frequent first.
func mergeSenses(a, b []meant) []meant {
	all := slices.Clip(a)
	for _, m := range b {
		at := slices.IndexFunc(all, func(k meant) bool { return k.meaning == m.meaning })
		switch {
		case at < 0:
			all = append(all, m)
		case m.rank < all[at].rank:
			all = slices.Clone(all)
			all[at] = m
		}
	}
	slices.SortFunc(all, func(x, y meant) int {
		return cmp.Or(cmp.Compare(x.rank, y.rank), cmp.Compare(x.meaning, y.meaning))
	})
	return all[:min(len(all), maxSenses)]
}

// maxSenses is the maximum number of meanings of a word that are compared.
const maxSenses = 12

// senses returns the meanings of a folded word or term in all languages: of the word itself, of its singular, or of
// the last part of a German compound.
func (t *thesaurus) senses(word string) []meant {
	const shortest, longest = 3, 40
	if len(word) < shortest || len(word) > longest {
		return nil
	}
	for _, form := range inflected(word) {
		if found := t.sensesOf(form, anyLanguage); len(found) > 0 {
			return found
		}
	}
	const part = 4 // letters of the shortest part of a compound
	if strings.Contains(word, " ") {
		return nil
	}
	for cut := part; cut+part <= len(word); cut++ {
		if found := t.sensesOf(word[cut:], german); len(found) > 0 {
			return found
		}
	}
	return nil
}

// sensesOf returns the meanings of a word in some languages, the most frequent first.
func (t *thesaurus) sensesOf(word string, in languages) (found []meant) {
	for n, l := range t.languages {
		if in&(1<<n) == 0 {
			continue
		}
		var one []meant
		for rank, meaning := range l.find(word) {
			one = append(one, meant{meaning, uint8(rank)})
		}
		if len(one) > 0 {
			found = mergeSenses(found, one)
		}
	}
	return found
}

// above returns the broader meanings of a meaning, the nearest first.
func (t *thesaurus) above(meaning uint32) (all []uint32) {
	const most = 20 // a wrong file might have a cycle
	for at := t.broader[meaning]; at != 0 && len(all) < most; at = t.broader[at] {
		all = append(all, at)
	}
	return all
}

// related returns how similar two words are, from 0 to 1, given their meanings. It is 1 for a common meaning.
func (t *thesaurus) related(a, b []meant) (most float64) {
	for _, x := range a {
		for _, y := range b {
			likely := senseLikelihoods[min(int(x.rank), len(senseLikelihoods)-1)] *
				senseLikelihoods[min(int(y.rank), len(senseLikelihoods)-1)]
			if likely <= most {
				break
			}
			most = max(most, likely*min(1, max(t.inTree(x.meaning, y.meaning), t.byUse(x.meaning, y.meaning))))
		}
	}
	return most
}

// senseLikelihoods tells how much the first, second, … meaning of a word counts.
var senseLikelihoods = [...]float64{1, 0.9, 0.8, 0.7}

// inTree returns how similar two meanings are by their places among broader meanings.
func (t *thesaurus) inTree(a, b uint32) float64 {
	if a == b {
		return 1
	}
	const most = 4 // steps
	for i, x := 0, a; x != 0 && i <= most; i, x = i+1, t.broader[x] {
		for j, y := 0, b; y != 0 && i+j <= most; j, y = j+1, t.broader[y] {
			if x != y {
				continue
			}
			if t.depth[x] < specificDepth {
				return 0
			}
			if i == 0 || j == 0 { // one is broader than the other
				return nearnessInLine[i+j]
			}
			return nearnessAside[i+j]
		}
	}
	return 0
}

// specificDepth is the depth from which a meaning says much about a thing.
const specificDepth = 5

// isThing reports whether a meaning is an artifact.
func (t *thesaurus) isThing(meaning uint32) bool {
	const artifact = 6 // number of the lexicographer file of WordNet
	return t.fields[meaning] == artifact
}

// isBeing reports whether a meaning is an animal or a plant.
func (t *thesaurus) isBeing(meaning uint32) bool {
	const animal, plant = 5, 20
	return t.fields[meaning] == animal || t.fields[meaning] == plant
}

// How similar two meanings are if one is broader than the other, or if they have a broader meaning in common, by the
// number of steps between them.
var (
	nearnessInLine = [...]float64{1, 0.85, 0.7, 0.5, 0.35}
	nearnessAside  = [...]float64{1, 1, 0.5, 0.35, 0.2}
)

// byUse returns how similar two meanings are by the texts in which their words occur.
func (t *thesaurus) byUse(a, b uint32) float64 {
	x, y := t.vectors[int(a)*t.dimensions:][:t.dimensions], t.vectors[int(b)*t.dimensions:][:t.dimensions]
	sum := 0
	for i := range x {
		sum += int(x[i]) * int(y[i])
	}
	const (
		whole = 127 * 127
		from  = 0.45 // words that are less similar have little in common
		least = from * whole
	)
	return max(0, (float64(sum)-least)/(whole-least))
}
