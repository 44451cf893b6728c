package match

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"
)

// Vector is the meaning of a text. The product of two vectors is about 0 for texts that have nothing in common, and
// about 1 for texts that say the same in other words.
type Vector struct {
	scale  float64
	values []int8
}

// NewVector returns the vector with these coordinates, rounded so that each takes one byte.
func NewVector(coordinates []float64) Vector {
	largest := 0.0
	for _, x := range coordinates {
		largest = max(largest, math.Abs(x))
	}
	v := Vector{values: make([]int8, len(coordinates))}
	if largest == 0 {
		return v
	}
	v.scale = float64(float32(largest / math.MaxInt8))
	for n, x := range coordinates {
		v.values[n] = int8(math.Round(max(-math.MaxInt8, min(math.MaxInt8, x/v.scale))))
	}
	return v
}

// scaleBytes is the length of the scale in a text.
const scaleBytes = 4

// String returns the vector as a compact text, which ParseVector reads.
func (v Vector) String() string {
	b := make([]byte, scaleBytes, scaleBytes+len(v.values))
	binary.LittleEndian.PutUint32(b, math.Float32bits(float32(v.scale)))
	for _, x := range v.values {
		b = append(b, byte(x))
	}
	return base64.RawStdEncoding.EncodeToString(b)
}

// ParseVector reads a text that String has returned. It reports whether the text is valid.
func ParseVector(text string) (v Vector, ok bool) {
	b, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || len(b) <= scaleBytes {
		return v, false
	}
	v.scale = float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	if math.IsNaN(v.scale) || math.IsInf(v.scale, 0) {
		return Vector{}, false
	}
	v.values = make([]int8, len(b)-scaleBytes)
	for n, x := range b[scaleBytes:] {
		v.values[n] = int8(x)
	}
	return v, true
}

// product returns the product of two vectors, or 0 if they have different lengths.
func (v Vector) product(o Vector) float64 {
	if len(v.values) != len(o.values) {
		return 0
	}
	sum := 0
	for n, x := range v.values {
		sum += int(x) * int(o.values[n])
	}
	return float64(sum) * v.scale * o.scale
}

// The products of vectors between which similarity becomes evidence. Texts about two things of the same kind reach
// about a half.
const (
	unrelatedProduct = 0.3
	alikeProduct     = 0.9
)

// meaningWeight is the weight of texts that mean the same, in log odds. It was not fitted, because it depends on the
// model. It is less than that of a different brand or model, so that a model alone cannot outweigh a contradiction.
const meaningWeight = 1.5

// compareMeanings returns how similar the meanings of the texts of a request and a found item are, from 0 to 1. Each
// may have several, of which the two that are most alike count. It is 0 if they are not known.
func compareMeanings(request, found Profile) float64 {
	best := 0.0
	for _, mine := range request.meanings {
		for _, theirs := range found.meanings {
			best = max(best, mine.product(theirs))
		}
	}
	return max(0, min(1, (best-unrelatedProduct)/(alikeProduct-unrelatedProduct)))
}

// withMeaning returns the weights with that of similar meanings. Value adds it before it caps the value of pairs that
// have only common properties in common, so that a model alone makes none of them likely. Different meanings say
// nothing: people describe different sides of a thing.
func (w Weights) withMeaning() Weights {
	w.Of[similarMeaning] = meaningWeight
	return w
}

// withMeaning returns the reasons and similar meanings as one more, after the strongest one, if e has them.
func withMeaning(all []Reason, e Evidence) []Reason {
	if e[similarMeaning] == 0 {
		return all
	}
	return slices.Insert(all, min(1, len(all)), Reason{Code: "similar-meaning", Text: "similar meaning"})
}
