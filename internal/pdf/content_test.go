package pdf_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"homeward/internal/lost"
	"homeward/internal/pdf"
)

// says checks that a document contains the texts, ignoring white space, and returns its text.
func (o order) says(t *testing.T, kind lost.DocumentKind, wants ...string) string {
	t.Helper()
	return says(t, kind, o.print(t, kind), wants...)
}

func says(t *testing.T, kind lost.DocumentKind, content []byte, wants ...string) string {
	t.Helper()
	printed := squeeze(text(t, content))
	for _, want := range wants {
		if !strings.Contains(printed, squeeze(want)) {
			t.Errorf("the %s does not say %q: %q", kind, want, printed)
		}
	}
	return printed
}

func TestALabelNamesTheCountryForBothEnds(t *testing.T) {
	polish := abroad()["letter"]
	polish.c.From.Language = "pl"
	polish.says(t, lost.LabelPaper, "KANADA / CANADA")
	if printed := plain().says(t, lost.LabelPaper, "DEUTSCHLAND", "DHL Paket", "Freitag, 20. November 2026",
		"1,25 kg"); strings.Contains(printed, "GERMANY") || strings.Contains(printed, "TEST") ||
		strings.Contains(printed, "Telefon") {
		t.Errorf("a paid domestic label without a phone says %q", printed)
	}
}

func TestAnInvoiceSaysWhatWasPaid(t *testing.T) {
	plain().says(t, lost.InvoicePaper, "000123", "Donnerstag, 19. November 2026", "DE123456789", "Porto: DHL Paket",
		"8,90 €",
		"Bearbeitungsgebühr", "2,50 €", "11,40 €", "19 % Steuer: 1,82 €", "Online bezahlt", "pi_3Qk2", "K7F-3QD")
}

func TestAnInvoiceOmitsMissingData(t *testing.T) {
	o := abroad()["letter"]
	printed := o.says(t, lost.InvoicePaper, "Wednesday 18 November 2026", "$24.95", "No tax is shown separately.",
		"Paid at the desk")
	for _, never := range []string{"Handling", "Tax ID", "TEST"} {
		if strings.Contains(printed, never) {
			t.Errorf("the invoice says %q: %q", never, printed)
		}
	}
}

func TestAnInvoiceIsInTheGuestsLanguageAndCurrency(t *testing.T) {
	o := plain()
	o.c.Item.Language = "fr-CA"
	o.s.TaxRate = 810
	o.says(t, lost.InvoicePaper, "Facture", "11,40 €", "Dont 8,1 % de taxe : 0,85 €")
	abroad()["yen"].says(t, lost.InvoicePaper, "請求書", "¥12,345", "2026年11月19日")
}

func TestAnInvoiceOfATestSaysSo(t *testing.T) {
	o := plain()
	o.s.PayBy = lost.PayTest
	content := o.print(t, lost.InvoicePaper)
	says(t, lost.InvoicePaper, content, "Im Testbetrieb: es wurde kein Geld bezahlt")
	if printed := squeeze(string(poppler(t, content, "pdftotext", "-raw", "-", "-"))); !strings.Contains(printed,
		"TEST–keineZahlung") {
		t.Errorf("the watermark is missing: %q", printed)
	}
}

func TestAPackingSlipListsTheSteps(t *testing.T) {
	o := plain()
	o.s.Postage.LabelURL, o.s.To.Phone = "https://carrier.example/label.pdf", "+49 30 901820"
	printed := o.says(t, lost.SlipPaper, "Black umbrella with a wooden handle", "Knirps T.200", "black",
		"Shelf 4, box B", "Langer Karton, 100 × 20 × 20 cm", "1,25 kg", "Anna Müller", "Telefon: +49 30 901820",
		"Etikett aufkleben")
	for _, never := range []string{"smoke", "frankieren", "Zoll", "TEST"} { // notes, unneeded steps, test mark
		if strings.Contains(printed, never) {
			t.Errorf("the packing slip says %q: %q", never, printed)
		}
	}
}

// TestAWholeDescriptionFitsOnAPackingSlip uses the longest possible slip: every field has its maximum length, all
// steps are needed, the payment is a test, and the paper is the shorter of the two formats.
func TestAWholeDescriptionFitsOnAPackingSlip(t *testing.T) {
	o, long := abroad()["letter"].to(abroad()["long"].s.To), strings.Repeat("Long words ", lost.MaxShort/11)
	o.c.Item.Brand = long
	o.c.Item.Model = long
	o.c.Item.Color = long
	o.s.Quote.Service = long
	o.c.Item.Description = strings.Repeat("Umbrella, ", lost.MaxDescription/10-1) + "last words"
	o.c.Item.StoragePlace = strings.Repeat("Shelf 4 ", lost.MaxPlace/8)
	o.s.PayBy, o.s.Documents = lost.PayTest, []lost.Document{{Kind: lost.SlipPaper}, {Kind: lost.CustomsPaper}}
	content := o.print(t, lost.SlipPaper)
	printed := says(t, lost.SlipPaper, content, "last words", "TEST — not a payment")
	var at []int
	for _, step := range []string{
		"Pack the item", "Put this slip in", "Fill in and sign the customs form", "Stick the label on",
		"Buy postage from the carrier", "Hand the parcel to the carrier",
	} {
		at = append(at, strings.Index(printed, squeeze(step)))
	}
	if at[0] < 0 || !slices.IsSorted(at) {
		t.Errorf("the steps are at %d in %q", at, printed)
	}
	keepsMargins(t, content, 14)
}

