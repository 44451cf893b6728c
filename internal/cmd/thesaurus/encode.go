package main

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// dimensions is the number of dimensions of the vectors in the file.
const dimensions = 32

// embed computes the vector of each meaning: of its English words, and less so of its definition.
func (n *network) embed(english vectors) {
	raw := make([][]float64, len(n.chosen))
	for i, s := range n.chosen {
		raw[i] = s.vectorOf(english)
	}
	for i, v := range reduce(raw, dimensions) {
		n.chosen[i].vector = make([]int8, dimensions)
		for d, x := range v {
			const scale = 127
			n.chosen[i].vector[d] = int8(math.Round(scale * max(-1, min(1, x))))
		}
	}
}

func (s *synset) vectorOf(english vectors) []float64 {
	sum := make([]float64, vectorSize)
	add := func(text string, weight float64, frequent int) {
		part, count := make([]float64, vectorSize), 0.0
		for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }) {
			v := english.of[word]
			if v == nil || english.rank[word] < frequent {
				continue
			}
			for i, x := range v {
				part[i] += x
			}
			count++
		}
		if count == 0 {
			return
		}
		for i, x := range normalized(part) {
			sum[i] += weight * x
		}
	}
	for n, lemma := range s.english {
		add(lemma, 1/float64(1+n), 0)
	}
	const ofDefinition, tooFrequent = 0.5, 300
	definition, _, _ := strings.Cut(s.gloss, ";")
	add(definition, ofDefinition, tooFrequent)
	return normalized(sum)
}

// entry is a word of a language and its meanings, the most frequent first.
type entry struct {
	word   string
	senses []int
}

// maxSenses is the maximum number of meanings of a word.
const maxSenses = 4

// entries returns the words of a language.
func (n *network) entries(language int, english vectors) (all []entry) {
	type ranked struct{ number, rank int }
	senses := map[string][]ranked{}
	for _, s := range n.chosen {
		if _, wanted := fieldRanks[s.field]; !wanted {
			continue
		}
		words := s.words[language]
		if language == 0 {
			words = s.english
		}
		seen := map[string]bool{}
		for position, word := range words {
			k := key(word)
			if k == "" || seen[k] || !s.allows(word) || language == 0 && !english.knows(word) {
				continue
			}
			seen[k] = true
			rank := 10 * s.sense[strings.ToLower(word)]
			if language > 0 { // the rank of the best English word of the meaning
				rank = math.MaxInt
				for at, lemma := range s.english {
					rank = min(rank, 10*s.sense[strings.ToLower(lemma)]+at)
				}
			}
			if s.field == 6 { // most things that people lose are artifacts
				rank -= 15
			}
			senses[k] = append(senses[k], ranked{s.number, rank + position/2})
		}
	}
	for word, meanings := range senses {
		slices.SortFunc(meanings, func(a, b ranked) int {
			return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.number, b.number))
		})
		e := entry{word: word}
		for _, m := range meanings[:min(len(meanings), maxSenses)] {
			e.senses = append(e.senses, m.number)
		}
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Compare(a.word, b.word) })
	return all
}

// encode returns the file, and the number of words of each language. thesaurus.go in lost/match describes the format.
func (n *network) encode(english vectors) (file []byte, words [len(languageNames)]int) {
	var out []byte
	out = binary.AppendUvarint(out, uint64(len(n.chosen)))
	out = binary.AppendUvarint(out, dimensions)
	for _, s := range n.chosen {
		parent := 0
		if p := n.all[s.parent]; p != nil {
			parent = p.number
		}
		out = binary.AppendUvarint(out, uint64(parent))
		out = append(out, byte(s.field))
	}
	for d := range dimensions {
		for _, s := range n.chosen {
			out = append(out, byte(s.vector[d]))
		}
	}
	for language := range languageNames {
		all := n.entries(language, english)
		words[language] = len(all)
		out = binary.AppendUvarint(out, uint64(len(all)))
		before := ""
		for _, e := range all {
			same := 0
			for same < len(before) && same < len(e.word) && before[same] == e.word[same] {
				same++
			}
			out = append(out, byte(same), byte(len(e.word)-same))
			out = append(out, e.word[same:]...)
			out = append(out, byte(len(e.senses)))
			for _, s := range e.senses {
				out = binary.AppendUvarint(out, uint64(s))
			}
			before = e.word
		}
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		panic(err) // cannot happen: the level is valid
	}
	_, _ = w.Write(out)
	_ = w.Close()
	return packed.Bytes(), words
}
