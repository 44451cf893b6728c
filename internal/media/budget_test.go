package media_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"runtime"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/media"
)

// heavyPictures returns files that are small but need hundreds of megabytes to decode.
func heavyPictures() map[string][]byte {
	const w, h = 10_000, 5000
	alpha := riffChunk("ALPH", make([]byte, 20))
	lossy := riffChunk("VP8 ", append([]byte("\x00\x00\x00\x9d\x01\x2a\x10\x27\x88\x13"), make([]byte, 20)...))
	frame := append([]byte{0, 0, 0, 0, 0, 0, 0x0f, 0x27, 0, 0x87, 0x13, 0, 0, 0, 0, 0}, append(alpha, lossy...)...)
	return map[string][]byte{
		"progressive 4:4:4":     greyJPEG(progressiveFrame, w, h, 0x11, 0x11, 0x11),
		"progressive 4:2:0":     progressive(w, h),
		"progressive grey":      greyJPEG(progressiveFrame, w, h, 0x11),
		"inks":                  cmyk(baselineFrame, w, h, 0x11, 0x11, 0x11, 0x11),
		"progressive inks":      cmyk(progressiveFrame, w, h, 0x22, 0x11, 0x11, 0x22),
		"RGB in a JPEG":         insert(fullColour(w/2, h), 2, adobeSegment(0)),
		"baseline 4:4:4":        fullColour(w, h),
		"JPEG with factors 0":   bytes.Replace(fullColour(w, h), []byte{1, 0x11, 0, 2, 0x11}, []byte{1, 0, 0, 2, 0}, 1),
		"PNG of 16 bits":        emptyPNG(w, h, 16, 6, 0),
		"PNG of 16 bits, small": emptyPNG(5000, 2600, 16, 2, 0),
		"PNG":                   emptyPNG(w, h, 8, 2, 0),
		"interlaced PNG":        emptyPNG(w/2, h, 8, 0, 1, chunk("tRNS", make([]byte, 2))),
		"PNG of one line":       emptyPNG(50_000_000, 1, 1, 0, 0),
		"lossless WebP": riff(riffChunk("VP8L",
			append([]byte{0x2f, 0x0f, 0xe7, 0xe1, 0x04}, make([]byte, 20)...))),
		"WebP with alpha": riff(vp8x(0x10, w, h), alpha, lossy),
		"animated WebP":   riff(vp8x(0x12, w, h), riffChunk("ANMF", frame)),
		"interlaced GIF": []byte("GIF89a\x10\x27\x88\x13\x80\x00\x00......" +
			"\x2c\x00\x00\x00\x00\x10\x27\x88\x13\x40\x02\x01\x00\x00\x3b"),
	}
}

// emptyPNG returns a PNG without pixel data.
func emptyPNG(w, h int, depth, kind, interlaced byte, more ...[]byte) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	return bytes.Join([][]byte{
		[]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(head, depth, kind, 0, 0, interlaced)),
		bytes.Join(more, nil), chunk("IDAT", nil), chunk("IEND", nil),
	}, nil)
}

// allocated returns how many bytes work allocates, including bytes that are freed again.
func allocated(work func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestAHeavyPictureIsAcceptedAndNeverDecoded(t *testing.T) {
	for name, body := range heavyPictures() {
		t.Run(name, func(t *testing.T) {
			processor, store := newProcessor(t), open(t, t.TempDir())
			defer media.HoldGate(processor)() // decoding would wait forever
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			used := allocated(func() {
				p, err := processor.Receive(ctx, incoming(bytes.NewReader(body), plenty))
				if err != nil || !p.Heavy {
					t.Fatalf("got %+v, %v", p, err)
				}
				defer func() { _ = p.Close() }()
				saved, err := p.Save(ctx, store)
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					if err := processor.Thumbnail(ctx, store, saved); lost.CodeOf(err) != lost.Unsupported {
						t.Errorf("thumbnail: %v, want unsupported", err)
					}
				}
			})
			if used > 2<<20 {
				t.Errorf("allocated %d bytes", used)
			}
		})
	}
}

func TestAHeavyPictureThatMustBeRotatedIsRefused(t *testing.T) {
	for name, body := range map[string][]byte{
		"progressive 4:4:4": insert(greyJPEG(progressiveFrame, 10_000, 5000, 0x11, 0x11, 0x11), 2,
			exifSegment(6)),
		"inks, light unrotated":    insert(cmyk(baselineFrame, 4000, 2500, 0x11, 0x11, 0x11, 0x11), 2, exifSegment(3)),
		"16 bits":                  emptyPNG(10_000, 5000, 16, 6, 0, chunk("eXIf", exifBlock(binary.BigEndian, 6))),
		"16 bits, light unrotated": emptyPNG(4000, 2500, 16, 6, 0, chunk("eXIf", exifBlock(binary.BigEndian, 6))),
	} {
		processor := newProcessor(t)
		release := media.HoldGate(processor)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		_, err := processor.Receive(ctx, incoming(bytes.NewReader(body), plenty))
		e, ok := errors.AsType[*lost.Error](err)
		if !ok || e.Code != lost.Invalid || len(e.Fields) != 1 || e.Fields[0].Field != "image" ||
			e.Fields[0].Code != "too-heavy" {
			t.Errorf("%s: %v, want invalid with too-heavy", name, err)
		}
		cancel()
		release()
	}
}

