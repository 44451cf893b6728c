package pdf

import (
	"cmp"
	"fmt"

	"homeward/internal/lost"
)

// edge is the margin on office paper, in millimetres.
const edge = 20

// Font sizes on office paper.
const (
	textSize  = 10
	noteSize  = 8.5
	titleSize = 22
)

// invoice prints the invoice in the guest's language.
func (j job) invoice(s *page) {
	if j.isTest() {
		s.watermark(j.guest.Say("paper.test"))
	}
	width := s.width - 2*edge
	y := j.invoiceHead(s, width)
	y = j.invoiceBuyer(s, y, width)
	y = j.invoiceLines(s, y+8, width)
	j.invoicePaid(s, y+8, width)
}

// invoiceHead prints the seller and the invoice number, and returns the y position below them.
func (j job) invoiceHead(s *page, width float64) float64 {
	const height = 42
	l, half := j.guest, width/2-4
	seller := []para{{text: j.c.From.Name, in: bold, size: 12}}
	for _, line := range j.sender(l, true) {
		seller = append(seller, para{text: line, in: sans, size: textSize})
	}
	if id := j.c.From.Rules().TaxID; id != "" {
		seller = append(seller, para{text: l.Say("paper.invoice.taxid", "id", id), in: sans, size: textSize})
	}
	s.block(box{edge, edge, half, height}, seller...)
	number := "—"
	if j.s.Invoice > 0 {
		number = fmt.Sprintf("%06d", j.s.Invoice)
	}
	s.block(box{edge + width/2, edge, width / 2, height},
		para{text: l.Say("paper.invoice"), in: bold, size: titleSize, right: true},
		para{text: l.Say("paper.invoice.number", "number", number), in: sans, size: textSize, right: true},
		para{
			text: l.Say("paper.invoice.date", "date", l.Date(j.day(cmp.Or(j.s.PaidAt, j.s.CreatedAt)))), in: sans,
			size: textSize, right: true,
		})
	return edge + height + 6
}

// invoiceBuyer prints the buyer, and returns the y position below it.
func (j job) invoiceBuyer(s *page, y, width float64) float64 {
	const height = 42
	l := j.guest
	lines, country := j.recipient(l)
	buyer := []para{{text: l.Say("paper.invoice.buyer"), in: sans, size: noteSize},
		{text: j.to().Name, in: bold, size: 11}}
	for _, line := range append(lines, country) {
		buyer = append(buyer, para{text: line, in: sans, size: textSize})
	}
	s.block(box{edge, y, width/2 + 20, height}, buyer...)
	return y + height
}

// invoiceLines prints the line items, and returns the y position below them.
func (j job) invoiceLines(s *page, y, width float64) float64 {
	l, price := j.guest, j.s.Quote.Price
	y = s.amount(y, width, para{text: l.Say("paper.invoice.what"), in: sans, size: noteSize},
		l.Say("paper.invoice.amount"))
	postage := l.Say("paper.invoice.postage")
	if service := clean(l.Service(j.s.Quote.Service)); service != "" {
		postage = l.Say("paper.invoice.postage.service", "service", service)
	}
	y = s.amount(y, width, para{text: postage, in: sans, size: textSize}, l.Money(price.Postage, price.Currency))
	if price.Handling != 0 {
		y = s.amount(y, width, para{text: l.Say("paper.invoice.handling"), in: sans, size: textSize},
			l.Money(price.Handling, price.Currency))
	}
	y = s.amount(y, width, para{text: l.Say("paper.invoice.total"), in: bold, size: 12},
		l.Money(price.Total(), price.Currency))
	tax := l.Say("paper.invoice.notax")
	if rate := j.s.TaxRate; rate > 0 {
		tax = l.Say("paper.invoice.tax", "rate", decimal(l, int64(rate), 2), "amount",
			l.Money(lost.TaxIn(price.Total(), rate), price.Currency))
	}
	return s.block(box{edge, y + 2, width, 10}, para{text: tax, in: sans, size: textSize, right: true})
}

// amount prints a line item with a rule below it, and returns the y position below the rule.
func (s *page) amount(y, width float64, what para, money string) float64 {
	const column, most, room = 50, 30, 2
	end := s.block(box{edge, y + room, width - column - 4, most}, what)
	what.text, what.right = money, true
	end = max(end, s.block(box{edge + width - column, y + room, column, most}, what)) + room
	s.rule(edge, end, width)
	return end
}

// invoicePaid prints how the invoice was paid, the payment reference and the item's reference.
func (j job) invoicePaid(s *page, y, width float64) {
	l := j.guest
	paid := l.Say("paper.invoice.paid.desk")
	switch j.s.PayBy {
	case lost.PayStripe:
		paid = l.Say("paper.invoice.paid.online")
	case lost.PayTest:
		paid = l.Say("paper.invoice.paid.test")
	case lost.PayDesk:
	}
	y = s.entry(y, width, l.Say("paper.invoice.how"), para{text: paid, in: sans, size: textSize}, 12)
	if j.s.Reference != "" {
		y = s.entry(y, width, l.Say("paper.invoice.payment"), para{text: j.s.Reference, in: sans, size: textSize}, 12)
	}
	y = s.entry(y, width, l.Say("paper.reference"), para{text: j.reference, in: mono, size: textSize}, 12)
	if day := j.s.Postage.ShippingDate; day != "" {
		y = s.entry(y, width, l.Say("paper.date"), para{text: l.Date(day), in: sans, size: textSize}, 12)
	}
	if j.tracking != "" {
		s.entry(y, width, l.Say("paper.tracking"), para{text: j.tracking, in: sans, size: textSize}, 12)
	}
	contact := j.c.From.Contact
	for n, line := range []string{contact.Email, contact.Phone} {
		s.line(edge, s.height-edge+float64(n)*4, width, para{text: line, in: sans, size: noteSize})
	}
}

// entry prints a name and its value in an area of at most the given height, and returns the y position below them.
func (s *page) entry(y, width float64, name string, value para, height float64) float64 {
	const column, gap = 45, 1.5
	left := s.block(box{edge, y, column - 3, height}, para{text: name, in: sans, size: noteSize})
	return max(left, s.block(box{edge + column, y, width - column, height}, value)) + gap
}

// watermark prints a large, pale text across the page.
func (s *page) watermark(text string) {
	const pale, black, angle = 215, 0, 50
	s.pdf.SetTextColor(pale, pale, pale)
	s.pdf.TransformBegin()
	s.pdf.TransformRotate(angle, s.width/2, s.height/2)
	long := s.height * 0.9
	s.line((s.width-long)/2, s.height/2+8, long, para{text: text, in: bold, size: 70, middle: true})
	s.pdf.TransformEnd()
	s.pdf.SetTextColor(black, black, black)
}
