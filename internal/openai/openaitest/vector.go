package openaitest

import (
	"hash/fnv"
	"math"
	"strings"
	"unicode"
)

// dimensions is the length of the vectors.
const dimensions = 256

// Vector returns the vector of a text: the sum of the vectors of its words. Related words have the same vector. Like
// those of real models, all vectors have much in common.
func (s *Server) Vector(text string) []float32 {
	sum := make([]float64, dimensions)
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	for _, word := range words {
		s.mu.Lock()
		if same, ok := s.related[word]; ok {
			word = same
		}
		s.mu.Unlock()
		addWord(sum, word)
	}
	length := 0.0
	for _, x := range sum {
		length += x * x
	}
	length = math.Sqrt(max(length, 1))
	v := make([]float32, dimensions)
	for n, x := range sum {
		const common = 0.1 // makes the similarity of unrelated texts about 0.7
		v[n] = float32(x/length + common)
	}
	return v
}

// addWord adds a pseudorandom direction that depends on the word alone.
func addWord(sum []float64, word string) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(word))
	state := h.Sum64() | 1
	for n := range sum {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		if state&1024 == 0 {
			sum[n]++
		} else {
			sum[n]--
		}
	}
}
