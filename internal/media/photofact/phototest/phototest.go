// Package phototest renders pictures that look like photos of lost things, for tests of package photofact. Each shows
// one thing of a known colour on one of five backgrounds. A picture depends only on its seed and number.
//
// The pictures have what makes real photos hard: grain and pattern of the background, shadows, vignetting, a wrong
// white balance and exposure, highlights, accents in other colours, holes through which the background shows, things
// that are off-centre or leave the picture, a second surface at the edge of the table, a paper tag beside the thing,
// blur, noise and the artefacts of JPEG.
package phototest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"

	"homeward/internal/lost"
)

// Photo is a rendered picture.
type Photo struct {
	Thing, Background, Shade string
	// Colors lists the names that people give the shade. The first one is the most frequent.
	Colors []lost.Color
	JPEG   []byte
}

// String describes the picture.
func (p Photo) String() string { return fmt.Sprintf("%s %s on %s", p.Shade, p.Thing, p.Background) }

// long and short are the lengths of a picture's sides in pixels.
const long, short = 256, 192

// Backgrounds returns the names of the backgrounds.
func Backgrounds() []string {
	return []string{"wood", "white cloth", "grey carpet", "dark counter", "pattern"}
}

// Render renders the picture with a number. Successive numbers have all combinations of backgrounds and colours.
func Render(seed uint64, number int) (Photo, error) {
	r := rand.New(rand.NewPCG(seed, uint64(number)))
	names := Backgrounds()
	of := shades[number/len(names)%len(shades)]
	shade := of[r.IntN(len(of))]
	w, h := long, short
	if r.IntN(3) == 0 {
		w, h = h, w
	}
	s := &scene{Rand: r, w: w, h: h, pixels: make([]rgb, w*h)}
	background := names[number%len(names)]
	s.fillBackground(background)
	if r.IntN(5) == 0 {
		s.addFloor()
	}
	if r.IntN(4) == 0 {
		s.addTag()
	}
	thing := things[r.IntN(len(things))]
	s.drawThing(thing, shade.jittered(r))
	s.expose()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, s.develop(), &jpeg.Options{Quality: s.between(38, 92)}); err != nil {
		return Photo{}, fmt.Errorf("phototest: %w", err)
	}
	return Photo{
		Thing: thing.name, Background: background, Shade: shade.name, Colors: shade.colors, JPEG: out.Bytes(),
	}, nil
}

// rgb is a colour in linear light.
type rgb [3]float64

func (c rgb) times(k float64) rgb { return rgb{c[0] * k, c[1] * k, c[2] * k} }

// mix mixes two colours; share is the part of d.
func (c rgb) mix(d rgb, share float64) rgb {
	return rgb{c[0] + (d[0]-c[0])*share, c[1] + (d[1]-c[1])*share, c[2] + (d[2]-c[2])*share}
}

// linear converts an sRGB colour such as 0xff8000.
func linear(hex uint32) rgb {
	part := func(shift int) float64 {
		v := float64(hex>>shift&255) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return rgb{part(16), part(8), part(0)}
}

// scene is a picture in the making, in linear light.
type scene struct {
	*rand.Rand
	w, h   int
	pixels []rgb
}

// in returns a random number in a range.
func (s *scene) in(least, most float64) float64 { return least + s.Float64()*(most-least) }

// between returns a random whole number in a range.
func (s *scene) between(least, most int) int { return least + s.IntN(most-least+1) }

// each calls paint for every pixel, with its position relative to the short side: 0, 0 is the centre.
func (s *scene) each(paint func(x, y float64, c *rgb)) {
	for n := range s.pixels {
		x := (float64(n%s.w) + 0.5 - float64(s.w)/2) / short
		y := (float64(n/s.w) + 0.5 - float64(s.h)/2) / short
		paint(x, y, &s.pixels[n])
	}
}

// expose adds the light of the room, the exposure and white balance of the camera, blur and noise.
func (s *scene) expose() {
	turn, slope := s.in(0, 2*math.Pi), s.in(0, 0.35)
	vignette, exposure := s.in(0, 0.5), math.Exp2(s.in(-0.45, 0.3))
	warm, tint := s.in(-0.11, 0.11), s.in(-0.03, 0.03)
	balance := rgb{1 + warm, 1 + tint, 1 - warm}.times(exposure)
	s.each(func(x, y float64, c *rgb) {
		light := 1 + slope*(x*math.Cos(turn)+y*math.Sin(turn)) - vignette*(x*x+y*y)
		for k := range c {
			c[k] *= light * balance[k]
		}
	})
	if radius := s.between(0, 2); radius > 0 {
		s.blur(radius)
	}
	shot, read := s.in(0.005, 0.03), s.in(0.001, 0.005)
	for n := range s.pixels {
		for k, v := range s.pixels[n] {
			s.pixels[n][k] = v + s.NormFloat64()*(shot*math.Sqrt(max(0, v))+read)
		}
	}
}

// blur averages each pixel's neighbourhood.
func (s *scene) blur(radius int) {
	along := func(lines, length, across, step int) {
		line := make([]rgb, length)
		for l := range lines {
			for n := range line {
				line[n] = s.pixels[l*across+n*step]
			}
			for n := range line {
				var sum rgb
				from, to := max(0, n-radius), min(length-1, n+radius)
				for _, c := range line[from : to+1] {
					sum = rgb{sum[0] + c[0], sum[1] + c[1], sum[2] + c[2]}
				}
				s.pixels[l*across+n*step] = sum.times(1 / float64(to+1-from))
			}
		}
	}
	along(s.h, s.w, s.w, 1)
	along(s.w, s.h, 1, s.w)
}

// develop converts the scene to a picture, with the contrast and saturation that cameras add.
func (s *scene) develop() *image.RGBA {
	contrast, saturation := s.in(0, 0.35), s.in(0.9, 1.2)
	m := image.NewRGBA(image.Rect(0, 0, s.w, s.h))
	for n, c := range s.pixels {
		var v rgb
		for k := range c {
			v[k] = encode(c[k])
			v[k] += contrast * (v[k]*v[k]*(3-2*v[k]) - v[k])
		}
		grey := 0.3*v[0] + 0.59*v[1] + 0.11*v[2]
		to8 := func(v float64) uint8 { return uint8(255*min(1, max(0, grey+saturation*(v-grey))) + 0.5) }
		m.SetRGBA(n%s.w, n/s.w, color.RGBA{to8(v[0]), to8(v[1]), to8(v[2]), 255})
	}
	return m
}

// encode converts linear light to an sRGB value.
func encode(v float64) float64 { return encoded[int(min(1, max(0, v))*float64(len(encoded)-1)+0.5)] }

// encoded contains the sRGB values of equal steps of light.
var encoded = func() (table [16384]float64) {
	for n := range table {
		v := float64(n) / float64(len(table)-1)
		if v <= 0.0031308 {
			table[n] = v * 12.92
		} else {
			table[n] = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
	}
	return table
}()
