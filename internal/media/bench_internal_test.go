package media

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"testing"
)

// photo returns a 12-megapixel picture with shapes and a little noise, like a real photo.
func photo() *image.YCbCr {
	m := image.NewYCbCr(image.Rect(0, 0, 4000, 3000), image.YCbCrSubsampleRatio420)
	state := uint32(1)
	for i := range m.Y {
		state = state*1664525 + 1013904223
		x, y := i%4000, i/4000
		m.Y[i] = byte(x*y/40000) + byte(state>>28)
	}
	for i := range m.Cb {
		m.Cb[i], m.Cr[i] = byte(i/2000/6), byte(i%2000/8)
	}
	return m
}

func BenchmarkTwelveMegapixels(b *testing.B) {
	m := photo()
	var file bytes.Buffer
	if err := jpeg.Encode(&file, m, &jpeg.Options{Quality: 92}); err != nil {
		b.Fatal(err)
	}
	d := decoded{image: m, canvas: m.Rect, size: m.Rect.Size()}
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			if _, err := decode(b.Context(), "jpg", bytes.NewReader(file.Bytes())); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, block := range []int{4, 2, 1} {
		b.Run(fmt.Sprintf("decode at %d-8", block), func(b *testing.B) {
			for b.Loop() {
				if _, err := decodeScaled(b.Context(), bytes.NewReader(file.Bytes()), block); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("turn", func(b *testing.B) {
		for b.Loop() {
			orient(m, 6)
		}
	})
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			if err := encodeJPEG(io.Discard, m, rotatedQuality, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("average", func(b *testing.B) {
		for b.Loop() {
			average(d)
		}
	})
	b.Run("resample", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			resample(d, fit(d.size, ThumbSide))
		}
	})
	b.Run("average and scale, for comparison", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			scale(average(d), fit(d.size, ThumbSide))
		}
	})
}
