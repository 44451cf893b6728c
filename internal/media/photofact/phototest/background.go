package phototest

import (
	"math"
	"slices"
)

// fillBackground paints the table or floor.
func (s *scene) fillBackground(name string) {
	switch name {
	case "wood":
		s.fillWood()
	case "white cloth":
		s.fillCloth()
	case "grey carpet":
		s.fillCarpet()
	case "dark counter":
		s.fillCounter()
	default:
		s.fillPattern()
	}
}

// turned returns a function that rotates positions.
func turned(by float64) func(x, y float64) (float64, float64) {
	sin, cos := math.Sincos(by)
	return func(x, y float64) (float64, float64) { return x*cos + y*sin, y*cos - x*sin }
}

// noise returns a smooth random function of a position, with values around 0 and features of the given size.
func (s *scene) noise(size float64) func(x, y float64) float64 {
	seed := s.Uint32()
	at := func(x, y int) float64 {
		n := uint32(x)*0x9e3779b1 ^ uint32(y)*0x85ebca77 ^ seed
		n = (n ^ n>>15) * 0x2c1b3c6d
		n = (n ^ n>>12) * 0x297a2d39
		return float64(n^n>>15)/math.MaxUint32*2 - 1
	}
	return func(x, y float64) float64 {
		x, y = x/size+1000, y/size+1000
		left, top := math.Floor(x), math.Floor(y)
		u, v := x-left, y-top
		u, v = u*u*(3-2*u), v*v*(3-2*v)
		i, j := int(left), int(top)
		return (at(i, j)*(1-u)+at(i+1, j)*u)*(1-v) + (at(i, j+1)*(1-u)+at(i+1, j+1)*u)*v
	}
}

// woods lists the light and the dark part of kinds of wood.
var woods = [][2]uint32{
	{0xc79a66, 0x9a6c3e}, {0xb07a48, 0x7d5029}, {0xd9b98c, 0xb98f5c}, {0x7a4f30, 0x553320}, {0x9b7653, 0x6f5036},
}

func (s *scene) fillWood() {
	kind := woods[s.IntN(len(woods))]
	light, dark := linear(kind[0]), linear(kind[1])
	rotate := turned(s.in(-0.3, 0.3) + float64(s.IntN(2))*math.Pi/2)
	plank := s.in(0.2, 0.6)
	wide, fine, tone := s.noise(0.12), s.noise(0.02), s.noise(1)
	s.each(func(x, y float64, c *rgb) {
		x, y = rotate(x, y)
		row := math.Floor(y / plank)
		rings := math.Sin((y*9 + wide(x*0.25, y)*0.9 + row*3) * 6)
		share := 0.45 + 0.25*rings*wide(x*0.3, y+row) + 0.18*fine(x*0.15, y) + 0.2*tone(row*7, 0)
		*c = light.mix(dark, min(1, max(0, share)))
		if edge := math.Abs(y/plank - math.Round(y/plank)); edge*plank < 0.004 {
			*c = c.times(0.45)
		}
	})
}

func (s *scene) fillCloth() {
	white := linear([]uint32{0xe8e7e3, 0xdfdfe0, 0xeae5da}[s.IntN(3)])
	rotate := turned(s.in(0, math.Pi))
	fold, soft := s.noise(s.in(0.3, 0.8)), s.noise(0.1)
	deep := s.in(0.05, 0.22)
	s.each(func(x, y float64, c *rgb) {
		u, v := rotate(x, y)
		weave := 0.03 * math.Sin(u*400) * math.Sin(v*400)
		*c = white.times(1 + deep*fold(u*0.4, v*1.6) + 0.03*soft(x, y) + weave)
	})
}

