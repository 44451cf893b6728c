package pdf

import (
	"strings"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// customs prints a declaration like the CN 22 form in French and English, which every postal service accepts. The
// desk adds the value, the country of origin, the date and the signature by hand.
func (j job) customs(s *page) {
	width := s.width - 2*margin
	s.frame(box{margin, margin, width, s.height - 2*margin})
	s.line(margin+2, margin+5, width-34, para{text: "DÉCLARATION EN DOUANE / CUSTOMS DECLARATION", in: bold, size: 11})
	s.line(s.width-margin-32, margin+5, 30, para{text: "CN 22 (style)", in: bold, size: 11, right: true})
	s.line(margin+2, margin+8.7, width-34,
		para{text: "Peut être ouvert d’office / May be opened officially", in: sans, size: 6.5})
	s.line(s.width-margin-32, margin+9, 30, para{text: j.reference, in: mono, size: 8, right: true})
	s.rule(margin, 15.5, width)
	j.customsParties(s, box{margin, 15.5, width, 24})
	j.customsCategory(s, box{margin, 39.5, width, 8})
	j.customsContents(s, box{margin, 47.5, width, 27})
	j.customsSignature(s, box{margin, 78.5, width, 21.5})
}

// customsParties prints the sender and the recipient.
func (j job) customsParties(s *page, b box) {
	french, half := i18n.Choose("fr"), b.w/2
	s.line(b.x+2, b.y+3, half-4, para{text: "Expéditeur / Sender", in: sans, size: captionSize})
	s.block(box{b.x + 2, b.y + 4, half - 4, b.h - 5},
		para{text: j.c.From.Name, in: bold, size: smallSize},
		para{text: strings.Join(j.sender(french, true), ", "), in: sans, size: smallSize})
	s.pdf.Line(b.x+half, b.y, b.x+half, b.y+b.h)
	s.line(b.x+half+2, b.y+3, half-4, para{text: "Destinataire / Addressee", in: sans, size: captionSize})
	lines, _ := j.recipient(french)
	phone := clean(j.to().Phone)
	if phone != "" {
		phone = "Tél. / Tel. " + phone
	}
	s.block(box{b.x + half + 2, b.y + 4, half - 4, b.h - 5},
		para{text: j.to().Name, in: bold, size: smallSize},
		para{text: strings.Join(lines, ", "), in: sans, size: smallSize},
		para{text: j.destinationNames(), in: bold, size: smallSize},
		para{text: phone, in: sans, size: smallSize})
	s.rule(b.x, b.y+b.h, b.w)
}

// destinationNames returns the name of the destination country in French and English.
func (j job) destinationNames() string {
	country := j.to().Country
	if country == "" {
		return ""
	}
	french, english := strings.ToUpper(i18n.Choose("fr").Country(country)),
		strings.ToUpper(i18n.Choose("en").Country(country))
	if french == english {
		return french
	}
	return french + " / " + english
}

// customsCategory prints the reason for sending: a lost item is returned to its owner.
func (j job) customsCategory(s *page, b box) {
	const side, gap = 3.2, 1.5
	x := b.x + 2
	papers := j.c.Load.Document
	for _, c := range []struct {
		text   string
		ticked bool
		room   float64
	}{
		{"Documents / Documents", papers, 34}, {"Retour de marchandise / Returned goods", !papers, 56},
		{"Cadeau / Gift", false, 20}, {"Autre / Other", false, 18},
	} {
		s.tick(x, b.y+2.4, side, c.ticked)
		s.line(x+side+gap, b.y+5, c.room-side-gap, para{text: c.text, in: sans, size: 7})
		x += c.room + 1
	}
	s.rule(b.x, b.y+b.h, b.w)
}

// customsContents prints the contents of the parcel, with the total weight below.
func (j job) customsContents(s *page, b box) {
	const head, foot = 8, 8
	const maxContents = 200 // the longest description, in characters, that stays readable
	weight := ""
	if grams := j.c.Load.Grams; grams > 0 {
		weight = decimal(i18n.Choose("en"), grams, 3)
	}
	row := b.h - head - foot
	x := b.x
	for n, c := range []struct {
		head, text, foot string
		width            float64
	}{
		{
			"Description détaillée du contenu / Detailed description of contents",
			lost.Shorten(i18n.Join(", ", j.c.Item.Description, j.c.Item.Brand, j.c.Item.Model), maxContents), "", 50,
		},
		{"Quantité / Quantity", "1", "", 13},
		{"Poids (kg) / Weight (kg)", weight, weight, 18},
		{"Valeur et monnaie / Value and currency", "", "", 27},
		{"Pays d’origine / Country of origin", "", "", 0},
	} {
		if c.width == 0 {
			c.width = b.x + b.w - x
		}
		if n > 0 {
			s.pdf.Line(x, b.y, x, b.y+b.h)
		}
		s.block(box{x + 1, b.y + 0.8, c.width - 2, head - 1}, para{text: c.head, in: sans, size: captionSize})
		s.block(box{x + 1, b.y + head + 0.8, c.width - 2, row - 1}, para{text: c.text, in: sans, size: plainSize})
		s.line(x+1, b.y+b.h-2.5, c.width-2, para{text: c.foot, in: bold, size: plainSize})
		x += c.width
	}
	s.line(b.x+1, b.y+b.h-3, 48, para{text: "Totaux / Totals", in: sans, size: smallSize})
	s.rule(b.x, b.y+head, b.w)
	s.rule(b.x, b.y+b.h-foot, b.w)
	s.rule(b.x, b.y+b.h, b.w)
}

// customsSignature prints the declaration, with space for date and signature.
func (j job) customsSignature(s *page, b box) {
	s.block(box{b.x + 2, b.y - 3, b.w - 4, 12},
		para{
			text: "Je certifie que ces indications sont exactes et que l’envoi ne contient rien de dangereux ni rien " +
				"que les règlements postaux ou douaniers interdisent.", in: sans, size: 6.5,
		},
		para{
			text: "I certify that these particulars are correct and that the parcel contains nothing dangerous and " +
				"nothing that postal or customs rules forbid.", in: sans, size: 6.5,
		})
	y, half := b.y+b.h-5, b.w/2
	s.rule(b.x+2, y, half-25)
	s.line(b.x+2, y+3, half-25, para{text: "Date / Date", in: sans, size: captionSize})
	s.rule(b.x+half-18, y, half+16)
	s.line(b.x+half-18, y+3, half+16,
		para{text: "Signature de l’expéditeur / Sender’s signature", in: sans, size: captionSize})
}
