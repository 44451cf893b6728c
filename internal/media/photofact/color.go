package photofact

import (
	"image"
	"math"
	"slices"

	"homeward/internal/lost"
)

// colorSide is the length in pixels of the longer side of the picture in which colours are found.
const colorSide = 192

const (
	// maxColors is the maximum number of colours of a photo.
	maxColors = 3
	// minShare is the part of the thing that a colour has at least, unless it is the main colour.
	minShare = 0.25
)

// findColors returns the names of the main colours of the thing in a photo, the most frequent one first. Things are
// usually near the centre, and most of the border shows the table or floor.
func findColors(m *image.RGBA) []lost.Color {
	r := newRaster(m)
	weights := thingWeights(r)
	share := map[lost.Color]float32{}
	var total float32
	for _, c := range findClusters(r.pixels, weights, 6, 0.45) {
		if c.weight > 0 {
			share[nameOf(c.mean)] += c.weight
			total += c.weight
		}
	}
	var found []lost.Color
	for _, name := range lost.Colors() { // in a fixed order, so that equal shares have the same result every time
		if share[name] > 0 {
			found = append(found, name)
		}
	}
	slices.SortStableFunc(found, func(a, b lost.Color) int {
		switch {
		case share[a] > share[b]:
			return -1
		case share[a] < share[b]:
			return 1
		}
		return 0
	})
	most := 1
	for most < min(maxColors, len(found)) && share[found[most]] >= minShare*total {
		most++
	}
	return found[:min(most, len(found))]
}

// raster is a picture in OKLab.
type raster struct {
	w, h   int
	pixels []lab
}

func newRaster(m *image.RGBA) raster {
	r := raster{m.Rect.Dx(), m.Rect.Dy(), make([]lab, m.Rect.Dx()*m.Rect.Dy())}
	for n := range r.pixels {
		p := m.Pix[m.PixOffset(n%r.w, n/r.w):]
		white := 255 - p[3] // behind a transparent picture
		r.pixels[n] = toLab(p[0]+white, p[1]+white, p[2]+white)
	}
	return r
}

// thingWeights returns for each pixel how much it counts as part of the thing.
func thingWeights(r raster) []float32 {
	// If the thing has the colour of the background, hardly anything differs from it. Then the centre counts, which
	// shows either of them.
	const least = 0.06
	different := r.difference(r.background())
	weights := r.centred(0.3)
	var all, sum float32
	for n, center := range weights {
		all += center
		weights[n] = center * different[n]
		sum += weights[n]
	}
	if missing := least*all - sum; missing > 0 {
		middle := r.centred(0.12)
		var of float32
		for _, w := range middle {
			of += w
		}
		for n, w := range middle {
			weights[n] += w / of * missing
		}
	}
	return weights
}

// centred returns weights that fall from 1 in the centre towards the border. width is relative to each side.
func (r raster) centred(width float64) []float32 {
	line := func(n int) []float32 {
		all := make([]float32, n)
		for i := range all {
			far := ((float64(i)+0.5)/float64(n) - 0.5) / width
			all[i] = float32(math.Exp(-far * far / 2))
		}
		return all
	}
	across, down := line(r.w), line(r.h)
	weights := make([]float32, len(r.pixels))
	for n := range weights {
		weights[n] = across[n%r.w] * down[n/r.w]
	}
	return weights
}

// background returns the colours of the border. A colour that is frequent on one side only may belong to a thing that
// leaves the picture there, and is left out.
func (r raster) background() (colors []cluster) {
	const least, onOneSide = 0.02, 0.06
	var pixels []lab
	var sides []int
	width := max(1, min(r.w, r.h)*7/100)
	for n, c := range r.pixels {
		if side := r.side(n%r.w, n/r.w, width); side >= 0 {
			pixels, sides = append(pixels, c), append(sides, side)
		}
	}
	weights := make([]float32, len(pixels))
	var lengths [4]float32
	for n, side := range sides {
		weights[n] = 1
		lengths[side]++
	}
	all := findClusters(pixels, weights, 6, 0.7)
	on := make([][4]float32, len(all)) // the part of each side that each cluster covers
	for n, c := range pixels {
		on[nearest(all, c, 0.7)][sides[n]] += 1 / lengths[sides[n]]
	}
	for k, c := range all {
		slices.Sort(on[k][:])
		if c.weight >= least*float32(len(pixels)) && (on[k][2] >= onOneSide || on[k][3] >= 0.5) {
			colors = append(colors, c)
		}
	}
	return colors
}

// side returns the number of the side that a pixel of the border belongs to, or -1.
func (r raster) side(x, y, width int) int {
	switch {
	case y < width:
		return 0
	case y >= r.h-width:
		return 1
	case x < width:
		return 2
	case x >= r.w-width:
		return 3
	}
	return -1
}

// difference returns for each pixel how much its surroundings differ from the background, from 0 to 1.
func (r raster) difference(background []cluster) []float32 {
	const tolerance = 8
	out := make([]float32, len(r.pixels))
	for n, c := range r.pixels {
		least := float32(math.Inf(1))
		for _, b := range background {
			least = min(least, b.distance(c))
		}
		out[n] = 1 - float32(math.Exp(-float64(least)/tolerance))
	}
	const radius = 2
	return averaged(averaged(out, r.h, r.w, r.w, 1, radius), r.w, r.h, 1, r.w, radius)
}

// averaged returns the mean of the neighbours of each value along lines.
func averaged(from []float32, lines, length, across, step, radius int) []float32 {
	to := make([]float32, len(from))
	for line := range lines {
		for n := range length {
			first, last := max(0, n-radius), min(length-1, n+radius)
			var sum float32
			for k := first; k <= last; k++ {
				sum += from[line*across+k*step]
			}
			to[line*across+n*step] = sum / float32(last+1-first)
		}
	}
	return to
}
