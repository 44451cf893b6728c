package pdf

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// glyph is a character with the font that it is set in.
type glyph struct {
	r     rune
	in    family
	width float64 // as a part of the size
}

// missing stands for a character that no font has.
const missing = '□'

// maxText bounds how much of one text is printed. Every field of ours is shorter.
const maxText = 6000

// clean makes one line of a text: what is invisible goes, every white space is one space, and accents stand on their letters.
func clean(text string) string {
	runes := make([]rune, 0, min(len(text), maxText))
	for _, r := range text {
		if len(runes) == maxText {
			break
		}
		switch {
		case r == '\u00a0' || r == '\u202f': // keeps a number with its unit
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

// set finds the font of each character of a text.
func (s *sheet) set(text string, in family) []glyph {
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

func (s *sheet) glyph(r rune, in family) (glyph, bool) {
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

// breadth is how wide glyphs are together, as a part of the size.
func breadth(glyphs []glyph) float64 {
	var sum float64
	for _, g := range glyphs {
		sum += g.width
	}
	return sum
}

// wrap breaks glyphs into lines that are no wider than width, as a part of the size: at spaces, between east Asian characters and,
// where a word alone is too long, within it; whole tells that this was not needed.
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

// lineEnd finds where the first line ends, where the next one begins, and whether a word is torn apart.
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
		case n+1 < len(glyphs) && breaks(g, glyphs[n+1]):
			end, next = n+1, n+1
		}
		if end == 0 { // a space at the very beginning is no place to break
			next = 0
		}
	}
	return len(glyphs), len(glyphs), false
}

// tolerance forgives what is lost in rounding.
const tolerance = 1e-9

// breaks tells whether a line may end between two characters: around east Asian ones, and after a hyphen. No line begins with a mark that
// belongs to what is before it.
func breaks(a, b glyph) bool {
	const clinging = "、。，．・：；？！）」』】〕》ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ,.;:?!)]}"
	if b.r == ' ' || strings.ContainsRune(clinging, b.r) || strings.ContainsRune("（「『【〔《", a.r) {
		return false
	}
	return a.in == east || b.in == east || a.r == '-' && unicode.IsLetter(b.r)
}

// visual puts a line into the order in which it is seen: words that are written from right to left, and what is between them,
// are turned round. Their letters are not joined.
func visual(line []glyph) []glyph {
	if !slices.ContainsFunc(line, leftward) {
		return line
	}
	seen := slices.Clone(line)
	for from := 0; from < len(seen); from++ {
		if !leftward(seen[from]) {
			continue
		}
		last := from
		for n := from; n < len(seen) && (leftward(seen[n]) || neutral(seen[n])); n++ {
			if leftward(seen[n]) {
				last = n
			}
		}
		turn(seen[from : last+1])
		from = last
	}
	return seen
}

func leftward(g glyph) bool {
	return unicode.In(g.r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko) && !unicode.IsDigit(g.r)
}

func neutral(g glyph) bool {
	return unicode.In(g.r, unicode.Zs, unicode.P, unicode.M)
}

// turn reverses glyphs, with marks left behind the letters that they stand on.
func turn(glyphs []glyph) {
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
