package media_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"strings"
	"testing"

	"github.com/boombuler/barcode/qr"

	"homeward/internal/lost"
	"homeward/internal/media"
)

const tagCode = "https://lost.example/t/K7F3QD"

// tagPhoto returns a photo of a tag. module is the size in pixels of one module (a small square) of its QR code.
func tagPhoto(t testing.TB, w, h, module int) *image.RGBA {
	t.Helper()
	code, err := qr.Encode(tagCode, qr.M, qr.Auto)
	if err != nil {
		t.Fatal(err)
	}
	photo := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			photo.SetRGBA(x, y, color.RGBA{uint8(60 + x*90/w), uint8(90 + y*80/h), 70, 0xff})
		}
	}
	side := code.Bounds().Dx() * module
	left, top := (w-side)/3, (h-side)/2
	draw.Draw(photo, image.Rect(left-4*module, top-4*module, left+side+4*module, top+side+4*module),
		image.NewUniform(color.Gray{0xe6}), image.Point{}, draw.Src)
	for y := range side {
		for x := range side {
			if code.At(x/module, y/module) == color.Black {
				photo.Set(left+x, top+y, color.Gray{0x28})
			}
		}
	}
	return photo
}

func TestAQRCodeInAPhotoIsRead(t *testing.T) {
	turned := insert(encodeJPEG(t, tagPhoto(t, 1200, 900, 9)), 2, exifSegment(6))
	for name, photo := range map[string][]byte{
		"a photo":       encodeJPEG(t, tagPhoto(t, 3000, 2000, 24)),
		"a small one":   encodePNG(t, tagPhoto(t, 320, 240, 4)),
		"a rotated one": turned,
		"an animation":  encodeGIF(t, 1, tagPhoto(t, 400, 300, 5)),
	} {
		text, err := media.NewProcessor(t.TempDir()).ReadCode(t.Context(), "photo", bytes.NewReader(photo), 10<<20)
		if err != nil || text != tagCode {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

func TestAPhotoWithoutACodeIsRefused(t *testing.T) {
	processor := media.NewProcessor(t.TempDir())
	for name, c := range map[string]struct {
		photo []byte
		code  lost.Code
		field string
	}{
		"no code":        {encodeJPEG(t, scene(400, 300)), lost.Invalid, "photo no-code"},
		"noise":          {encodePNG(t, noise(300, 300)), lost.Invalid, "photo no-code"},
		"a single pixel": {encodePNG(t, scene(1, 1)), lost.Invalid, "photo no-code"},
		"half a code": {encodePNG(t, tagPhoto(t, 400, 300, 5).SubImage(image.Rect(0, 0, 160, 300))),
			lost.Invalid, "photo no-code"},
		"no picture":           {[]byte(strings.Repeat("no picture ", 50)), lost.Unsupported, ""},
		"too many bytes":       {append(encodeJPEG(t, scene(40, 30)), make([]byte, 1<<20)...), lost.TooLarge, ""},
		"a bomb":               {emptyPNG(20_000, 20_000, 8, 2, 0), lost.Invalid, "photo too-many-pixels"},
		"too heavy":            {emptyPNG(10_000, 5000, 8, 2, 0), lost.Invalid, "photo too-heavy"},
		"broken in the middle": {encodePNG(t, tagPhoto(t, 400, 300, 5))[:900], lost.Unsupported, ""},
	} {
		_, err := processor.ReadCode(t.Context(), "photo", bytes.NewReader(c.photo), 1<<20)
		field := ""
		if p := lost.ProblemsOf(err); len(p) == 1 {
			field = p[0].Field + " " + p[0].Code
		}
		if lost.CodeOf(err) != c.code || field != c.field {
			t.Errorf("%s: %v (%s)", name, err, field)
		}
	}
}

func TestReadingACodeWaitsForOtherDecoding(t *testing.T) {
	processor := media.NewProcessor(t.TempDir())
	release := media.HoldGate(processor)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := processor.ReadCode(ctx, "photo", bytes.NewReader(encodePNG(t, tagPhoto(t, 320, 240, 4))),
		1<<20); err == nil {
		t.Error("the code was read while another picture was being decoded")
	}
	release()
}
