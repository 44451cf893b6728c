package picture_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/image/draw"

	"homeward/internal/demo/picture"
)

func TestEveryDrawingFitsItsCanvas(t *testing.T) {
	for n, thing := range picture.Things() {
		img := photo(t, thing, "red", uint64(n))
		if size := img.Bounds().Size(); size != (image.Point{X: picture.Width, Y: picture.Height}) {
			t.Errorf("the picture of a %s is %v", thing, size)
		}
		paper, drawn, seen := img.At(2, 2), 0, 0
		for y := 0; y < picture.Height; y += 3 {
			for x := 0; x < picture.Width; x += 3 {
				seen++
				edge := x == 0 || y == 0 || x >= picture.Width-3 || y >= picture.Height-3
				if far := distance(img.At(x, y), paper) > 60; far && edge {
					t.Fatalf("the %s is cut off at %d, %d", thing, x, y)
				} else if far {
					drawn++
				}
			}
		}
		if share := drawn * 100 / seen; share < 3 || share > 60 {
			t.Errorf("the %s covers %d %% of its paper", thing, share)
		}
	}
}

func TestAPictureDependsOnThingColourAndNumber(t *testing.T) {
	first := bytesOf(t, "teddy", "brown", 1)
	if !bytes.Equal(first, bytesOf(t, "teddy", "brown", 1)) {
		t.Error("the second picture differs")
	}
	for name, other := range map[string][]byte{
		"thing": bytesOf(t, "keys", "brown", 1), "colour": bytesOf(t, "teddy", "grey", 1),
		"number": bytesOf(t, "teddy", "brown", 2),
	} {
		if bytes.Equal(first, other) {
			t.Errorf("another %s produces the same picture", name)
		}
	}
	if _, err := picture.Photo("unicorn", "white", 1); err == nil {
		t.Error("an unknown item has a picture")
	}
}

func TestLogosAreSquareWithRoundCorners(t *testing.T) {
	for _, sign := range []string{"wave", "plane", "paw"} {
		logo, err := picture.Logo(sign, "navy")
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(logo))
		if err != nil {
			t.Fatal(err)
		}
		_, _, _, corner := img.At(0, 0).RGBA()
		if size := img.Bounds().Size(); size.X != size.Y || corner != 0 {
			t.Errorf("the logo with a %s is %v, and its corner has the alpha %d", sign, size, corner)
		}
	}
	if _, err := picture.Logo("dragon", "red"); err == nil {
		t.Error("an unknown sign has a logo")
	}
}

// TestDrawOverview draws all items on one sheet and saves it in the folder HOMEWARD_TEST_SCREENSHOTS, for review
// after a change.
func TestDrawOverview(t *testing.T) {
	folder := os.Getenv("HOMEWARD_TEST_SCREENSHOTS")
	if folder == "" {
		t.Skip("HOMEWARD_TEST_SCREENSHOTS is not set")
	}
	const across, width, height = 6, 300, 225
	colours, all := []string{"black", "navy", "red", "brown", "teal", "beige", "yellow", "grey", "green", "pink"},
		picture.Things()
	sheet := image.NewRGBA(image.Rect(0, 0, across*width, (len(all)+across-1)/across*height))
	for n, thing := range all {
		img := photo(t, thing, colours[n%len(colours)], uint64(n))
		at := image.Rect(0, 0, width, height).Add(image.Pt(n%across*width, n/across*height))
		draw.BiLinear.Scale(sheet, at, img, img.Bounds(), draw.Src, nil)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, sheet); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "things.png"), out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func bytesOf(t *testing.T, thing, colour string, number uint64) []byte {
	t.Helper()
	b, err := picture.Photo(thing, colour, number)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func photo(t *testing.T, thing, colour string, number uint64) image.Image {
	t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(bytesOf(t, thing, colour, number)))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// distance returns the difference between two colours, from 0 to 765.
func distance(a, b color.Color) int {
	r1, g1, b1, _ := a.RGBA()
	r2, g2, b2, _ := b.RGBA()
	difference := func(x, y uint32) int { return max(int(x), int(y))>>8 - min(int(x), int(y))>>8 }
	return difference(r1, r2) + difference(g1, g2) + difference(b1, b2)
}
