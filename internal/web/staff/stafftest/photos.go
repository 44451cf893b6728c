package stafftest

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"testing"

	"github.com/boombuler/barcode/qr"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
)

// LabelledPicture returns a picture of a thing in one colour, with a QR code on a label.
func LabelledPicture(t testing.TB, c color.Color, text string) []byte {
	t.Helper()
	code := testkit.Must(qr.Encode(text, qr.M, qr.Auto))
	m := image.NewRGBA(image.Rect(0, 0, 640, 480))
	fill := func(area image.Rectangle, c color.Color) {
		draw.Draw(m, area, image.NewUniform(c), image.Point{}, draw.Src)
	}
	fill(m.Rect, color.RGBA{216, 214, 208, 255})
	fill(image.Rect(80, 40, 560, 440), c)
	fill(image.Rect(100, 60, 290, 250), color.White)
	const module = 6
	for y := range code.Bounds().Dy() {
		for x := range code.Bounds().Dx() {
			if code.At(x, y) == color.Black {
				fill(image.Rect(0, 0, module, module).Add(image.Pt(125+x*module, 85+y*module)), color.Black)
			}
		}
	}
	var b bytes.Buffer
	testkit.Must(0, png.Encode(&b, m))
	return b.Bytes()
}

// AddPhoto adds a photo to an item and returns the item.
func AddPhoto(h *testkit.Server, i lost.Item, photo []byte) lost.Item {
	h.T.Helper()
	return testkit.Must(h.Services.Items.UploadImage(context.Background(), h.Actor, i.LocationID, i.ID,
		bytes.NewReader(photo), lost.IdempotencyKey{}))
}

// VerifyPhotos verifies the photos of an item, as the background job does, and returns the item.
func VerifyPhotos(h *testkit.Server, i lost.Item) lost.Item {
	h.T.Helper()
	for _, img := range i.Images {
		testkit.Must(0, h.Services.Items.VerifyImage(context.Background(), i.Account,
			store.AddedImage{Location: i.LocationID, Item: i.ID, File: img.File}))
	}
	return testkit.Must(h.Services.Items.Get(context.Background(), h.Actor, i.LocationID, i.ID))
}
