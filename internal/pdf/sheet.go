package pdf

import (
	"io"
	"slices"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
)

// sheet is one sheet of paper. Lengths are in millimetres from its top left corner, sizes of type in points.
//
// It is printed twice. The first time only tells which characters are needed, so that the PDF library gets no more of each font than those: the
// fonts are large, and it takes apart all that it is given.
type sheet struct {
	format
	at    time.Time
	title string
	pdf   *fpdf.Fpdf
	draft bool
	faces map[family]*typeface
	err   error
}

// newSheet takes an empty sheet, for a draft. at stands for the time at which it is printed, which must not be the real one: papers are
// compared.
func newSheet(f format, at time.Time, title string) *sheet {
	s := &sheet{format: f, at: at.UTC(), title: title, faces: map[family]*typeface{}}
	s.begin()
	s.draft = true
	return s
}

// begin takes a new sheet, with what is known of the fonts.
func (s *sheet) begin() {
	s.pdf = fpdf.NewCustom(&fpdf.InitType{UnitStr: "mm", Size: fpdf.SizeType{Wd: s.width, Ht: s.height}})
	s.pdf.SetCatalogSort(true)
	s.pdf.SetCreationDate(s.at)
	s.pdf.SetModificationDate(s.at)
	s.pdf.SetProducer("Homeward", true)
	s.pdf.SetTitle(s.title, true)
	s.pdf.SetMargins(0, 0, 0)
	s.pdf.SetAutoPageBreak(false, 0)
	s.pdf.AddPage()
	s.draft = false
}

// next goes on with another sheet of the same size.
func (s *sheet) next() { s.pdf.AddPage() }

func (s *sheet) write(w io.Writer) error {
	if s.err != nil {
		return s.err
	}
	return s.pdf.Output(w)
}

// typeface gives a font, read when it is first needed; nil where it cannot be read, which fails the sheet.
func (s *sheet) typeface(f family) *typeface {
	t, known := s.faces[f]
	if known {
		return t
	}
	t, err := newTypeface(f)
	if err != nil {
		s.err = err
	}
	s.faces[f] = t
	return t
}

// mm is a point.
const mm = 25.4 / 72

// leading is the distance from one line to the next, as a part of the size.
const leading = 1.25

// box is a place on a sheet.
type box struct{ x, y, w, h float64 }

// para is a text and how it is set.
type para struct {
	text string
	in   family
	size float64
	// right has its lines end at the right edge of their place, middle in its middle.
	right, middle bool
}

// block sets texts below each other in a place, all of them smaller where they do not fit otherwise, and tells where they end. A word is
// torn apart only where that alone would make the rest too small to read.
func (s *sheet) block(b box, paras ...para) float64 { return s.lines(b, s.fit(b, paras...)) }

// fit breaks texts into lines, in the largest type that has room.
func (s *sheet) fit(b box, paras ...para) []row {
	const step, tearing, smallest = 0.95, 0.6, 0.2
	set := make([][]glyph, len(paras))
	for n, p := range paras {
		set[n] = s.set(p.text, p.in)
	}
	for scale := 1.0; ; scale *= step {
		lines, whole := flow(set, paras, b.w, scale)
		if last := scale*step < smallest; last || (whole || scale < tearing) && tall(lines) <= b.h+tolerance {
			return s.cut(lines, b.h)
		}
	}
}

// row is a line of a block.
type row struct {
	glyphs []glyph
	para
}

func flow(set [][]glyph, paras []para, width, scale float64) (rows []row, whole bool) {
	whole = true
	for n, p := range paras {
		p.size *= scale
		lines, untorn := wrap(set[n], width/(p.size*mm))
		for _, line := range lines {
			rows = append(rows, row{line, p})
		}
		whole = whole && untorn
	}
	return rows, whole
}

func tall(rows []row) float64 {
	var sum float64
	for _, r := range rows {
		sum += r.size * mm * leading
	}
	return sum
}

