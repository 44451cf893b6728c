package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
)

// logoSize is the length of a logo's sides, in pixels.
const logoSize = 400

// signs maps names to functions that draw a logo's sign on a sheet of 200 × 200 units.
var signs = map[string]func(*pen, palette){"wave": wave, "plane": plane, "paw": paw}

// Logo draws a logo with a location's sign in the given colour, and returns it as a PNG. It returns an error for an
// unknown sign.
func Logo(sign, colour string) ([]byte, error) {
	drawSign, known := signs[sign]
	if !known {
		return nil, fmt.Errorf("picture: unknown sign %q", sign)
	}
	c := paletteOf(colour)
	p := &pen{on: image.NewRGBA(image.Rect(0, 0, logoSize, logoSize)), m: scaled(2)}
	p.box(c.main, 0, 0, 200, 200, 44)
	drawSign(p, c)
	var out bytes.Buffer
	err := png.Encode(&out, p.on)
	return out.Bytes(), err
}

// wave draws a lighthouse above water.
func wave(p *pen, c palette) {
	p.path(brass, "M100 52 L30 34 L30 66 Z")
	p.path(white, "M88 66 L112 66 L120 136 L80 136 Z")
	p.path(c.light, "M86 84 L114 84 L116 102 L84 102 Z")
	p.box(white, 84, 42, 32, 22, 4)
	p.oval(brass, 100, 53, 7, 7)
	p.path(white, "M82 42 C86 26 114 26 118 42 Z")
	p.line(white, 8, "M24 142 C42 128 56 128 74 142 C92 156 108 156 126 142 C144 128 158 128 176 142")
	p.line(c.light, 8, "M24 166 C42 152 56 152 74 166 C92 180 108 180 126 166 C144 152 158 152 176 166")
}

// plane draws a plane climbing over a hill.
func plane(p *pen, c palette) {
	p.path(c.dark, "M0 156 C50 120 100 170 200 118 L200 156 C200 186 186 200 156 200 L44 200 C14 200 0 186 0 156 Z")
	p = p.turned(-24, 100, 92)
	p.path(white,
		"M28 96 C20 84 36 80 46 82 L150 82 C168 82 178 90 180 96 C178 102 168 106 150 106 L46 106 C40 106 34 104 28 "+
			"96 Z")
	p.path(white, "M84 84 L62 36 L78 36 L120 84 Z M84 104 L62 152 L78 152 L120 104 Z M40 84 L26 58 L38 58 L58 84 Z")
	p.line(c.main, 4, "M150 92 L162 92")
}

// paw draws a paw print.
func paw(p *pen, c palette) {
	p.path(white,
		"M100 92 C126 92 150 124 148 146 C146 164 126 164 100 160 C74 164 54 164 52 146 C50 124 74 92 100 92 Z")
	p.turned(-26, 50, 92).oval(white, 50, 92, 15, 21)
	p.turned(-8, 82, 62).oval(white, 82, 62, 15, 22)
	p.turned(8, 118, 62).oval(white, 118, 62, 15, 22)
	p.turned(26, 150, 92).oval(white, 150, 92, 15, 21)
	p.path(c.light, "M100 156 C92 140 108 126 122 124 C120 140 114 150 100 156 Z")
}
