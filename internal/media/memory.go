package media

import (
	"errors"
	"slices"
)

// budget is the maximum memory that processing pictures may use, in bytes: for one picture, and for all pictures that
// are processed at once. The whole service must stay below 150 MB and needs about 40 MB for everything else.
const budget = 100_000_000

// errTooHeavy is returned for a valid picture that would exceed the budget.
var errTooHeavy = errors.New("decoding needs too much memory")

// exceedsBudget reports whether decoding the picture and making its thumbnail would exceed the budget.
func (f pictureInfo) exceedsBudget() bool { return f.thumbnailMemory() > budget }

// thumbnailMemory estimates how many bytes decoding the picture and making its thumbnail needs.
func (f pictureInfo) thumbnailMemory() int64 {
	columns, lines := boxes(f.width, f.height)
	band := f.width * ((f.height + lines - 1) / lines)
	return f.memory + 4*int64(columns*lines+band)
}

// scaledBlock returns the number of pixels on each side that are decoded from each block of 8 × 8 pixels, so that the
// picture's longer side has at least the given length. It is 8 if the picture cannot be decoded at a reduced size.
func (f pictureInfo) scaledBlock(side int) int {
	for _, block := range []int{1, 2, 4} {
		if f.scalable && max(f.width, f.height)*block/jpegBlock >= side {
			return block
		}
	}
	return jpegBlock
}

// scaledMemory estimates how many bytes decoding the picture at a reduced size and making its thumbnails needs.
func (f pictureInfo) scaledMemory(block int) int64 {
	return f.memory*int64(block*block)/(jpegBlock*jpegBlock) + 2*4*ThumbSide*ThumbSide
}

// rotationExceedsBudget reports whether decoding and rotating the picture would exceed the budget.
func (f pictureInfo) rotationExceedsBudget() bool { return f.rotationMemory() > budget }

// rotationMemory estimates how many bytes decoding and rotating the picture needs.
func (f pictureInfo) rotationMemory() int64 {
	pixels := int64(f.width) * int64(f.height)
	// Transposing needs one bit per pixel, and the PNG encoder holds six lines.
	work := pixels/8 + 6*4*int64(max(f.width, f.height))
	if f.rotationCopies {
		work += 4 * pixels
	}
	return f.memory + work
}

// memory estimates how many bytes image/jpeg allocates: planes of whole blocks; for a progressive picture also all
// coefficients, at four bytes each; and for colours other than YCbCr a final copy with four bytes per pixel.
func (j *jpegCleaner) memory() int64 {
	h, v := jpegSampling(j.parts)
	across, down := (j.facts.width+8*h-1)/(8*h), (j.facts.height+8*v-1)/(8*v)
	var planes int64
	for part := range slices.Chunk(j.parts, 3) {
		h, v := jpegSampling(part)
		planes += 64 * int64(across*down) * int64(h*v)
	}
	if len(j.parts) == 3 {
		// The sampling factors are ignored if there is only one component.
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

// jpegSampling returns the sampling factors of the first component. It treats 0, which is invalid, as 1.
func jpegSampling(parts []byte) (h, v int) {
	return max(1, int(parts[1]>>4)), max(1, int(parts[1]&15))
}

// rgb reports whether the three components are red, green and blue.
func (j *jpegCleaner) rgb() bool {
	if len(j.parts) != 3*3 || j.isJFIF {
		return false
	}
	return j.plain || j.parts[0] == 'R' && j.parts[3] == 'G' && j.parts[6] == 'B'
}

// memory estimates how many bytes image/png allocates. It expands most pixels to four or eight bytes, holds two
// stored lines, and for an interlaced picture also holds its passes.
func (p *pngCleaner) memory() int64 {
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

// gifMemory estimates how many bytes image/gif allocates: one per pixel, or two for an interlaced picture, because
// its lines are reordered.
func gifMemory(width, height int, interlaced bool) int64 {
	n := int64(width) * int64(height)
	if interlaced {
		n *= 2
	}
	return n
}

// webpMemory estimates how many bytes x/image/webp allocates for a picture in a chunk of n bytes. A lossless picture
// needs four bytes per pixel, two more while a palette is applied, and one for transformations and codes. A lossy
// picture needs planes of whole blocks and the chunk itself; its transparency is stored as a lossless picture.
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