// cut leaves out what does not fit even in the smallest type, and says so. No field is that long.
func (s *sheet) cut(rows []row, height float64) []row {
	if tall(rows) <= height+tolerance {
		return rows
	}
	for len(rows) > 1 && tall(rows) > height+tolerance {
		rows = rows[:len(rows)-1]
	}
	last := &rows[len(rows)-1]
	if end := len(last.glyphs) - 1; end > 0 {
		more, _ := s.glyph('…', last.in)
		last.glyphs = append(slices.Clone(last.glyphs[:end]), more)
	}
	return rows
}

// lines draws rows from the top of a place, and tells where they end.
func (s *sheet) lines(b box, rows []row) float64 {
	const ascent = 0.95 // of the size, from the top of a line to what its letters stand on
	y := b.y
	for _, r := range rows {
		x := b.x
		switch spare := b.w - breadth(r.glyphs)*r.size*mm; {
		case r.right:
			x += spare
		case r.middle:
			x += spare / 2
		}
		s.draw(x, y+r.size*mm*ascent, r.size, r.glyphs)
		y += r.size * mm * leading
	}
	return y
}

// line sets a text on one line that begins at x and stands on y, smaller where it would be wider than width. What has to be made
// unreadable for that belongs into a block.
func (s *sheet) line(x, y, width float64, p para) {
	glyphs := s.set(p.text, p.in)
	wide := breadth(glyphs) * p.size * mm
	if wide > width {
		p.size, wide = p.size*width/wide, width
	}
	switch {
	case p.right:
		x += width - wide
	case p.middle:
		x += (width - wide) / 2
	}
	s.draw(x, y, p.size, glyphs)
}

// draw puts glyphs on a line, run by run of the same font.
func (s *sheet) draw(x, y, size float64, glyphs []glyph) {
	glyphs = visual(glyphs)
	for len(glyphs) > 0 {
		end := slices.IndexFunc(glyphs, func(g glyph) bool { return g.in != glyphs[0].in })
		if end < 0 {
			end = len(glyphs)
		}
		s.run(x, y, size, glyphs[:end])
		x += breadth(glyphs[:end]) * size * mm
		glyphs = glyphs[end:]
	}
}

// run puts glyphs of one font on a line. The font becomes a part of the PDF when it is first used.
func (s *sheet) run(x, y, size float64, glyphs []glyph) {
	t := s.typeface(glyphs[0].in)
	if s.draft {
		t.note(glyphs)
		return
	}
	if !t.embedded {
		s.pdf.AddUTF8FontFromBytes(string(t.family), "", t.cut())
		t.embedded = true
	}
	var text strings.Builder
	for _, g := range glyphs {
		text.WriteRune(g.r)
	}
	s.pdf.SetFont(string(t.family), "", size)
	s.pdf.Text(x, y, text.String())
}

// rule draws a thin line across.
func (s *sheet) rule(x, y, width float64) {
	const thin = 0.25
	s.pdf.SetLineWidth(thin)
	s.pdf.Line(x, y, x+width, y)
}

// frame draws a thin frame.
func (s *sheet) frame(b box) {
	const thin = 0.25
	s.pdf.SetLineWidth(thin)
	s.pdf.Rect(b.x, b.y, b.w, b.h, "D")
}

// stamp writes in a heavy frame, in the middle of it.
func (s *sheet) stamp(b box, text string) {
	const heavy, inner, size = 0.7, 1.5, 12
	s.pdf.SetLineWidth(heavy)
	s.pdf.Rect(b.x+heavy/2, b.y+heavy/2, b.w-heavy, b.h-heavy, "D")
	rows := s.fit(box{0, 0, b.w - 2*inner, b.h - 2*inner}, para{text: text, in: bold, size: size, middle: true})
	s.lines(box{b.x + inner, b.y + (b.h-tall(rows))/2, b.w - 2*inner, b.h}, rows)
}

// tick draws a box to tick, with a cross where it is.
func (s *sheet) tick(x, y, size float64, ticked bool) {
	s.frame(box{x, y, size, size})
	if ticked {
		s.pdf.SetLineWidth(0.5)
		s.pdf.Line(x, y, x+size, y+size)
		s.pdf.Line(x, y+size, x+size, y)
	}
}