func TestOrdinaryPicturesAreNotHeavy(t *testing.T) {
	for name, seen := range map[string][]byte{
		"50 MP 4:2:0":       greyJPEG(baselineFrame, 10_000, 5000, 0x22, 0x11, 0x11),
		"24 MP 4:4:4":       fullColour(6000, 4000),
		"12 MP progressive": progressive(4000, 3000),
		"24 MP PNG":         emptyPNG(6000, 4000, 8, 2, 0),
		"50 MP palette":     emptyPNG(10_000, 5000, 8, 3, 0),
		"50 MP grey":        emptyPNG(10_000, 5000, 8, 0, 0),
		"12 MP of 16 bits":  emptyPNG(4000, 3000, 16, 6, 0),
		"10 MP lossless":    riff(riffChunk("VP8L", vp8l(4000, 2500)[:100])),
		"unusual sampling":  greyJPEG(baselineFrame, 4000, 4000, 0x41, 0x11, 0x11),
	} {
		if media.Heavy(seen) {
			t.Errorf("%s is heavy", name)
		}
	}
}

// TestDecodingAllocatesNoMoreThanEstimated compares the estimates with what the decoders actually allocate.
func TestDecodingAllocatesNoMoreThanEstimated(t *testing.T) {
	const w, h = 601, 403
	jpg := encodeJPEG(t, noise(w, h))
	bodies := map[string][]byte{
		"JPEG": jpg, "grey JPEG": encodeJPEG(t, image.NewGray(image.Rect(0, 0, w, h))),
		"RGB in a JPEG": insert(fullColour(w, h), 2, adobeSegment(0)), "GIF": encodeGIF(t, 2, scene(w, h)),
		"lossless WebP": encodeWebP(w, h), "animated WebP": animatedWebP(602, h),
	}
	for _, frame := range []byte{baselineFrame, progressiveFrame} {
		for _, s := range [][]byte{
			{0x11}, {0x22}, {0x11, 0x11, 0x11}, {0x22, 0x11, 0x11}, {0x21, 0x11, 0x11}, {0x41, 0x11, 0x11},
			{0x42, 0x11, 0x11}, {0x22, 0x21, 0x21},
		} {
			bodies[fmt.Sprintf("JPEG %x %x", frame, s)] = greyJPEG(frame, w, h, s...)
		}
		bodies[fmt.Sprintf("inks %x", frame)] = cmyk(frame, w, h, 0x11, 0x11, 0x11, 0x11)
		bodies[fmt.Sprintf("inks %x, subsampled", frame)] = cmyk(frame, w, h, 0x22, 0x11, 0x11, 0x22)
	}
	for _, interlaced := range []byte{0, 1} {
		for _, k := range [][2]byte{
			{1, 0}, {8, 0}, {16, 0}, {8, 2}, {16, 2}, {1, 3}, {8, 3}, {8, 4}, {16, 4}, {8, 6}, {16, 6},
		} {
			bodies[fmt.Sprintf("PNG %v %d", k, interlaced)] = blankPNG(w, h, k[0], k[1], interlaced)
		}
		for _, depth := range []byte{8, 16} {
			bodies[fmt.Sprintf("clear PNG %d %d", depth, interlaced)] = insert(blankPNG(w, h, depth, 0, interlaced),
				afterIHDR, chunk("tRNS", make([]byte, 2)))
		}
	}
	for name, body := range bodies {
		estimate := media.Memory(body)
		got := int64(allocated(func() {
			if err := media.Decode(t.Context(), body); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}))
		// Tables and buffers take tens of kilobytes. A plane missing from the estimate would take more.
		if got > estimate+100_000 || estimate > 3*got {
			t.Errorf("%s: allocated %d bytes, estimated %d", name, got, estimate)
		}
	}
}

