package media_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/media"
)

func thumbnail(t *testing.T, ext string, data []byte) ([]byte, image.Image) {
	t.Helper()
	store := open(t, t.TempDir())
	name := media.NewName(ext)
	put(t, store, name, string(data))
	if err := newProcessor(t).Thumbnail(t.Context(), store, name); err != nil {
		t.Fatal(err)
	}
	thumb := media.ThumbName(name)
	got := []byte(content(t, store, thumb))
	return got, decodeAs(t, media.ContentType(thumb), got)
}

func TestThumbnailsOfEveryFormat(t *testing.T) {
	big := scene(700, 420)
	for name, tt := range map[string]struct {
		ext  string
		data []byte
	}{
		"JPEG":        {"jpg", encodeJPEG(t, big)},
		"PNG":         {"png", encodePNG(t, big)},
		"GIF":         {"gif", encodeGIF(t, 2, big)},
		"WebP":        {"webp", encodeWebP(700, 420)},
		"larger WebP": {"webp", riff(vp8x(0, 700, 420), riffChunk("VP8L", vp8l(700, 420)))},
	} {
		t.Run(name, func(t *testing.T) {
			_, m := thumbnail(t, tt.ext, tt.data)
			wantScene(t, m, 640, 384)
		})
	}
	_, m := thumbnail(t, "jpg", encodeJPEG(t, scene(2900, 140))) // large enough to be averaged before scaling
	wantScene(t, m, 640, 31)
}

func TestThumbnailSizes(t *testing.T) {
	for _, tt := range []struct{ w, h, wantW, wantH int }{
		{640, 20, 640, 20}, {641, 640, 640, 639}, {100, 50, 100, 50}, {1, 1, 1, 1}, {30, 1280, 15, 640},
		{5000, 1, 640, 1}, {3, 3000, 1, 640}, {61, 1919, 20, 640}, {1920, 19, 640, 6}, {2879, 2, 640, 1},
	} {
		_, m := thumbnail(t, "png", encodePNG(t, image.NewGray(image.Rect(0, 0, tt.w, tt.h))))
		if got := m.Bounds().Size(); got != image.Pt(tt.wantW, tt.wantH) {
			t.Errorf("%d x %d becomes %v, want %d x %d", tt.w, tt.h, got, tt.wantW, tt.wantH)
		}
	}
}

func TestAThumbnailKeepsTransparencyAndColourProfile(t *testing.T) {
	half := image.NewNRGBA(image.Rect(0, 0, 800, 400))
	for y := range 400 {
		for x := range 400 {
			half.SetNRGBA(x, y, color.NRGBA{R: 0xff, A: 0xff})
		}
	}
	_, m := thumbnail(t, "png", encodePNG(t, half))
	if _, _, _, a := m.At(600, 100).RGBA(); a != 0 {
		t.Errorf("the transparent half has alpha %x", a)
	}
	if r, _, _, a := m.At(100, 100).RGBA(); a != 0xffff || r != 0xffff {
		t.Errorf("the red half is %v", m.At(100, 100))
	}
	got, _ := thumbnail(t, "jpg", insert(encodeJPEG(t, scene(700, 80)), 2, iccSegment()))
	if !bytes.Contains(got, iccSegment()) {
		t.Error("the colour profile is lost")
	}
}

func TestTheThumbnailOfAnAnimationIsItsFirstFrame(t *testing.T) {
	_, m := thumbnail(t, "webp", animatedWebP(96, 64))
	if m.Bounds().Size() != image.Pt(96, 64) {
		t.Fatalf("size is %v", m.Bounds())
	}
	if _, _, _, a := m.At(10, 10).RGBA(); a != 0 {
		t.Error("the left half is not transparent, but the first frame does not cover it")
	}
	if r, _, _, a := m.At(50, 2).RGBA(); a != 0xffff || r>>8 != 0xe0 {
		t.Errorf("the frame begins with %v", m.At(50, 2))
	}
}

