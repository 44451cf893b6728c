package media_test

import (
	"bytes"
	"image"
	"image/gif"
	"testing"

	"homeward/internal/lost"
)

// cleanTest is a picture with metadata, together with the same picture without it.
type cleanTest struct {
	name, contentType string
	dirty, clean      []byte
}

func jpegCleanTests(t *testing.T) []cleanTest {
	jpg, text := encodeJPEG(t, scene(48, 32)), []byte(secret)
	return []cleanTest{
		{"JPEG with EXIF and XMP", "image/jpeg",
			insert(jpg, 2, exifSegment(1), segment(0xe1, append([]byte("http://ns.adobe.com/xap/1.0/\x00"), text...))),
			jpg},
		{"JPEG with IPTC, comment and other blocks", "image/jpeg",
			insert(jpg, 2, segment(0xed, text), segment(0xfe, text), segment(0xe5, text), segment(0xef, text)), jpg},
		{
			"JPEG with a second picture in APP2", "image/jpeg",
			insert(jpg, 2, segment(0xe2, append([]byte("MPF\x00"), text...))), jpg,
		},
		{"JPEG with a preview in JFIF", "image/jpeg",
			insert(jpg, 2, segment(0xe0, append([]byte("JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x09\x09"), text...)),
				segment(0xe0, append([]byte("JFXX\x00"), text...))),
			insert(jpg, 2, segment(0xe0, []byte("JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00")))},
		{"JPEG with more in Adobe's block", "image/jpeg",
			insert(jpg, 2, segment(0xee, append([]byte("Adobe\x00\x64\x00\x00\x00\x00\x01"), text...))),
			insert(jpg, 2, segment(0xee, []byte("Adobe\x00\x64\x00\x00\x00\x00\x01")))},
		{
			"JPEG with a colour profile", "image/jpeg", insert(jpg, 2, exifSegment(1), iccSegment()),
			insert(jpg, 2, iccSegment()),
		},
		{"JPEG with fill bytes", "image/jpeg", insert(jpg, 2, []byte{0xff, 0xff, 0xff}, segment(0xfe, text)), jpg},
		{"JPEG with more after its end", "image/jpeg", insert(jpg, len(jpg), text, jpg), jpg},
		{
			"JPEG with an empty EXIF", "image/jpeg",
			insert(jpg, 2, segment(0xe1, nil), segment(0xe1, []byte("Exif\x00\x00")), segment(0xe0, nil),
				segment(0xee, nil), segment(0xe2, nil)), jpg,
		},
	}
}

func otherCleanTests(t *testing.T) []cleanTest {
	m := scene(48, 32)
	pic, anim := encodePNG(t, m), encodeGIF(t, 2, m)
	lossless := riffChunk("VP8L", vp8l(48, 32))
	text := []byte(secret)
	return []cleanTest{
		{"PNG with texts, time and EXIF", "image/png",
			insert(pic, afterIHDR, chunk("tEXt", text), chunk("iTXt", text), chunk("zTXt", text),
				chunk("tIME", make([]byte, 7)), chunk("eXIf", text), chunk("prVt", text)), pic},
		{"PNG with colours", "image/png",
			insert(pic, afterIHDR, chunk("gAMA", []byte{0, 0, 0xb1, 0x8f}), chunk("pHYs", make([]byte, 9)),
				chunk("tEXt", text)),
			insert(pic, afterIHDR, chunk("gAMA", []byte{0, 0, 0xb1, 0x8f}), chunk("pHYs", make([]byte, 9)))},
		{"PNG with more after its end", "image/png", insert(pic, len(pic), text), pic},
		{"GIF with comment, text and application data", "image/gif",
			insert(anim, gifBlocks(anim), gifPart(0xfe, secret, secret), gifPart(0x01, "123456789012", secret),
				gifPart(0xff, "XMP DataXMP", secret)), anim},
		{"GIF with data in its loop", "image/gif",
			insert(anim, gifBlocks(anim), gifPart(0xff, "ANIMEXTS1.0", "\x01\x00\x00", secret, "abc")),
			insert(bytes.Replace(anim, gifPart(0xff, "NETSCAPE2.0", "\x01\x00\x00"), nil, 1), gifBlocks(anim),
				gifPart(0xff, "ANIMEXTS1.0", "\x01\x00\x00"))},
		{"GIF with more after its end", "image/gif", insert(anim, len(anim), text), anim},
		{"WebP with EXIF, XMP and unknown", "image/webp",
			riff(vp8x(0x0c|0xc1, 48, 32), riffChunk("WHAT", text), lossless, riffChunk("EXIF", text),
				riffChunk("XMP ", text)),
			riff(vp8x(0, 48, 32), lossless)},
		{"WebP with a colour profile", "image/webp",
			riff(vp8x(0x2c, 48, 32), riffChunk("ICCP", cleanICC()), lossless, riffChunk("EXIF", text)),
			riff(vp8x(0x20, 48, 32), riffChunk("ICCP", cleanICC()), lossless)},
		{
			"simple WebP with more", "image/webp", append(riff(lossless, riffChunk("XMP ", text)), text...),
			riff(lossless),
		},
	}
}

