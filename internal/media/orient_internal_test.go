package media

import (
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"testing"
)

// destination returns where the pixel at x, y in a w × h picture is after the rotation.
func destination(x, y, w, h, o int) (int, int) {
	switch o {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6:
		return h - 1 - y, x
	case 7:
		return h - 1 - y, w - 1 - x
	case 8:
		return y, w - 1 - x
	}
	return x, y
}

func TestOrientMovesEveryPixel(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	fill := func(p []byte) {
		for i := range p {
			p[i] = byte(random.Uint32())
		}
	}
	// The pictures are cut from larger ones, as decoders do, so that there are gaps between their lines.
	kinds := map[string]func(outer, r image.Rectangle) image.Image{
		"Gray": func(o, r image.Rectangle) image.Image { m := image.NewGray(o); fill(m.Pix); return m.SubImage(r) },
		"RGBA": func(o, r image.Rectangle) image.Image {
			m := image.NewRGBA(o)
			opaque(m.Pix, fill)
			return m.SubImage(r)
		},
		"NRGBA": func(o, r image.Rectangle) image.Image {
			m := image.NewNRGBA(o)
			opaque(m.Pix, fill)
			return m.SubImage(r)
		},
		"CMYK":   func(o, r image.Rectangle) image.Image { m := image.NewCMYK(o); fill(m.Pix); return m.SubImage(r) },
		"Gray16": func(o, r image.Rectangle) image.Image { m := image.NewGray16(o); fill(m.Pix); return m.SubImage(r) },
		"Paletted": func(o, r image.Rectangle) image.Image {
			m := image.NewPaletted(o, make(color.Palette, 256))
			for i := range m.Palette {
				m.Palette[i] = color.Gray{Y: byte(i)}
			}
			fill(m.Pix)
			return m.SubImage(r)
		},
		"YCbCr444": func(o, r image.Rectangle) image.Image { return ycbcr(o, r, image.YCbCrSubsampleRatio444, fill) },
		"YCbCr422": func(o, r image.Rectangle) image.Image { return ycbcr(o, r, image.YCbCrSubsampleRatio422, fill) },
		"YCbCr420": func(o, r image.Rectangle) image.Image { return ycbcr(o, r, image.YCbCrSubsampleRatio420, fill) },
		"YCbCr440": func(o, r image.Rectangle) image.Image { return ycbcr(o, r, image.YCbCrSubsampleRatio440, fill) },
		"YCbCr411": func(o, r image.Rectangle) image.Image { return ycbcr(o, r, image.YCbCrSubsampleRatio411, fill) },
		"YCbCr410": func(o, r image.Rectangle) image.Image { return ycbcr(o, r, image.YCbCrSubsampleRatio410, fill) },
	}
	// With multiples of 4, subsampled colours have an exact position after any rotation.
	for _, size := range []image.Point{{4, 4}, {8, 4}, {4, 12}, {28, 16}, {64, 60}} {
		for name, kind := range kinds {
			for o := 1; o <= 8; o++ {
				m := kind(image.Rect(0, 0, size.X+8, size.Y+4), image.Rectangle{Max: size})
				before := image.NewRGBA64(m.Bounds())
				for y := range size.Y {
					for x := range size.X {
						before.Set(x, y, m.At(x, y))
					}
				}
				checkOriented(t, fmt.Sprint(name, size, o), before, orient(m, o), o)
			}
		}
	}
}

func checkOriented(t *testing.T, name string, before *image.RGBA64, after image.Image, o int) {
	t.Helper()
	w, h := before.Rect.Dx(), before.Rect.Dy()
	if o >= 5 && after.Bounds() != image.Rect(0, 0, h, w) || o < 5 && after.Bounds() != before.Rect {
		t.Fatalf("%s: bounds are %v", name, after.Bounds())
	}
	for y := range h {
		for x := range w {
			nx, ny := destination(x, y, w, h, o)
			r1, g1, b1, _ := before.At(x, y).RGBA()
			r2, g2, b2, _ := after.At(nx, ny).RGBA()
			if r1>>8 != r2>>8 || g1>>8 != g2>>8 || b1>>8 != b2>>8 {
				t.Fatalf("%s: pixel %d,%d is %v, want %v", name, nx, ny, after.At(nx, ny), before.At(x, y))
			}
		}
	}
}

func opaque(pix []byte, fill func([]byte)) {
	fill(pix)
	for i := 3; i < len(pix); i += 4 {
		pix[i] = 0xff
	}
}

func ycbcr(outer, r image.Rectangle, ratio image.YCbCrSubsampleRatio, fill func([]byte)) image.Image {
	m := image.NewYCbCr(outer, ratio)
	fill(m.Y)
	fill(m.Cb)
	fill(m.Cr)
	return m.SubImage(r)
}
