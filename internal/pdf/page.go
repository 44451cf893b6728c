package pdf

import (
	"io"
	"slices"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
)

// page draws the pages of a document. Positions are in millimetres from the top left corner, and font sizes are in
// points.
//
// A document is drawn twice. The first pass only collects the characters that are needed. The PDF library then gets a
// subset of each font with these characters, because it processes the whole font, and our fonts are large.
type page struct {
	format
	at    time.Time
	title string
	pdf   *fpdf.Fpdf
	draft bool
	faces map[family]*typeface
	err   error
}

// newPage returns an empty page for the first pass. at is the creation time in the PDF. It must not be the current
// time, because documents are compared byte for byte.
func newPage(f format, at time.Time, title string) *page {
	s := &page{format: f, at: at.UTC(), title: title, faces: map[family]*typeface{}}
	s.begin()
	s.draft = true
	return s
}

// begin starts the document again, but keeps the fonts.
func (s *page) begin() {
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

// next starts another page of the same size.
func (s *page) next() { s.pdf.AddPage() }

func (s *page) write(w io.Writer) error {
	if s.err != nil {
		return s.err
	}
	return s.pdf.Output(w)
}

// typeface returns a font, which is read when it is first needed. If reading fails, it returns nil, and printing the
// document returns the error.
func (s *page) typeface(f family) *typeface {
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

// mm is the size of a point in millimetres.
const mm = 25.4 / 72

// leading is the line spacing relative to the font size.
const leading = 1.25

// box is an area on a page.
type box struct{ x, y, w, h float64 }

// para is a text and its style.
type para struct {
	text string
	in   family
	size float64
	// right aligns the lines to the right edge, and middle centers them.
	right, middle bool
}

// block prints texts below each other in a box and returns the y position below them. If they do not fit, it reduces
// the font size. It breaks a word only if the text would otherwise be too small to read.
func (s *page) block(b box, paras ...para) float64 { return s.lines(b, s.fit(b, paras...)) }

// fit breaks texts into lines, in the largest font size at which they fit.
func (s *page) fit(b box, paras ...para) []row {
	const step, tearing, smallest = 0.95, 0.6, 0.2
	set := make([][]glyph, len(paras))
	for n, p := range paras {
		set[n] = s.set(p.text, p.in)
	}
	for scale := 1.0; ; scale *= step {
		lines, whole := flow(set, paras, b.w, scale)
		if last := scale*step < smallest; last || (whole || scale < tearing) && totalHeight(lines) <= b.h+tolerance {
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
		lines, unbroken := wrap(set[n], width/(p.size*mm))
		for _, line := range lines {
			rows = append(rows, row{line, p})
		}
		whole = whole && unbroken
	}
	return rows, whole
}

func totalHeight(rows []row) float64 {
	var sum float64
	for _, r := range rows {
		sum += r.size * mm * leading
	}
	return sum
}

// cut drops the lines that do not fit even in the smallest font size, and ends the text with an ellipsis. No field is
// long enough to need this.
func (s *page) cut(rows []row, height float64) []row {
	if totalHeight(rows) <= height+tolerance {
		return rows
	}
	for len(rows) > 1 && totalHeight(rows) > height+tolerance {
		rows = rows[:len(rows)-1]
	}
	last := &rows[len(rows)-1]
	if end := len(last.glyphs) - 1; end > 0 {
		more, _ := s.glyph('…', last.in)
		last.glyphs = append(slices.Clone(last.glyphs[:end]), more)
	}
	return rows
}

// lines draws rows from the top of a box, and returns the y position below them.
func (s *page) lines(b box, rows []row) float64 {
	const ascent = 0.95 // the distance from the top of a line to its baseline, relative to the font size
	y := b.y
	for _, r := range rows {
		x := b.x
		switch spare := b.w - totalWidth(r.glyphs)*r.size*mm; {
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

// line prints a text on one line that begins at x and has its baseline at y. If the text is wider than width, it
// reduces the font size. Use block for a text that could become too small to read.
func (s *page) line(x, y, width float64, p para) {
	glyphs := s.set(p.text, p.in)
	wide := totalWidth(glyphs) * p.size * mm
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

// draw prints glyphs on a line, one run of the same font after another.
func (s *page) draw(x, y, size float64, glyphs []glyph) {
	glyphs = displayOrder(glyphs)
	for len(glyphs) > 0 {
		end := slices.IndexFunc(glyphs, func(g glyph) bool { return g.in != glyphs[0].in })
		if end < 0 {
			end = len(glyphs)
		}
		s.run(x, y, size, glyphs[:end])
		x += totalWidth(glyphs[:end]) * size * mm
		glyphs = glyphs[end:]
	}
}

// run prints glyphs of one font on a line. The font is added to the PDF when it is first used.
func (s *page) run(x, y, size float64, glyphs []glyph) {
	t := s.typeface(glyphs[0].in)
	if s.draft {
		t.need(glyphs)
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

// rule draws a thin horizontal line.
func (s *page) rule(x, y, width float64) {
	const thin = 0.25
	s.pdf.SetLineWidth(thin)
	s.pdf.Line(x, y, x+width, y)
}

// frame draws a thin frame.
func (s *page) frame(b box) {
	const thin = 0.25
	s.pdf.SetLineWidth(thin)
	s.pdf.Rect(b.x, b.y, b.w, b.h, "D")
}

// stamp prints a text in the middle of a thick frame.
func (s *page) stamp(b box, text string) {
	const heavy, inner, size = 0.7, 1.5, 12
	s.pdf.SetLineWidth(heavy)
	s.pdf.Rect(b.x+heavy/2, b.y+heavy/2, b.w-heavy, b.h-heavy, "D")
	rows := s.fit(box{0, 0, b.w - 2*inner, b.h - 2*inner}, para{text: text, in: bold, size: size, middle: true})
	s.lines(box{b.x + inner, b.y + (b.h-totalHeight(rows))/2, b.w - 2*inner, b.h}, rows)
}

// tick draws a box to tick, with a cross if it is ticked.
func (s *page) tick(x, y, size float64, ticked bool) {
	s.frame(box{x, y, size, size})
	if ticked {
		s.pdf.SetLineWidth(0.5)
		s.pdf.Line(x, y, x+size, y+size)
		s.pdf.Line(x, y+size, x+size, y)
	}
}
