package media_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"testing"

	"homeward/internal/media"
)

// stored returns the scene as a camera would save it with this orientation. In the EXIF standard, an orientation says
// which sides of the visible picture the first stored line and the first stored column are on.
func stored(orientation, w, h int) image.Image {
	sides := [...]string{1: "TL", 2: "TR", 3: "BR", 4: "BL", 5: "LT", 6: "RT", 7: "RB", 8: "LB"}[orientation]
	seen := scene(w, h)
	lines, columns := h, w
	if sides[0] == 'L' || sides[0] == 'R' {
		lines, columns = w, h
	}
	m := image.NewRGBA(image.Rect(0, 0, columns, lines))
	for line := range lines {
		for column := range columns {
			at := image.Point{}
			for i, n := range []int{line, column} {
				switch sides[i] {
				case 'T':
					at.Y = n
				case 'B':
					at.Y = h - 1 - n
				case 'L':
					at.X = n
				case 'R':
					at.X = w - 1 - n
				}
			}
			m.Set(column, line, seen.At(at.X, at.Y))
		}
	}
	return m
}

func TestEveryOrientationBecomesUpright(t *testing.T) {
	for o := 1; o <= 8; o++ {
		for _, size := range []image.Point{{48, 32}, {47, 33}, {32, 48}} {
			m := stored(o, size.X, size.Y)
			block := exifBlock(binary.LittleEndian, o)
			bodies := map[string][]byte{
				"JPEG": insert(encodeJPEG(t, m), 2, exifSegment(o), iccSegment()),
				"PNG":  insert(encodePNG(t, m), afterIHDR, chunk("eXIf", block)),
			}
			for name, body := range bodies {
				t.Run(fmt.Sprint(name, o, size), func(t *testing.T) {
					p, got, err := receive(t, body)
					if err != nil {
						t.Fatal(err)
					}
					if bytes.Contains(got, []byte("Erika")) {
						t.Error("the metadata was not removed")
					}
					if p.Width != size.X || p.Height != size.Y {
						t.Errorf("the size is %d x %d", p.Width, p.Height)
					}
					if name == "JPEG" && !bytes.Contains(got, iccSegment()) {
						t.Error("the colour profile is lost")
					}
					wantScene(t, decodeAs(t, p.ContentType, got), size.X, size.Y)
				})
			}
		}
	}
}

func TestARotatedWebPBecomesAPNG(t *testing.T) {
	block := append([]byte("Exif\x00\x00"), exifBlock(binary.BigEndian, 3)...)
	p, got, err := receive(t, riff(vp8x(0x08, 48, 32), riffChunk("VP8L", vp8l(48, 32)), riffChunk("EXIF", block)))
	if err != nil || p.Ext != "png" || p.ContentType != "image/png" {
		t.Fatalf("got %+v, %v", p, err)
	}
	m := decodeAs(t, "image/png", got)
	if r, g, _, _ := m.At(0, 0).RGBA(); r != 0 || g != 0 {
		t.Errorf("the first pixel is %v, want the last of the scene", m.At(0, 0))
	}
	if r, _, _, _ := m.At(47, 31).RGBA(); r>>8 != 0xe0 {
		t.Errorf("the last pixel is %v, want the first of the scene", m.At(47, 31))
	}
}

func TestAnAnimationIsNotRotated(t *testing.T) {
	animation := insert(encodePNG(t, scene(48, 32)), afterIHDR, chunk("acTL", []byte{0, 0, 0, 1, 0, 0, 0, 0}))
	p, got, err := receive(t, insert(animation, afterIHDR, chunk("eXIf", exifBlock(binary.BigEndian, 6))))
	if err != nil || p.Width != 48 || !bytes.Equal(got, animation) {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestOrientationOfEXIFBlocks(t *testing.T) {
	big := exifBlock(binary.BigEndian, 6)
	with := func(at int, value ...byte) []byte {
		b := bytes.Clone(big)
		copy(b[at:], value)
		return b
	}
	for name, tt := range map[string]struct {
		block []byte
		want  int
	}{
		"big endian":      {big, 6},
		"little endian":   {exifBlock(binary.LittleEndian, 8), 8},
		"with its mark":   {append([]byte("Exif\x00\x00"), big...), 6},
		"empty":           {nil, 0},
		"no TIFF":         {bytes.Repeat([]byte("x"), 100), 0},
		"offset too far":  {with(4, 0xff, 0xff, 0xff, 0xff), 0},
		"offset at end":   {with(4, 0, 0, 0, byte(len(big)-1)), 0},
		"nine":            {exifBlock(binary.BigEndian, 9), 0},
		"zero":            {exifBlock(binary.BigEndian, 0), 0},
		"of another type": {with(10+12+3, 4), 0},
		"two values":      {with(10+12+7, 2), 0},
		"many entries":    {with(8, 0xff, 0xff), 6},
		"no entries":      {with(8, 0, 0), 0},
	} {
		if got := media.Orientation(tt.block); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
		for n := range tt.block {
			media.Orientation(tt.block[:n])
		}
	}
}
