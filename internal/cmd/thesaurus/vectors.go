package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
)

// vectorSize is the number of dimensions of the vectors that are read.
const vectorSize = 100

// vectors maps English words to their vectors. rank is the position of a word by frequency, from 0.
type vectors struct {
	of   map[string][]float64
	rank map[string]int
}

// maxRank limits the words that are read to the more frequent ones.
const maxRank = 150_000

// readVectors reads a file of wink-embeddings: an object whose member "words" lists the words by frequency, and whose
// member "vectors" has an array for each word.
func readVectors(path string) (v vectors, err error) {
	file, err := os.Open(path)
	if err != nil {
		return v, err
	}
	defer func() { _ = file.Close() }()
	const buffer = 1 << 20
	in := json.NewDecoder(bufio.NewReaderSize(file, buffer))
	if _, err := in.Token(); err != nil {
		return v, err
	}
	v = vectors{of: map[string][]float64{}, rank: map[string]int{}}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return v, err
		}
		switch name {
		case "words":
			var words []string
			if err := in.Decode(&words); err != nil {
				return v, err
			}
			for n, word := range words {
				if _, known := v.rank[word]; !known {
					v.rank[word] = n
				}
			}
		case "vectors":
			return v, v.read(in)
		default:
			var ignored json.RawMessage
			if err := in.Decode(&ignored); err != nil {
				return v, err
			}
		}
	}
	return v, errors.New("the file has no vectors")
}

func (v vectors) read(in *json.Decoder) error {
	if _, err := in.Token(); err != nil {
		return err
	}
	for in.More() {
		word, err := in.Token()
		if err != nil {
			return err
		}
		var numbers []float64
		if err := in.Decode(&numbers); err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("vector of %v: %w", word, err)
		}
		name, _ := word.(string)
		if rank, known := v.rank[name]; known && rank < maxRank && len(numbers) >= vectorSize {
			v.of[name] = normalized(numbers[:vectorSize])
		}
	}
	return nil
}

// normalized returns a vector of length 1 with the same direction.
func normalized(v []float64) []float64 {
	length := 0.0
	for _, x := range v {
		length += x * x
	}
	length = math.Sqrt(length)
	one := make([]float64, len(v))
	for n, x := range v {
		if length > 0 {
			one[n] = x / length
		}
	}
	return one
}

// reduce removes the mean of vectors and keeps the dimensions in which they differ most.
func reduce(all [][]float64, dimensions int) [][]float64 {
	size := len(all[0])
	mean := make([]float64, size)
	for _, v := range all {
		for i, x := range v {
			mean[i] += x / float64(len(all))
		}
	}
	covariance := make([][]float64, size)
	for i := range covariance {
		covariance[i] = make([]float64, size)
	}
	for _, v := range all {
		for i := range size {
			for j := range size {
				covariance[i][j] += (v[i] - mean[i]) * (v[j] - mean[j]) / float64(len(all))
			}
		}
	}
	axes := principalAxes(covariance, dimensions)
	reduced := make([][]float64, len(all))
	for n, v := range all {
		reduced[n] = make([]float64, dimensions)
		for d, axis := range axes {
			for i, x := range axis {
				reduced[n][d] += x * (v[i] - mean[i])
			}
		}
		reduced[n] = normalized(reduced[n])
	}
	return reduced
}

// principalAxes returns the eigenvectors of a symmetric matrix with the largest eigenvalues, by orthogonal iteration.
func principalAxes(m [][]float64, count int) [][]float64 {
	const rounds = 200
	axes := make([][]float64, count)
	for n := range axes {
		axes[n] = make([]float64, len(m))
		axes[n][n%len(m)] = 1
		axes[n][(n*7+3)%len(m)] += 0.5 // not orthogonal to any axis by chance
	}
	for range rounds {
		for n, axis := range axes {
			next := make([]float64, len(m))
			for i, row := range m {
				for j, x := range row {
					next[i] += x * axis[j]
				}
			}
			for _, before := range axes[:n] {
				dot := 0.0
				for i := range next {
					dot += next[i] * before[i]
				}
				for i := range next {
					next[i] -= dot * before[i]
				}
			}
			axes[n] = normalized(next)
		}
	}
	return axes
}

// knows reports whether all words of a lemma are frequent enough to have a vector.
func (v vectors) knows(lemma string) bool {
	for _, word := range strings.FieldsFunc(strings.ToLower(lemma), func(r rune) bool {
		return r == ' ' || r == '-' || r == '\''
	}) {
		if v.of[word] == nil {
			return false
		}
	}
	return true
}
