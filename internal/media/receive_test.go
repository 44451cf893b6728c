package media_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"image"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"homeward/internal/lost"
	"homeward/internal/media"
)

const plenty = 10 << 20

// newProcessor returns a Processor. When the test ends, it checks that no files are left behind, named or open.
func newProcessor(t testing.TB) *media.Processor {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() {
		if left := leftovers(t, dir); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	return media.NewProcessor(dir)
}

func leftovers(t testing.TB, dir string) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	open, _ := filepath.Glob("/proc/self/fd/*") // finds nothing on systems without /proc
	for _, fd := range open {
		if target, _ := os.Readlink(fd); strings.HasPrefix(target, dir) {
			left = append(left, target)
		}
	}
	return left
}

// incoming returns an upload of a photo by staff.
func incoming(r io.Reader, limit int64) media.Incoming {
	return media.Incoming{Field: "image", Content: r, Limit: limit}
}

// receive processes an upload and returns the picture and its cleaned bytes.
func receive(t testing.TB, data []byte) (*media.Picture, []byte, error) {
	t.Helper()
	p, err := newProcessor(t).Receive(t.Context(), incoming(bytes.NewReader(data), plenty))
	if err != nil {
		return nil, nil, err
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	got, err := io.ReadAll(p.Content())
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(got)) != p.Size {
		t.Errorf("Size is %d, there are %d bytes", p.Size, len(got))
	}
	return p, got, nil
}

