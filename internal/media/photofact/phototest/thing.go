package phototest

import "math"

// material is what a part of a thing is made of.
type material int

const (
	body   material = iota // has the colour of the thing
	dark                   // straps, screens, soles
	metal                  // zips and buckles
	label                  // printed or sewn on
	accent                 // a second colour
)

// part is a part of a thing: the distance of a position to its edge, negative inside. A thing is about as large as the
// square from -0.5 to 0.5.
type part struct {
	of    material
	shape func(x, y float64) float64
}

// thing is a kind of thing. Its parts cover each other in their order.
type thing struct {
	name  string
	parts []part
}

func box(cx, cy, w, h, r float64) func(x, y float64) float64 {
	return func(x, y float64) float64 {
		dx, dy := math.Abs(x-cx)-w/2+r, math.Abs(y-cy)-h/2+r
		return math.Hypot(max(dx, 0), max(dy, 0)) + min(0, max(dx, dy)) - r
	}
}

func oval(cx, cy, rx, ry float64) func(x, y float64) float64 {
	return func(x, y float64) float64 {
		far := math.Hypot((x-cx)/rx, (y-cy)/ry)
		return (far - 1) * min(rx, ry)
	}
}

// ring is a closed loop; the background shows through it.
func ring(cx, cy, rx, ry, width float64) func(x, y float64) float64 {
	inner := oval(cx, cy, rx, ry)
	return func(x, y float64) float64 { return math.Abs(inner(x, y)) - width/2 }
}

// line is a straight strap or stick.
func line(x1, y1, x2, y2, width float64) func(x, y float64) float64 {
	dx, dy := x2-x1, y2-y1
	return func(x, y float64) float64 {
		t := min(1, max(0, ((x-x1)*dx+(y-y1)*dy)/(dx*dx+dy*dy)))
		return math.Hypot(x-x1-t*dx, y-y1-t*dy) - width/2
	}
}

// wave is a band along a curve.
func wave(length, height, times, width float64) func(x, y float64) float64 {
	return func(x, y float64) float64 {
		slope := height * times * math.Cos(x*times)
		across := math.Abs(y-height*math.Sin(x*times)) / math.Sqrt(1+slope*slope)
		return max(across-width/2, math.Abs(x)-length/2)
	}
}

// cut cuts one shape out of another.
func cut(shape, hole func(x, y float64) float64) func(x, y float64) float64 {
	return func(x, y float64) float64 { return max(shape(x, y), -hole(x, y)) }
}

func only(shape, within func(x, y float64) float64) func(x, y float64) float64 {
	return func(x, y float64) float64 { return max(shape(x, y), within(x, y)) }
}

// things lists all things.
var things = []thing{
	{"handbag", []part{
		{dark, ring(0, -0.2, 0.2, 0.26, 0.035)}, {body, box(0, 0.12, 0.86, 0.56, 0.1)},
		{metal, box(0, 0.02, 0.1, 0.05, 0.01)},
	}},
	{"backpack", []part{
		{dark, ring(-0.34, 0.1, 0.13, 0.32, 0.06)}, {dark, ring(0.34, 0.1, 0.13, 0.32, 0.06)},
		{body, box(0, 0, 0.66, 0.9, 0.2)}, {metal, line(-0.25, 0.1, 0.25, 0.1, 0.015)},
		{label, box(0.12, 0.24, 0.12, 0.06, 0.01)},
	}},
	{"scarf", []part{
		{body, wave(1.1, 0.14, 6, 0.22)}, {accent, only(wave(1.1, 0.14, 6, 0.22), box(0.45, 0, 0.08, 1, 0))},
	}},
	{"wallet", []part{{body, box(0, 0, 0.8, 0.6, 0.05)}, {metal, oval(0.3, 0, 0.03, 0.03)}}},
	{"phone case", []part{{body, box(0, 0, 0.46, 0.92, 0.07)}, {dark, box(-0.1, -0.32, 0.18, 0.18, 0.04)}}},
	{"cap", []part{
		{body, oval(0, 0, 0.36, 0.34)}, {body, oval(0.3, 0.06, 0.22, 0.2)}, {label, box(0.02, 0, 0.12, 0.1, 0.02)},
	}},
	{"umbrella", []part{
		{dark, ring(-0.52, 0.06, 0.07, 0.07, 0.035)}, {metal, line(-0.5, 0, 0.55, 0, 0.02)},
		{body, only(line(-0.32, 0, 0.48, 0, 0.2), oval(0, 0, 0.5, 0.16))},
	}},
	{"bottle", []part{
		{body, box(0, 0.08, 0.3, 0.8, 0.08)}, {dark, box(0, -0.4, 0.16, 0.18, 0.03)},
		{label, box(0, 0.14, 0.16, 0.1, 0.01)},
	}},
	{"headphones", []part{
		{body, cut(ring(0, 0, 0.36, 0.4, 0.07), box(0, 0.5, 2, 0.6, 0))}, {body, box(-0.36, 0.22, 0.2, 0.32, 0.08)},
		{body, box(0.36, 0.22, 0.2, 0.32, 0.08)}, {dark, box(-0.29, 0.22, 0.07, 0.28, 0.03)},
		{dark, box(0.29, 0.22, 0.07, 0.28, 0.03)},
	}},
	{"shoe", []part{
		{body, oval(0, 0.02, 0.5, 0.2)}, {body, box(-0.26, -0.08, 0.4, 0.34, 0.1)},
		{label, only(oval(0, 0.04, 0.52, 0.22), box(0, 0.22, 2, 0.1, 0))},
	}},
	{"glove", []part{
		{body, box(0, 0.16, 0.42, 0.6, 0.12)}, {body, line(-0.14, 0, -0.18, -0.4, 0.11)},
		{body, line(-0.02, 0, -0.03, -0.46, 0.11)}, {body, line(0.1, 0, 0.13, -0.42, 0.11)},
		{body, line(0.16, 0.2, 0.36, -0.06, 0.12)},
	}},
	{"lanyard with case", []part{{body, ring(0, -0.2, 0.3, 0.36, 0.06)}, {body, box(0, 0.3, 0.42, 0.34, 0.04)}}},
	{"teddy", []part{
		{body, oval(0, 0.16, 0.26, 0.3)}, {body, oval(0, -0.22, 0.22, 0.2)}, {body, oval(-0.2, -0.38, 0.09, 0.09)},
		{body, oval(0.2, -0.38, 0.09, 0.09)}, {body, line(-0.2, 0.06, -0.36, 0.2, 0.13)},
		{body, line(0.2, 0.06, 0.36, 0.2, 0.13)}, {dark, oval(0, -0.18, 0.04, 0.03)},
		{dark, oval(-0.08, -0.26, 0.02, 0.02)}, {dark, oval(0.08, -0.26, 0.02, 0.02)},
	}},
	{"jacket", []part{
		{body, box(0, 0.06, 0.56, 0.8, 0.1)}, {body, line(-0.22, -0.24, -0.46, 0.26, 0.17)},
		{body, line(0.22, -0.24, 0.46, 0.26, 0.17)}, {metal, line(0, -0.3, 0, 0.44, 0.014)},
		{dark, box(0, -0.34, 0.22, 0.06, 0.02)},
	}},
	{"suitcase", []part{
		{dark, cut(ring(0, -0.42, 0.14, 0.12, 0.04), box(0, -0.2, 1, 0.2, 0))},
		{body, box(0, 0.06, 0.62, 0.82, 0.08)},
		{dark, box(-0.2, 0.49, 0.08, 0.06, 0.02)}, {dark, box(0.2, 0.49, 0.08, 0.06, 0.02)},
	}},
	{"book", []part{{body, box(0, 0, 0.62, 0.86, 0.02)}, {label, box(0, -0.2, 0.36, 0.12, 0)}}},
	{"belt", []part{{body, ring(0, 0, 0.42, 0.34, 0.1)}, {metal, box(0.42, 0, 0.1, 0.16, 0.02)}}},
	{"beanie", []part{
		{body, only(oval(0, 0.1, 0.42, 0.44), box(0, -0.2, 2, 0.8, 0))}, {body, box(0, 0.2, 0.88, 0.2, 0.06)},
	}},
}

