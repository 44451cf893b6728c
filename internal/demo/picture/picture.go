// Package picture draws the pictures of the demo: photos of lost items, such as an umbrella next to its tag, and the
// logos of the locations. The output is deterministic: the same item, colour and number always produce the same
// picture.
package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// Width and Height are a picture's size in pixels.
const (
	Width  = 480
	Height = 360
	scale  = Width / 400.0 // pixels per unit of the sheet that items are drawn on
)

// quality is the JPEG quality. It keeps flat colours flat and results in about 13 kB per picture.
const quality = 88

// Things returns the names of all items that can be drawn.
func Things() []string { return slices.Sorted(maps.Keys(things)) }

// things maps names to functions that draw an item in the middle of a sheet of 400 × 300 units.
var things = map[string]func(*pen, palette){
	"backpack": backpack, "beanie": beanie, "book": book, "bottle": bottle, "cable": cable, "camera": camera,
	"cap": capWithPeak, "earbuds": earbuds,
	"folding umbrella": foldingUmbrella, "glasses": glasses, "gloves": gloves, "handbag": handbag,
	"headphones": headphones, "jacket": jacket, "keys": keys,
	"laptop": laptop, "necklace": necklace, "passport": passport, "phone": phone, "plush rabbit": plushRabbit,
	"ring": ring, "scarf": scarf,
	"shoe": shoe, "suitcase": suitcase, "sunglasses": sunglasses, "tablet": tablet, "teddy": teddy, "toy car": toyCar,
	"umbrella": umbrella, "wallet": wallet, "watch": watch,
}

// Photo draws an item in the given colour and returns it as a JPEG. number selects the position of the item and the
// colour of the paper. Photo returns an error for an unknown item.
func Photo(thing, colour string, number uint64) ([]byte, error) {
	drawThing, known := things[thing]
	if !known {
		return nil, fmt.Errorf("picture: unknown item %q", thing)
	}
	r := rand.New(rand.NewPCG(number, 7)) //nolint:gosec // the same number must produce the same picture
	paper := papers[r.IntN(len(papers))]
	sheet := image.NewRGBA(image.Rect(0, 0, Width, Height))
	drawThing(&pen{on: sheet, m: position(r)}, paletteOf(colour))
	tag(&pen{on: sheet, m: scaled(scale)}, r)
	drawOnPaper(sheet, paper)
	var out bytes.Buffer
	if err := jpeg.Encode(&out, sheet, &jpeg.Options{Quality: quality}); err != nil {
		return nil, fmt.Errorf("picture: %w", err)
	}
	return out.Bytes(), nil
}

// papers lists the colours that the paper can have.
var papers = []color.RGBA{
	{0xf4, 0xef, 0xe4, 255}, {0xe9, 0xee, 0xe6, 255}, {0xe8, 0xec, 0xef, 255}, {0xf3, 0xe8, 0xe0, 255},
	{0xee, 0xea, 0xf0, 255}, {0xf1, 0xec, 0xd9, 255},
}

// position returns a random position for an item: slightly rotated, and sometimes mirrored.
func position(r *rand.Rand) matrix {
	const maxTurn = 7 * math.Pi / 180
	turn, size, mirror := (r.Float64()*2-1)*maxTurn, 0.94+r.Float64()*0.1, 1.0
	if r.IntN(2) == 0 {
		mirror = -1
	}
	return scaled(scale).times(moved(200, 150)).times(turned(turn)).times(matrix{
		size * mirror, 0, 0, size, 0, 0,
	}).times(moved(-200, -150))
}

// tag draws a paper tag with illegible writing, tied to the item.
func tag(p *pen, r *rand.Rand) {
	p = p.at(p.m.times(moved(352, 248)).times(turned(-0.28 + r.Float64()*0.2)))
	p.line(ink(0x9a, 0x86, 0x66), 1.6, "M-24 -4 C-50 -22 -58 6 -84 -16")
	p.path(ink(0xfd, 0xf8, 0xea), "M-30 0 L-18 -16 L34 -16 C36 -16 38 -14 38 -12 L38 12 C38 14 36 16 34 16 L-18 16 Z")
	p.oval(ink(0xc9, 0x8f, 0x4a), -19, 0, 4.6, 4.6)
	p.oval(ink(0xf0, 0xea, 0xdc), -19, 0, 2.2, 2.2)
	for line, y := range []float64{-6, 1, 8} {
		p.line(ink(0xb9, 0xb0, 0x9e), 2, fmt.Sprintf("M-8 %g L%g %g", y, 12+float64(r.IntN(18)-4*line), y))
	}
}
