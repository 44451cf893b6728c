package pdf

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// Receipt returns a handover receipt as a PDF in the location's language. If the item has not been handed over, the
// receipt is a form to fill in by hand.
func (p *Printer) Receipt(r lost.HandoverReceipt) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	signed, err := onWhite(r.Signature)
	if err != nil {
		return nil, err
	}
	paper := receipt{r, i18n.Choose(r.Location.Language), signed}
	at := cmp.Or(r.Handover.At, r.Item.CreatedAt)
	content, err := produce(officeFormat(r.Location.Country), at, "receipt "+clean(r.Item.Reference), paper.fill)
	if err != nil {
		return nil, fmt.Errorf("printing a receipt: %w", err)
	}
	return content, nil
}

// receipt is a handover to print.
type receipt struct {
	lost.HandoverReceipt
	l         *i18n.Language
	signature []byte // a PNG on a white background
}

// maxSignature is the largest number of pixels in a signature.
const maxSignature = 4_000_000

// onWhite returns a picture as a PNG on a white background, because PDFs do not support all kinds of PNG.
func onWhite(picture []byte) ([]byte, error) {
	if picture == nil {
		return nil, nil
	}
	size, err := png.DecodeConfig(bytes.NewReader(picture))
	if err == nil && size.Width*size.Height > maxSignature {
		err = fmt.Errorf("too large: %d × %d pixels", size.Width, size.Height)
	}
	if err != nil {
		return nil, fmt.Errorf("read a signature: %w", err)
	}
	drawn, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, fmt.Errorf("read a signature: %w", err)
	}
	paper := image.NewGray(image.Rect(0, 0, drawn.Bounds().Dx(), drawn.Bounds().Dy()))
	draw.Draw(paper, paper.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(paper, paper.Bounds(), drawn, drawn.Bounds().Min, draw.Over)
	var b bytes.Buffer
	err = png.Encode(&b, paper)
	return b.Bytes(), err
}

// fill draws the receipt.
func (r receipt) fill(s *page) {
	const code = 62
	width := s.width - 2*edge
	head := []para{{text: r.l.Say("paper.receipt"), in: bold, size: titleSize},
		{text: r.Location.Name, in: sans, size: textSize}}
	for _, line := range addressOf(r.l, r.Location) {
		head = append(head, para{text: line, in: sans, size: noteSize})
	}
	s.block(box{edge, edge, width - code - 4, 34}, head...)
	reference := clean(r.Item.Reference)
	right := box{edge + width - code, edge, code, 14}
	s.bars(right, reference)
	s.line(right.x, edge+24, code, para{text: reference, in: mono, size: 26, middle: true})
	y := float64(edge + 38)
	s.rule(edge, y, width)
	y = r.item(s, y+5, width)
	s.rule(edge, y+2, width)
	y = r.who(s, y+7, width)
	r.sign(s, y+8, width)
	contact := r.Location.Contact
	for n, line := range []string{contact.Email, contact.Phone} {
		s.line(edge, s.height-edge+float64(n)*4, width, para{text: line, in: sans, size: noteSize})
	}
}

// item prints the item, and returns the y position below it.
func (r receipt) item(s *page, y, width float64) float64 {
	const tall, short = 45, 12
	i, found := r.Item, ""
	if i.DiscoveryDate != "" {
		found = r.l.Date(i.DiscoveryDate)
	}
	y = s.entry(y, width, r.l.Say("paper.slip.item"), para{text: i.Description, in: bold, size: 12}, tall)
	for _, e := range []struct{ name, value string }{
		{r.l.Say("paper.slip.category"), categoryName(r.l, i.Category)},
		{r.l.Say("paper.slip.brand"), i18n.Join(" ", i.Brand, i.Model)},
		{r.l.Say("paper.slip.serial"), i.SerialNumber},
		{r.l.Say("paper.slip.color"), i.Color},
		{r.l.Say("paper.receipt.found"), i18n.Join(" · ", i.DiscoveryPlace, found)},
	} {
		if e.value != "" {
			y = s.entry(y, width, e.name, para{text: e.value, in: sans, size: 11}, short)
		}
	}
	return y
}

// who prints who collected the item, when and from whom, and returns the y position below it. A form has lines to
// write on instead.
func (r receipt) who(s *page, y, width float64) float64 {
	const short, apart = 14, 11
	if r.Handover.At.IsZero() {
		for _, name := range []string{"paper.receipt.name", "paper.receipt.at", "paper.receipt.by"} {
			s.entry(y+3, width, r.l.Say(name), para{}, short)
			s.rule(edge+45, y+6.5, width-45)
			y += apart
		}
		s.tick(edge+45, y+1, 4.5, false)
		return s.block(box{edge + 53, y + 1, width - 53, short},
			para{text: r.l.Say("paper.receipt.id.yes"), in: sans, size: 11})
	}
	checked := r.l.Say("paper.receipt.id.no")
	if r.Handover.IDChecked {
		checked = r.l.Say("paper.receipt.id.yes")
	}
	y = s.entry(y, width, r.l.Say("paper.receipt.name"), para{text: r.Handover.Name, in: bold, size: 12}, short)
	y = s.entry(y, width, r.l.Say("paper.receipt.id"), para{text: checked, in: sans, size: 11}, short)
	y = s.entry(y, width, r.l.Say("paper.receipt.at"),
		para{text: moment(r.l, r.Location, r.Handover.At), in: sans, size: 11}, short)
	if r.By == "" {
		return y
	}
	return s.entry(y, width, r.l.Say("paper.receipt.by"), para{text: r.By, in: sans, size: 11}, short)
}

// sign prints the signature line, with the signature if there is one.
func (r receipt) sign(s *page, y, width float64) {
	const high, wide = 32, 100
	y = s.block(box{edge, y, width, 12}, para{text: r.l.Say("paper.receipt.text"), in: sans, size: 11}) + 3
	if r.signature != nil && !s.draft {
		s.picture(box{edge, y, wide, high}, r.signature)
	}
	s.rule(edge, y+high+1, wide)
	s.block(box{edge, y + high + 2.5, wide, 6}, para{text: r.l.Say("paper.receipt.sign"), in: sans, size: noteSize})
}

// picture draws a PNG at the bottom of a box, as large as possible.
func (s *page) picture(b box, content []byte) {
	const name = "picture"
	kind := fpdf.ImageOptions{ImageType: "PNG"}
	info := s.pdf.RegisterImageOptionsReader(name, kind, bytes.NewReader(content))
	if info == nil || info.Width() == 0 || info.Height() == 0 {
		return
	}
	scale := min(b.w/info.Width(), b.h/info.Height())
	w, h := info.Width()*scale, info.Height()*scale
	s.pdf.ImageOptions(name, b.x, b.y+b.h-h, w, h, false, kind, 0, "")
}

// addressOf formats a location's address, without its name.
func addressOf(l *i18n.Language, from lost.Location) []string {
	return l.Address(i18n.Address{
		Line1: from.Address1, Line2: from.Address2, City: from.City, State: from.State, ZipCode: from.ZipCode,
		Country: from.Country,
	})
}

// moment formats a time in the location's time zone.
func moment(l *i18n.Language, at lost.Location, t time.Time) string {
	here := t.In(at.Zone())
	return l.Date(here.Format(lost.DateLayout)) + ", " + l.Time(here.Format(lost.TimeLayout))
}

// categoryName returns the name of a category, or an empty string if none was chosen.
func categoryName(l *i18n.Language, c lost.Category) string {
	if c == "" {
		return ""
	}
	return l.Say("common.category." + string(c))
}
