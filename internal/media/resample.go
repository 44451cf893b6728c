package media

import (
	"image"
	"image/draw"
	"runtime"
)

// bandLines is the number of lines that are converted to RGBA at a time. The whole picture would need four bytes for
// each pixel.
const bandLines = 16

// span is the part of the old pixels that one new pixel covers: from and to are covered partly, all between them
// wholly.
type span struct {
	from, to         int
	fromPart, toPart float32
	inverse          float32 // 1 / the number of covered pixels
}

// spans divides a number of old pixels evenly among new ones. There are at least as many old pixels.
func spans(before, after int) []span {
	all := make([]span, after)
	for i := range all {
		// In units of 1/after of an old pixel, which makes all edges whole numbers.
		start, end := i*before, (i+1)*before
		s := span{from: start / after, to: (end - 1) / after, inverse: float32(after) / float32(before)}
		s.fromPart = float32((s.from+1)*after-start) / float32(after)
		s.toPart = float32(end-s.to*after) / float32(after)
		if s.from == s.to {
			s.fromPart, s.toPart = float32(end-start)/float32(after), 0
		}
		all[i] = s
	}
	return all
}

// resample reduces a picture to a size. Each new pixel is the mean of the area that it covers.
func resample(d decoded, size image.Point) *image.RGBA {
	w, h := d.canvas.Dx(), d.canvas.Dy()
	small := image.NewRGBA(image.Rectangle{Max: size})
	if size == d.canvas.Size() {
		draw.Draw(small, small.Rect, d.image, d.canvas.Min, draw.Src)
		return small
	}
	in := &lineReader{
		d: d, columns: spans(w, size.X), number: -1, line: make([]float32, 4*size.X),
		band: image.NewRGBA(image.Rect(0, 0, w, min(h, max(1, bandLines*4096/max(w, 4096))))),
	}
	sums := make([]float32, 4*size.X)
	for y, s := range spans(h, size.Y) {
		runtime.Gosched() // requests do not wait for a whole picture
		clear(sums)
		for n := s.from; n <= s.to; n++ {
			part := float32(1)
			switch n {
			case s.from:
				part = s.fromPart
			case s.to:
				part = s.toPart
			}
			for i, v := range in.read(n) {
				sums[i] += part * v
			}
		}
		line := small.Pix[y*small.Stride:][:4*size.X]
		for i := range line {
			line[i] = byte(sums[i]*s.inverse + 0.5)
		}
	}
	return small
}

// lineReader returns the lines of a picture, reduced to a number of columns.
type lineReader struct {
	d       decoded
	columns []span
	band    *image.RGBA
	number  int // of the current line
	line    []float32
}

// read returns a line. Lines must be read in order, but a line may be read again.
func (l *lineReader) read(n int) []float32 {
	if n == l.number {
		return l.line
	}
	l.number = n
	lines := l.band.Rect.Dy()
	if n%lines == 0 {
		clear(l.band.Pix) // the picture may cover only part of its canvas
		draw.Draw(l.band, l.band.Rect, l.d.image, l.d.canvas.Min.Add(image.Pt(0, n)), draw.Src)
	}
	pix := l.band.Pix[n%lines*l.band.Stride:]
	for i, c := range l.columns {
		var r, g, b, a uint32
		if c.to > c.from+1 {
			for p := pix[4*(c.from+1) : 4*c.to]; len(p) >= 4; p = p[4:] {
				r += uint32(p[0])
				g += uint32(p[1])
				b += uint32(p[2])
				a += uint32(p[3])
			}
		}
		first, last := pix[4*c.from:][:4], pix[4*c.to:][:4]
		to := l.line[4*i:][:4]
		to[0] = (float32(r) + c.fromPart*float32(first[0]) + c.toPart*float32(last[0])) * c.inverse
		to[1] = (float32(g) + c.fromPart*float32(first[1]) + c.toPart*float32(last[1])) * c.inverse
		to[2] = (float32(b) + c.fromPart*float32(first[2]) + c.toPart*float32(last[2])) * c.inverse
		to[3] = (float32(a) + c.fromPart*float32(first[3]) + c.toPart*float32(last[3])) * c.inverse
	}
	return l.line
}
