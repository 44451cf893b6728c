package matching

import (
	"context"
	"errors"
	"math"
	"sync"

	"homeward/internal/lost/match"
)

// measure makes the vectors of different models comparable. In most models, the vectors of all texts have much in
// common, and what counts as similar differs. So the model is asked for the vectors of texts whose similarity is known:
// their mean is subtracted, and the rest is scaled, so that texts without anything in common have a product of about 0,
// and texts that say the same of about 1.
type measure struct {
	mu    sync.Mutex
	mean  []float64
	scale float64 // 0 until the model was asked
}

// referenceTexts are pairs of descriptions of the same thing.
func referenceTexts() []string {
	return []string{
		"black umbrella with a wooden handle", "umbrella, black, wood handle",
		"silver iPhone with a cracked screen", "Apple phone, silver, screen cracked",
		"brown leather wallet with coins", "Geldbörse aus braunem Leder mit Münzen",
		"toy giraffe of a child", "plush giraffe, a toy for a child",
		"bunch of keys with a red tag", "trousseau de clés avec une étiquette rouge",
		"blue woollen scarf", "scarf of blue wool",
		"reading glasses in a case", "case with glasses for reading",
		"gold wedding ring with an engraving", "alianza de oro con grabado",
		"grey rucksack with a laptop", "backpack, grey, laptop inside",
		"white sports shoes size 42", "pair of white trainers, size 42",
		"paperback novel in German", "German novel, paperback book",
		"steel water bottle with stickers", "water bottle made of steel, stickers on it",
	}
}

// leastDifference is how much more alike two descriptions of the same thing must be, on average, than those of
// different things.
const leastDifference = 0.1

// errUnusable is the error of a model that cannot tell texts apart.
var errUnusable = errors.New("the model finds all texts equally similar; use a model for embeddings")

// calibrate asks the model for the vectors of the reference texts, unless it was asked before.
func (m *measure) calibrate(ctx context.Context, e Embedder) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.scale > 0 {
		return nil
	}
	vectors, err := embedInBatches(ctx, e, referenceTexts())
	if err != nil {
		return err
	}
	units := make([][]float64, len(vectors))
	mean := make([]float64, len(vectors[0]))
	for n, v := range vectors {
		units[n] = unit(v, nil)
		for i, x := range units[n] {
			mean[i] += x / float64(len(vectors))
		}
	}
	same, other, others := 0.0, 0.0, 0
	for n := range vectors {
		units[n] = unit(vectors[n], mean)
		for k := range n {
			p := product(units[n], units[k])
			if k == n-1 && n%2 == 1 {
				same += p
			} else {
				other += p
				others++
			}
		}
	}
	same /= float64(len(vectors) / 2)
	if same-other/float64(others) < leastDifference {
		return errUnusable
	}
	m.mean, m.scale = mean, 1/math.Sqrt(same)
	return nil
}

// vector returns the calibrated vector. The model must have been asked before. It reports false for a vector that
// cannot be compared.
func (m *measure) vector(v []float32) (match.Vector, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(v) != len(m.mean) {
		return match.Vector{}, false
	}
	u := unit(v, m.mean)
	for n := range u {
		u[n] *= m.scale
	}
	return match.NewVector(u), true
}

// unit returns the direction of a vector of which a mean was subtracted, if it is not nil.
func unit(v []float32, mean []float64) []float64 {
	out, length := make([]float64, len(v)), 0.0
	for n, x := range v {
		out[n] = float64(x)
		length += out[n] * out[n]
	}
	if mean != nil {
		first := math.Sqrt(length)
		length = 0
		for n := range out {
			out[n] = out[n]/first - mean[n]
			length += out[n] * out[n]
		}
	}
	if length = math.Sqrt(length); length > 0 {
		for n := range out {
			out[n] /= length
		}
	}
	return out
}

func product(a, b []float64) (sum float64) {
	for n, x := range a {
		sum += x * b[n]
	}
	return sum
}
