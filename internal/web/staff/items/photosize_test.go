package items_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// sideways returns a photo of 1600 × 1200 pixels that a phone held upright would save: its left half is red, and an
// EXIF block says that the left side is the top.
func sideways(t *testing.T) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 1600, 1200))
	draw.Draw(m, m.Rect, image.NewUniform(color.RGBA{30, 30, 200, 255}), image.Point{}, draw.Src)
	draw.Draw(m, image.Rect(0, 0, 800, 1200), image.NewUniform(color.RGBA{200, 30, 30, 255}), image.Point{}, draw.Src)
	var b bytes.Buffer
	testkit.Must(0, jpeg.Encode(&b, m, nil))
	exif := []byte("\xff\xe1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01" +
		"\x00\x06\x00\x00\x00\x00\x00\x00")
	return bytes.Join([][]byte{b.Bytes()[:2], exif, b.Bytes()[2:]}, nil)
}

// shown describes a picture on a page.
type shown struct {
	Source        string
	Width, Height int    // of the file
	Top, Bottom   string // "red" or "blue"
}

// picture loads the picture at the address that an expression returns, and describes it.
func picture(v *browsertest.Visitor, address string) (s shown) {
	v.Run(fmt.Sprintf(`(async () => {
		const file = new Image();
		file.src = %s;
		await file.decode();
		const canvas = document.createElement("canvas");
		canvas.width = file.naturalWidth; canvas.height = file.naturalHeight;
		const context = canvas.getContext("2d");
		context.drawImage(file, 0, 0);
		const at = (y) => {
			const pixel = context.getImageData(canvas.width / 2, y, 1, 1).data;
			return pixel[0] > pixel[2] ? "red" : "blue";
		};
		return {Source: file.src, Width: canvas.width, Height: canvas.height,
			Top: at(2), Bottom: at(canvas.height - 3)};
	})()`, address), &s)
	return s
}

// chosen is an expression for the address that the browser chose for a picture on the page.
func chosen(selector string) string {
	return fmt.Sprintf(`await (async (img) => {
		await img.decode();
		return img.currentSrc;
	})(document.querySelector(%q))`, selector)
}

// No job has run: the page shows the photo at once, in a size that fits, and upright.
func TestPhotosAreShownInFittingSizesInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Red and blue ball")
	i = testkit.Must(h.Services.Items.UploadImage(t.Context(), h.Actor, l.ID, i.ID, bytes.NewReader(sideways(t)),
		lost.IdempotencyKey{}))
	if p := i.Picture(); p.Width != 1200 || p.Height != 1600 {
		t.Errorf("the photo has %d x %d pixels, want those of the upright photo", p.Width, p.Height)
	}
	v := browsertest.New(t, browsertest.Options{})
	stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/items")
	list := picture(v, chosen(".pic img"))
	if !strings.Contains(list.Source, "-160.jpg") || list.Width != 120 || list.Height != 160 {
		t.Errorf("the list shows %+v, want the thumbnail of 160 pixels", list)
	}
	v.CheckLayoutShift()
	v.Visit(at + "/at/" + l.ID + "/items/" + i.ID)
	page := picture(v, chosen(".photo-list img"))
	if page.Width < 213 || page.Width > 480 {
		t.Errorf("the page shows %+v, want a thumbnail that is a little larger than its place", page)
	}
	v.CheckLayoutShift()
	full := picture(v, `document.querySelector(".photo-list a").href`)
	for name, s := range map[string]shown{"list": list, "page": page, "photo itself": full} {
		if s.Top != "red" || s.Bottom != "blue" {
			t.Errorf("%s: the photo is not upright: %+v", name, s)
		}
	}
}

func TestTheTimelineTellsOfADamagedPhotoInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Red and blue ball")
	photo := sideways(t)
	i = testkit.Must(h.Services.Items.UploadImage(t.Context(), h.Actor, l.ID, i.ID,
		bytes.NewReader(append(photo[:len(photo)/2], 0xff, 0xd9)), lost.IdempotencyKey{}))
	testkit.Must(0, h.Services.Items.VerifyImage(t.Context(), i.Account,
		store.AddedImage{Location: l.ID, Item: i.ID, File: i.ImageFile}))
	v := browsertest.New(t, browsertest.Options{Phone: true})
	stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/items/"+i.ID)
	v.See("Removed a photo", "The photo is damaged and cannot be displayed, so it was removed.")
	var photos int
	v.Run(`document.querySelectorAll(".photo-list img").length`, &photos)
	if photos != 0 {
		t.Errorf("the page shows %d photos, want none", photos)
	}
}
