package pdf

import "time"

// Setting is the layout of a text in a box: its height, the width of the widest line, and the lines.
type Setting struct {
	Height, Width float64
	Lines         []string
}

// Setter returns a function that lays out a text with a font size in a box, as in every document. The fonts are read
// only once.
func Setter() func(text string, size, width, height float64) Setting {
	s := newPage(a4, time.Unix(0, 0), "")
	return func(text string, size, width, height float64) (set Setting) {
		for _, r := range s.fit(box{0, 0, width, height}, para{text: text, in: sans, size: size}) {
			set.Height += r.size * mm * leading
			set.Width = max(set.Width, totalWidth(r.glyphs)*r.size*mm)
			line := ""
			for _, g := range displayOrder(r.glyphs) {
				line += string(g.r)
			}
			set.Lines = append(set.Lines, line)
		}
		return set
	}
}
