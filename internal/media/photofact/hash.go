package photofact

import (
	"image"
	"math"
	"slices"

	"homeward/internal/lost"
)

const (
	hashSide = 32 // the side of the picture from which the hash is made
	hashBits = 8  // the number of frequencies in each direction
)

// hashOf returns a hash that is nearly the same for copies of a photo in other sizes and qualities: whether each of the
// lowest frequencies of the brightness is above their median. It returns 0 for a picture in which too little can be
// seen to recognise it.
func hashOf(m *image.RGBA) lost.PhotoHash {
	square := squared(newGrey(m))
	var low [hashBits * hashBits]float64
	var energy float64
	for n := range low {
		u, v := n%hashBits+1, n/hashBits+1 // without the mean, and without gradients of light along one side
		for y := range hashSide {
			for x := range hashSide {
				low[n] += square[y*hashSide+x] * waves[u*hashSide+x] * waves[v*hashSide+y]
			}
		}
		energy += low[n] * low[n]
	}
	const least = 2e4 // a blank sheet in uneven light has less
	if energy < least*hashSide {
		return 0
	}
	sorted := slices.Clone(low[:])
	slices.Sort(sorted)
	median := (sorted[len(sorted)/2-1] + sorted[len(sorted)/2]) / 2
	var hash lost.PhotoHash
	for n, v := range low {
		if v > median {
			hash |= 1 << n
		}
	}
	return hash
}

// waves contains the cosine of each frequency at each pixel.
var waves = func() (table [(hashBits + 1) * hashSide]float64) {
	for n := range table {
		frequency, x := float64(n/hashSide), float64(n%hashSide)
		table[n] = math.Cos(math.Pi * frequency * (x + 0.5) / hashSide)
	}
	return table
}()

// squared reduces a picture to a square. Each pixel is the mean of the area that it covers.
func squared(g grey) []float64 {
	square := make([]float64, hashSide*hashSide)
	if g.w == 0 || g.h == 0 {
		return square
	}
	for n := range square {
		x, y := n%hashSide, n/hashSide
		left, top := x*g.w/hashSide, y*g.h/hashSide
		right, bottom := max(left+1, (x+1)*g.w/hashSide), max(top+1, (y+1)*g.h/hashSide)
		sum := 0
		for line := top; line < bottom; line++ {
			for _, v := range g.pix[line*g.w+left : line*g.w+right] {
				sum += int(v)
			}
		}
		square[n] = float64(sum) / float64((right-left)*(bottom-top))
	}
	return square
}