func TestMetadataIsRemovedAndPixelsAreUnchanged(t *testing.T) {
	for _, tt := range append(jpegCleanTests(t), otherCleanTests(t)...) {
		t.Run(tt.name, func(t *testing.T) {
			p, got, err := receive(t, tt.dirty)
			if err != nil {
				t.Fatal(err)
			}
			if p.ContentType != tt.contentType || p.Width != 48 || p.Height != 32 {
				t.Errorf("got %s of %d x %d", p.ContentType, p.Width, p.Height)
			}
			if bytes.Contains(got, []byte("Erika")) {
				t.Error("the metadata was not removed")
			}
			if !bytes.Equal(got, tt.clean) {
				t.Errorf("got %d bytes, want %d:\n%q\n%q", len(got), len(tt.clean), got, tt.clean)
			}
			if !samePixels(decodeAs(t, tt.contentType, got), decodeAs(t, tt.contentType, tt.dirty)) {
				t.Error("the pixels changed")
			}
		})
	}
}

func TestGIFFramesAndTimingAreKept(t *testing.T) {
	data := encodeGIF(t, 3, scene(16, 16))
	_, got, err := receive(t, insert(data, gifBlocks(data), gifPart(0xfe, secret), gifPart(0x99, secret)))
	if err != nil {
		t.Fatal(err)
	}
	g, err := gif.DecodeAll(bytes.NewReader(got))
	if err != nil || len(g.Image) != 3 || g.Delay[2] != 10 || g.LoopCount != 0 {
		t.Errorf("got %+v, %v", g, err)
	}
}

func TestAnAnimatedWebPKeepsItsFramesWithoutMetadata(t *testing.T) {
	p, got, err := receive(t, animatedWebP(48, 32))
	if err != nil {
		t.Fatal(err)
	}
	if p.Width != 48 || bytes.Contains(got, []byte("Erika")) || bytes.Count(got, []byte("ANMF")) != 2 {
		t.Errorf("got %d wide: %q", p.Width, got)
	}
	again, twice, err := receive(t, got)
	if err != nil || again.Size != p.Size || !bytes.Equal(got, twice) {
		t.Errorf("cleaning again changes the file: %v", err)
	}
}

