package media_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"golang.org/x/image/webp"
)

// secret is metadata that must be removed.
const secret = "N 52.520008 E 13.404954 taken by Erika"

// The colours of the four quarters of a scene.
var quarters = [4]color.RGBA{
	{R: 0xe0, A: 0xff}, {G: 0xe0, A: 0xff}, {R: 0xe0, G: 0xe0, A: 0xff}, {A: 0xff},
}

// scene returns a picture with a different colour in each quarter.
func scene(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetRGBA(x, y, quarters[quarter(x, y, w, h)])
		}
	}
	return m
}

func quarter(x, y, w, h int) int {
	q := 0
	if x >= w/2 {
		q++
	}
	if y >= h/2 {
		q += 2
	}
	return q
}

// noise returns a picture that cannot be compressed.
func noise(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	state := uint32(1)
	for i := range m.Pix {
		state = state*1664525 + 1013904223
		m.Pix[i] = byte(state >> 24)
		if i%4 == 3 {
			m.Pix[i] = 0xff
		}
	}
	return m
}

func encodeJPEG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func encodePNG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// blankPNG returns a PNG with the given depth and colour type, in which all samples are 0. An interlaced PNG is valid
// only if both sides are at least 8 pixels.
func blankPNG(w, h int, depth, kind, interlaced byte) []byte {
	samples := map[byte]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind]
	bits := samples * int(depth)
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	var data bytes.Buffer
	z := zlib.NewWriter(&data)
	lines := func(w, h int) {
		for line := make([]byte, 1+(w*bits+7)/8); h > 0; h-- {
			_, _ = z.Write(line)
		}
	}
	if interlaced == 0 {
		lines(w, h)
	} else {
		for _, p := range [][4]int{
			{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2},
		} {
			lines((w-p[0]+p[2]-1)/p[2], (h-p[1]+p[3]-1)/p[3])
		}
	}
	_ = z.Close()
	palette := []byte(nil)
	if kind == 3 {
		palette = chunk("PLTE", make([]byte, 6))
	}
	return bytes.Join([][]byte{
		[]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(head, depth, kind, 0, 0, interlaced)),
		palette, chunk("IDAT", data.Bytes()), chunk("IEND", nil),
	}, nil)
}

// exifBlock returns an EXIF block with an orientation and some text.
func exifBlock(order binary.AppendByteOrder, orientation int) []byte {
	b := []byte("MM\x00*")
	if order.String() == "LittleEndian" {
		b = []byte("II*\x00")
	}
	entry := func(tag, kind uint16, count uint32, value ...byte) {
		b = order.AppendUint16(b, tag)
		b = order.AppendUint16(b, kind)
		b = order.AppendUint32(b, count)
		b = append(b, append(value, 0, 0, 0, 0)[:4]...)
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 2)
	entry(0x010e, 2, uint32(len(secret)), order.AppendUint32(nil, 38)...)
	entry(0x0112, 3, 1, order.AppendUint16(nil, uint16(orientation))...)
	b = order.AppendUint32(b, 0)
	return append(b, secret...)
}

func segment(marker byte, body []byte) []byte {
	return append([]byte{0xff, marker, byte((len(body) + 2) >> 8), byte(len(body) + 2)}, body...)
}

// insert returns a copy of data with parts inserted at an offset.
func insert(data []byte, at int, parts ...[]byte) []byte {
	out := bytes.Clone(data[:at])
	for _, p := range parts {
		out = append(out, p...)
	}
	return append(out, data[at:]...)
}

func exifSegment(orientation int) []byte {
	return segment(0xe1, append([]byte("Exif\x00\x00"), exifBlock(binary.BigEndian, orientation)...))
}

func iccSegment() []byte { return jpegProfile(cleanICC()) }

