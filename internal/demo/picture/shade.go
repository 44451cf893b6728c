package picture

import (
	"image"
	"image/color"
	"strings"
)

// rgba is an opaque colour, and nrgba is a translucent colour.
type (
	rgba  = color.RGBA
	nrgba = color.NRGBA
)

func ink(r, g, b uint8) color.RGBA { return color.RGBA{r, g, b, 255} }

// Colours that are the same in every picture.
var (
	steel     = rgba{R: 0xb4, G: 0xba, B: 0xbf, A: 255}
	darkSteel = rgba{R: 0x84, G: 0x8c, B: 0x93, A: 255}
	brass     = rgba{R: 0xcf, G: 0xa8, B: 0x55, A: 255}
	white     = rgba{R: 0xfb, G: 0xfa, B: 0xf6, A: 255}
	black     = rgba{R: 0x2b, G: 0x2b, B: 0x2e, A: 255}
	leather   = rgba{R: 0x9c, G: 0x6a, B: 0x42, A: 255}
	gloss     = nrgba{R: 255, G: 255, B: 255, A: 46}
)

// palette holds an item's colour and its lighter and darker shades.
type palette struct{ light, main, dark, deep color.RGBA }

// colours maps colour names used by desks to colours.
var colours = map[string]color.RGBA{
	"black": ink(0x3a, 0x3b, 0x40), "white": ink(0xec, 0xea, 0xe3), "grey": ink(0x8d, 0x92, 0x97),
	"silver": ink(0xc3, 0xc8, 0xcc), "navy": ink(0x2c, 0x41, 0x63),
	"blue": ink(0x3f, 0x78, 0xb0), "light blue": ink(0x8f, 0xb9, 0xd6), "green": ink(0x4b, 0x8a, 0x63),
	"olive": ink(0x7d, 0x7f, 0x4c), "teal": ink(0x2f, 0x85, 0x83),
	"red": ink(0xbf, 0x4a, 0x44), "burgundy": ink(0x7d, 0x33, 0x42), "pink": ink(0xdd, 0x97, 0xa4),
	"purple": ink(0x75, 0x5d, 0x97), "yellow": ink(0xe0, 0xb6, 0x4c),
	"orange": ink(0xd8, 0x80, 0x42), "brown": ink(0x8a, 0x5f, 0x42), "beige": ink(0xd3, 0xbf, 0x9c),
	"gold": ink(0xcf, 0xa8, 0x55),
}

// paletteOf returns the palette for a colour name. If a name of several words is unknown, it uses the first known
// word.
func paletteOf(name string) palette {
	main, known := colours[strings.ToLower(name)]
	for _, word := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return r == ' ' || r == '/' || r == ','
	}) {
		if !known {
			main, known = colours[word]
		}
	}
	if !known {
		main = colours["grey"]
	}
	return palette{light: mix(main, white, 0.28), main: main, dark: mix(main, black, 0.24), deep: mix(main, black, 0.5)}
}

// mix mixes two colours. share is the proportion of the second colour, from 0 to 1.
func mix(a, b color.RGBA, share float64) color.RGBA {
	part := func(x, y uint8) uint8 { return uint8(float64(x)*(1-share) + float64(y)*share + 0.5) }
	return color.RGBA{part(a.R, b.R), part(a.G, b.G), part(a.B, b.B), 255}
}

// coarse is the resolution of shadows, in pixels.
const coarse = 4

// drawOnPaper puts a drawing on a sheet of paper, with a soft shadow.
func drawOnPaper(layer *image.RGBA, paper color.RGBA) {
	const right, down, strength = 1.6, 2.6, 0.29
	w, h := Width/coarse, Height/coarse
	mask := make([]float32, w*h)
	for y := range h {
		for x := range w {
			mask[y*w+x] = float32(layer.Pix[layer.PixOffset(x*coarse+coarse/2, y*coarse+coarse/2)+3]) / 255
		}
	}
	for range 3 {
		mask = blurred(mask, w, h)
	}
	var under [256]color.RGBA // the colour of the paper, by the darkness of the shadow on it
	for dark := range under {
		under[dark] = mix(paper, ink(0x3a, 0x30, 0x28), float64(dark)/255*strength)
	}
	for y := range Height {
		row := layer.Pix[y*layer.Stride : y*layer.Stride+4*Width]
		for x := range Width {
			pixel := row[4*x : 4*x+4 : 4*x+4]
			if pixel[3] == 255 {
				continue
			}
			below := under[uint8(255*between(mask, w, h, float32(x)/coarse-right, float32(y)/coarse-down))]
			through := 255 - uint32(pixel[3])
			pixel[0] += uint8(uint32(below.R) * through / 255)
			pixel[1] += uint8(uint32(below.G) * through / 255)
			pixel[2] += uint8(uint32(below.B) * through / 255)
			pixel[3] = 255
		}
	}
}

// blurred returns the average of each pixel's neighbourhood, computed by rows and then by columns.
func blurred(mask []float32, w, h int) []float32 {
	const reach = 2
	along := func(from []float32, n, lines, step, across int) []float32 {
		to := make([]float32, len(from))
		for line := range lines {
			for k := range n {
				var sum float32
				for d := max(k-reach, 0); d <= min(k+reach, n-1); d++ {
					sum += from[line*across+d*step]
				}
				to[line*across+k*step] = sum / (2*reach + 1)
			}
		}
		return to
	}
	return along(along(mask, w, h, 1, w), h, w, w, 1)
}

// between returns the value of a mask at any position, interpolated between its pixels.
func between(mask []float32, w, h int, x, y float32) float32 {
	if x < 0 || y < 0 || x >= float32(w-1) || y >= float32(h-1) {
		return 0
	}
	left, top := int(x), int(y)
	fx, fy := x-float32(left), y-float32(top)
	n := top*w + left
	return (mask[n]*(1-fx)+mask[n+1]*fx)*(1-fy) + (mask[n+w]*(1-fx)+mask[n+w+1]*fx)*fy
}
