package message

import "homeward/internal/lost"

// HTML gives the HTML part of a letter, and what an inbox shows of it beside the subject.
func (p *Post) HTML(l lost.Letter) (html, preheader string, err error) {
	page := p.scribe(l).page()
	html, err = page.html()
	return html, page.Preheader, err
}

// Enclosed gives what goes with a letter.
func Enclosed(l lost.Letter) []lost.Enclosure {
	papers, _ := enclosed(l)
	return papers
}

// Line makes one harmless line of a text.
var Line = line
