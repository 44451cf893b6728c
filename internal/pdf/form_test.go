package pdf_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/pdf"
)

// handover returns a handover receipt for the umbrella in the order from plain. The image of its signature is a dark
// bar on a transparent background.
func handover(t *testing.T) lost.HandoverReceipt {
	t.Helper()
	o := plain()
	pad := image.NewNRGBA(image.Rect(0, 0, 600, 200))
	for x := 100; x < 500; x++ {
		for y := 90; y < 110; y++ {
			pad.Set(x, y, color.NRGBA{A: 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, pad); err != nil {
		t.Fatal(err)
	}
	o.c.Item.DiscoveryDate, o.c.Item.DiscoveryPlace = "2026-11-14", "Zimmer 312"
	return lost.HandoverReceipt{
		Location: o.c.From, Item: o.c.Item, By: "Mia Berg", Signature: b.Bytes(),
		Handover: lost.Handover{
			Name: "Łukasz 王小明", IDChecked: true, At: time.Date(2026, 11, 19, 23, 30, 0, 0, time.UTC),
		},
	}
}

func receipt(t *testing.T, r lost.HandoverReceipt) []byte {
	t.Helper()
	content, err := pdf.New().Receipt(r)
	if err != nil {
		t.Fatal(err)
	}
	save(t, content)
	return content
}

// save writes a document to the folder for screenshots, if one is configured.
func save(t *testing.T, content []byte) {
	t.Helper()
	if folder := os.Getenv("HOMEWARD_TEST_SCREENSHOTS"); folder != "" {
		name := fmt.Sprintf("%s/%s-%d.pdf", folder, t.Name(), len(content))
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAReceiptNamesTheRecipientAndHasTheirSignature(t *testing.T) {
	content := receipt(t, handover(t))
	says(t, "receipt", content, "Empfangsbestätigung", "Hotel Zur Post", "K7F-3QD",
		"Black umbrella with a wooden handle", "Zimmer 312", "Łukasz 王小明",
		"Ausweis wurde geprüft", "Freitag, 20. November 2026", "00:30", "Mia Berg", "Unterschrift")
	if printed := text(t, content); strings.Contains(printed, "smoke") { // a word in the desk's notes
		t.Errorf("the document says %q", printed)
	}
	unsigned := handover(t)
	unsigned.Signature = nil
	with, without := darkDots(picture(t, content, 60)), darkDots(picture(t, receipt(t, unsigned), 60))
	if with < without+100 {
		t.Errorf("with a signature it has %d dark dots, without %d", with, without)
	}
	keepsMargins(t, content, 14)
}

// darkDots returns the number of dark dots in a picture.
func darkDots(p *image.Gray) (n int) {
	for _, g := range p.Pix {
		if g < 0x80 {
			n++
		}
	}
	return n
}

func TestAReceiptWithoutAHandoverIsAForm(t *testing.T) {
	r := handover(t)
	r.Handover = lost.Handover{}
	r.Signature = nil
	r.Location.Language = "en"
	r.Location.Country = "US"
	content := receipt(t, r)
	printed := says(t, "form", content, "Received by", "ID was checked", "Signature")
	if strings.Contains(printed, "Mia") {
		t.Errorf("the document says %q", printed)
	}
	keepsMargins(t, content, 14)
}

func TestABrokenSignatureIsRefused(t *testing.T) {
	r := handover(t)
	huge := new(bytes.Buffer)
	if err := png.Encode(huge, image.NewGray(image.Rect(0, 0, 3000, 3000))); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{
		"cut off": r.Signature[:40], "no picture": []byte("<svg/>"), "huge": huge.Bytes(),
	} {
		r.Signature = bad
		if _, err := pdf.New().Receipt(r); err == nil {
			t.Errorf("%s: the signature was accepted", name)
		}
	}
}

func TestAPickListIsSortedByPlace(t *testing.T) {
	list := lost.PickList{
		Location: plain().c.From, Destination: lost.Donated, By: "Mia Berg",
		At: time.Date(2026, 11, 19, 9, 0, 0, 0, time.UTC),
	}
	list.Location.Charity = "Caritas"
	for n, place := range []string{"", "Regal 10", "regal 2", "Keller", "Regal 2"} {
		list.Items = append(list.Items,
			lost.Item{Reference: fmt.Sprintf("A%d", n), Description: "Schirm", StoragePlace: place, Source: lost.Found})
	}
	content := pick(t, list)
	printed := says(t, "pick list", content, "Entnahmeliste", "Wird gespendet an Caritas", "Gegenstände: 5",
		"Seite 1 von 1")
	last := -1
	for _, reference := range []string{"A3", "A2", "A4", "A1", "A0"} {
		at := strings.Index(printed, reference)
		if at <= last {
			t.Errorf("%s is out of order: %q", reference, printed)
		}
		last = at
	}
	keepsMargins(t, content, 14)
}

func pick(t *testing.T, list lost.PickList) []byte {
	t.Helper()
	content, err := pdf.New().PickList(list)
	if err != nil {
		t.Fatal(err)
	}
	save(t, content)
	return content
}

func TestALongPickListHasPagesAndABoundedSize(t *testing.T) {
	list := lost.PickList{Location: plain().c.From, Destination: lost.Police}
	for n := range lost.MaxSelected {
		i := plain().c.Item
		i.Reference, i.Description, i.StoragePlace = fmt.Sprintf("K7F-%03d", n), strings.Repeat("Schirm ", n%60+1),
			fmt.Sprintf("Regal %d", n%7)
		list.Items = append(list.Items, i)
	}
	content := pick(t, list)
	printed := says(t, "pick list", content, "K7F-000", "K7F-499", "Geht an die Polizei")
	if n := strings.Count(printed, "Seite"); n < 20 || n > 60 {
		t.Errorf("got %d pages, want 20 to 60", n)
	}
	if len(content) > 1<<20 {
		t.Errorf("got %d bytes, want at most 1 MiB", len(content))
	}
	list.Items = nil
	if says(t, "pick list", pick(t, list), "Gegenstände: 0") == "" {
		t.Error("an empty list has no text")
	}
}
