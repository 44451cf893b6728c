package media

import (
	"bytes"
	"context"
	"image/png"
	"strings"

	"homeward/internal/lost"
)

// blurredSide is the length in pixels of the longer side of a blurred picture. So few pixels show that there is a
// picture and its colours, but no text and no face.
const blurredSide = 8

// Blurred returns a stored picture with so few pixels that nothing in it can be read, as a PNG. Browsers smooth it
// when they enlarge it. A picture that has no thumbnail returns an Unsupported error.
func (l *Processor) Blurred(ctx context.Context, store Store, name string) ([]byte, error) {
	const side = 160
	f, opened, err := openOrMake(ctx, store, l, thumbName(name, side))
	if lost.CodeOf(err) == lost.NotFound { // a picture that is smaller has only the largest thumbnail
		f, opened, err = openOrMake(ctx, store, l, ThumbName(name))
	}
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
	var b bytes.Buffer
	err = png.Encode(&b, resample(d, fit(d.size, blurredSide)))
	return b.Bytes(), err
}
