package media_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"io"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/media"
)

// deferred is an upload that is verified after it was stored.
func deferred(data []byte) media.Incoming {
	in := incoming(bytes.NewReader(data), plenty)
	in.Deferred = true
	return in
}

// storeDeferred receives a picture without decoding it, stores it, and returns its name and stored bytes.
func storeDeferred(t *testing.T, processor *media.Processor, store media.Store, data []byte) (string, []byte) {
	t.Helper()
	release := media.HoldGate(processor) // decoding would wait forever
	defer release()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	p, err := processor.Receive(ctx, deferred(data))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	got, err := io.ReadAll(p.Content())
	if err != nil {
		t.Fatal(err)
	}
	name, err := p.Save(ctx, store)
	if err != nil {
		t.Fatal(err)
	}
	return name, got
}

func TestADeferredUploadIsNotDecoded(t *testing.T) {
	processor, store := newProcessor(t), open(t, t.TempDir())
	for name, data := range map[string][]byte{
		"JPEG": encodeJPEG(t, scene(24, 16)), "PNG": encodePNG(t, scene(24, 16)),
		"GIF": encodeGIF(t, 2, scene(24, 16)), "WebP": encodeWebP(24, 16),
		"rotated JPEG": insert(encodeJPEG(t, scene(24, 16)), 2, exifSegment(6)),
	} {
		t.Run(name, func(t *testing.T) { storeDeferred(t, processor, store, data) })
	}
}

func TestABrokenStructureIsRefusedAtOnce(t *testing.T) {
	processor := newProcessor(t)
	defer media.HoldGate(processor)()
	for name, data := range samples(t) {
		if name == "WebP" || name == "animated WebP" {
			continue // with metadata after the pixels, a truncated file may be complete
		}
		_, err := processor.Receive(t.Context(), deferred(data[:len(data)-3]))
		if lost.CodeOf(err) != lost.Unsupported {
			t.Errorf("%s: %v, want unsupported", name, err)
		}
	}
}

// spoiled returns pictures whose structure is valid, but whose pixels cannot be decoded.
func spoiled(t *testing.T) map[string][]byte {
	jpg := encodeJPEG(t, noise(640, 480))
	jpg = append(jpg[:len(jpg)/2], 0xff, 0xd9)
	large := encodeJPEG(t, noise(1600, 1200)) // decoded at a reduced size
	large = append(large[:len(large)/2], 0xff, 0xd9)
	return map[string][]byte{
		"JPEG": jpg, "large JPEG": large, "PNG": emptyPNG(64, 64, 8, 2, 0),
		"WebP": riff(riffChunk("VP8L", vp8l(64, 64)[:20])),
	}
}

func TestADamagedPictureIsFoundWhenItIsVerified(t *testing.T) {
	processor, store := newProcessor(t), open(t, t.TempDir())
	for kind, data := range spoiled(t) {
		name, _ := storeDeferred(t, processor, store, data)
		for range 2 { // the second time, the reason is remembered
			if _, err := processor.Verify(t.Context(), store, name, media.PublicLane); !media.IsDamaged(err) {
				t.Errorf("%s: %v, want that it is damaged", kind, err)
			}
		}
	}
	name, _ := storeDeferred(t, processor, store, heavyPictures()["PNG of 16 bits"])
	if _, err := processor.Verify(t.Context(), store, name, media.StaffLane); err == nil || media.IsDamaged(err) {
		t.Errorf("a heavy picture: %v, want an error, but not that it is damaged", err)
	}
}

