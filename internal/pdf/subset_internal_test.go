package pdf

import (
	"slices"
	"testing"

	"golang.org/x/image/font/sfnt"
)

// TestASubsetLooksLikeTheFont compares outlines, because the text that can be copied from a PDF may differ from what
// is printed.
func TestASubsetLooksLikeTheFont(t *testing.T) {
	for in, text := range map[family]string{sans: "Aéệ ŁЖΩש…", bold: "Aéệ ŁЖΩ", mono: "K7F-3QD", east: "漢字かなカ한글김"} {
		whole, err := newTypeface(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range text {
			whole.needed[r] = true
		}
		raw := whole.cut()
		cut, err := sfnt.Parse(raw)
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		part := &typeface{family: in, raw: raw, parsed: cut, em: whole.em, widths: map[rune]float64{}}
		for _, r := range text {
			was, is := whole.outline(t, r), part.outline(t, r)
			if !slices.Equal(was, is) || r != ' ' && len(is) == 0 {
				t.Errorf("%s: %c has %d segments, and had %d", in, r, len(is), len(was))
			}
			before, _ := whole.advance(r)
			if after, has := part.advance(r); !has || after != before {
				t.Errorf("%s: %c is %.3f wide, and was %.3f", in, r, after, before)
			}
		}
	}
}

// outline returns the segments with which a character is drawn.
func (t *typeface) outline(tt *testing.T, r rune) []sfnt.Segment {
	tt.Helper()
	g, err := t.parsed.GlyphIndex(&t.buffer, r)
	if err != nil || g == 0 {
		tt.Fatalf("%s: there is no %c (%v)", t.family, r, err)
	}
	segments, err := t.parsed.LoadGlyph(&t.buffer, g, t.em, nil)
	if err != nil {
		tt.Fatal(err)
	}
	return slices.Clone(segments)
}
