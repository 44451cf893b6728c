package photofact

import (
	"bytes"
	"image/jpeg"
	"testing"

	"homeward/internal/media/photofact/phototest"
)

func BenchmarkColors(b *testing.B) {
	p, err := phototest.Render(1, 12)
	if err != nil {
		b.Fatal(err)
	}
	photo, err := jpeg.Decode(bytes.NewReader(p.JPEG))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		findColors(reduce(photo, colorSide))
	}
}
