package pdf

import (
	"slices"
	"strings"

	"homeward/internal/i18n"
)

// margin is the empty border of a label, in millimetres. Printers cannot print up to the edge, and people do not cut
// exactly.
const margin = 5

// Font sizes on small paper.
const (
	captionSize = 6
	smallSize   = 8
	plainSize   = 10
)

// label prints the sender, the recipient and the codes. It prints the lower parts from the bottom up, so that the
// recipient's address can use the space of a missing part.
func (j job) label(s *page) {
	width := s.width - 2*margin
	top := j.labelHead(s, width)
	bottom := s.height - margin
	if j.tracking != "" {
		bottom = j.labelTracking(s, bottom, width)
	}
	bottom = j.labelReference(s, bottom, width)
	s.rule(margin, bottom, width)
	j.labelRecipient(s, box{margin, top, width, bottom - top})
}

// labelHead prints the sender and the service, and returns the y position below them.
func (j job) labelHead(s *page, width float64) float64 {
	const height, below, stamp = 17, 7, 32
	l, room := j.desk, width
	if j.isTest() {
		s.stamp(box{margin + width - stamp, margin, stamp, height - 3}, l.Say("paper.test"))
		room -= stamp + 2
	}
	s.line(margin, margin+2, room, para{text: l.Say("paper.from"), in: sans, size: captionSize})
	s.block(box{margin, margin + 3, room, height - 4},
		para{text: j.c.From.Name, in: bold, size: 9},
		para{text: strings.Join(j.sender(l, j.to().Country != j.c.From.Country), ", "), in: sans, size: smallSize})
	y := float64(margin + height)
	s.rule(margin, y, width)
	sent := ""
	if day := j.s.Postage.ShippingDate; day != "" {
		sent = l.Date(day)
	}
	half := width / 2
	s.block(box{margin, y + 1.5, half - 2, below - 2},
		para{text: l.Service(j.s.Quote.Service), in: bold, size: plainSize})
	s.line(margin+half, y+4.85, half,
		para{text: i18n.Join(" · ", sent, j.weight(l)), in: sans, size: smallSize, right: true})
	s.rule(margin, y+below, width)
	return y + below
}

// labelTracking prints the tracking number above bottom, and returns the y position of its top.
func (j job) labelTracking(s *page, bottom, width float64) float64 {
	const text, height = 4.5, 12
	b := box{margin, bottom - text - height, width, height}
	if !s.bars(b, j.tracking) {
		b = box{margin, bottom - text, width, 0}
	}
	caption := i18n.Join(": ", j.desk.Say("paper.tracking"), j.tracking)
	s.block(box{margin, bottom - text + 0.8, width, text - 0.8},
		para{text: caption, in: sans, size: smallSize, middle: true})
	s.rule(margin, b.y-2, width)
	return b.y - 2
}

// labelReference prints the reference in large type above bottom, and returns the y position of its top.
func (j job) labelReference(s *page, bottom, width float64) float64 {
	const side, gap, bar = 31, 2, 14
	y := bottom - side - 1
	s.square(margin, y, side, codeText(j.reference, j.tracking))
	x, w := float64(margin+side+gap), width-side-gap
	s.bars(box{x, y + 4, w, bar}, j.reference)
	s.line(x+2, y+4+bar+8.5, w-4, para{text: j.reference, in: mono, size: 27, middle: true})
	return y - 1
}

// labelRecipient prints the recipient. The phone number has a separate area, because below a long address it would be
// too small to read.
func (j job) labelRecipient(s *page, b box) {
	const name, line, phone = 17, 14, 9
	l := j.desk
	s.line(b.x, b.y+3.5, b.w, para{text: l.Say("paper.to"), in: sans, size: captionSize})
	lines, _ := j.recipient(l)
	paras := []para{{text: j.to().Name, in: bold, size: name}}
	for _, text := range lines {
		paras = append(paras, para{text: text, in: sans, size: line})
	}
	paras = append(paras, para{text: j.countryInCapitals(), in: bold, size: line})
	last := phone * mm * leading
	end := s.block(box{b.x + 3, b.y + 5, b.w - 3, b.h - 6 - last}, paras...)
	s.block(box{b.x + 3, end, b.w - 3, last}, para{text: j.phone(l), in: sans, size: phone})
}

// countryInCapitals returns the name of the destination country for the carriers in both countries: in the sender's
// language, and also in English unless that language is English or French.
func (j job) countryInCapitals() string {
	country := j.to().Country
	if country == "" {
		return ""
	}
	names := []string{strings.ToUpper(j.desk.Country(country))}
	if tag := j.desk.Tag(); country != j.c.From.Country && tag != "en" && tag != "fr" {
		names = append(names, strings.ToUpper(i18n.Choose("en").Country(country)))
	}
	return strings.Join(slices.Compact(names), " / ")
}
