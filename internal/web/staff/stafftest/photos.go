package stafftest

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"testing"

	"github.com/boombuler/barcode/qr"

	"homeward/internal/lost"
	"homeward/internal/lost/photo"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
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

// givePhoto is a script that drops or pastes a photo on the page. It returns whether the page accepts it.
const givePhoto = `(async (kind) => {
	const canvas = Object.assign(document.createElement("canvas"), {width: 64, height: 48});
	canvas.getContext("2d").fillRect(0, 0, 32, 48);
	const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
	const data = new DataTransfer();
	data.items.add(new File([blob], "photo.png", {type: "image/png"}));
	const init = {bubbles: true, cancelable: true, clipboardData: data, dataTransfer: data};
	const events = {paste: [new ClipboardEvent("paste", init)],
		drop: [new DragEvent("dragover", init), new DragEvent("drop", init)]}[kind];
	for (const event of events) document.querySelector("h1").dispatchEvent(event);
	return events.every((event) => event.defaultPrevented) ? "" : "the page ignores the photo";
})(%q)`

// GivePhoto drops or pastes a photo on the page, as kind says. The test fails if the page ignores it.
func GivePhoto(t *testing.T, v *browsertest.Visitor, kind string) {
	t.Helper()
	var ignored string
	if v.Run(fmt.Sprintf(givePhoto, kind), &ignored); ignored != "" {
		t.Fatalf("%s: %s", kind, ignored)
	}
}

// AddPhoto adds a photo to an item and returns the item.
func AddPhoto(h *testkit.Server, i lost.Item, file []byte) lost.Item {
	h.T.Helper()
	return testkit.Must(h.Services.Items.UploadImage(context.Background(), h.Actor, i.LocationID, i.ID,
		bytes.NewReader(file), lost.IdempotencyKey{}))
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

// FakeDescriber is a photo assistant's model for tests. It sees the same in every photo.
type FakeDescriber struct {
	At     string // the host
	Report photo.Report
}

// Use makes services use the model. A photo is sent as it is stored.
func (d *FakeDescriber) Use(o *services.Options) {
	o.Describer, o.ReducedPhotos, o.PhotosPerDay = d, d, 100
}

// Host returns the host of the model.
func (d *FakeDescriber) Host() string { return d.At }

// Model returns the name of the model.
func (d *FakeDescriber) Model() string { return "eyes-1" }

// Describe returns the report.
func (d *FakeDescriber) Describe(context.Context, []byte, string) (photo.Report, error) {
	return d.Report, nil
}

// Reduced returns no photo, because the model sees the same in every photo.
func (d *FakeDescriber) Reduced(context.Context, string) ([]byte, error) { return nil, nil }

// Describe switches the photo assistant on at the location of an item, and describes the photos of the item as the
// background job does.
func Describe(h *testkit.Server, d *FakeDescriber, i lost.Item) {
	h.T.Helper()
	ctx := context.Background()
	testkit.Must(0, h.Services.Assistant.SwitchOn(ctx, h.Actor, i.LocationID, d.At))
	for _, img := range i.Images {
		p := store.DescribedPhoto{Location: i.LocationID, Item: i.ID, File: img.File}
		testkit.Must(0, h.Services.Assistant.Describe(ctx, i.Account, p, 1))
	}
}
