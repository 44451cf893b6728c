package photofact_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"slices"
	"strings"
	"testing"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/code128"
	"github.com/boombuler/barcode/code39"
	"github.com/boombuler/barcode/ean"
	"github.com/boombuler/barcode/qr"

	"homeward/internal/lost"
	"homeward/internal/media/photofact"
)

// drawnCode returns a picture of a code.
func drawnCode(t testing.TB, c lost.PhotoCode) image.Image {
	t.Helper()
	var drawn barcode.Barcode
	var err error
	w, h := 260, 90
	switch c.Format {
	case lost.QRCode:
		w, h = 180, 180
		drawn, err = qr.Encode(c.Text, qr.M, qr.Auto)
	case lost.UPCA:
		drawn, err = ean.Encode("0" + c.Text)
	case lost.EAN13, lost.EAN8:
		drawn, err = ean.Encode(c.Text)
	case lost.Code128:
		drawn, err = code128.Encode(c.Text)
	case lost.Code39:
		w = 380
		drawn, err = code39.Encode(c.Text, false, false)
	}
	if err == nil {
		size := drawn.Bounds().Size()
		drawn, err = barcode.Scale(drawn, max(w/size.X, 1)*size.X, max(h, size.Y))
	}
	if err != nil {
		t.Fatal(err)
	}
	return drawn
}

// photoOfCodes returns a photo of labels with codes, turned by a number of right angles.
func photoOfCodes(t testing.TB, turns int, codes ...lost.PhotoCode) image.Image {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 1000, 750))
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			grain := byte((x*7919 + y*104729) >> 3 & 15)
			m.Set(x, y, color.RGBA{110 + grain + byte(x/30), 90 + grain, 70 + grain, 255})
		}
	}
	for n, c := range codes {
		code := drawnCode(t, c)
		corner := image.Pt(60+n%2*480, 60+n/2*250)
		area := image.Rectangle{Max: code.Bounds().Size()}.Add(corner)
		draw.Draw(m, area.Inset(-24), image.NewUniform(color.RGBA{225, 222, 214, 255}), image.Point{}, draw.Src)
		draw.Draw(m, area, code, image.Point{}, draw.Src)
	}
	for range turns {
		m = turnedRight(m)
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, m, &jpeg.Options{Quality: 60}); err != nil {
		t.Fatal(err)
	}
	return decoded(t, file.Bytes())
}

func turnedRight(m *image.RGBA) *image.RGBA {
	size := m.Rect.Size()
	turned := image.NewRGBA(image.Rect(0, 0, size.Y, size.X))
	for y := range size.Y {
		for x := range size.X {
			turned.SetRGBA(size.Y-1-y, x, m.RGBAAt(x, y))
		}
	}
	return turned
}

func TestCodesAreRead(t *testing.T) {
	for _, c := range []lost.PhotoCode{
		{Format: lost.QRCode, Text: "https://example.com/a?b=ä"}, {Format: lost.EAN13, Text: "4006381333931"},
		{Format: lost.EAN8, Text: "96385074"}, {Format: lost.UPCA, Text: "036000291452"},
		{Format: lost.Code128, Text: "SN-8841-C"}, {Format: lost.Code39, Text: "AB12345"},
	} {
		for turns := range 4 {
			t.Run(fmt.Sprintf("%s %d", c.Format, turns), func(t *testing.T) {
				if got := photofact.Find(photoOfCodes(t, turns, c)).Codes; !slices.Equal(got, []lost.PhotoCode{c}) {
					t.Errorf("the codes are %q, want %q", got, c)
				}
			})
		}
	}
}

func TestAtMostFourCodesAreRead(t *testing.T) {
	codes := []lost.PhotoCode{
		{Format: lost.QRCode, Text: "first"}, {Format: lost.QRCode, Text: "second"},
		{Format: lost.Code128, Text: "SN-8841-C"}, {Format: lost.QRCode, Text: "third"},
	}
	got := photofact.Find(photoOfCodes(t, 0, codes...)).Codes
	for _, c := range codes {
		if !slices.Contains(got, c) {
			t.Errorf("the codes are %q, without %q", got, c)
		}
	}
	codes = append(codes, lost.PhotoCode{Format: lost.QRCode, Text: "fourth"})
	codes[2] = lost.PhotoCode{Format: lost.Code128, Text: "SN-8842-C"}
	codes = append(codes, lost.PhotoCode{Format: lost.QRCode, Text: "fifth"})
	if got := photofact.Find(photoOfCodes(t, 0, codes...)).Codes; len(got) != lost.MaxPhotoCodes {
		t.Errorf("%d codes were read: %q", len(got), got)
	}
}

func TestCodesThatMayNotBeKeptAreNotReturned(t *testing.T) {
	kept := lost.PhotoCode{Format: lost.Code128, Text: "SN-8841-C"}
	for _, text := range []string{
		"WIFI:S:home;P:secret;;", "BEGIN:VCARD\nN:Ann\nEND:VCARD", strings.Repeat("long ", 50), "line\nline",
	} {
		got := photofact.Find(photoOfCodes(t, 0, lost.PhotoCode{Format: lost.QRCode, Text: text}, kept)).Codes
		if !slices.Equal(got, []lost.PhotoCode{kept}) {
			t.Errorf("with %q, the codes are %q", text, got)
		}
	}
}

func TestPhotosWithoutCodesHaveNone(t *testing.T) {
	for n := range 60 {
		if p, got := rendered(t, developmentSeed, n); len(got.Codes) > 0 {
			t.Errorf("the photo of a %s has the codes %q", p, got.Codes)
		}
	}
}

// TestManyCornersOfCodesAreIgnored shows thousands of patterns that mark the corners of QR codes. Trying all triples of
// them would take days.
func TestManyCornersOfCodesAreIgnored(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 1000, 1000))
	draw.Draw(m, m.Rect, image.White, image.Point{}, draw.Src)
	square := func(x, y, side int, c color.Color) {
		draw.Draw(m, image.Rect(x, y, x+side, y+side), image.NewUniform(c), image.Point{}, draw.Src)
	}
	const module = 2
	for y := 0; y+9*module <= 1000; y += 9 * module {
		for x := 0; x+9*module <= 1000; x += 9 * module {
			square(x+module, y+module, 7*module, color.Black)
			square(x+2*module, y+2*module, 5*module, color.White)
			square(x+3*module, y+3*module, 3*module, color.Black)
		}
	}
	if got := photofact.Find(m).Codes; len(got) > 0 {
		t.Errorf("the codes are %q", got)
	}
}