func TestRestartMarkersAndScansAreKept(t *testing.T) {
	// The picture is progressive and has two additional scans. Each scan has two lines of two blocks with a restart
	// marker between the lines, and ends with escaped bytes.
	body := greyJPEG(progressiveFrame, 16, 16, 0x11)
	eoi := len(body) - 2
	every := segment(0xdd, []byte{0, 2})
	scan := append(segment(0xda, []byte{1, 1, 0, 1, 5, 0}), 0x3f, 0xff, 0xd0, 0x3f, 0xff, 0x00)
	_, got, err := receive(t, insert(body, eoi, every, scan, segment(0xfe, []byte(secret)), scan))
	if err != nil {
		t.Fatal(err)
	}
	if want := insert(body, eoi, every, scan, scan); !bytes.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestABrokenStructureIsRefused(t *testing.T) {
	m := scene(16, 16)
	jpg, pic, anim := encodeJPEG(t, m), encodePNG(t, m), encodeGIF(t, 1, m)
	flipped := bytes.Clone(pic)
	flipped[len(pic)-20] ^= 1
	lossless := riffChunk("VP8L", vp8l(16, 16))
	sof := bytes.Index(jpg, []byte{0xff, 0xc0})
	sos := bytes.Index(jpg, []byte{0xff, 0xda})
	arithmetic := bytes.Clone(jpg)
	arithmetic[sof+1] = 0xc9
	short := riff(lossless)
	short[4]++
	for name, body := range map[string][]byte{
		"JPEG without scan":               insert(jpg[:sos], sos, []byte{0xff, 0xd9}),
		"JPEG with scan before size":      insert([]byte{0xff, 0xd8}, 2, jpg[sos:]),
		"JPEG with two frames":            insert(jpg, sof, jpg[sof:sof+19]),
		"JPEG with rubbish":               insert(jpg, 2, []byte("rubbish")),
		"JPEG with length 1":              insert(jpg, 2, []byte{0xff, 0xe1, 0, 1}),
		"JPEG, arithmetic":                arithmetic,
		"PNG with wrong sum":              flipped,
		"PNG without IHDR":                insert(pic[:8], 8, pic[afterIHDR:]),
		"PNG with two IHDR":               insert(pic, afterIHDR, pic[8:afterIHDR]),
		"PNG without data":                insert(pic[:afterIHDR], afterIHDR, chunk("IEND", nil)),
		"PNG with unknown critical chunk": insert(pic, afterIHDR, chunk("NEED", nil)),
		"PNG with endless chunk":          insert(pic, afterIHDR, []byte{0xff, 0xff, 0xff, 0xff, 't', 'E', 'X', 't'}),
		"GIF without frame":               insert(anim[:gifBlocks(anim)], gifBlocks(anim), []byte{0x3b}),
		"GIF with unknown block":          insert(anim, gifBlocks(anim), []byte{0x77}),
		"WebP without picture":            riff(vp8x(0, 16, 16)),
		"WebP with two pictures":          riff(lossless, lossless),
		"animated WebP without frames":    riff(vp8x(2, 16, 16), lossless),
		"WebP with an empty frame":        riff(vp8x(2, 16, 16), riffChunk("ANMF", make([]byte, 16))),
		"WebP with late VP8X":             riff(lossless, vp8x(0, 16, 16)),
		"WebP with wrong size":            short,
		"WebP with size 0":                append([]byte("RIFF\x00\x00\x00\x00WEBP"), lossless...),
		"WebP with endless chunk":         riff(lossless, []byte("XMP \xff\xff\xff\xff")),
		"WebP of rubbish":                 riff(riffChunk("VP8 ", bytes.Repeat([]byte("x"), 40))),
	} {
		if _, _, err := receive(t, body); lost.CodeOf(err) != lost.Unsupported {
			t.Errorf("%s: %v, want unsupported", name, err)
		}
	}
}

func TestGreyAndTransparentPicturesAreUnchanged(t *testing.T) {
	grey := image.NewGray(image.Rect(0, 0, 20, 10))
	clear := image.NewNRGBA(image.Rect(0, 0, 20, 10))
	for name, data := range map[string][]byte{
		"grey": encodeJPEG(t, grey), "transparent": encodePNG(t, clear), "grey PNG": encodePNG(t, grey),
	} {
		_, got, err := receive(t, data)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: changed, %v", name, err)
		}
	}
}
