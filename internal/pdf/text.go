package pdf

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// glyph is a character and the font in which it is printed.
type glyph struct {
	r     rune
	in    family
	width float64 // relative to the font size
}

// missing is printed instead of a character that no font contains.
const missing = '□'

// maxText is the length of the longest text that is printed, in characters. All fields are shorter.
const maxText = 6000

// clean reduces a text to one line: invisible characters are removed, white space becomes single
// spaces, and accents are composed with their letters.
func clean(text string) string {
	runes := make([]rune, 0, min(len(text), maxText))
	for _, r := range text {
		if len(runes) == maxText {
			break
		}
		switch {
		case r == '\u00a0' || r == '\u202f': // these spaces do not break lines
		case unicode.IsSpace(r):
			r = ' '
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Variation_Selector):
			continue
		}
		if r == ' ' && (len(runes) == 0 || runes[len(runes)-1] == ' ') {
			continue
		}
		runes = append(runes, r)
	}
	return norm.NFC.String(strings.TrimRight(string(runes), " "))
}

// set returns the characters of a text, each with a font that contains it.
func (s *page) set(text string, in family) []glyph {
	var glyphs []glyph
	for _, r := range clean(text) {
		g, found := s.glyph(r, in)
		if !found {
			g, found = s.glyph(missing, in)
		}
		if found {
			glyphs = append(glyphs, g)
		}
	}
	return glyphs
}

func (s *page) glyph(r rune, in family) (glyph, bool) {
	for _, f := range candidates(in, r) {
		t := s.typeface(f)
		if t == nil {
			continue
		}
		if width, has := t.advance(r); has {
			return glyph{r, f, width}, true
		}
	}
	return glyph{}, false
}

// totalWidth returns the total width of glyphs, relative to the font size.
func totalWidth(glyphs []glyph) float64 {
	var sum float64
	for _, g := range glyphs {
		sum += g.width
	}
	return sum
}

// wrap breaks glyphs into lines that are no wider than width, which is relative to the font size. It breaks lines at
// spaces, between East Asian characters and, if a word is too long for a line, within the word. whole is true if no
// word was broken.
func wrap(glyphs []glyph, width float64) (lines [][]glyph, whole bool) {
	whole = true
	for len(glyphs) > 0 {
		end, next, within := lineEnd(glyphs, width)
		lines = append(lines, glyphs[:end])
		glyphs = glyphs[next:]
		whole = whole && !within
	}
	return lines, whole
}

// lineEnd returns the index where the first line ends, the index where the next line begins, and whether a word is
// broken between them.
func lineEnd(glyphs []glyph, width float64) (end, next int, within bool) {
	var sum float64
	for n, g := range glyphs {
		if sum += g.width; sum > width+tolerance && n > 0 && g.r != ' ' {
			if end > 0 {
				return end, next, false
			}
			return n, n, true
		}
		switch {
		case g.r == ' ':
			end, next = n, n+1
		case n+1 < len(glyphs) && canBreak(g, glyphs[n+1]):
			end, next = n+1, n+1
		}
		if end == 0 { // a space at the beginning is not a place to break
			next = 0
		}
	}
	return len(glyphs), len(glyphs), false
}

// tolerance is the largest rounding error that is ignored when widths are compared.
const tolerance = 1e-9

// canBreak reports whether a line may end between two characters: next to an East Asian character, or after a hyphen,
// but not before a punctuation mark that belongs to the preceding text.
func canBreak(a, b glyph) bool {
	const clinging = "、。，．・：；？！）」』】〕》ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ,.;:?!)]}"
	if b.r == ' ' || strings.ContainsRune(clinging, b.r) || strings.ContainsRune("（「『【〔《", a.r) {
		return false
	}
	return a.in == east || b.in == east || a.r == '-' && unicode.IsLetter(b.r)
}

// displayOrder returns a line in the order in which it is displayed: words that are written from right to left, and
// what is between them, are reversed. Arabic letters are not joined.
func displayOrder(line []glyph) []glyph {
	if !slices.ContainsFunc(line, isRightToLeft) {
		return line
	}
	ordered := slices.Clone(line)
	for from := 0; from < len(ordered); from++ {
		if !isRightToLeft(ordered[from]) {
			continue
		}
		last := from
		for n := from; n < len(ordered) && (isRightToLeft(ordered[n]) || isNeutral(ordered[n])); n++ {
			if isRightToLeft(ordered[n]) {
				last = n
			}
		}
		reverse(ordered[from : last+1])
		from = last
	}
	return ordered
}

func isRightToLeft(g glyph) bool {
	return unicode.In(g.r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko) &&
		!unicode.IsDigit(g.r)
}

func isNeutral(g glyph) bool {
	return unicode.In(g.r, unicode.Zs, unicode.P, unicode.M)
}

// reverse reverses glyphs in place, but keeps each mark after its letter.
func reverse(glyphs []glyph) {
	slices.Reverse(glyphs)
	for n := 0; n < len(glyphs); n++ {
		begin := n
		for n < len(glyphs) && unicode.Is(unicode.M, glyphs[n].r) {
			n++
		}
		if n < len(glyphs) {
			slices.Reverse(glyphs[begin : n+1])
		}
	}
}
