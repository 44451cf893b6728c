// Package photofact finds facts in a photo of a thing: the colours of the thing, bar codes and QR codes, and a hash by
// which the same photo is recognised. It is a pure function of the pixels, uses no service and no model, and needs a
// few megabytes and a fraction of a second. All results are suggestions for people: light, shadows and packaging
// mislead it.
package photofact

import (
	"image"
	"image/draw"

	"homeward/internal/lost"
)

// MaxSide is the length in pixels of the longer side of the pictures that Find needs. It reduces larger ones.
const MaxSide = 1000

// Find returns the facts of a photo, which must be upright.
func Find(photo image.Image) lost.PhotoFacts {
	m := reduce(photo, MaxSide)
	small := reduce(m, colorSide)
	return lost.PhotoFacts{Colors: findColors(small), Codes: findCodes(m), Hash: hashOf(small)}
}

// reduce returns a copy of a picture whose longer side has at most the given length. Each pixel is the mean of the area
// that it covers. A picture that is small enough is not copied if it is an RGBA picture already.
func reduce(photo image.Image, side int) *image.RGBA {
	size := photo.Bounds().Size()
	m, is := photo.(*image.RGBA)
	if !is || m.Rect.Min != (image.Point{}) {
		m = image.NewRGBA(image.Rectangle{Max: size})
		draw.Draw(m, m.Rect, photo, photo.Bounds().Min, draw.Src)
	}
	long := max(size.X, size.Y)
	if long <= side {
		return m
	}
	reduced := image.NewRGBA(image.Rect(0, 0, max(1, size.X*side/long), max(1, size.Y*side/long)))
	to := reduced.Rect.Size()
	for y := range to.Y {
		for x := range to.X {
			area := image.Rect(x*size.X/to.X, y*size.Y/to.Y, (x+1)*size.X/to.X, (y+1)*size.Y/to.Y)
			copy(reduced.Pix[reduced.PixOffset(x, y):], mean(m, area))
		}
	}
	return reduced
}

// mean returns the mean of the pixels of an area.
func mean(m *image.RGBA, area image.Rectangle) []byte {
	var sum [4]uint32
	for y := area.Min.Y; y < area.Max.Y; y++ {
		line := m.Pix[m.PixOffset(area.Min.X, y):m.PixOffset(area.Max.X, y)]
		for ; len(line) >= 4; line = line[4:] {
			for k := range sum {
				sum[k] += uint32(line[k])
			}
		}
	}
	n := uint32(area.Dx() * area.Dy())
	var c [4]byte
	for k := range sum {
		c[k] = byte((sum[k] + n/2) / n)
	}
	return c[:]
}
