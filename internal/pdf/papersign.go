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

// drawListSignatures prints a line for the place and date and two lines for signatures.
func (d itemsPaper) drawListSignatures(s *page, y float64) {
	names := []string{"paper.items.place-date", "paper.items.sign.desk", "paper.items.sign.receiver"}
	d.signatureLines(s, y+16, names...)
}

// signatureLines prints lines to write on beside each other, with their names below.
func (d itemsPaper) signatureLines(s *page, y float64, names ...string) {
	const margin, gap = 14, 8
	wide := (s.width - 2*margin - gap*float64(len(names)-1)) / float64(len(names))
	for n, name := range names {
		x := margin + float64(n)*(wide+gap)
		s.rule(x, y, wide)
		s.block(box{x, y + 1.2, wide, 6}, para{text: d.l.Say(name), in: sans, size: noteSize})
	}
}

// labeledValue prints a name and a value, or a line to write on, and returns the y position below.
func (d itemsPaper) labeledValue(s *page, y float64, name, value string) float64 {
	const margin, left, high = 14, 50, 9
	s.block(box{margin, y, left - 3, high - 1}, para{text: d.l.Say(name), in: sans, size: noteSize})
	width := s.width - 2*margin - left
	if value == "" {
		s.rule(margin+left, y+5, min(width, 110))
		return y + high
	}
	return max(y+6.5, s.block(box{margin + left, y, width, high}, para{text: value, in: sans, size: textSize})+1.5)
}

// drawProtocolSignatures prints who received the items, and the signature.
func (d itemsPaper) drawProtocolSignatures(s *page, y float64) {
	const margin, high, wide = 14, 22, 80
	h := d.Handover
	y = d.labeledValue(s, y, "paper.receipt.name", h.Recipient)
	if h.Organisation != "" || h.At.IsZero() {
		y = d.labeledValue(s, y, "paper.items.organisation", h.Organisation)
	}
	at, by, checked := "", "", ""
	if !h.At.IsZero() {
		at, by, checked = moment(d.l, d.Location, h.At), d.By, d.l.Say("paper.receipt.id.no")
		if h.IDChecked {
			checked = d.l.Say("paper.receipt.id.yes")
		}
	}
	y = d.labeledValue(s, y, "paper.receipt.at", at)
	if by != "" || h.At.IsZero() {
		y = d.labeledValue(s, y, "paper.receipt.by", by)
	}
	if checked != "" {
		y = d.labeledValue(s, y, "paper.receipt.id", checked)
	}
	s.block(box{margin, y, s.width - 2*margin, 6},
		para{text: d.l.Say("paper.items.received"), in: sans, size: textSize})
	if d.signature != nil && !s.draft {
		s.picture(box{margin, y + 4, wide, high - 5}, d.signature)
	}
	d.signatureLines(s, y+high, "paper.receipt.sign", "paper.items.sign.desk")
}

// drawDestructionSignatures prints how the items were destroyed, and lines for the signatures.
func (d itemsPaper) drawDestructionSignatures(s *page, y float64) {
	const margin = 14
	done := d.Destroyed
	method, day := "", ""
	if done.Method != "" {
		method = d.l.Say("paper.items.method." + string(done.Method))
	}
	if done.On != "" {
		day = d.l.Date(done.On)
	}
	y = d.labeledValue(s, y, "paper.items.method", method)
	y = d.labeledValue(s, y, "paper.items.destroyed-on", day)
	y = d.labeledValue(s, y, "paper.items.witness", done.Witness)
	y = s.block(box{margin, y, s.width - 2*margin, 12},
		para{text: d.l.Say("paper.items.certify"), in: sans, size: textSize})
	d.signatureLines(s, y+17, "paper.items.sign.responsible", "paper.items.sign.witness")
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
				text: d.l.Say("paper.items.safe.found", "date", d.l.ShortDateYear(paper.Day(i))),
				in:   sans, size: noteSize,
			})
		d.openingLines(s, margin, margin+side+4, width)
	}
}

// openingLines prints the lines on which people sign when they close or open the envelope.
func (d safeLabels) openingLines(s *page, margin, y, width float64) {
	const high, lines = 9.4, 4
	columns := []string{"paper.items.safe.what", "paper.items.safe.when", "paper.items.safe.name", "paper.receipt.sign"}
	widths := []float64{0.2, 0.24, 0.28, 0.28}
	x := margin
	for n, key := range columns {
		s.block(box{x, y, width*widths[n] - 2, 4}, para{text: d.l.Say(key), in: sans, size: noteSize})
		x += width * widths[n]
	}
	s.rule(margin, y+5, width)
	for n := range lines {
		key := "paper.items.safe.opened"
		if n%2 == 0 {
			key = "paper.items.safe.closed"
		}
		top := y + 5 + float64(n)*high
		s.block(box{margin, top + 2.6, width*widths[0] - 2, high - 3},
			para{text: d.l.Say(key), in: bold, size: noteSize})
		s.rule(margin, top+high, width)
	}
}