func TestAPictureThatCannotBeDecodedIsRefused(t *testing.T) {
	m := noise(64, 64)
	jpg, anim := encodeJPEG(t, m), encodeGIF(t, 1, m)
	sos := bytes.Index(jpg, []byte{0xff, 0xda})
	overwritten := bytes.Clone(jpg)
	copy(overwritten[sos+14:len(jpg)-2], bytes.Repeat([]byte{0xff, 0x00}, len(jpg)))
	at := bytes.LastIndex(anim, []byte{0x2c, 0, 0, 0, 0, 64, 0, 64, 0}) + 11
	copy(anim[at+1:at+40], bytes.Repeat([]byte{0xfe}, 39))
	head := encodePNG(t, m)[8:afterIHDR]
	rubbish := bytes.Repeat([]byte("rubbish"), 10)
	for name, body := range map[string][]byte{
		"PNG of rubbish": bytes.Join([][]byte{
			[]byte("\x89PNG\r\n\x1a\n"), head, chunk("IDAT", rubbish), chunk("IEND", nil),
		}, nil),
		"JPEG with an overwritten scan": overwritten,
		"JPEG with a short scan":        insert(jpg[:sos+100], sos+100, jpg[len(jpg)-2:]),
		"turned":                        insert(overwritten, 2, exifSegment(6)),
		"JPEG without tables": insert(insert(nil, 0, jpg[:2],
			segment(0xc0, []byte{8, 0, 64, 0, 64, 1, 1, 0x11, 0})), 15, jpg[sos:]),
		"GIF of rubbish":  anim,
		"WebP of rubbish": riff(riffChunk("VP8L", append(vp8l(64, 64)[:5], rubbish...))),
	} {
		p, _, err := receive(t, body)
		if e, ok := errors.AsType[*lost.Error](err); !ok || e.Code != lost.Unsupported ||
			e.Detail != "The picture is damaged or incomplete." {
			t.Errorf("%s: got %+v, %v; want a damaged picture", name, p, err)
		}
	}
}

func TestAFrameMustHaveTheSizeOfItsPicture(t *testing.T) {
	frame := []byte{0, 0, 0, 0, 0, 0, 0x3f, 0x9c, 0, 0x3f, 0x9c, 0, 0, 0, 0, 0} // 40000 x 40000
	frame = insert(frame, len(frame), riffChunk("ALPH", make([]byte, 20)), riffChunk("VP8L", vp8l(24, 16)))
	body := riff(vp8x(0x12, 24, 16), riffChunk("ANMF", frame))
	used := allocated(func() {
		if _, _, err := receive(t, body); lost.CodeOf(err) != lost.Unsupported {
			t.Errorf("got %v, want unsupported", err)
		}
	})
	if used > 2<<20 {
		t.Errorf("allocated %d bytes", used)
	}
}

func TestColourSegmentsAfterTheScanAreDropped(t *testing.T) {
	jpg := encodeJPEG(t, scene(24, 16))
	jfif := segment(0xe0, []byte("JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"))
	_, got, err := receive(t, insert(jpg, len(jpg)-2, adobeSegment(0), jfif))
	if err != nil || !bytes.Equal(got, jpg) {
		t.Errorf("got %d bytes of %d, %v", len(got), len(jpg), err)
	}
}

func TestARefusedPictureIsNotDecodedAgain(t *testing.T) {
	processor, store := newProcessor(t), open(t, t.TempDir())
	jpg := encodeJPEG(t, noise(64, 64))
	name := media.NewName("jpg")
	put(t, store, name, string(jpg[:len(jpg)/2]))
	if err := processor.Thumbnail(t.Context(), store, name); lost.CodeOf(err) != lost.Unsupported {
		t.Fatalf("got %v, want unsupported", err)
	}
	release := media.HoldGate(processor)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := processor.Thumbnail(ctx, store, name); lost.CodeOf(err) != lost.Unsupported {
		t.Errorf("the second time: %v, want unsupported without decoding", err)
	}
	release()
	for i := range 3 * media.MaxRefused {
		media.Refuse(processor, fmt.Sprint(i))
	}
	if n := media.Refused(processor); n != media.MaxRefused {
		t.Errorf("%d names are remembered, want %d", n, media.MaxRefused)
	}
	put(t, store, name, string(jpg)) // the error is no longer remembered, so the picture is decoded again
	if err := processor.Thumbnail(t.Context(), store, name); err != nil {
		t.Error(err)
	}
}

func TestAStoreFailureIsNotRemembered(t *testing.T) {
	processor, store := newProcessor(t), open(t, t.TempDir())
	name := media.NewName("jpg")
	put(t, store, name, string(encodeJPEG(t, scene(64, 64))))
	if err := processor.Thumbnail(t.Context(), cutStore{store}, name); err == nil ||
		lost.CodeOf(err) == lost.Unsupported {
		t.Errorf("got %v", err)
	}
	if err := processor.Thumbnail(t.Context(), store, name); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestAWidePictureHasAThumbnail(t *testing.T) {
	_, m := thumbnail(t, "png", blankPNG(3_000_000, 1, 8, 2, 0))
	if m.Bounds().Size() != image.Pt(640, 1) {
		t.Errorf("got %v", m.Bounds())
	}
}

// cutStore is a store whose files cannot be read.
type cutStore struct{ media.Store }

func (c cutStore) Open(ctx context.Context, name string) (*media.File, error) {
	f, err := c.Store.Open(ctx, name)
	if err == nil {
		f.Content = cut{f.Content}
	}
	return f, err
}

type cut struct{ io.ReadSeeker }

func (cut) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