func (s *scene) fillCarpet() {
	grey := linear([]uint32{0x7d7e80, 0x5c5e62, 0x9a9a98, 0x6b6a70}[s.IntN(4)])
	loops, wear := s.noise(0.014), s.noise(0.5)
	rough := s.in(0.2, 0.5)
	s.each(func(x, y float64, c *rgb) {
		*c = grey.times(max(0.1, 1+rough*loops(x, y)+0.12*wear(x, y)+0.15*s.NormFloat64()))
	})
}

func (s *scene) fillCounter() {
	stone := linear([]uint32{0x2a2a2d, 0x35302c, 0x23272b, 0x3d3b3a}[s.IntN(4)])
	speck, large := s.noise(0.01), s.noise(0.2)
	shineX, shineY, shine := s.in(-0.7, 0.7), s.in(-0.5, 0.5), s.in(0, 0.12)
	s.each(func(x, y float64, c *rgb) {
		*c = stone.times(1 + 0.15*large(x, y))
		if v := speck(x, y); v > 0.45 {
			*c = c.mix(linear(0x8a8a88), (v-0.45)*0.8)
		}
		far := math.Hypot(x-shineX, y-shineY)
		*c = c.mix(rgb{0.9, 0.9, 0.88}, shine*math.Exp(-far*far*12))
	})
}

// inks lists the colours of patterns.
var inks = []uint32{
	0xd8d2c4, 0x8c8f94, 0x3c5470, 0xa44a3c, 0x54704c, 0xc8a85a, 0x2e2e34, 0xe6e6e6, 0x7a5a78, 0xb4784c, 0x90b0b8,
}

func (s *scene) fillPattern() {
	a, b, more := linear(inks[s.IntN(len(inks))]), linear(inks[s.IntN(len(inks))]), linear(inks[s.IntN(len(inks))])
	rotate, size, kind := turned(s.in(0, math.Pi)), s.in(0.05, 0.2), s.IntN(4)
	soft := s.noise(0.05)
	s.each(func(x, y float64, c *rgb) {
		x, y = rotate(x, y)
		u, v := x/size-math.Floor(x/size), y/size-math.Floor(y/size)
		*c = a
		switch {
		case kind == 0 && u < 0.5, kind == 1 && (u < 0.5) != (v < 0.5): // stripes, checks
			*c = b
		case kind == 2 && math.Hypot(u-0.5, v-0.5) < 0.3: // dots
			*c = b
		case kind == 3: // tartan
			if u < 0.4 {
				*c = c.mix(b, 0.5)
			}
			if v < 0.4 {
				*c = c.mix(more, 0.5)
			}
		}
		*c = c.times(1 + 0.06*soft(x, y) + 0.03*s.NormFloat64())
	})
}

// addFloor replaces a part of the background at the edge of the picture with another one, as at the edge of a table.
func (s *scene) addFloor() {
	table := slices.Clone(s.pixels)
	names := Backgrounds()
	s.fillBackground(names[s.IntN(len(names))])
	rotate, far := turned(s.in(0, 2*math.Pi)), s.in(0.3, 0.6)
	n := 0
	s.each(func(x, y float64, c *rgb) {
		if u, _ := rotate(x, y); u < far {
			*c = table[n]
		} else if u < far+0.02 {
			*c = c.times(0.5)
		}
		n++
	})
}

// addTag puts a paper with a few lines of writing beside the thing.
func (s *scene) addTag() {
	paper, ink := linear(0xeeeae0), linear(0x3a4a70)
	rotate := turned(s.in(0, 2*math.Pi))
	side, height := float64(2*s.IntN(2)-1)*s.in(0.4, 0.55), s.in(-0.35, 0.35)
	shape := box(0, 0, s.in(0.14, 0.26), s.in(0.1, 0.16), 0.01)
	s.each(func(x, y float64, c *rgb) {
		u, v := rotate(x-side, y-height)
		switch {
		case shape(u, v) > 0:
		case shape(u, v) < -0.03 && math.Sin(v*200) > 0.5:
			*c = ink
		default:
			*c = paper
		}
	})
}
