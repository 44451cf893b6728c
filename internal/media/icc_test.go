package media_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost"
)

// iccTag is a tag of a colour profile.
type iccTag struct{ name, data string }

// iccProfile returns a colour profile of version 2 with the given tags, and with text in the parts of its header that
// do not determine colours.
func iccProfile(text string, tags ...iccTag) []byte {
	p := make([]byte, 128)
	copy(p[8:], "\x02\x40\x00\x00mntrRGB XYZ ")
	copy(p[36:], "acsp")
	for _, at := range []int{4, 40, 48, 52, 80, 100} {
		copy(p[at:at+4], text)
	}
	p = binary.BigEndian.AppendUint32(p, uint32(len(tags)))
	at := len(p) + 12*len(tags)
	var data []byte
	for _, t := range tags {
		p = append(p, t.name...)
		p = binary.BigEndian.AppendUint32(p, uint32(at+len(data)))
		p = binary.BigEndian.AppendUint32(p, uint32(len(t.data)))
		data = append(data, t.data...)
		data = append(data, make([]byte, -len(data)&3)...)
	}
	p = append(p, data...)
	binary.BigEndian.PutUint32(p, uint32(len(p)))
	return p
}

func neutralTexts() []iccTag {
	return []iccTag{
		{"desc", "desc\x00\x00\x00\x00\x00\x00\x00\x0cICC profile\x00" + strings.Repeat("\x00", 78)},
		{"cprt", "text\x00\x00\x00\x00not stated\x00"},
	}
}

// colours returns tags that determine colours. The four bytes of curve are the points of a curve.
func colours(curve string) []iccTag {
	const position = "XYZ \x00\x00\x00\x00"
	return []iccTag{
		{"wtpt", position + "\x00\x00\xf3\x51\x00\x01\x00\x00\x00\x01\x16\xcc"},
		{"rXYZ", position + "\x00\x00\x6f\xa2\x00\x00\x38\xf5\x00\x00\x03\x90"},
		{"gXYZ", position + "\x00\x00\x62\x99\x00\x00\xb7\x85\x00\x00\x18\xda"},
		{"bXYZ", position + "\x00\x00\x24\xa0\x00\x00\x0f\x84\x00\x00\xb6\xcf"},
		{"rTRC", "curv\x00\x00\x00\x00\x00\x00\x00\x02" + curve},
		{"gTRC", "para\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x33\x33"},
	}
}

// cleanICC is a colour profile that contains no more than the colours.
func cleanICC() []byte {
	return iccProfile("", append(neutralTexts(), colours("\x00\x00\xff\xff")...)...)
}

// dirtyICC is the same profile with texts.
func dirtyICC() []byte {
	tags := append([]iccTag{
		{"desc", "desc\x00\x00\x00\x00\x00\x00\x00\x30" + secret}, {"cprt", "text\x00\x00\x00\x00" + secret},
		{"dmnd", "text\x00\x00\x00\x00" + secret}, {"meta", secret}, {"Eri ", secret},
		{"bTRC", "text\x00\x00\x00\x00" + secret}, {"A2B0", "text\x00\x00\x00\x00" + secret},
	}, colours("\x00\x00\xff\xff")...)
	tags[len(tags)-2].data += secret // after the points of the curve
	tags[len(tags)-3].data += secret // after the position of blue
	return iccProfile("Erik", tags...)
}

func deflated(p []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(p)
	_ = z.Close()
	return b.Bytes()
}

// pngProfile returns the iCCP chunk of a profile.
func pngProfile(name string, p []byte) []byte {
	return chunk("iCCP", append([]byte(name+"\x00\x00"), deflated(p)...))
}

// jpegProfile returns the segments of a profile.
func jpegProfile(p []byte) (segments []byte) {
	const longest = 65519
	count := (len(p) + longest - 1) / longest
	for n := range count {
		part := p[n*longest : min(len(p), (n+1)*longest)]
		segments = append(segments,
			segment(0xe2, append([]byte("ICC_PROFILE\x00"+string([]byte{byte(n + 1), byte(count)})), part...))...)
	}
	return segments
}

