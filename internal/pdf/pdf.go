// Package pdf prints the documents for a shipment: the address label, the invoice, the packing slip and the customs
// form. It also prints documents for a desk: handover receipts, pick lists, tags and stock count results.
//
// The same shipment always produces the same bytes. Texts can be in any script: each character is printed in the
// first of our fonts that contains it. Texts are wrapped, and reduced in size until they fit. A character that no
// font contains is printed as an empty box.
//
// The QR code on a label contains HOMEWARD:<reference>:<tracking number>, or HOMEWARD:<reference> if there is no
// tracking number.
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

// Printer prints one document at a time, because fonts need a lot of memory, which is released after each document. The
// zero value is ready to use.
type Printer struct {
	mu sync.Mutex
}

// New returns a Printer.
func New() *Printer { return new(Printer) }

// Print returns one of a shipment's documents as a PDF, and its paper size. It returns an error if the kind is
// unknown.
func (p *Printer) Print(kind lost.DocumentKind, s lost.Shipment,
	c lost.ParcelOrder) (content []byte, paper string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	j := job{
		s: s, c: c, reference: clean(c.Item.Reference),
		tracking: clean(cmp.Or(s.Postage.TrackingNumber, c.Item.Shipping.TrackingNumber)),
		desk:     i18n.Choose(c.From.Language), guest: i18n.Choose(c.Item.Language, c.From.Language),
	}
	var fill func(*page)
	var size format
	switch kind {
	case lost.LabelPaper:
		fill, size = j.label, a6
	case lost.InvoicePaper:
		fill, size = j.invoice, officeFormat(c.From.Country)
	case lost.SlipPaper:
		fill, size = j.packingSlip, officeFormat(c.From.Country)
	case lost.CustomsPaper:
		fill, size = j.customs, a6Landscape
	default:
		return nil, "", fmt.Errorf("unknown kind of document %q", kind)
	}
	content, err = produce(size, cmp.Or(s.PaidAt, s.CreatedAt), string(kind)+" "+j.reference, fill)
	if err != nil {
		return nil, "", fmt.Errorf("printing a %s: %w", kind, err)
	}
	return content, size.name, nil
}

// produce draws a document twice: first to find out which characters are needed, and then with font subsets that
// contain these characters.
func produce(size format, at time.Time, title string, fill func(*page)) ([]byte, error) {
	sh := newPage(size, at, title)
	fill(sh)
	sh.begin()
	fill(sh)
	var b bytes.Buffer
	err := sh.write(&b)
	return b.Bytes(), err
}

// job is a shipment whose documents are printed.
type job struct {
	s                   lost.Shipment
	c                   lost.ParcelOrder
	reference, tracking string
	desk, guest         *i18n.Language // the languages of the desk and of the guest
}

// format is a paper size in millimetres.
type format struct {
	name          string
	width, height float64
}

var (
	a4          = format{"A4", 210, 297}
	a6          = format{"A6", 105, 148}
	a6Landscape = format{"A6", 148, 105}
	letter      = format{"Letter", 215.9, 279.4}
)

// letterCountries are the countries that use Letter paper.
const letterCountries = "BZ CA CL CO CR GT MX NI PA PH PR SV US VE"

// officeFormat returns the paper size that offices in a country use.
func officeFormat(country string) format {
	if country != "" && strings.Contains(letterCountries, country) {
		return letter
	}
	return a4
}

// day returns the date at the location at a given time.
func (j job) day(at time.Time) string {
	zone, err := time.LoadLocation(j.c.From.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	return at.In(zone).Format(lost.DateLayout)
}

// sender formats the location's address without its name. It omits the country unless abroad is true.
func (j job) sender(l *i18n.Language, abroad bool) []string {
	f := j.c.From
	lines := l.Address(i18n.Address{
		Line1: f.Address1, Line2: f.Address2, City: f.City, State: f.State, ZipCode: f.ZipCode, Country: f.Country,
	})
	if f.Country != "" && !abroad {
		return lines[:len(lines)-1]
	}
	return lines
}

// to returns the recipient that was stored when the shipment was bought.
func (j job) to() lost.Recipient {
	if j.s.To.Known() {
		return j.s.To
	}
	return j.c.To
}

// recipient formats the address without the name, and returns the country separately.
func (j job) recipient(l *i18n.Language) (lines []string, country string) {
	t := j.to()
	lines = l.Address(i18n.Address{
		Company: t.Company, Line1: t.Address1, Line2: t.Address2, City: t.City, State: t.State, ZipCode: t.ZipCode,
		Country: t.Country,
	})
	if t.Country == "" {
		return lines, ""
	}
	return lines[:len(lines)-1], lines[len(lines)-1]
}

// phone formats the recipient's phone number. It returns an empty string if the number is unknown.
func (j job) phone(l *i18n.Language) string {
	number := clean(j.to().Phone)
	if number == "" {
		return ""
	}
	return l.Say("paper.phone", "number", number)
}

// isTest reports whether the payment was a test. Every document then says so, so that nobody ships the parcel.
func (j job) isTest() bool { return j.s.PayBy == lost.PayTest }

// weight formats the item's weight, also in pounds or ounces if the item uses these units. It returns an empty string
// if the weight is unknown.
func (j job) weight(l *i18n.Language) string {
	if j.c.Load.Grams <= 0 {
		return ""
	}
	text := decimal(l, j.c.Load.Grams, 3) + "\u00a0kg"
	ship := j.c.Item.Shipping
	if ship.Weight != nil && (ship.WeightUnit == lost.Pound || ship.WeightUnit == lost.Ounce) {
		text += fmt.Sprintf(" (%.4g\u00a0%s)", *ship.Weight, ship.WeightUnit)
	}
	return text
}

// decimal formats n divided by 10 to the power of places, without trailing zeros.
func decimal(l *i18n.Language, n int64, places int) string {
	digits := fmt.Sprintf("%0*d", places+1, n)
	whole, part := digits[:len(digits)-places], strings.TrimRight(digits[len(digits)-places:], "0")
	if part == "" {
		return whole
	}
	_, point, _ := strings.Cut(strings.TrimSuffix(l.Say("common.number.four"), "5"), "234")
	return whole + point + part
}
