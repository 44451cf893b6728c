// Package paper prints the papers of a shipment: the address label, the invoice, the packing slip and the customs form, as PDFs; and those
// of a desk: the receipt of a hand-over, and lists of what is to be taken from the shelves.
//
// The same shipment has the same paper, byte for byte. Every text is printed, in whatever script it is written: it is set in the first
// of our fonts that has its characters, wrapped and made smaller until it fits in its place. A character that no font has is shown as
// an empty box.
//
// The QR code on a label reads HOMEWARD:<reference>, and HOMEWARD:<reference>:<tracking number> where there is one.
package pdf

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// Printer prints, one paper at a time: fonts take memory, which is given back after each. Its zero value is ready.
type Printer struct {
	mu sync.Mutex
}

// New makes a printer.
func New() *Printer { return new(Printer) }

// Print makes one of a shipment's papers, a PDF, and tells the size of its sheets.
func (p *Printer) Print(kind lost.DocumentKind, s lost.Shipment, c lost.Consignment) (content []byte, paper string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	j := job{
		s: s, c: c, reference: clean(c.Item.Reference), tracking: clean(cmp.Or(s.Postage.TrackingNumber, c.Item.Shipping.TrackingNumber)),
		desk: i18n.Choose(c.From.Language), guest: i18n.Choose(c.Item.Language, c.From.Language),
	}
	var fill func(*sheet)
	var size format
	switch kind {
	case lost.LabelPaper:
		fill, size = j.label, a6
	case lost.InvoicePaper:
		fill, size = j.invoice, officeFormat(c.From.Country)
	case lost.SlipPaper:
		fill, size = j.slip, officeFormat(c.From.Country)
	case lost.CustomsPaper:
		fill, size = j.customs, a6Lying
	default:
		return nil, "", fmt.Errorf("there is no paper of the kind %q", kind)
	}
	content, err = produce(size, cmp.Or(s.PaidAt, s.CreatedAt), string(kind)+" "+j.reference, fill)
	if err != nil {
		return nil, "", fmt.Errorf("printing a %s: %w", kind, err)
	}
	return content, size.name, nil
}

// produce prints a paper: once to see which characters are needed, and then with them.
func produce(size format, at time.Time, title string, fill func(*sheet)) ([]byte, error) {
	sh := newSheet(size, at, title)
	fill(sh)
	sh.begin()
	fill(sh)
	var b bytes.Buffer
	err := sh.write(&b)
	return b.Bytes(), err
}

// job is a shipment to be printed.
type job struct {
	s                   lost.Shipment
	c                   lost.Consignment
	reference, tracking string
	desk, guest         *i18n.Language // of those who read it
}

// format is a size of paper, in millimetres.
type format struct {
	name          string
	width, height float64
}

var (
	a4      = format{"A4", 210, 297}
	a6      = format{"A6", 105, 148}
	a6Lying = format{"A6", 148, 105}
	letter  = format{"Letter", 215.9, 279.4}
)

// letterCountries names the countries whose offices have Letter paper.
const letterCountries = "BZ CA CL CO CR GT MX NI PA PH PR SV US VE"

// officeFormat is the size of the paper that a desk has.
func officeFormat(country string) format {
	if country != "" && strings.Contains(letterCountries, country) {
		return letter
	}
	return a4
}

// day is the day of a time at the location.
func (j job) day(at time.Time) string {
	zone, err := time.LoadLocation(j.c.From.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	return at.In(zone).Format(lost.DateForm)
}

// sender writes the location's address, without its name; the country is left out where it is known anyway.
func (j job) sender(l *i18n.Language, abroad bool) []string {
	f := j.c.From
	lines := l.Address(i18n.Address{Line1: f.Address1, Line2: f.Address2, City: f.City, State: f.State, ZipCode: f.ZipCode, Country: f.Country})
	if f.Country != "" && !abroad {
		return lines[:len(lines)-1]
	}
	return lines
}

// to is who gets the parcel. A shipment keeps where it was sold to go.
func (j job) to() lost.Recipient {
	if j.s.To.Known() {
		return j.s.To
	}
	return j.c.To
}

// recipient writes where the parcel goes, below the name, and the country by itself.
func (j job) recipient(l *i18n.Language) (lines []string, country string) {
	t := j.to()
	lines = l.Address(i18n.Address{Company: t.Company, Line1: t.Address1, Line2: t.Address2, City: t.City, State: t.State, ZipCode: t.ZipCode, Country: t.Country})
	if t.Country == "" {
		return lines, ""
	}
	return lines[:len(lines)-1], lines[len(lines)-1]
}

// phone writes how the recipient is called; empty where nobody knows.
func (j job) phone(l *i18n.Language) string {
	number := clean(j.to().Phone)
	if number == "" {
		return ""
	}
	return l.Say("paper.phone", "number", number)
}

// tested tells whether nothing was really paid. Every paper of ours says so: nobody shall send a parcel for it.
func (j job) tested() bool { return j.s.PayBy == lost.PayTest }

// weight writes what the item weighs, also as it was weighed where that is in pounds or ounces; empty where nobody knows.
func (j job) weight(l *i18n.Language) string {
	if j.c.Load.Grams <= 0 {
		return ""
	}
	said := decimal(l, j.c.Load.Grams, 3) + "\u00a0kg"
	ship := j.c.Item.Shipping
	if ship.Weight != nil && (ship.WeightUnit == lost.Pound || ship.WeightUnit == lost.Ounce) {
		said += fmt.Sprintf(" (%.4g\u00a0%s)", *ship.Weight, ship.WeightUnit)
	}
	return said
}

// decimal writes a number of which the last digits are decimal places, without the zeros at its end.
func decimal(l *i18n.Language, n int64, places int) string {
	digits := fmt.Sprintf("%0*d", places+1, n)
	whole, part := digits[:len(digits)-places], strings.TrimRight(digits[len(digits)-places:], "0")
	if part == "" {
		return whole
	}
	_, point, _ := strings.Cut(strings.TrimSuffix(l.Say("common.number.four"), "5"), "234")
	return whole + point + part
}
