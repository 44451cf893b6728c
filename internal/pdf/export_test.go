package pdf

import "time"

// Setting is where a text came to lie in a place of this size: how high it is, how wide its widest line, and what its lines say.
type Setting struct {
	Height, Width float64
	Lines         []string
}

// Setter gives what sets a text of a size in a place, as every paper does. It reads fonts once.
func Setter() func(text string, size, width, height float64) Setting {
	s := newSheet(a4, time.Unix(0, 0), "")
	return func(text string, size, width, height float64) (set Setting) {
		for _, r := range s.fit(box{0, 0, width, height}, para{text: text, in: sans, size: size}) {
			set.Height += r.size * mm * leading
			set.Width = max(set.Width, breadth(r.glyphs)*r.size*mm)
			line := ""
			for _, g := range visual(r.glyphs) {
				line += string(g.r)
			}
			set.Lines = append(set.Lines, line)
		}
		return set
	}
}