func TestTheAreaOutsideAFrameIsTransparent(t *testing.T) {
	frame := image.NewPaletted(image.Rect(0, 0, 40, 20), color.Palette{quarters[0]})
	var b bytes.Buffer
	moving := &gif.GIF{Image: []*image.Paletted{frame}, Delay: []int{0}, Config: image.Config{Width: 40, Height: 60}}
	if err := gif.EncodeAll(&b, moving); err != nil {
		t.Fatal(err)
	}
	_, m := thumbnail(t, "gif", b.Bytes())
	if _, _, _, a := m.At(20, 50).RGBA(); a != 0 || m.Bounds().Size() != image.Pt(40, 60) {
		t.Errorf("below the frame is %v of %v", m.At(20, 50), m.Bounds())
	}
}

func TestAProgressivePictureHasAThumbnail(t *testing.T) {
	_, m := thumbnail(t, "jpg", progressive(1000, 500))
	if r, _, _, _ := m.At(300, 100).RGBA(); m.Bounds().Dx() != 640 || !near(r, 0x80) {
		t.Errorf("got %v of %v", m.At(300, 100), m.Bounds())
	}
	_, m = thumbnail(t, "jpg", fullColour(1000, 500))
	if r, _, _, _ := m.At(300, 100).RGBA(); !near(r, 0x80) {
		t.Errorf("got %v", m.At(300, 100))
	}
}

func TestAPictureThatCannotBeDecodedHasNoThumbnail(t *testing.T) {
	processor, store := newProcessor(t), open(t, t.TempDir())
	jpg, pic := encodeJPEG(t, scene(64, 64)), encodePNG(t, scene(64, 64))
	for ext, data := range map[string][]byte{
		"jpg": jpg[:len(jpg)/2], "png": pic[:len(pic)/2], "gif": []byte("GIF89a"),
		"webp": riff(riffChunk("VP8L", vp8l(64, 64)[:20])), "pdf": []byte("%PDF"),
	} {
		name := media.NewName(ext)
		put(t, store, name, string(data))
		if err := processor.Thumbnail(t.Context(), store, name); lost.CodeOf(err) != lost.Unsupported {
			t.Errorf("%s: %v, want unsupported", ext, err)
		}
	}
	if err := processor.Thumbnail(t.Context(), store, media.NewName("jpg")); lost.CodeOf(err) != lost.NotFound {
		t.Errorf("no picture: %v, want not-found", err)
	}
}

// countingStore counts the files that are put into it.
type countingStore struct {
	media.Store
	puts    atomic.Int32
	oncePut func(name string)
}

func (c *countingStore) Put(ctx context.Context, name string, r io.Reader, size int64, contentType string) error {
	c.puts.Add(1)
	err := c.Store.Put(ctx, name, r, size, contentType)
	if c.oncePut != nil {
		c.oncePut(name)
	}
	return err
}

func TestConcurrentRequestsMakeOneThumbnail(t *testing.T) {
	store := &countingStore{Store: open(t, t.TempDir())}
	processor, name := newProcessor(t), media.NewName("jpg")
	put(t, store.Store, name, string(encodeJPEG(t, scene(700, 70))))
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if err := processor.Thumbnail(t.Context(), store, name); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n, want := int(store.puts.Load()), len(lost.ThumbnailSides()); n != want {
		t.Errorf("%d thumbnails were stored, want %d, one of each size", n, want)
	}
}

func TestAThumbnailDoesNotOutliveItsPicture(t *testing.T) {
	store := &countingStore{Store: open(t, t.TempDir())}
	name := media.NewName("jpg")
	put(t, store.Store, name, string(encodeJPEG(t, scene(700, 70))))
	store.oncePut = func(string) { // the picture is deleted while its thumbnail is being made
		if err := store.Delete(t.Context(), name); err != nil {
			t.Error(err)
		}
	}
	if err := newProcessor(t).Thumbnail(t.Context(), store, name); err != nil {
		t.Error(err)
	}
	if left := names(t, store); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

func TestWaitingForAThumbnailEndsWithItsContext(t *testing.T) {
	processor, store, name := newProcessor(t), open(t, t.TempDir()), media.NewName("jpg")
	put(t, store, name, string(encodeJPEG(t, scene(700, 70))))
	release := media.HoldGate(processor)
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	for range 2 { // the first waits for the decoder, the second for the first
		go func() { done <- processor.Thumbnail(ctx, store, name) }()
	}
	cancel()
	for range 2 {
		if err := <-done; !errors.Is(err, context.Canceled) && !strings.Contains(err.Error(), "canceled") {
			t.Errorf("got %v", err)
		}
	}
}
