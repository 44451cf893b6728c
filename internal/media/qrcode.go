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

// ReadCode returns the text of a QR code in a picture. It reads at most limit bytes and accepts the same formats as
// Receive, with the same limits on pixels and memory. It stores nothing. The text is untrusted.
//
// An Invalid error refers to field; it is also returned if the picture contains no QR code.
func (l *Processor) ReadCode(ctx context.Context, field string, r io.Reader, limit int64) (string, error) {
	raw, err := l.newTemp()
	if err != nil {
		return "", err
	}
	defer func() { _ = closeTemp(raw) }()
	if err := spool(ctx, raw, r, limit); err != nil {
		return "", err
	}
	text, err := l.readCode(ctx, raw)
	if err != nil {
		return "", codeRefusal(field, err)
	}
	return text, nil
}

// codeRefusal converts an error to one that can be shown to the user.
func codeRefusal(field string, err error) error {
	var p lost.Problems
	switch {
	case errors.Is(err, errNoCode):
		p.Add(field, "no-code",
			"must show a tag's whole QR code, in focus and without glare; move closer, or type the reference")
		return p.Err()
	case errors.Is(err, errTooHeavy):
		p.Add(field, "too-heavy", "has too many pixels; use a lower camera resolution, or type the reference")
		return p.Err()
	}
	return refusal(field, err)
}

// readCode decodes a picture and returns the text of the QR code in it.
func (l *Processor) readCode(ctx context.Context, raw io.ReadSeeker) (text string, err error) {
	kind, info, err := examine(raw)
	if err != nil {
		return "", err
	}
	err = l.inTurn(ctx, StaffLane, info.thumbnailMemory(), func() error {
		d, err := decode(ctx, kind.ext, raw)
		if err != nil {
			return err
		}
		text, err = findQRCode(ctx, average(d))
		return err
	})
	return text, err
}

// examine returns the format and the properties of a picture, and rewinds it. It returns an error if the picture must
// not be decoded.
func examine(raw io.ReadSeeker) (kind format, info pictureInfo, err error) {
	rewind := func() error { _, err := raw.Seek(0, io.SeekStart); return err }
	if err := rewind(); err != nil {
		return kind, info, err
	}
	if kind, err = formatOf(newReader(raw)); err != nil {
		return kind, info, err
	}
	if err := rewind(); err != nil {
		return kind, info, err
	}
	if info, err = readHeader(kind.ext, raw); err != nil {
		return kind, info, err
	}
	if info.exceedsBudget() {
		return kind, info, errTooHeavy
	}
	return kind, info, rewind()
}

// errNoCode is returned if a picture contains no QR code.
var errNoCode = errors.New("no QR code found")

// findQRCode searches a picture for a QR code, first at full size and then at half size, where a blurred code is
// sharper. The averaged picture has at most a few million pixels, which limits the time needed.
func findQRCode(ctx context.Context, mean *image.RGBA) (string, error) {
	for range 2 {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if text, found := decodeQRCode(mean); found {
			return text, nil
		}
		size := mean.Rect.Size()
		mean = scale(mean, image.Pt(max(1, size.X/2), max(1, size.Y/2)))
	}
	return "", errNoCode
}

// decodeQRCode returns the text of a QR code, if there is one. Because the picture is untrusted, a panic in the
// library counts as no code.
func decodeQRCode(img image.Image) (text string, found bool) {
	defer func() {
		if recover() != nil {
			text, found = "", false
		}
	}()
	bitmap, err := gozxing.NewBinaryBitmapFromImage(img)
	if err != nil {
		return "", false
	}
	hints := map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true}
	result, err := qrcode.NewQRCodeReader().Decode(bitmap, hints)
	if err != nil {
		return "", false
	}
	return result.GetText(), true
}
