package pdf

import (
	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/lost/paper"
)

// The heights of what is below the table of a paper, in millimetres.
const (
	signHigh        = 24
	protocolHigh    = 66
	destructionHigh = 62
)

// signLines prints a line for the place and date and two lines for signatures.
func (d dutyPaper) signLines(s *page, y float64) {
	names := []string{"paper.duty.place-date", "paper.duty.sign.desk", "paper.duty.sign.receiver"}
	d.lines(s, y+16, names...)
}

// lines prints lines to write on beside each other, with their names below.
func (d dutyPaper) lines(s *page, y float64, names ...string) {
	const margin, gap = 14, 8
	wide := (s.width - 2*margin - gap*float64(len(names)-1)) / float64(len(names))
	for n, name := range names {
		x := margin + float64(n)*(wide+gap)
		s.rule(x, y, wide)
		s.block(box{x, y + 1.2, wide, 6}, para{text: d.l.Say(name), in: sans, size: noteSize})
	}
}

// named prints a name and a value, or a line to write on, and returns the y position below.
func (d dutyPaper) named(s *page, y float64, name, value string) float64 {
	const margin, left, high = 14, 50, 9
	s.block(box{margin, y, left - 3, high - 1}, para{text: d.l.Say(name), in: sans, size: noteSize})
	width := s.width - 2*margin - left
	if value == "" {
		s.rule(margin+left, y+5, min(width, 110))
		return y + high
	}
	return max(y+6.5, s.block(box{margin + left, y, width, high}, para{text: value, in: sans, size: textSize})+1.5)
}

// signProtocol prints who received the items, and the signature.
func (d dutyPaper) signProtocol(s *page, y float64) {
	const margin, high, wide = 14, 22, 80
	h := d.Handover
	y = d.named(s, y, "paper.receipt.name", h.Recipient)
	if h.Organisation != "" || h.At.IsZero() {
		y = d.named(s, y, "paper.duty.organisation", h.Organisation)
	}
	at, by, checked := "", "", ""
	if !h.At.IsZero() {
		at, by, checked = moment(d.l, d.Location, h.At), d.By, d.l.Say("paper.receipt.id.no")
		if h.IDChecked {
			checked = d.l.Say("paper.receipt.id.yes")
		}
	}
	y = d.named(s, y, "paper.receipt.at", at)
	if by != "" || h.At.IsZero() {
		y = d.named(s, y, "paper.receipt.by", by)
	}
	if checked != "" {
		y = d.named(s, y, "paper.receipt.id", checked)
	}
	s.block(box{margin, y, s.width - 2*margin, 6}, para{text: d.l.Say("paper.duty.received"), in: sans, size: textSize})
	if d.signature != nil && !s.draft {
		s.picture(box{margin, y + 4, wide, high - 5}, d.signature)
	}
	d.lines(s, y+high, "paper.receipt.sign", "paper.duty.sign.desk")
}

// signDestruction prints how the items were destroyed, and lines for the signatures.
func (d dutyPaper) signDestruction(s *page, y float64) {
	const margin = 14
	done := d.Destroyed
	method, day := "", ""
	if done.Method != "" {
		method = d.l.Say("paper.duty.method." + string(done.Method))
	}
	if done.On != "" {
		day = d.l.Date(done.On)
	}
	y = d.named(s, y, "paper.duty.method", method)
	y = d.named(s, y, "paper.duty.destroyed-on", day)
	y = d.named(s, y, "paper.duty.witness", done.Witness)
	y = s.block(box{margin, y, s.width - 2*margin, 12},
		para{text: d.l.Say("paper.duty.certify"), in: sans, size: textSize})
	d.lines(s, y+17, "paper.duty.sign.responsible", "paper.duty.sign.witness")
}

// safeLabels are labels for the safe, one on each page. They do not say what is inside.
type safeLabels struct {
	paper.Paper
	l *i18n.Language
}

// fill draws the labels.
func (d safeLabels) fill(s *page) {
	const margin, side = 7, 36
	for n, i := range d.Items {
		if n > 0 {
			s.next()
		}
		width := s.width - 2*margin
		s.square(s.width-margin-side, margin, side, lost.Tag{Reference: i.Reference}.Address(d.Base))
		s.line(margin, margin+17, width-side-4, para{text: i.Reference, in: mono, size: 46})
		s.block(box{margin, margin + 22, width - side - 4, 14},
			para{text: d.Location.Name, in: bold, size: 11},
			para{
				text: d.l.Say("paper.duty.safe.found", "date", d.l.ShortDateYear(paper.Day(i))),
				in:   sans, size: noteSize,
			})
		d.openings(s, margin, margin+side+4, width)
	}
}

// openings prints the lines on which people sign when they close or open the envelope.
func (d safeLabels) openings(s *page, margin, y, width float64) {
	const high, lines = 9.4, 4
	columns := []string{"paper.duty.safe.what", "paper.duty.safe.when", "paper.duty.safe.name", "paper.receipt.sign"}
	widths := []float64{0.2, 0.24, 0.28, 0.28}
	x := margin
	for n, key := range columns {
		s.block(box{x, y, width*widths[n] - 2, 4}, para{text: d.l.Say(key), in: sans, size: noteSize})
		x += width * widths[n]
	}
	s.rule(margin, y+5, width)
	for n := range lines {
		key := "paper.duty.safe.opened"
		if n%2 == 0 {
			key = "paper.duty.safe.closed"
		}
		top := y + 5 + float64(n)*high
		s.block(box{margin, top + 2.6, width*widths[0] - 2, high - 3},
			para{text: d.l.Say(key), in: bold, size: noteSize})
		s.rule(margin, top+high, width)
	}
}