func TestAPictureThatCannotBeReadIsNotDamaged(t *testing.T) {
	processor, store := newProcessor(t), open(t, t.TempDir())
	name, _ := storeDeferred(t, processor, store, encodeJPEG(t, noise(640, 480)))
	for kind, failing := range map[string]media.Store{"fails": cutStore{store}, "ends early": shortStore{store}} {
		if _, err := processor.Verify(t.Context(), failing, name, media.StaffLane); err == nil || media.IsDamaged(err) {
			t.Errorf("a store that %s: %v, want an error, but not that the picture is damaged", kind, err)
		}
	}
	if _, err := processor.Verify(t.Context(), store, name, media.StaffLane); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// shortStore returns only the beginning of each file.
type shortStore struct{ media.Store }

func (s shortStore) Open(ctx context.Context, name string) (*media.File, error) {
	f, err := s.Store.Open(ctx, name)
	if err == nil {
		f.Content = io.NewSectionReader(bytes.NewReader(make([]byte, 100)), 0, 100)
	}
	return f, err
}

func TestARotatedJPEGKeepsOnlyItsOrientation(t *testing.T) {
	processor, store := newProcessor(t), open(t, t.TempDir())
	for o := 1; o <= 8; o++ {
		size := image.Pt(1400, 900)
		raw := encodeJPEG(t, stored(o, size.X, size.Y))
		p, err := processor.Receive(t.Context(), deferred(insert(raw, 2, exifSegment(o), iccSegment())))
		if err != nil {
			t.Fatal(err)
		}
		if p.Width != size.X || p.Height != size.Y {
			t.Errorf("orientation %d: the size is %d x %d, want that of the upright picture", o, p.Width, p.Height)
		}
		_ = p.Close()
		name, got := storeDeferred(t, processor, store, insert(raw, 2, exifSegment(o), iccSegment()))
		want := insert(raw, 2, iccSegment())
		if o > 1 {
			want = insert(raw, 2, orientationOnly(o), iccSegment())
		}
		if !bytes.Equal(got, want) {
			t.Errorf("orientation %d: more or less than the orientation was kept", o)
		}
		if _, err := processor.Verify(t.Context(), store, name, media.StaffLane); err != nil {
			t.Fatal(err)
		}
		for _, side := range lost.ThumbnailSides() {
			thumb := content(t, store, media.ThumbNameOf(name, side))
			wantScene(t, decodeAs(t, "image/jpeg", []byte(thumb)), side, (900*side+700)/1400)
		}
	}
}

// orientationOnly is an EXIF segment with one entry.
func orientationOnly(o int) []byte {
	block := []byte("Exif\x00\x00MM\x00*")
	block = binary.BigEndian.AppendUint32(block, 8)
	block = binary.BigEndian.AppendUint16(block, 1)
	for _, v := range []uint16{0x0112, 3, 0, 1, uint16(o), 0, 0, 0} {
		block = binary.BigEndian.AppendUint16(block, v)
	}
	return segment(0xe1, block)
}

func TestThumbnailsHaveSeveralSizes(t *testing.T) {
	for _, file := range []string{"jpg", "png"} {
		processor, store := newProcessor(t), &countingStore{Store: open(t, t.TempDir())}
		data := encodePNG(t, scene(2000, 1000))
		if file == "jpg" {
			data = encodeJPEG(t, scene(2000, 1000))
		}
		name := media.NewName(file)
		put(t, store.Store, name, string(data))
		if _, err := processor.Verify(t.Context(), store, name, media.StaffLane); err != nil {
			t.Fatal(err)
		}
		check := func() {
			t.Helper()
			for _, side := range lost.ThumbnailSides() {
				thumb := media.ThumbNameOf(name, side)
				m := decodeAs(t, media.ContentType(thumb), []byte(content(t, store, thumb)))
				wantScene(t, m, side, side/2)
			}
		}
		check()
		// A picture of an earlier version has only the largest.
		for _, side := range []int{160, 320} {
			if err := store.Delete(t.Context(), media.ThumbNameOf(name, side)); err != nil {
				t.Fatal(err)
			}
		}
		put(t, store.Store, name, "the picture itself is not read again")
		h := handler(t, store)
		for _, side := range []int{160, 320} {
			if w := serve(t, h, "GET", "/files/"+media.ThumbNameOf(name, side)); w.Code != 200 {
				t.Errorf("%s of %d: %d", file, side, w.Code)
			}
		}
		check()
		if err := media.DeletePicture(t.Context(), store, name); err != nil {
			t.Fatal(err)
		}
		if left := names(t, store); len(left) > 0 {
			t.Errorf("left after deleting the picture: %v", left)
		}
	}
}

func TestPagesNameTheThumbnailsThatExist(t *testing.T) {
	processor := newProcessor(t)
	for _, size := range []image.Point{{2000, 1000}, {500, 1500}, {321, 100}, {100, 100}, {1200, 1}} {
		store, name := open(t, t.TempDir()), media.NewName("jpg")
		put(t, store, name, string(encodeJPEG(t, scene(size.X, size.Y))))
		if err := processor.Thumbnail(t.Context(), store, name); err != nil {
			t.Fatal(err)
		}
		i := lost.Image{File: name, Thumbnail: media.ThumbName(name), Width: size.X, Height: size.Y}
		all := i.Thumbnails()
		if len(all) == 0 || all[len(all)-1].File != i.Thumbnail || len(all) != len(names(t, store))-1 {
			t.Fatalf("%v: got %v, the files are %v", size, all, names(t, store))
		}
		for _, r := range all {
			m := decodeAs(t, "image/jpeg", []byte(content(t, store, r.File)))
			if m.Bounds().Dx() != r.Width {
				t.Errorf("%v: %s has the width %d, pages say %d", size, r.File, m.Bounds().Dx(), r.Width)
			}
		}
	}
}