func chunk(name string, body []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	b = append(append(b, name...), body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// afterIHDR is the offset of a PNG's second chunk.
const afterIHDR = 8 + 25

func riffChunk(name string, body []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(name), uint32(len(body)))
	b = append(b, body...)
	if len(body)%2 == 1 {
		b = append(b, 0)
	}
	return b
}

func riff(chunks ...[]byte) []byte {
	body := append([]byte("WEBP"), bytes.Join(chunks, nil)...)
	return riffChunk("RIFF", body)
}

func vp8x(flags byte, w, h int) []byte {
	w, h = w-1, h-1
	return riffChunk("VP8X",
		[]byte{flags, 0, 0, 0, byte(w), byte(w >> 8), byte(w >> 16), byte(h), byte(h >> 8), byte(h >> 16)})
}

// bitWriter writes bits, lowest first, as in lossless WebP.
type bitWriter struct {
	out  []byte
	held uint64
	n    int
}

func (b *bitWriter) bits(value uint64, n int) {
	b.held |= value << b.n
	for b.n += n; b.n >= 8; b.n -= 8 {
		b.out = append(b.out, byte(b.held))
		b.held >>= 8
	}
}

// vp8l encodes a scene as lossless WebP. Red and green have two values each, with one bit per pixel; blue and alpha
// are constant.
func vp8l(w, h int) []byte {
	b := &bitWriter{out: []byte{0x2f}}
	b.bits(uint64(w-1), 14)
	b.bits(uint64(h-1), 14)
	b.bits(0, 1+3) // no alpha, version 0
	b.bits(0, 1)   // no transform
	b.bits(0, 1)   // no colour cache
	b.bits(0, 1)   // one group of codes
	two := func() { b.bits(1, 1); b.bits(1, 1); b.bits(1, 1); b.bits(0, 8); b.bits(0xe0, 8) }
	one := func(v uint64) { b.bits(1, 1); b.bits(0, 1); b.bits(1, 1); b.bits(v, 8) }
	two()     // green
	two()     // red
	one(0)    // blue
	one(0xff) // alpha
	one(0)    // distance
	for y := range h {
		for x := range w {
			c := quarters[quarter(x, y, w, h)]
			b.bits(uint64(c.G>>7), 1)
			b.bits(uint64(c.R>>7), 1)
		}
	}
	b.bits(0, 16)
	return b.out
}

func encodeWebP(w, h int) []byte { return riff(riffChunk("VP8L", vp8l(w, h))) }

// animatedWebP returns an animation with two frames. The first frame covers the right half of the canvas.
func animatedWebP(w, h int) []byte {
	frame := func(x, w int) []byte {
		head := make([]byte, 16)
		head[0] = byte(x / 2)
		head[6], head[7] = byte(w-1), byte((w-1)>>8)
		head[9], head[10] = byte(h-1), byte((h-1)>>8)
		body := append(head, riffChunk("VP8L", vp8l(w, h))...)
		return riffChunk("ANMF", append(body, riffChunk("NOTE", []byte(secret))...))
	}
	return riff(vp8x(0x02, w, h), riffChunk("ANIM", make([]byte, 6)), frame(w/2, w/2), frame(0, w))
}

func encodeGIF(t testing.TB, frames int, m image.Image) []byte {
	t.Helper()
	palette := color.Palette{quarters[0], quarters[1], quarters[2], quarters[3], color.White}
	var g gif.GIF
	for range frames {
		p := image.NewPaletted(m.Bounds(), palette)
		for y := range m.Bounds().Dy() {
			for x := range m.Bounds().Dx() {
				p.Set(x, y, m.At(x, y))
			}
		}
		g.Image = append(g.Image, p)
		g.Delay = append(g.Delay, 10)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// gifBlocks returns the offset of a GIF's first block, after the header and the palette.
func gifBlocks(data []byte) int {
	if data[10]&0x80 == 0 {
		return 13
	}
	return 13 + 3<<(data[10]&7+1)
}

func gifPart(label byte, parts ...string) []byte {
	b := []byte{0x21, label}
	for _, p := range parts {
		b = append(append(b, byte(len(p))), p...)
	}
	return append(b, 0)
}

func decodeAs(t testing.TB, contentType string, data []byte) image.Image {
	t.Helper()
	decode := map[string]func(*bytes.Reader) (image.Image, error){
		"image/jpeg": func(r *bytes.Reader) (image.Image, error) { return jpeg.Decode(r) },
		"image/png":  func(r *bytes.Reader) (image.Image, error) { return png.Decode(r) },
		"image/gif":  func(r *bytes.Reader) (image.Image, error) { return gif.Decode(r) },
		"image/webp": func(r *bytes.Reader) (image.Image, error) { return webp.Decode(r) },
	}[contentType]
	m, err := decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("decode %s: %v", contentType, err)
	}
	return m
}

// samePixels reports whether two pictures are identical.
func samePixels(a, b image.Image) bool {
	if a.Bounds() != b.Bounds() {
		return false
	}
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			r1, g1, b1, a1 := a.At(x, y).RGBA()
			r2, g2, b2, a2 := b.At(x, y).RGBA()
			if r1 != r2 || g1 != g2 || b1 != b2 || a1 != a2 {
				return false
			}
		}
	}
	return true
}

// wantScene checks the size of a picture and the colours of its corners, with a tolerance for lossy formats.
func wantScene(t *testing.T, m image.Image, w, h int) {
	t.Helper()
	if m.Bounds().Dx() != w || m.Bounds().Dy() != h {
		t.Fatalf("size is %v, want %d x %d", m.Bounds(), w, h)
	}
	for i, at := range []image.Point{{2, 2}, {w - 3, 2}, {2, h - 3}, {w - 3, h - 3}} {
		r, g, b, _ := m.At(m.Bounds().Min.X+at.X, m.Bounds().Min.Y+at.Y).RGBA()
		want := quarters[i]
		if !near(r, want.R) || !near(g, want.G) || !near(b, want.B) {
			t.Errorf("corner %d is %02x%02x%02x, want %v", i, r>>8, g>>8, b>>8, want)
		}
	}
}

func near(got uint32, want uint8) bool {
	d := int(got>>8) - int(want)
	return d > -25 && d < 25
}
