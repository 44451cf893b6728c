package media

import (
	"context"
	"errors"
	"image"
	"io"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"homeward/internal/lost"
)

// ReadCode gives what a QR code in a picture says. It takes at most limit bytes of the formats that Receive takes, under the same bounds of
// pixels and memory, keeps nothing, and looks at one picture at a time. What a code says may be anything: it is the caller's to judge.
//
// The field is the one that an Invalid error names, also where there is no code to be seen.
func (l *Lab) ReadCode(ctx context.Context, field string, r io.Reader, limit int64) (string, error) {
	raw, err := l.newTemp()
	if err != nil {
		return "", err
	}
	defer func() { _ = closeTemp(raw) }()
	if _, err := spool(ctx, raw, r, limit); err != nil {
		return "", err
	}
	said, err := l.readCode(ctx, raw)
	if err != nil {
		return "", codeRefusal(field, err)
	}
	return said, nil
}

// codeRefusal says why a picture was not read.
func codeRefusal(field string, err error) error {
	var p lost.Problems
	switch {
	case errors.Is(err, errNoCode):
		p.Add(field, "no-code", "must show the whole QR code of a tag, sharp and without glare; go nearer, or type the reference")
		return p.Err()
	case errors.Is(err, errHeavy):
		p.Add(field, "too-heavy", "takes too much memory; take a smaller photo, or type the reference")
		return p.Err()
	}
	return refusal(field, err)
}

// seekable is a file that is read more than once.
type seekable interface {
	io.Reader
	io.Seeker
}

// readCode decodes a picture and looks for a code in it.
func (l *Lab) readCode(ctx context.Context, raw seekable) (said string, err error) {
	rewind := func() error { _, err := raw.Seek(0, io.SeekStart); return err }
	if err := rewind(); err != nil {
		return "", err
	}
	kind, err := formatOf(newReader(raw))
	if err != nil {
		return "", err
	}
	if err := rewind(); err != nil {
		return "", err
	}
	seen, err := survey(kind.ext, raw)
	if err != nil {
		return "", err
	}
	if seen.heavy() {
		return "", errHeavy
	}
	if err := rewind(); err != nil {
		return "", err
	}
	err = l.alone(ctx, seen.memory, func() error {
		d, err := decode(ctx, kind.ext, raw)
		if err != nil {
			return err
		}
		mean := average(d)
		said, err = codeIn(ctx, mean)
		return err
	})
	return said, err
}

// errNoCode says that there is no code to be seen.
var errNoCode = errors.New("no QR code to be seen")

// codeIn looks for a code, first as the picture is and then by half: a code that is blurred is sharper when it is small. Averaging has
// left a few million pixels at most, which bounds the time.
func codeIn(ctx context.Context, mean *image.RGBA) (string, error) {
	for range 2 {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if said, found := tryCode(mean); found {
			return said, nil
		}
		size := mean.Rect.Size()
		mean = scale(mean, image.Pt(max(1, size.X/2), max(1, size.Y/2)))
	}
	return "", errNoCode
}

// tryCode reads a code, if there is one. A panic is none: the reader is others' work and the picture a stranger's.
func tryCode(img image.Image) (said string, found bool) {
	defer func() {
		if recover() != nil {
			said, found = "", false
		}
	}()
	bitmap, err := gozxing.NewBinaryBitmapFromImage(img)
	if err != nil {
		return "", false
	}
	result, err := qrcode.NewQRCodeReader().Decode(bitmap, map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true})
	if err != nil {
		return "", false
	}
	return result.GetText(), true
}
