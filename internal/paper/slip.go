package paper

import (
	"fmt"
	"slices"

	"homeward/internal/lost"
	"homeward/internal/words"
)

// slip prints what belongs into the parcel, for those who pack it. The desk's notes are not on it: it may travel along.
func (j job) slip(s *sheet) {
	const code = 62
	l, width := j.desk, s.width-2*edge
	s.block(box{edge, edge, width - code - 4, 26},
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

// slipItem prints what is packed and where it is, and tells where that ends.
func (j job) slipItem(s *sheet, y, width float64) float64 {
	const tall, short = 45, 8
	l, i := j.desk, j.c.Item
	y = s.entry(y, width, l.Say("paper.slip.item"), para{text: i.Description, in: bold, size: 12}, tall)
	for _, e := range []struct{ name, value string }{
		{l.Say("paper.slip.brand"), words.Join(" ", i.Brand, i.Model)},
		{l.Say("paper.slip.color"), i.Color},
		{l.Say("paper.slip.kept"), i.KeptAt()},
		{l.Say("paper.slip.box"), boxed(l, j.c.Load.Box)},
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

// slipRecipient prints who gets it, and tells where that ends.
func (j job) slipRecipient(s *sheet, y, width float64) float64 {
	const tall, short = 30, 8
	l := j.desk
	y = s.entry(y, width, l.Say("paper.to"), para{text: j.to().Name, in: bold, size: 12}, short)
	lines, country := j.recipient(l)
	var paras []para
	for _, line := range append(lines, country) {
		paras = append(paras, para{text: line, in: sans, size: 11})
	}
	return s.block(box{edge + 45, y - 1.5, width - 45, tall}, paras...)
}

// slipSteps prints what is to be done, to be ticked off.
func (j job) slipSteps(s *sheet, y, width float64) {
	const side = 4.5
	l := j.desk
	for _, step := range []string{l.Say("paper.slip.pack"), l.Say("paper.slip.enclose"), l.Say("paper.slip.stick"), l.Say("paper.slip.hand")} {
		s.tick(edge, y, side, false)
		s.block(box{edge + 2*side, y, width - 2*side, side + 2}, para{text: step, in: sans, size: 11})
		y += 2 * side
	}
}

// boxed names a box, with its size; empty where it is not known.
func boxed(l *words.Language, kind lost.BoxType) string {
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

// boxNames has the keys of what boxes are called.
var boxNames = map[lost.BoxType]string{
	"letter": "paper.box.letter", "flat": "paper.box.flat", "shoe": "paper.box.shoe", "moving": "paper.box.moving", "long": "paper.box.long",
}
