package media_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/media"
)

// FuzzReceive checks that any input is either rejected as invalid or becomes a clean picture, and that cleaning the
// result again changes nothing.
func FuzzReceive(f *testing.F) {
	for _, data := range samples(f) {
		f.Add(data)
	}
	f.Add(progressive(40, 40))
	f.Add(cmyk(baselineFrame, 40, 40, 0x22, 0x11, 0x11, 0x22))
	f.Add(blankPNG(20, 20, 16, 4, 1))
	f.Add(insert(fullColour(40, 24), 2, exifSegment(5)))
	f.Add(insert(encodePNG(f, scene(20, 10)), afterIHDR, chunk("eXIf", exifBlock(binary.LittleEndian, 7))))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		processor := media.NewProcessor(dir)
		p, err := processor.Receive(t.Context(), incoming(bytes.NewReader(data), plenty))
		if err != nil {
			if code := lost.CodeOf(err); code != lost.Unsupported && code != lost.Invalid {
				t.Fatal(err)
			}
			return
		}
		defer func() { _ = p.Close() }()
		clean, err := io.ReadAll(p.Content())
		if err != nil {
			t.Fatal(err)
		}
		again, err := processor.Receive(t.Context(), incoming(bytes.NewReader(clean), 1<<30))
		if err != nil {
			t.Fatalf("a cleaned %s is rejected: %v", p.Ext, err)
		}
		defer func() { _ = again.Close() }()
		twice, err := io.ReadAll(again.Content())
		if err != nil || !bytes.Equal(clean, twice) || again.Width != p.Width || again.Height != p.Height ||
			again.Ext != p.Ext {
			t.Fatalf("cleaning a cleaned %s again changes it: %v", p.Ext, err)
		}
		makeThumbnail(t, processor, p)
	})
}

// makeThumbnail checks that a thumbnail can be made of a received picture. It skips large pictures to keep the fuzzer
// fast.
func makeThumbnail(t *testing.T, processor *media.Processor, p *media.Picture) {
	if p.Width*p.Height > 1_000_000 {
		return
	}
	store := open(t, t.TempDir())
	name, err := p.Save(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	if err := processor.Thumbnail(t.Context(), store, name); err != nil && !p.Heavy {
		t.Fatal(err)
	}
}

func FuzzOrientation(f *testing.F) {
	f.Add(exifBlock(binary.BigEndian, 6))
	f.Add(exifBlock(binary.LittleEndian, 3))
	f.Fuzz(func(t *testing.T, block []byte) {
		if o := media.Orientation(block); o < 0 || o > 8 {
			t.Errorf("orientation %d", o)
		}
	})
}
