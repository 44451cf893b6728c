package photofact_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"testing"

	"golang.org/x/image/draw"

	"homeward/internal/lost"
	"homeward/internal/media/photofact"
)

func TestCopiesOfAPhotoHaveSimilarHashes(t *testing.T) {
	const photos = 60
	var hashes []lost.PhotoHash
	missed := map[string]int{}
	for n := range photos {
		p, found := rendered(t, developmentSeed, n)
		m := decoded(t, p.JPEG)
		for name, changed := range map[string]image.Image{
			"compressed": compressed(t, m), "smaller": resized(m, 5, 8), "brighter": brighter(m),
		} {
			if !found.Hash.IsCopy(photofact.Find(changed).Hash) {
				missed[name]++
			}
		}
		for other, hash := range hashes {
			if hash.IsCopy(found.Hash) {
				t.Errorf("photos %d and %d have similar hashes", other, n)
			}
		}
		hashes = append(hashes, found.Hash)
	}
	for name, n := range missed {
		if n > photos/20 {
			t.Errorf("%d of %d %s photos are not recognised", n, photos, name)
		}
	}
}

func compressed(t *testing.T, m image.Image) image.Image {
	t.Helper()
	var file bytes.Buffer
	if err := jpeg.Encode(&file, m, &jpeg.Options{Quality: 40}); err != nil {
		t.Fatal(err)
	}
	return decoded(t, file.Bytes())
}

func resized(m image.Image, by, of int) image.Image {
	size := m.Bounds().Size()
	small := image.NewRGBA(image.Rect(0, 0, size.X*by/of, size.Y*by/of))
	draw.CatmullRom.Scale(small, small.Rect, m, m.Bounds(), draw.Src, nil)
	return small
}

func brighter(m image.Image) image.Image {
	out := image.NewRGBA(m.Bounds())
	draw.Draw(out, out.Rect, m, m.Bounds().Min, draw.Src)
	for n, v := range out.Pix {
		out.Pix[n] = byte(min(255, int(v)*11/10))
	}
	return out
}

func TestABlankSheetHasNoHash(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 640, 480))
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			m.SetGray(x, y, color.Gray{Y: byte(200 + x/40 + y/60 + (x*31+y*17)%3)})
		}
	}
	if got := photofact.Find(m).Hash; got != 0 {
		t.Errorf("the hash is %x", got)
	}
}
