package photofact_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/media/photofact"
	"homeward/internal/media/photofact/phototest"
)

// developmentSeed is the seed of the photos with which the limits in this package were chosen. To measure pictures that
// nobody has seen, set HOMEWARD_TEST_PHOTO_SEED.
const developmentSeed = 1

func TestTheMainColorIsRightInNineOfTenPhotos(t *testing.T) {
	const photos = 300
	seed := uint64(developmentSeed)
	if text := os.Getenv("HOMEWARD_TEST_PHOTO_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var wrong []string
	onBackground := map[string]int{}
	t.Run("photos", func(t *testing.T) {
		for part := range 4 {
			t.Run(strconv.Itoa(part), func(t *testing.T) {
				t.Parallel()
				for n := part; n < photos; n += 4 {
					p, found := rendered(t, seed, n)
					if len(found.Colors) > 0 && slices.Contains(p.Colors, found.Colors[0]) {
						continue
					}
					mu.Lock()
					wrong = append(wrong, p.String()+" is "+joined(found.Colors))
					onBackground[p.Background]++
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("the main color is right in %d of %d photos; wrong by background: %v; wrong: %q", photos-len(wrong), photos,
		onBackground, wrong)
	if len(wrong) > photos/10 {
		t.Errorf("the main color is wrong in %d of %d photos", len(wrong), photos)
	}
	for background, n := range onBackground {
		if n > photos/len(phototest.Backgrounds())/5 {
			t.Errorf("on %s, the main color is wrong in %d of %d photos", background, n,
				photos/len(phototest.Backgrounds()))
		}
	}
}

func joined(colors []lost.Color) (text string) {
	for _, c := range colors {
		text += string(c) + " "
	}
	return text
}

func rendered(t *testing.T, seed uint64, n int) (phototest.Photo, lost.PhotoFacts) {
	t.Helper()
	p, err := phototest.Render(seed, n)
	if err != nil {
		t.Fatal(err)
	}
	return p, photofact.Find(decoded(t, p.JPEG))
}

func decoded(t testing.TB, file []byte) image.Image {
	t.Helper()
	m, err := jpeg.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// twoColors is a picture of a square that consists of two parts.
func twoColors(left, right color.Color) image.Image {
	m := image.NewRGBA(image.Rect(0, 0, 400, 300))
	draw.Draw(m, m.Rect, image.NewUniform(color.RGBA{200, 198, 190, 255}), image.Point{}, draw.Src)
	draw.Draw(m, image.Rect(100, 50, 200, 250), image.NewUniform(left), image.Point{}, draw.Src)
	draw.Draw(m, image.Rect(200, 50, 300, 250), image.NewUniform(right), image.Point{}, draw.Src)
	return m
}

func TestAThingMayHaveTwoColors(t *testing.T) {
	got := photofact.Find(twoColors(color.RGBA{200, 30, 40, 255}, color.RGBA{30, 60, 160, 255})).Colors
	slices.Sort(got)
	if want := []lost.Color{lost.Blue, lost.Red}; !slices.Equal(got, want) {
		t.Errorf("the colors are %q, want %q", got, want)
	}
}

func TestASecondColorIsALargePartOfTheThing(t *testing.T) {
	m, is := twoColors(color.RGBA{200, 30, 40, 255}, color.RGBA{200, 30, 40, 255}).(*image.RGBA)
	if !is {
		t.Fatal("the picture has another type")
	}
	blue := image.NewUniform(color.RGBA{30, 60, 160, 255})
	draw.Draw(m, image.Rect(190, 120, 220, 150), blue, image.Point{}, draw.Src)
	if got := photofact.Find(m).Colors; !slices.Equal(got, []lost.Color{lost.Red}) {
		t.Errorf("the colors are %q, want red only", got)
	}
}

func TestPicturesOfAnySizeHaveFacts(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {1, 3000}, {3000, 1}, {2, 2}, {7, 5}, {3000, 2000}} {
		m := image.NewNRGBA(image.Rectangle{Max: size}.Add(image.Pt(-3, 11)))
		draw.Draw(m, m.Rect, image.NewUniform(color.NRGBA{20, 120, 50, 255}), image.Point{}, draw.Src)
		if got := photofact.Find(m); !slices.Equal(got.Colors, []lost.Color{lost.Green}) || got.Hash != 0 ||
			len(got.Codes) > 0 {
			t.Errorf("a green picture of %v has the facts %+v", size, got)
		}
	}
	if got := photofact.Find(image.NewRGBA(image.Rectangle{})); len(got.Colors) > 0 {
		t.Errorf("an empty picture has the facts %+v", got)
	}
}

func TestFactsDoNotDependOnChance(t *testing.T) {
	for n := range 10 {
		_, first := rendered(t, developmentSeed, n)
		if _, again := rendered(t, developmentSeed, n); first.Hash != again.Hash ||
			!slices.Equal(first.Colors, again.Colors) {
			t.Errorf("photo %d has the facts %+v, and then %+v", n, first, again)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	p, err := phototest.Render(developmentSeed, 12)
	if err != nil {
		b.Fatal(err)
	}
	small := decoded(b, p.JPEG)
	m := image.NewRGBA(image.Rect(0, 0, 1000, 750))
	for y := range m.Rect.Dy() { // with the grain of a large photo
		for x := range m.Rect.Dx() {
			m.Set(x, y, small.At(x*small.Bounds().Dx()/1000, y*small.Bounds().Dy()/750))
			m.Pix[m.PixOffset(x, y)] ^= byte(x*y) & 7
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		photofact.Find(m)
	}
}