func TestACustomsFormContainsWhatIsKnown(t *testing.T) {
	o := abroad()["japanese"]
	o.s.To.Phone = "+81 3 1234 5678"
	content := o.print(t, lost.CustomsPaper)
	says(t, lost.CustomsPaper, content, "CUSTOMS DECLARATION", "CN 22", "Black umbrella", "1.25", "JAPON / JAPAN",
		"Allemagne", "Tél. / Tel. +81 3 1234 5678")
	goods := picture(t, content, dots)
	letter := plain()
	letter.c.Load.Document = true
	papers := picture(t, letter.print(t, lost.CustomsPaper), dots)
	// The middle of a box is dark if the box is ticked.
	for name, c := range map[string]struct{ goods, papers bool }{
		"returned goods": {isDark(goods, 43.6, 43.5), isDark(papers, 43.6, 43.5)},
		"documents":      {isDark(papers, 8.6, 43.5), isDark(goods, 8.6, 43.5)},
	} {
		if !c.goods || c.papers {
			t.Errorf("%s: the right box is ticked %t, the wrong one %t", name, c.goods, c.papers)
		}
	}
}

func TestTextStaysInItsBox(t *testing.T) {
	setIn := pdf.Setter()
	rapid.Check(t, func(t *rapid.T) {
		size, width, height := rapid.Float64Range(6, 30).Draw(t, "size"), rapid.Float64Range(25, 180).Draw(t, "width"),
			rapid.Float64Range(15, 100).Draw(t, "height")
		set := setIn(anything().Draw(t, "text"), size, width, height)
		if set.Width > width+0.01 || set.Height > height+0.01 {
			t.Fatalf("%.2f × %.2f mm do not fit into %.2f × %.2f: %q", set.Width, set.Height, width, height, set.Lines)
		}
	})
}

func TestLinesBreakWhereAReaderExpectsIt(t *testing.T) {
	setIn := pdf.Setter()
	for _, c := range []struct {
		text          string
		width, height float64
		want          []string
	}{
		{"one two three", 16, 50, []string{"one two", "three"}},
		{"山田さくら、東京都", 18, 50, []string{"山田さく", "ら、東京", "都"}},
		{"Anna-Lena Müller", 14, 50, []string{"Anna-", "Lena", "Müller"}},
		{"שלום עולם", 50, 50, []string{"םלוע םולש"}},
		{"Noa כהן 12", 50, 50, []string{"Noa ןהכ 12"}},
		{" \n ", 50, 50, nil},
	} {
		if got := setIn(c.text, 12, c.width, c.height); strings.Join(got.Lines, "|") != strings.Join(c.want, "|") {
			t.Errorf("%q in %.0f mm: %q, want %q", c.text, c.width, got.Lines, c.want)
		}
	}
}

// anything returns a generator of texts that a person could type or a program could send.
func anything() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(), rapid.StringN(0, 100, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune("aWéŁЖΩ漢あ한ש ع-👍\u0301\u200f\n　")), 0, 200, -1),
		rapid.StringMatching(`[A-Za-z]{0,120}`),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 60), func(b []byte) string { return string(b) }),
	)
}

func TestAnyTextIsPrinted(t *testing.T) {
	const large = 1 << 20
	texts, numbers := anything(), rapid.Int64()
	for n, kind := range lost.DocumentKinds() {
		seed := 1000 * n
		s := func() string { seed++; return texts.Example(seed) }
		o := plain()
		o.s.To = lost.Recipient{
			Name: s(), Company: s(), Address1: s(), City: s(), State: s(), ZipCode: s(), Country: s(),
		}
		o.c.From.Name = s()
		o.c.From.Address1 = s()
		o.c.From.Country = s()
		o.c.From.TimeZone = s()
		o.c.Item.Language = s()
		o.c.Item.Description, o.c.Item.Reference, o.c.Item.Brand = s(), s(), s()
		o.s.Quote.Service = s()
		o.s.Quote.Price.Currency = s()
		o.s.Postage.TrackingNumber = s()
		o.s.Postage.ShippingDate = s()
		o.s.Quote.Price.Postage, o.c.Load.Grams = numbers.Example(n), numbers.Example(n+10)
		if content := o.print(t, kind); len(content) > large {
			t.Errorf("a %s has %d bytes", kind, len(content))
		}
	}
}

func TestAVeryLongTextIsPrintedInBoundedSize(t *testing.T) {
	const large = 1 << 20
	for kind, word := range map[lost.DocumentKind]string{lost.LabelPaper: "漢字かな한글", lost.SlipPaper: "x"} {
		o := plain()
		long := strings.Repeat(word, 100_000/utf8.RuneCountInString(word))
		o.s.To.Name = long
		o.c.Item.Description = long
		o.s.Quote.Service = long
		o.c.Item.Reference = long
		if content := o.print(t, kind); len(content) > large {
			t.Errorf("a %s of %q has %d bytes", kind, word, len(content))
		}
	}
}