// TestColourProfilesAreKeptWithoutTextAndWithinBounds checks that a colour profile is kept in every format, but not
// the texts in it, and that a profile is dropped if it is large, inflates to a large one, or is broken.
func TestColourProfilesAreKeptWithoutTextAndWithinBounds(t *testing.T) {
	m := scene(48, 32)
	pic, jpg := encodePNG(t, m), encodeJPEG(t, m)
	lossless := riffChunk("VP8L", vp8l(48, 32))
	inPNG := func(c []byte) []byte { return insert(pic, afterIHDR, c) }
	inWebP := func(p []byte) []byte { return riff(vp8x(0x20, 48, 32), riffChunk("ICCP", p), lossless) }
	inJPEG := func(p []byte) []byte { return insert(jpg, 2, jpegProfile(p)) }
	large := iccProfile("", append(colours("\x00\x00\xff\xff"), iccTag{"A2B0", "mft2" + strings.Repeat("x", 1<<20)})...)
	medium := iccProfile("", append(neutralTexts(), iccTag{"A2B0", "mft2" + strings.Repeat("x", 200<<10)})...)
	bomb := append(cleanICC(), make([]byte, 90<<20)...)
	withoutProfile := riff(vp8x(0, 48, 32), lossless)
	cut := jpegProfile(medium)[:65535+2]
	keptInPNG := inPNG(pngProfile("ICC profile", cleanICC()))
	late := chunk("iCCP", slices.Concat([]byte("x\x00\x00"), deflated(dirtyICC()), []byte(secret)))
	for name, c := range map[string]struct{ got, want []byte }{
		"PNG, clean":              {keptInPNG, keptInPNG},
		"PNG, name":               {inPNG(pngProfile(secret, cleanICC())), keptInPNG},
		"PNG, texts":              {inPNG(pngProfile("x", dirtyICC())), keptInPNG},
		"PNG, text after profile": {inPNG(late), keptInPNG},
		"PNG, 90 MB":              {inPNG(pngProfile("x", bomb)), pic},
		"PNG, 1 MB":               {inPNG(pngProfile("x", large)), pic},
		"PNG, not compressed":     {inPNG(chunk("iCCP", []byte("x\x00\x00"+secret))), pic},
		"PNG, only a name":        {inPNG(chunk("iCCP", []byte(secret))), pic},
		"PNG, no profile":         {inPNG(pngProfile("x", []byte(secret))), pic},
		"PNG, no colours":         {inPNG(pngProfile("x", iccProfile("", iccTag{"cprt", secret}))), pic},
		"PNG, two profiles": {
			inPNG(append(pngProfile("x", cleanICC()), pngProfile("x", dirtyICC())...)), keptInPNG,
		},
		"JPEG, clean":        {inJPEG(cleanICC()), inJPEG(cleanICC())},
		"JPEG, texts":        {inJPEG(dirtyICC()), inJPEG(cleanICC())},
		"JPEG, 4 segments":   {inJPEG(medium), inJPEG(medium)},
		"JPEG, 1 MB":         {inJPEG(large), jpg},
		"JPEG, cut":          {insert(jpg, 2, cut), jpg},
		"JPEG, no profile":   {inJPEG([]byte(secret)), jpg},
		"JPEG, two profiles": {insert(jpg, 2, jpegProfile(cleanICC()), jpegProfile(dirtyICC())), inJPEG(cleanICC())},
		"WebP, clean":        {inWebP(cleanICC()), inWebP(cleanICC())},
		"WebP, texts":        {inWebP(dirtyICC()), inWebP(cleanICC())},
		"WebP, 1 MB":         {inWebP(large), withoutProfile},
		"WebP, no profile":   {inWebP([]byte(secret)), withoutProfile},
	} {
		t.Run(name, func(t *testing.T) {
			_, got, err := receive(t, c.got)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(got, []byte("Erik")) {
				t.Error("a text was kept")
			}
			if !bytes.Equal(got, c.want) {
				t.Errorf("got %d bytes, want %d", len(got), len(c.want))
			}
		})
	}
}

// TestOtherPartsOfAPictureCannotCarryText checks parts that are kept because they determine how a picture looks.
func TestOtherPartsOfAPictureCannotCarryText(t *testing.T) {
	m := scene(48, 32)
	pic, jpg, anim := encodePNG(t, m), encodeJPEG(t, m), encodeGIF(t, 1, m)
	for _, name := range []string{"gAMA", "cHRM", "sRGB", "bKGD", "pHYs", "sBIT", "cICP"} {
		_, got, err := receive(t, insert(pic, afterIHDR, chunk(name, []byte(secret))))
		if err != nil || !bytes.Equal(got, pic) {
			t.Errorf("PNG %s: got %q, %v", name, got, err)
		}
	}
	for name, data := range map[string][]byte{
		"JPEG DRI": insert(jpg, 2, segment(0xdd, []byte(secret))),
		"WebP ANIM": riff(vp8x(0x02, 48, 32), riffChunk("ANIM", []byte(secret)),
			riffChunk("ANMF", make([]byte, 16))),
	} {
		if _, _, err := receive(t, data); lost.CodeOf(err) != lost.Unsupported {
			t.Errorf("%s: got %v, want unsupported", name, err)
		}
	}
	loop := func(parts ...string) []byte {
		return insert(anim, gifBlocks(anim), gifPart(0xff, append([]string{"NETSCAPE2.0"}, parts...)...))
	}
	_, got, err := receive(t, insert(loop("\x01\x03\x00", "\x01Er", "\x01ik", "\x01a!"), gifBlocks(anim),
		gifPart(0xff, "ICCRGBG1012", secret)))
	if err != nil || !bytes.Equal(got, loop("\x01\x03\x00")) {
		t.Errorf("GIF: got %q, %v", got, err)
	}
}
