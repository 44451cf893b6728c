package pdf

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the fonts are embedded in the binary
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode"

	"github.com/go-fonts/dejavu/dejavusanscondensed"
	"github.com/go-fonts/dejavu/dejavusanscondensedbold"
	"github.com/go-fonts/dejavu/dejavusansmonobold"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

//go:embed fonts/DroidSansFallback.ttf.gz
var eastAsian []byte

// eastAsianSize is the size of the unpacked East Asian font, and maxFont is the largest accepted size of an unpacked
// font, in bytes.
const (
	eastAsianSize = 3_451_744
	maxFont       = 8 << 20
)

// family names a font.
type family string

const (
	sans family = "sans"
	bold family = "bold"
	mono family = "mono"
	east family = "east"
)

// unpack returns the bytes of a font. They must not be modified, so they must not be passed to the PDF library, which
// would modify them.
func (f family) unpack() ([]byte, error) {
	switch f {
	case bold:
		return dejavusanscondensedbold.TTF, nil
	case mono:
		return dejavusansmonobold.TTF, nil
	case east:
		z, err := gzip.NewReader(bytes.NewReader(eastAsian))
		if err != nil {
			return nil, err
		}
		raw := bytes.NewBuffer(make([]byte, 0, eastAsianSize+bytes.MinRead)) // one allocation: the font is large
		_, err = raw.ReadFrom(io.LimitReader(z, maxFont))
		return raw.Bytes(), err
	default:
		return dejavusanscondensed.TTF, nil
	}
}

// typeface is a font that is used on a page.
type typeface struct {
	family   family
	raw      []byte
	parsed   *sfnt.Font
	em       fixed.Int26_6
	buffer   sfnt.Buffer
	needed   map[rune]bool
	widths   map[rune]float64 // of the characters that were looked up; negative if the font does not have one
	embedded bool
}

func newTypeface(f family) (*typeface, error) {
	raw, err := f.unpack()
	if err != nil {
		return nil, fmt.Errorf("unpacking the font %s: %w", f, err)
	}
	parsed, err := sfnt.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("reading the font %s: %w", f, err)
	}
	return &typeface{
		family: f, raw: raw, parsed: parsed, em: fixed.I(int(parsed.UnitsPerEm())), needed: map[rune]bool{},
		widths: map[rune]float64{},
	}, nil
}

// need marks characters that the font subset must contain.
func (t *typeface) need(glyphs []glyph) {
	for _, g := range glyphs {
		t.needed[g.r] = true
	}
}

// cut returns a subset of the font that contains only the marked characters.
func (t *typeface) cut() []byte {
	runes := slices.Sorted(maps.Keys(t.needed))
	glyphs := make([]int, len(runes))
	for n, r := range runes {
		if g, err := t.parsed.GlyphIndex(&t.buffer, r); err == nil {
			glyphs[n] = int(g)
		}
	}
	return readTables(t.raw).subset(runes, glyphs)
}

// advance returns the width of a character relative to the font size, and whether the font has it.
func (t *typeface) advance(r rune) (float64, bool) {
	width, known := t.widths[r]
	if !known {
		width = t.measure(r)
		t.widths[r] = width
	}
	return width, width >= 0
}

// measure reads the width of a character from the font. It is negative if the font does not have the character.
func (t *typeface) measure(r rune) float64 {
	const missing = -1
	g, err := t.parsed.GlyphIndex(&t.buffer, r)
	if err != nil || g == 0 {
		return missing
	}
	width, err := t.parsed.GlyphAdvance(&t.buffer, g, t.em, font.HintingNone)
	if err != nil {
		return missing
	}
	return float64(width) / float64(t.em)
}

// lastRune is the last character that can be printed, because the font's character map uses two-byte codes.
const lastRune = 0xffff

// candidates lists the fonts that may contain a character, the preferred font first. The large font for Chinese,
// Japanese and Korean is listed only for characters that it probably contains, so that it is not unpacked
// unnecessarily.
func candidates(first family, r rune) []family {
	switch {
	case r > lastRune:
		return nil
	case isEastAsian(r):
		return []family{east}
	case first == sans:
		return []family{sans}
	default:
		return []family{first, sans}
	}
}

// isEastAsian reports whether a character is printed with the font for Chinese, Japanese and
// Korean.
func isEastAsian(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo) ||
		r >= 0x3000 && r <= 0x33ff || r >= 0xfe30 && r <= 0xfe4f || r >= 0xff00 && r <= 0xffef
}
