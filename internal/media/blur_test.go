package media_test

import (
	"bytes"
	"image/png"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/media"
)

func TestABlurredPictureHasTooFewPixelsToRead(t *testing.T) {
	for ext, data := range map[string][]byte{
		"jpg": encodeJPEG(t, scene(700, 420)), "png": encodePNG(t, scene(100, 50)), "webp": encodeWebP(700, 420),
	} {
		store, processor, name := open(t, t.TempDir()), newProcessor(t), media.NewName(ext)
		put(t, store, name, string(data))
		for range 2 { // the second time, the thumbnail exists
			content, err := processor.Blurred(t.Context(), store, name)
			if err != nil {
				t.Fatalf("%s: %v", ext, err)
			}
			m, err := png.Decode(bytes.NewReader(content))
			if err != nil {
				t.Fatalf("%s: %v", ext, err)
			}
			if size := m.Bounds().Size(); size.X > 8 || size.Y > 8 || len(content) > 1000 {
				t.Errorf("%s: got %v in %d bytes", ext, size, len(content))
			}
		}
	}
	store := open(t, t.TempDir())
	_, err := newProcessor(t).Blurred(t.Context(), store, media.NewName("jpg"))
	if lost.CodeOf(err) != lost.NotFound {
		t.Errorf("a missing picture: %v", err)
	}
}
