package pdf

import (
	"fmt"
	"slices"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// packingSlip prints the contents of the parcel and the packing steps, for the person who packs it. It omits the
// desk's notes, because the slip is put into the parcel.
func (j job) packingSlip(s *page) {
	const code, stamp = 62, 9
	l, width, head := j.desk, s.width-2*edge, 28.0
	if j.isTest() {
		head -= stamp + 1
		s.stamp(box{edge, edge + head + 1, width / 2, stamp}, l.Say("paper.test"))
	}
	s.block(box{edge, edge, width - code - 4, head},
		para{text: l.Say("paper.slip"), in: bold, size: titleSize},
		para{text: j.c.From.Name, in: sans, size: textSize})
	right := box{edge + width - code, edge, code, 14}
	s.bars(right, j.reference)
	s.line(right.x, edge+24, code, para{text: j.reference, in: mono, size: 26, middle: true})
	y := float64(edge + 32)
	s.rule(edge, y, width)
	y = j.slipItem(s, y+5, width)
	s.rule(edge, y+2, width)
	y = j.slipRecipient(s, y+6, width)
	s.rule(edge, y+2, width)
	j.slipSteps(s, y+7, width)
}

// slipItem prints the item and its storage place, and returns the y position below them.
func (j job) slipItem(s *page, y, width float64) float64 {
	const tall, short = 45, 8
	l, i := j.desk, j.c.Item
	y = s.entry(y, width, l.Say("paper.slip.item"), para{text: i.Description, in: bold, size: 12}, tall)
	for _, e := range []struct{ name, value string }{
		{l.Say("paper.slip.category"), categoryName(l, i.Category)},
		{l.Say("paper.slip.brand"), i18n.Join(" ", i.Brand, i.Model)},
		{l.Say("paper.slip.serial"), i.SerialNumber},
		{l.Say("paper.slip.color"), i.Color},
		{l.Say("paper.slip.kept"), i.StoredAt()},
		{l.Say("paper.slip.box"), boxName(l, j.c.Load.Box)},
		{l.Say("paper.weight"), j.weight(l)},
		{l.Say("paper.slip.service"), l.Service(j.s.Quote.Service)},
		{l.Say("paper.tracking"), j.tracking},
	} {
		if e.value != "" {
			y = s.entry(y, width, e.name, para{text: e.value, in: sans, size: 11}, short)
		}
	}
	return y
}

// slipRecipient prints the recipient, and returns the y position below it.
func (j job) slipRecipient(s *page, y, width float64) float64 {
	const tall, short = 30, 8
	l := j.desk
	y = s.entry(y, width, l.Say("paper.to"), para{text: j.to().Name, in: bold, size: 12}, short)
	lines, country := j.recipient(l)
	var paras []para
	for _, line := range append(lines, country, j.phone(l)) {
		paras = append(paras, para{text: line, in: sans, size: 11})
	}
	return s.block(box{edge + 45, y - 1.5, width - 45, tall}, paras...)
}

// slipSteps prints the steps with boxes to tick, closer together if there is little space.
func (j job) slipSteps(s *page, y, width float64) {
	const side = 4.5
	steps := j.steps()
	apart := min(2*side, (s.height-edge-y)/float64(len(steps)))
	for _, step := range steps {
		s.tick(edge, y, side, false)
		s.block(box{edge + 2*side, y, width - 2*side, side + 1}, para{text: step, in: sans, size: 11})
		y += apart
	}
}

// steps lists what to do, in order. A label bought from a carrier includes the postage; our own label shows only the
// address.
func (j job) steps() []string {
	l := j.desk
	steps := []string{l.Say("paper.slip.pack"), l.Say("paper.slip.enclose")}
	if slices.ContainsFunc(j.s.Documents, func(d lost.Document) bool { return d.Kind == lost.CustomsPaper }) {
		steps = append(steps, l.Say("paper.slip.customs"))
	}
	steps = append(steps, l.Say("paper.slip.stick"))
	if j.s.Postage.LabelURL == "" {
		steps = append(steps, l.Say("paper.slip.postage"))
	}
	return append(steps, l.Say("paper.slip.hand"))
}

// boxName returns the name and size of a box, or an empty string if the box is unknown.
func boxName(l *i18n.Language, kind lost.BoxType) string {
	n := slices.IndexFunc(lost.Boxes(), func(b lost.Box) bool { return b.Type == kind })
	if n < 0 {
		return ""
	}
	b := lost.Boxes()[n]
	name := b.Name
	if key := boxNames[kind]; key != "" {
		name = l.Say(key)
	}
	return fmt.Sprintf("%s, %d × %d × %d\u00a0cm", name, b.Length, b.Width, b.Depth)
}

// boxNames holds the catalog keys of the boxes' names.
var boxNames = map[lost.BoxType]string{
	"letter": "paper.box.letter", "flat": "paper.box.flat", "shoe": "paper.box.shoe", "moving": "paper.box.moving",
	"long": "paper.box.long",
}
