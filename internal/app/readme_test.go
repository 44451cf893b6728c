package app_test

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"homeward/internal/demo"
	"homeward/internal/web/browsertest"
)

// The largest size in bytes of one screenshot, and of all screenshots together.
const (
	maxSize  = 150_000
	maxTotal = 800_000
)

// This test takes the README's screenshots of the demo. It runs only with make screenshots. Check the pictures before
// you commit them.
func TestPicturesForTheReadme(t *testing.T) {
	folder := os.Getenv("HOMEWARD_README_PICTURES")
	if folder == "" {
		t.Skip("run make screenshots")
	}
	cfg := newDemoConfig(t)
	cfg.DemoFinds = demo.DefaultItems
	s := startService(t, cfg)
	s.key = demo.Key
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	p := &photographer{service: s, t: t, folder: folder}
	list, item, link := p.subjects()

	desk := p.visitor(browsertest.Options{})
	p.take(desk, "today", s.url+"/")
	p.take(desk, "items", s.url+list)
	p.take(desk, "item", s.url+item)
	phone := p.visitor(browsertest.Options{Phone: true})
	phone.Visit(s.url + list)
	phone.Follow("Record an item")
	phone.Fill("What is it?", "Black umbrella with a wooden handle")
	phone.Fill("Where was it?", "Breakfast room")
	p.keep(phone, "find")
	p.take(browsertest.New(t, browsertest.Options{Phone: true}), "guest", link)
	p.take(p.visitor(browsertest.Options{Phone: true, Dark: true}), "dark", s.url+"/")
	if p.bytes > maxTotal {
		t.Errorf("the screenshots have %d bytes, at most %d are allowed", p.bytes, maxTotal)
	}
}

// photographer takes screenshots of a demo.
type photographer struct {
	*service
	t      *testing.T
	folder string
	bytes  int
}

// subjects finds the pages to show: a list of items, an item whose owner has been notified, and the owner's page.
func (p *photographer) subjects() (list, item, link string) {
	p.t.Helper()
	places, _ := p.listAll("/v1/locations")
	for _, l := range places {
		if l["type"] != "hotel" {
			continue
		}
		at := "/v1/locations/" + l["id"].(string) + "/items"
		items, _ := p.listAll(at + "?status=PENDING")
		for _, i := range items {
			messages, _ := p.listAll(at + "/" + i["id"].(string) + "/messages")
			if len(messages) == 0 || len(i["images"].([]any)) == 0 || i["language"] != "en" || i["disownedAt"] != nil {
				continue
			}
			text, _ := messages[len(messages)-1]["text"].(string)
			if link = regexp.MustCompile(`http\S+/g/\S+`).FindString(text); link != "" {
				list = "/at/" + l["id"].(string) + "/items"
				return list, list + "/" + i["id"].(string), link
			}
		}
	}
	p.t.Fatal("there is no item with a notified owner")
	return "", "", ""
}

// visitor returns a logged-in visitor.
func (p *photographer) visitor(o browsertest.Options) *browsertest.Visitor {
	p.t.Helper()
	v := browsertest.New(p.t, o)
	v.Visit(p.url + "/login")
	v.Fill("E-mail address", demo.Users()[0].Email)
	v.Fill("Password", demo.Password)
	v.Follow("Log in")
	return v
}

func (p *photographer) take(v *browsertest.Visitor, name, address string) {
	p.t.Helper()
	v.Visit(address)
	p.keep(v, name)
}

// keep saves a compressed screenshot of the page.
func (p *photographer) keep(v *browsertest.Visitor, name string) {
	p.t.Helper()
	v.Run("document.activeElement.blur(); scrollTo(0, 0)", nil)
	waitUntil(p.t, "every visible photo is loaded", func() (there bool) {
		v.Run("[...document.images].every(i => i.complete || i.getBoundingClientRect().top > innerHeight)", &there)
		return there
	})
	picture, err := png.Decode(bytes.NewReader(v.Picture()))
	if err != nil {
		p.t.Fatal(err)
	}
	var small bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, paletted(picture)); err != nil {
		p.t.Fatal(err)
	}
	p.bytes += small.Len()
	if small.Len() > maxSize {
		p.t.Errorf("%s has %d bytes, at most %d are allowed", name, small.Len(), maxSize)
	}
	if err := os.WriteFile(filepath.Join(p.folder, name+".png"), small.Bytes(), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// paletted reduces a picture to its 256 most frequent colours. Pages have few colours.
func paletted(of image.Image) *image.Paletted {
	type sum struct{ r, g, b, n int }
	bounds := of.Bounds()
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(of.At(x, y)).(color.RGBA) }
	bucket := func(c color.RGBA) [3]uint8 { return [3]uint8{c.R >> 3, c.G >> 3, c.B >> 3} }
	sums := map[[3]uint8]sum{}
	each := func(do func(x, y int, c color.RGBA)) {
		for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
			for x := bounds.Min.X; x < bounds.Max.X; x++ {
				do(x, y, at(x, y))
			}
		}
	}
	each(func(_, _ int, c color.RGBA) {
		s := sums[bucket(c)]
		sums[bucket(c)] = sum{s.r + int(c.R), s.g + int(c.G), s.b + int(c.B), s.n + 1}
	})
	frequent := slices.SortedFunc(maps.Values(sums), func(a, b sum) int {
		return cmp.Or(b.n-a.n, b.r-a.r, b.g-a.g, b.b-a.b)
	})
	var colors color.Palette
	for _, s := range frequent[:min(256, len(frequent))] {
		colors = append(colors, color.RGBA{uint8(s.r / s.n), uint8(s.g / s.n), uint8(s.b / s.n), 255})
	}
	small := image.NewPaletted(bounds, colors)
	nearest := map[color.RGBA]uint8{}
	each(func(x, y int, c color.RGBA) {
		n, known := nearest[c]
		if !known {
			n = uint8(colors.Index(c))
			nearest[c] = n
		}
		small.SetColorIndex(x, y, n)
	})
	return small
}
