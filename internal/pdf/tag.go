package pdf

import (
	"bytes"
	"fmt"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// stock describes a kind of label paper. Lengths are in millimetres.
type stock struct {
	format
	across, down float64 // the number of labels in a row and in a column
	left, top    float64 // the position of the first label
	wide, high   float64 // size of a label
	stepX, stepY float64 // the distance from one label to the next
	inner        float64 // the width of the empty border inside a label
	codeAbove    bool    // the code is above the text, not beside it
}

// stocks holds the kinds of label paper for tags. The sheets are common ones: A4 without gaps, and Letter with gaps
// between the columns.
var stocks = map[lost.TagPaper]stock{
	lost.SmallRoll: {format: format{"62 x 29 mm", 62, 29}, across: 1, down: 1, wide: 62, high: 29, inner: 1.8},
	lost.LargeRoll: {
		format: format{"4 x 6 in", 101.6, 152.4}, across: 1, down: 1, wide: 101.6, high: 152.4, inner: 5,
		codeAbove: true,
	},
	lost.A4Sheet: {format: a4, across: 3, down: 8, top: 0.5, wide: 70, high: 37, stepX: 70, stepY: 37, inner: 4.5},
	lost.LetterSheet: {
		format: letter, across: 3, down: 10, left: 4.76, top: 12.7, wide: 66.68, high: 25.4, stepX: 69.85, stepY: 25.4,
		inner: 1.6,
	},
}

// PrintTags returns a PDF with tags for items and storage places. The same tags always produce the same bytes.
func (p *Printer) PrintTags(j lost.TagJob) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	on, known := stocks[j.Paper]
	if !known {
		return nil, fmt.Errorf("unknown kind of label paper %q", j.Paper)
	}
	language := i18n.Choose(j.Language)
	return printed(on.format, j.At, "Tags", func(s *page) {
		perPage := j.Paper.PerPage()
		for n, face := range j.Faces {
			at := (n + j.Skip) % perPage
			if n > 0 && at == 0 {
				s.next()
			}
			column, line := float64(at%int(on.across)), float64(at/int(on.across))
			b := box{
				on.left + column*on.stepX + on.inner, on.top + line*on.stepY + on.inner, on.wide - 2*on.inner,
				on.high - 2*on.inner,
			}
			if on.codeAbove {
				tallTag(s, b, face, language)
			} else {
				flatTag(s, b, face, language)
			}
		}
	})
}

// printed draws a document twice, as explained at page, and returns the PDF.
func printed(size format, at time.Time, title string, fill func(*page)) ([]byte, error) {
	s := newPage(size, at, title)
	fill(s) // to collect the characters that are needed
	s.begin()
	fill(s)
	var b bytes.Buffer
	if err := s.write(&b); err != nil {
		return nil, fmt.Errorf("printing %s: %w", title, err)
	}
	return b.Bytes(), nil
}

// flatTag prints a tag with its code on the left and the text beside it.
func flatTag(s *page, b box, f lost.TagFace, l *i18n.Language) {
	const gap = 1.2
	side := b.h
	s.square(b.x, b.y, side, f.Code)
	right := box{b.x + side + gap, b.y, b.w - side - gap, b.h}
	if f.Reference == "" {
		placeWords(s, right, f, 17, 7.5)
		return
	}
	const name = 22
	height := min(name*mm, right.h/3)
	s.line(right.x, right.y+height, right.w, para{text: f.Reference, in: mono, size: name})
	below := box{right.x, right.y + height + 1.6, right.w, right.h - height - 1.6}
	foot := s.fit(box{0, 0, below.w, below.h * 0.45}, para{text: foundOn(f, l), in: sans, size: 6.5},
		para{text: f.Location, in: sans, size: 6.5})
	text := box{below.x, below.y, below.w, below.h - totalHeight(foot) - 0.4}
	s.lines(text, s.firstLines(text, para{text: f.Text, in: sans, size: 8}))
	s.lines(box{below.x, below.y + below.h - totalHeight(foot), below.w, totalHeight(foot)}, foot)
}

// tallTag prints a tag with its code above the text.
func tallTag(s *page, b box, f lost.TagFace, l *i18n.Language) {
	const gap, name = 2, 46
	side := min(b.w, b.h*0.56)
	s.square(b.x+(b.w-side)/2, b.y, side, f.Code)
	below := box{b.x, b.y + side + gap, b.w, b.h - side - gap}
	if f.Reference == "" {
		placeWords(s, below, f, 40, 13)
		return
	}
	s.line(below.x, below.y+name*mm*0.8, below.w, para{text: f.Reference, in: mono, size: name, middle: true})
	used := name*mm + 2
	foot := s.fit(box{0, 0, below.w, 14}, para{text: foundOn(f, l), in: sans, size: 11},
		para{text: f.Location, in: bold, size: 11})
	text := box{below.x, below.y + used, below.w, below.h - used - totalHeight(foot) - 1}
	s.lines(text, s.firstLines(text, para{text: f.Text, in: sans, size: 14}))
	s.lines(box{below.x, below.y + below.h - totalHeight(foot), below.w, totalHeight(foot)}, foot)
}

// placeWords prints the name of a storage place in the largest font size that fits, and the name of its location.
func placeWords(s *page, b box, f lost.TagFace, large, small float64) {
	foot := s.fit(box{0, 0, b.w, b.h / 4}, para{text: f.Location, in: sans, size: small})
	s.block(box{b.x, b.y + 1, b.w, b.h - totalHeight(foot) - 2}, para{text: f.Place, in: bold, size: large})
	s.lines(box{b.x, b.y + b.h - totalHeight(foot), b.w, totalHeight(foot)}, foot)
}

// foundOn formats the date on which an item was found. It returns an empty string if the date is unknown.
func foundOn(f lost.TagFace, l *i18n.Language) string {
	if f.Found == "" {
		return ""
	}
	return l.Date(f.Found)
}

// firstLines breaks a text into lines and returns the lines that fit into a box, because a tag shows only the
// beginning of a description. If lines are dropped, the text ends with an ellipsis.
func (s *page) firstLines(b box, p para) []row {
	rows, _ := flow([][]glyph{s.set(lost.Shorten(p.text, maxTagText), p.in)}, []para{p}, b.w, 1)
	if len(rows) == 0 {
		return nil
	}
	return s.cut(rows, b.h)
}

// maxTagText is the longest description on a tag, in characters. No tag has space for more.
const maxTagText = 400
