package pdf

import (
	"fmt"
	"slices"

	"homeward/internal/i18n"
)

// column is a column of a table.
type column struct {
	title string
	width float64 // in millimetres
	right bool    // aligned to the right edge
}

// sheet is a list on one or more pages: a header, a table, and a closing part such as lines to sign on.
type sheet struct {
	l       *i18n.Language
	title   string
	about   []para   // below the title
	columns []column // as wide as the page without its margins
	rows    [][]cell // one cell for each column
	foot    func(from, to int) string
	closing func(s *page, y float64) // prints the closing part; nil if there is none
	high    float64                  // the height of the closing part
	margin  float64
}

// cell is what a table has in one column of a row.
type cell []para

// Sizes of tables, in millimetres.
const (
	cellGap   = 2.5 // between columns
	rowGap    = 2.2 // between rows
	rowMost   = 46  // the largest height of a row
	headMost  = 40
	footHigh  = 7
	titleHigh = 6.5 // the titles of the columns
)

// laidRow is a row whose texts are broken into lines.
type laidRow struct {
	cells [][]row
	high  float64
}

// fill draws the list page by page.
func (t sheet) fill(s *page) {
	heights := make([]float64, len(t.rows)) // the rows themselves are laid out again, because they need much memory
	for n, cells := range t.rows {
		heights[n] = t.layOut(s, cells).high
	}
	width, pages := s.width-2*t.margin, 0
	total := t.paginate(s, heights, func(int, int, float64, bool) {})
	t.paginate(s, heights, func(from, to int, y float64, last bool) {
		if pages++; pages > 1 {
			s.next()
		}
		if pages == 1 {
			s.block(box{t.margin, t.margin, width, headMost}, t.head()...)
		} else {
			s.line(t.margin, t.margin+3, width, para{text: t.title, in: sans, size: noteSize})
		}
		if from < to || pages == 1 {
			y = t.titles(s, y)
		}
		for _, cells := range t.rows[from:to] {
			y = t.row(s, t.layOut(s, cells), y)
		}
		if last && t.closing != nil {
			t.closing(s, y+3)
		}
		bottom := s.height - t.margin + 2
		number := t.l.Say("paper.pick.page", "page", fmt.Sprint(pages), "pages", fmt.Sprint(total))
		s.line(t.margin, bottom, width*0.7, para{text: t.foot(from, to), in: sans, size: noteSize})
		s.line(t.margin+width*0.7, bottom, width*0.3, para{text: number, in: sans, size: noteSize, right: true})
	})
}

// head returns the texts above the table on the first page.
func (t sheet) head() []para {
	return append([]para{{text: t.title, in: bold, size: 18}}, t.about...)
}

// paginate distributes rows of these heights over pages, calls draw for each page, and returns the number of pages.
// draw gets the rows, the y position at which the page's table begins, and whether it is the last page.
func (t sheet) paginate(s *page, heights []float64, draw func(from, to int, y float64, last bool)) (pages int) {
	bottom := s.height - t.margin - footHigh
	first := t.margin + totalHeight(s.fit(box{0, 0, s.width - 2*t.margin, headMost}, t.head()...)) + 4
	const next = 8
	top, from := first, 0
	y := top + titleHigh
	for n, high := range heights {
		if y+high > bottom && n > from {
			draw(from, n, top, false)
			pages++
			from, top = n, t.margin+next
			y = top + titleHigh
		}
		y += high
	}
	if t.closing != nil && y+3+t.high > bottom {
		end := min(max(len(heights)-1, from+1), len(heights)) // nobody signs a page without items
		draw(from, end, top, false)
		pages++
		from, top = end, t.margin+next
	}
	draw(from, len(heights), top, true)
	return pages + 1
}

// layOut breaks the texts of a row into lines. The lines that do not fit into the largest row are dropped, and their
// text ends with an ellipsis.
func (t sheet) layOut(s *page, cells []cell) laidRow {
	out := laidRow{high: 4}
	for n, paras := range cells {
		paras = slices.Clone(paras)
		set := make([][]glyph, len(paras))
		for m, p := range paras {
			p.right = t.columns[n].right
			paras[m] = p
			set[m] = s.set(p.text, p.in)
			if wide := totalWidth(set[m]) * p.size * mm; p.right && wide > t.columns[n].width-cellGap {
				paras[m].size *= (t.columns[n].width - cellGap) / wide // an amount stays on one line
			}
		}
		lines := s.cellLines(set, paras, t.columns[n].width-cellGap)
		out.cells = append(out.cells, lines)
		out.high = max(out.high, totalHeight(lines))
	}
	out.high += rowGap
	return out
}

// cellLines breaks the texts of a cell into lines. The lines that do not fit into the largest row are dropped, and
// their text ends with an ellipsis. They are lines of the first text, if possible: the notes below it say, for example,
// which category an item has, and whether its finder claims it.
func (s *page) cellLines(set [][]glyph, paras []para, width float64) []row {
	lines, _ := flow(set, paras, width, 1)
	if totalHeight(lines) <= rowMost+tolerance || len(paras) < 2 {
		return s.cut(lines, rowMost)
	}
	first, _ := flow(set[:1], paras[:1], width, 1)
	notes, _ := flow(set[1:], paras[1:], width, 1)
	notes = s.cut(notes, rowMost-min(totalHeight(first), rowMost/2))
	return append(s.cut(first, rowMost-totalHeight(notes)), notes...)
}

// titles prints the titles of the columns, and returns the y position below them.
func (t sheet) titles(s *page, y float64) float64 {
	x := t.margin
	for _, c := range t.columns {
		s.block(box{x, y, c.width - cellGap, titleHigh - 1.5},
			para{text: c.title, in: bold, size: tableSize, right: c.right})
		x += c.width
	}
	s.rule(t.margin, y+titleHigh-1.2, s.width-2*t.margin)
	return y + titleHigh
}

// row prints a row, and returns the y position below it.
func (t sheet) row(s *page, one laidRow, y float64) float64 {
	x := t.margin
	for n, lines := range one.cells {
		s.lines(box{x, y, t.columns[n].width - cellGap, one.high}, lines)
		x += t.columns[n].width
	}
	s.pdf.SetDrawColor(190, 190, 190)
	s.rule(t.margin, y+one.high-rowGap/2, s.width-2*t.margin)
	s.pdf.SetDrawColor(0, 0, 0)
	return y + one.high
}

// tableSize is the font size in tables.
const tableSize = 8

// textCell returns a cell with a plain text and, below it, smaller notes. Empty notes are left out.
func textCell(text string, notes ...string) cell {
	c := cell{{text: text, in: sans, size: tableSize}}
	if text == "" {
		c = nil
	}
	for _, note := range notes {
		if note != "" {
			c = append(c, para{text: note, in: sans, size: tableSize - 0.8})
		}
	}
	return c
}
