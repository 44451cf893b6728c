package media

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"strings"

	"homeward/internal/lost"
)

const (
	// MaxReducedSide is the maximum length in pixels of the longer side of a reduced picture.
	MaxReducedSide = 768
	reducedQuality = 80
)

// Reduced returns a stored picture as a JPEG whose longer side has at most MaxReducedSide pixels, upright and without
// metadata. It is made from the largest thumbnail, and transparent pixels are white. A picture that has no thumbnail
// returns an Unsupported error.
func (l *Processor) Reduced(ctx context.Context, store Store, name string) ([]byte, error) {
	f, opened, err := openOrMake(ctx, store, l, ThumbName(name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if opened == name {
		return nil, lost.E(lost.Unsupported, "This picture has no thumbnail.")
	}
	_, ext, _ := strings.Cut(opened, ".")
	d, err := decode(ctx, ext, f.Content)
	if err != nil {
		return nil, err
	}
	small := resample(d, fit(d.size, MaxReducedSide))
	opaque := image.NewRGBA(small.Rect)
	draw.Draw(opaque, opaque.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(opaque, opaque.Rect, small, small.Rect.Min, draw.Over)
	var b bytes.Buffer
	err = jpeg.Encode(&b, opaque, &jpeg.Options{Quality: reducedQuality})
	return b.Bytes(), err
}
