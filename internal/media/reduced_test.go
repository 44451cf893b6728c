package media_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/media"
)

func TestAReducedPictureIsASmallJPEGWithoutMetadata(t *testing.T) {
	large := insert(encodeJPEG(t, scene(1600, 900)), 2, exifSegment(1))
	for name, c := range map[string]struct {
		ext  string
		data []byte
		side int
	}{
		"a large photo": {"jpg", large, 640}, "a PNG": {"png", encodePNG(t, scene(900, 1200)), 640},
		"a WebP": {"webp", encodeWebP(700, 420), 640}, "a small photo": {"jpg", encodeJPEG(t, scene(90, 50)), 90},
	} {
		store, processor, file := open(t, t.TempDir()), newProcessor(t), media.NewName(c.ext)
		put(t, store, file, string(c.data))
		content, err := processor.Reduced(t.Context(), store, file)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m, err := jpeg.Decode(bytes.NewReader(content))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if size := m.Bounds().Size(); max(size.X, size.Y) != c.side || c.side > media.MaxReducedSide {
			t.Errorf("%s: got %v, want a longer side of %d", name, size, c.side)
		}
		for _, meta := range []string{"Exif", "ICC_PROFILE", "http://ns.adobe.com"} {
			if bytes.Contains(content, []byte(meta)) {
				t.Errorf("%s: the JPEG contains %s", name, meta)
			}
		}
	}
}

func TestTransparentPixelsOfAReducedPictureAreWhite(t *testing.T) {
	store, processor, file := open(t, t.TempDir()), newProcessor(t), media.NewName("png")
	put(t, store, file, string(encodePNG(t, image.NewNRGBA(image.Rect(0, 0, 40, 40)))))
	content, err := processor.Reduced(t.Context(), store, file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := jpeg.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := m.At(20, 20).RGBA(); min(r, g, b) < 0xf000 {
		t.Errorf("the pixel is %x %x %x", r, g, b)
	}
	_, err = processor.Reduced(t.Context(), store, media.NewName("jpg"))
	if lost.CodeOf(err) != lost.NotFound {
		t.Errorf("a missing picture: %v", err)
	}
}
