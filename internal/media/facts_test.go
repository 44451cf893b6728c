package media_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"testing"

	"github.com/boombuler/barcode/qr"

	"homeward/internal/lost"
	"homeward/internal/media"
)

// labelled returns a picture of a red thing with a QR code on a grey table.
func labelled(t *testing.T, text string) *image.RGBA {
	t.Helper()
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		t.Fatal(err)
	}
	m := image.NewRGBA(image.Rect(0, 0, 1600, 1200))
	fill := func(r image.Rectangle, c color.Color) {
		draw.Draw(m, r, image.NewUniform(c), image.Point{}, draw.Src)
	}
	fill(m.Rect, color.RGBA{150, 152, 150, 255})
	fill(image.Rect(300, 200, 1300, 1000), color.RGBA{190, 30, 40, 255})
	fill(image.Rect(380, 280, 760, 660), color.White)
	const module = 12
	for y := range code.Bounds().Dy() {
		for x := range code.Bounds().Dx() {
			if code.At(x, y) == color.Black {
				at := image.Pt(420+x*module, 320+y*module)
				fill(image.Rectangle{Max: image.Pt(module, module)}.Add(at), color.Black)
			}
		}
	}
	return m
}

func checkFacts(t *testing.T, got lost.PhotoFacts, text string) {
	t.Helper()
	if !slices.Equal(got.Colors, []lost.Color{lost.Red}) || got.Hash == 0 ||
		!slices.Equal(got.Codes, []lost.PhotoCode{{Format: lost.QRCode, Text: text}}) {
		t.Errorf("the facts are %+v", got)
	}
}

func TestVerifyingAPictureFindsItsFacts(t *testing.T) {
	processor, store := newProcessor(t), open(t, t.TempDir())
	m := labelled(t, "SN 12345")
	var upright lost.PhotoHash
	for name, data := range map[string][]byte{
		"JPEG": encodeJPEG(t, m), "PNG": encodePNG(t, m), "rotated JPEG": insert(encodeJPEG(t, m), 2, exifSegment(6)),
	} {
		t.Run(name, func(t *testing.T) {
			stored, _ := storeDeferred(t, processor, store, data)
			facts, err := processor.Verify(t.Context(), store, stored, media.StaffLane)
			if err != nil {
				t.Fatal(err)
			}
			checkFacts(t, facts, "SN 12345")
			if name == "rotated JPEG" {
				if facts.Hash.IsCopy(upright) {
					t.Error("the facts are not those of the upright picture")
				}
				return
			}
			if upright != 0 && !facts.Hash.IsCopy(upright) {
				t.Error("the hash depends on the format")
			}
			upright = facts.Hash
		})
	}
}

func TestFactsAreFoundIfThereIsAThumbnailAlready(t *testing.T) {
	processor, store := newProcessor(t), open(t, t.TempDir())
	stored, _ := storeDeferred(t, processor, store, encodeJPEG(t, labelled(t, "SN 12345")))
	if err := processor.Thumbnail(t.Context(), store, stored); err != nil { // a page showed it before the job ran
		t.Fatal(err)
	}
	facts, err := processor.Verify(t.Context(), store, stored, media.StaffLane)
	if err != nil {
		t.Fatal(err)
	}
	checkFacts(t, facts, "SN 12345")
}

func TestFactsOfAPictureThatIsNotStored(t *testing.T) {
	processor := newProcessor(t)
	m := labelled(t, "SN 12345")
	for _, data := range [][]byte{encodeJPEG(t, m), encodePNG(t, m)} {
		facts, err := processor.FindFacts(t.Context(), "photo", bytes.NewReader(data), plenty)
		if err != nil {
			t.Fatal(err)
		}
		checkFacts(t, facts, "SN 12345")
	}
	data := encodeJPEG(t, m)
	for name, bad := range map[string][]byte{"text": []byte("no picture at all"), "cut": data[:len(data)/2]} {
		if _, err := processor.FindFacts(t.Context(), "photo", bytes.NewReader(bad), plenty); lost.CodeOf(err) !=
			lost.Unsupported {
			t.Errorf("%s: %v, want unsupported", name, err)
		}
	}
	_, err := processor.FindFacts(t.Context(), "photo", bytes.NewReader(data), 1000)
	if lost.CodeOf(err) != lost.TooLarge {
		t.Errorf("a large file: %v, want too large", err)
	}
	heavy := heavyPictures()["PNG of 16 bits"]
	if facts, err := processor.FindFacts(t.Context(), "photo", bytes.NewReader(heavy), plenty); err != nil ||
		facts.Hash != 0 {
		t.Errorf("a heavy picture has the facts %+v, %v", facts, err)
	}
}