// drawThing draws a thing and its shadow on the background.
func (s *scene) drawThing(t thing, main rgb) {
	rotate, size := turned(s.in(0, 2*math.Pi)), s.in(0.5, 1.15)
	awayX, awayY := s.in(-0.18, 0.18), s.in(-0.14, 0.14)
	place := func(x, y float64) (float64, float64) { return rotate((x-awayX)/size, (y-awayY)/size) }
	colors := s.materials(main)
	s.castShadow(t, place)
	light := s.in(0, 2*math.Pi)
	lightX, lightY := turned(-light)(1, 0)
	lightX, lightY = rotate(lightX, lightY)
	fold, grain, gloss := s.noise(0.18), s.noise(0.012), s.in(0, 0.5)
	deep, rough, round := s.in(0.03, 0.2), s.in(0, 0.12), s.in(0.04, 0.16)
	glossX, glossY := s.in(-0.2, 0.2), s.in(-0.2, 0.2)
	s.each(func(x, y float64, c *rgb) {
		u, v := place(x, y)
		for _, p := range t.parts {
			d := p.shape(u, v)
			edge := 1.2 / short / size
			if d > edge {
				continue
			}
			const step = 0.01
			depth := min(1, max(0, -d/round))
			var slope float64
			if depth < 1 {
				slope = ((p.shape(u+step, v)-d)*lightX + (p.shape(u, v+step)-d)*lightY) / step
			}
			lit := 0.92 + 0.08*depth + 0.22*slope*(1-depth) + deep*fold(u, v) + rough*grain(u, v)
			paint := colors[p.of].times(max(0.15, lit))
			if p.of == body {
				far := math.Hypot(u-glossX, (v-glossY)*2)
				paint = paint.mix(rgb{0.95, 0.95, 0.95}, gloss*math.Exp(-far*far*90))
			}
			*c = c.mix(paint, min(1, max(0, (edge-d)/(2*edge))))
		}
	})
}

// materials returns the colours of a thing's parts.
func (s *scene) materials(main rgb) map[material]rgb {
	colors := map[material]rgb{
		body: main, dark: linear(0x202022), metal: linear(0xb0aea6), label: linear(0xe4e2da),
		accent: linear(inks[s.IntN(len(inks))]),
	}
	if s.IntN(3) == 0 { // straps and soles of the same material
		colors[dark] = main.times(0.7)
	}
	return colors
}

// castShadow darkens the background beside and below a thing.
func (s *scene) castShadow(t thing, place func(x, y float64) (float64, float64)) {
	awayX, awayY := s.in(-0.05, 0.05), s.in(-0.05, 0.05)
	soft, strength := s.in(0.02, 0.12), s.in(0.3, 1)
	s.each(func(x, y float64, c *rgb) {
		u, v := place(x-awayX, y-awayY)
		d := math.Inf(1)
		for _, p := range t.parts {
			d = min(d, p.shape(u, v))
		}
		*c = c.times(1 - strength/(1+math.Exp(d/soft*3)))
	})
}
