package media

import (
	"errors"
	"slices"
)

// budget is the most memory, in bytes, that the work on one picture may take. The
// whole service must stay under 150 MB, about 40 of which are its own, and works
// on one picture at a time.
const budget = 100_000_000

// errHeavy marks a picture that is in order but would exceed the budget.
var errHeavy = errors.New("decoding takes too much memory")

// heavy tells whether to decode the picture and to make it small exceeds the budget.
func (f facts) heavy() bool {
	columns, lines := boxes(f.width, f.height)
	band := f.width * ((f.height + lines - 1) / lines)
	return f.memory+4*int64(columns*lines+band) > budget
}

// heavyToTurn tells whether to decode the picture and to turn it exceeds the budget.
func (f facts) heavyToTurn() bool {
	pixels := int64(f.width) * int64(f.height)
	// A bit a pixel tells who has moved; the PNG encoder holds six lines.
	work := pixels/8 + 6*4*int64(max(f.width, f.height))
	if f.copied {
		work += 4 * pixels
	}
	return f.memory+work > budget
}

// memory follows image/jpeg: there are planes of whole blocks; a progressive
// picture keeps all its coefficients, of four bytes, beside them; and colours
// other than YCbCr are copied in the end, to four bytes a pixel.
func (j *jpegWalk) memory() int64 {
	h, v := jpegSampling(j.parts)
	across, down := (j.facts.width+8*h-1)/(8*h), (j.facts.height+8*v-1)/(8*v)
	var planes int64
	for part := range slices.Chunk(j.parts, 3) {
		h, v := jpegSampling(part)
		planes += 64 * int64(across*down) * int64(h*v)
	}
	if len(j.parts) == 3 {
		// Of one component the factors mean nothing.
		planes = 64 * int64((j.facts.width+7)/8) * int64((j.facts.height+7)/8)
	}
	n := planes
	if j.progressive {
		n += 4 * planes
	}
	if len(j.parts) == 4*3 || j.rgb() {
		n += 4 * int64(j.facts.width) * int64(j.facts.height)
	}
	return n
}

// jpegSampling gives the sampling factors of the first component in parts. That
// none is 0 has not been checked by anybody.
func jpegSampling(parts []byte) (h, v int) {
	return max(1, int(parts[1]>>4)), max(1, int(parts[1]&15))
}

// rgb tells whether the three components are red, green and blue.
func (j *jpegWalk) rgb() bool {
	if len(j.parts) != 3*3 || j.isJFIF {
		return false
	}
	return j.plain || j.parts[0] == 'R' && j.parts[3] == 'G' && j.parts[6] == 'B'
}

// memory follows image/png: it widens most pixels to four or eight bytes, holds two
// lines as they are stored, and of an interlaced picture also its parts.
func (p *pngWalk) memory() int64 {
	const grey, palette = 0, 3
	pixel := int64(4)
	switch {
	case p.kind == palette, p.kind == grey && p.depth <= 8 && !p.clear:
		pixel = 1
	case p.kind == grey && !p.clear:
		pixel = 2
	case p.depth > 8:
		pixel = 8
	}
	n := pixel * int64(p.facts.width) * int64(p.facts.height)
	if p.interlaced {
		n *= 2
	}
	return n + 2*8*int64(p.facts.width)
}

// gifMemory follows image/gif: a byte a pixel, twice to bring the lines of an
// interlaced picture into order.
func gifMemory(width, height int, interlaced bool) int64 {
	n := int64(width) * int64(height)
	if interlaced {
		n *= 2
	}
	return n
}

// webpMemory follows x/image/webp for a picture whose chunk has n bytes. Without
// loss, four bytes a pixel and two more while a palette is applied, and one for
// transformations and codes; with loss, planes of whole blocks and the chunk
// itself. Transparency beside these is coded as a picture without loss.
func webpMemory(name string, width, height int, n int64, alpha bool) int64 {
	pixels := int64(width) * int64(height)
	lossless := 7 * pixels
	memory := lossless
	if name == "VP8 " {
		memory = 3*128*int64((width+15)/16)*int64((height+15)/16) + n
	}
	if alpha {
		memory += lossless + pixels
	}
	return memory
}
