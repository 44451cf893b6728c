package media

import (
	"image"

	"golang.org/x/image/draw"
)

// minAveraged is the minimum length in pixels of the longer side after averaging. With fewer pixels, a QR code could
// not be read.
const minAveraged = ThumbSide * 3 / 2

// scale reduces a picture with a high-quality filter.
func scale(mean *image.RGBA, size image.Point) *image.RGBA {
	if mean.Rect.Size() == size {
		return mean
	}
	small := image.NewRGBA(image.Rectangle{Max: size})
	draw.CatmullRom.Scale(small, small.Rect, mean, mean.Rect, draw.Src, nil)
	return small
}

// boxes returns the number of columns and lines of boxes; average turns each box into one pixel.
func boxes(w, h int) (columns, lines int) {
	k := max(1, max(w, h)/minAveraged)
	return max(1, w/k), max(1, h/k)
}

// average turns each box of about k × k pixels into one pixel. If k does not divide a side evenly, some boxes are one
// pixel wider; a smaller last box would shift the picture.
func average(d decoded) *image.RGBA {
	w, h := d.canvas.Dx(), d.canvas.Dy()
	mean := image.NewRGBA(image.Rectangle{Max: image.Pt(boxes(w, h))})
	columns, lines := edges(w, mean.Rect.Dx()), edges(h, mean.Rect.Dy())
	band := image.NewRGBA(image.Rect(0, 0, w, (h+mean.Rect.Dy()-1)/mean.Rect.Dy())) // the lines in one row of boxes
	sums := make([]uint32, mean.Stride)
	for y := range mean.Rect.Dy() {
		n := lines[y+1] - lines[y]
		clear(band.Pix) // the picture may cover only part of its canvas
		draw.Draw(band, image.Rect(0, 0, w, n), d.image, d.canvas.Min.Add(image.Pt(0, lines[y])), draw.Src)
		clear(sums)
		for line := range n {
			addLine(sums, band.Pix[line*band.Stride:], columns)
		}
		meanLine(mean.Pix[y*mean.Stride:], sums, columns, n)
	}
	return mean
}

// edges divides a side evenly into boxes and returns their edges.
func edges(pixels, boxes int) []int {
	at := make([]int, boxes+1)
	for i := range at {
		at[i] = i * pixels / boxes
	}
	return at
}

// addLine adds each pixel in a line to the sum of its box.
func addLine(sums []uint32, line []byte, columns []int) {
	for i := range len(columns) - 1 {
		var r, g, b, a uint32
		for box := line[4*columns[i] : 4*columns[i+1]]; len(box) >= 4; box = box[4:] {
			r += uint32(box[0])
			g += uint32(box[1])
			b += uint32(box[2])
			a += uint32(box[3])
		}
		s := sums[4*i : 4*i+4]
		s[0] += r
		s[1] += g
		s[2] += b
		s[3] += a
	}
}

// meanLine divides each box's sum by the number of its pixels.
func meanLine(line []byte, sums []uint32, columns []int, lines int) {
	for i, sum := range sums {
		n := uint32((columns[i/4+1] - columns[i/4]) * lines)
		line[i] = byte((sum + n/2) / n)
	}
}