func TestTheLimitIsExact(t *testing.T) {
	picture := encodeJPEG(t, scene(32, 32))
	limit := int64(len(picture)) + 1000
	padded := append(bytes.Clone(picture), make([]byte, 1001)...)
	processor := newProcessor(t)
	in := incoming(bytes.NewReader(padded[:limit]), limit)
	var sum [sha256.Size]byte
	in.BeforeDecode = func(of [sha256.Size]byte) error { sum = of; return nil }
	p, err := processor.Receive(t.Context(), in)
	if err != nil {
		t.Fatalf("exactly the limit: %v", err)
	}
	if sum != sha256.Sum256(padded[:limit]) {
		t.Error("the checksum is not that of the uploaded bytes")
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	for name, body := range map[string][]byte{
		"picture": padded, "no picture": bytes.Repeat([]byte("x"), int(limit)+1),
	} {
		if _, err := processor.Receive(t.Context(), incoming(bytes.NewReader(body),
			limit)); lost.CodeOf(err) != lost.TooLarge {
			t.Errorf("%s with one byte more: %v, want too-large", name, err)
		}
	}
}

func TestAnUploadBeyondTheHTTPLimitIsTooLarge(t *testing.T) {
	body := http.MaxBytesReader(nil, io.NopCloser(bytes.NewReader(make([]byte, 2000))), 1000)
	_, err := newProcessor(t).Receive(t.Context(), incoming(body, plenty))
	if lost.CodeOf(err) != lost.TooLarge {
		t.Errorf("got %v, want too-large", err)
	}
}

func TestOtherFormatsAreUnsupported(t *testing.T) {
	for name, body := range map[string]string{
		"nothing": "", "text": "hello", "SVG": `<svg xmlns="http://www.w3.org/2000/svg"/>`,
		"PDF": "%PDF-1.7\n", "HTML": "<!doctype html><script>", "BMP": "BM\x00\x00\x00\x00",
		"TIFF": "II*\x00\x08\x00\x00\x00", "other RIFF": "RIFF\x00\x00\x00\x00WAVEfmt ", "a beginning": "\xff\xd8",
	} {
		if _, _, err := receive(t, []byte(body)); lost.CodeOf(err) != lost.Unsupported {
			t.Errorf("%s: %v, want unsupported", name, err)
		}
	}
}

func TestDecompressionBombsAreRefusedByTheirHeader(t *testing.T) {
	jpg := encodeJPEG(t, scene(16, 16))
	sof := bytes.Index(jpg, []byte{0xff, 0xc0})
	copy(jpg[sof+5:], []byte{0xff, 0xff, 0xff, 0xff})
	pic := encodePNG(t, scene(16, 16))
	pic = insert(pic[:8], 8, chunk("IHDR", []byte{0, 0, 0x40, 0, 0, 0, 0x40, 0, 8, 2, 0, 0, 0}))
	gif := encodeGIF(t, 1, scene(16, 16))
	copy(gif[6:], []byte{0xff, 0xff, 0xff, 0xff})
	frame := encodeGIF(t, 1, scene(16, 16))
	at := bytes.Index(frame, []byte{0x2c, 0, 0, 0, 0, 16, 0, 16, 0})
	copy(frame[at+5:], []byte{0xff, 0xff, 0xff, 0xff})
	for name, body := range map[string][]byte{
		"JPEG": jpg, "PNG": pic, "GIF": gif, "GIF frame": frame,
		"WebP canvas": riff(vp8x(0, 1<<14, 1<<14), riffChunk("VP8L", vp8l(16, 16))),
		"WebP":        riff(riffChunk("VP8L", append([]byte{0x2f, 0xff, 0xff, 0xff, 0x0f}, make([]byte, 20)...))),
		"WebP, lossy": riff(riffChunk("VP8 ", []byte("\x00\x00\x00\x9d\x01\x2a\xff\x3f\xff\x3f....."))),
		"animated WebP": riff(vp8x(2, 16, 16),
			riffChunk("ANMF",
				append(make([]byte, 16),
					riffChunk("VP8L", append([]byte{0x2f, 0xff, 0xff, 0xff, 0x0f}, make([]byte, 9)...))...))),
	} {
		_, _, err := receive(t, body)
		e, ok := errors.AsType[*lost.Error](err)
		if !ok || e.Code != lost.Invalid || len(e.Fields) != 1 || e.Fields[0].Field != "image" ||
			e.Fields[0].Code != "too-many-pixels" {
			t.Errorf("%s: %v, want invalid with too-many-pixels", name, err)
		}
	}
}

func TestFiftyMegapixelsAreAccepted(t *testing.T) {
	body := insert(encodePNG(t, scene(16, 16)), 8)
	body = insert(body[:8], 8, chunk("IHDR", []byte{0, 0, 0x27, 0x10, 0, 0, 0x13, 0x88, 8, 2, 0, 0, 0}),
		chunk("IDAT", nil), chunk("IEND", nil))
	p, _, err := receive(t, body)
	if err != nil || p.Width != 10_000 || p.Height != 5000 || !p.Heavy {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestAWebPWithASmallCanvasAndAHugePictureIsRefused(t *testing.T) {
	_, _, err := receive(t, riff(vp8x(0, 16, 16), riffChunk("VP8L", vp8l(300, 300))))
	if lost.CodeOf(err) != lost.Unsupported {
		t.Errorf("got %v, want unsupported", err)
	}
}

func TestAThousandScansAreRefused(t *testing.T) {
	jpg := encodeJPEG(t, scene(16, 16))
	sos := bytes.Index(jpg, []byte{0xff, 0xda})
	body := insert(jpg, len(jpg)-2, bytes.Repeat(jpg[sos:len(jpg)-2], 1000))
	if _, _, err := receive(t, body); lost.CodeOf(err) != lost.Unsupported {
		t.Errorf("got %v, want unsupported", err)
	}
}

func TestAFailingOrCancelledUploadLeavesNoFiles(t *testing.T) {
	picture := encodePNG(t, noise(100, 100))
	half := io.MultiReader(bytes.NewReader(picture[:len(picture)/2]), iotest.ErrReader(io.ErrUnexpectedEOF))
	if _, err := newProcessor(t).Receive(t.Context(), incoming(half, plenty)); lost.CodeOf(err) != lost.Unreadable {
		t.Errorf("cut off: %v, want unreadable", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	body := io.MultiReader(bytes.NewReader(picture[:1000]), readFunc(func([]byte) (int, error) {
		cancel()
		return 0, nil
	}))
	if _, err := newProcessor(t).Receive(ctx, incoming(body, plenty)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestAPanickingReaderLeavesNoFiles(t *testing.T) {
	processor := newProcessor(t)
	defer func() {
		if recover() == nil {
			t.Error("the panic was swallowed")
		}
	}()
	_, _ = processor.Receive(t.Context(), incoming(readFunc(func([]byte) (int, error) { panic("reader") }), plenty))
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

func TestATruncatedPictureIsDamaged(t *testing.T) {
	for name, data := range samples(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			processor := media.NewProcessor(dir)
			for n := range len(data) {
				p, err := processor.Receive(t.Context(), incoming(bytes.NewReader(data[:n]), plenty))
				if lost.CodeOf(err) != lost.Unsupported {
					t.Fatalf("%d of %d bytes: %v, %v", n, len(data), p, err)
				}
			}
			if left := leftovers(t, dir); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// samples returns small pictures in each format, with metadata and without trailing bytes.
func samples(t testing.TB) map[string][]byte {
	m := scene(24, 16)
	anim := encodeGIF(t, 2, m)
	return map[string][]byte{
		"JPEG":          insert(encodeJPEG(t, m), 2, exifSegment(1), iccSegment()),
		"rotated JPEG":  insert(encodeJPEG(t, m), 2, exifSegment(6)),
		"grey JPEG":     encodeJPEG(t, image.NewGray(image.Rect(0, 0, 16, 16))),
		"PNG":           insert(encodePNG(t, m), afterIHDR, chunk("tEXt", []byte(secret))),
		"GIF":           insert(anim, gifBlocks(anim), gifPart(0xfe, secret)),
		"WebP":          riff(vp8x(0x08, 24, 16), riffChunk("VP8L", vp8l(24, 16)), riffChunk("EXIF", []byte(secret))),
		"animated WebP": animatedWebP(24, 16),
	}
}

func TestDecodingWaitsForMemory(t *testing.T) {
	// While other pictures use the whole budget, decoding waits until its context ends.
	processor := newProcessor(t)
	upright := encodeJPEG(t, scene(24, 16))
	release := media.HoldGate(processor)
	defer release()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	for _, picture := range [][]byte{upright, insert(upright, 2, exifSegment(6))} {
		if _, err := processor.Receive(ctx, incoming(bytes.NewReader(picture), plenty)); !errors.Is(err,
			context.DeadlineExceeded) {
			t.Errorf("waiting for a decoder: %v", err)
		}
	}
}

func TestARejectedUploadIsNotDecoded(t *testing.T) {
	processor := newProcessor(t)
	defer media.HoldGate(processor)() // decoding would wait forever
	body := encodeJPEG(t, scene(24, 16))
	refused := lost.E(lost.Conflict, "This item has too many photos.")
	for name, picture := range map[string][]byte{"upright": body, "turned": insert(body, 2, exifSegment(6))} {
		in := incoming(bytes.NewReader(picture), plenty)
		in.BeforeDecode = func(sum [sha256.Size]byte) error {
			if sum != sha256.Sum256(picture) {
				t.Errorf("%s: the checksum is wrong", name)
			}
			return refused
		}
		if _, err := processor.Receive(t.Context(), in); !errors.Is(err, refused) {
			t.Errorf("%s: got %v, want %v", name, err, refused)
		}
	}
}

func TestAStrangersPicturesDoNotDelayStaff(t *testing.T) {
	processor := newProcessor(t)
	defer media.HoldOtherLanes(processor)() // every decoder that strangers may use is busy
	ctx, cancel := context.WithCancel(t.Context())
	body := encodeJPEG(t, scene(24, 16))
	stranger := make(chan error)
	go func() {
		in := incoming(bytes.NewReader(body), plenty)
		in.Lane = media.PublicLane
		in.BeforeDecode = func([sha256.Size]byte) error { stranger <- nil; return nil }
		_, err := processor.Receive(ctx, in)
		stranger <- err
	}()
	<-stranger // the stranger's picture was received, and waits
	p, err := processor.Receive(t.Context(), incoming(bytes.NewReader(body), plenty))
	if err != nil {
		t.Fatal(err)
	}
	_ = p.Close()
	cancel()
	if err := <-stranger; !errors.Is(err, context.Canceled) {
		t.Errorf("the stranger's picture: %v, want it to wait", err)
	}
}
