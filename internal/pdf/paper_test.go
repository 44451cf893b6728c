package pdf_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/makiuchi-d/gozxing/qrcode"

	"homeward/internal/lost"
	"homeward/internal/lost/paper"
	"homeward/internal/pdf"
)

// finds returns items in several scripts: with short, long and missing texts.
func finds() []lost.Item {
	days := 90
	terms := lost.Terms{TimeZone: "Europe/Berlin", StorageDuration: &days}
	long := strings.TrimSpace(strings.Repeat("Schwarzer Herrenschirm mit gebogenem Griff aus Holz, ", 40))
	items := []lost.Item{
		{
			Description: "Apple iPhone 15, blaue Hülle", Category: lost.PhoneCategory, SerialNumber: "F2LLD1234567",
			Value: lost.Value{Amount: 64900, Currency: "EUR"}, DiscoveryPlace: "Zimmer 207",
			Finder: lost.Finder{Name: "Анна Щербакова", Email: "anna@example.com", ClaimsItem: true},
		},
		{
			Description: "Ελληνικό διαβατήριο", Category: lost.PassportCategory, SerialNumber: "AE1234567",
			DiscoveryPlace: "Λεωφόρος Αμαλίας 12", Status: lost.Discard, Destination: lost.Police,
			Handover: lost.Handover{Name: "PHM Weiß, Polizeiinspektion 11"},
			ClosedAt: time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC),
		},
		{
			Description: "赤い傘、駅の近くで見つかった", Category: lost.UmbrellaCategory, DiscoveryPlace: "東京駅 八重洲口",
			Value:  lost.Value{Amount: 5000, Currency: "JPY"},
			Finder: lost.Finder{Name: "山田 さくら", Phone: "+81312345678"},
		},
		{
			Description: "黑色真皮钱包，内有现金和会员卡", Category: lost.WalletCategory, DiscoveryPlace: "建国门外大街1号",
			Value: lost.Value{Amount: 120000, Currency: "CNY"}, StoragePlace: "保险箱 3",
		},
		{
			Description: long, Category: lost.OtherCategory, Brand: strings.Repeat("W", 60), DiscoveryPlace: long,
			SerialNumber: strings.Repeat("8", 150), StoragePlace: long,
			Value: lost.Value{Amount: 99999999900, Currency: "EUR"},
			Finder: lost.Finder{
				Name:  strings.Repeat("Wolfeschlegelsteinhausenbergerdorff ", 4),
				Email: strings.Repeat("w", 60) + "@" + strings.Repeat("example", 8) + ".com", Phone: "+4989123456789",
			},
		},
		{Description: "Regenschirm"},
	}
	for n := range items {
		i := &items[n]
		i.Reference, i.Source, i.Terms = fmt.Sprintf("K7F-%03d", n), lost.Found, terms
		i.DiscoveryDate = fmt.Sprintf("2026-11-%02d", 14+n)
		if i.Status == "" {
			i.Status = lost.Pending
		}
		i.CreatedAt = time.Date(2026, 11, 20, 9, n, 0, 0, time.UTC)
	}
	return items
}

func itemsPaper(kind paper.Kind) paper.Paper {
	p := paper.Paper{
		Kind: kind, Location: plain().c.From, Items: finds(), By: "Mia Berg", Finders: true,
		At: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), Base: tagBase,
		Period: paper.Period{From: "2026-11-01", To: "2026-11-30"},
	}
	return p
}

func printPaper(t *testing.T, p paper.Paper) []byte {
	t.Helper()
	content, err := pdf.New().Paper(p)
	if err != nil {
		t.Fatal(err)
	}
	saveTag(t, fmt.Sprintf("paper-%s-%s-%d.pdf", p.Kind, p.Location.Language, len(p.Items)), content)
	if again, err := pdf.New().Paper(p); err != nil || !bytes.Equal(content, again) {
		t.Errorf("%s: the second document differs (%v)", p.Kind, err)
	}
	return content
}

func TestARegisterListsEveryFindWithWhatHappenedToIt(t *testing.T) {
	content := printPaper(t, itemsPaper(paper.Register))
	printed := says(t, "register", content, "Fundverzeichnis", "Hotel Zur Post", "Sonntag, 1. November 2026",
		"K7F-000", "K7F-005", "Zimmer 207", "Apple iPhone 15", "F2LLD1234567", "649,00", "Анна Щербакова",
		"Beansprucht den Fund", "Λεωφόρος Αμαλίας 12", "••••4567", "An die Polizei", "PHM Weiß", "16. Nov. 2026",
		"東京駅 八重洲口", "山田 さくら", "建国门外大街1号", "保险箱 3", "Diese Seite", "Seite 1 von")
	if strings.Contains(squeeze(printed), "AE1234567") {
		t.Error("the register has the whole number of a passport")
	}
	keepsMargins(t, content, 10)
}

func TestEveryPaperIsPrintedInEveryScript(t *testing.T) {
	signed := handover(t).Signature
	for _, language := range []string{"de", "ja", "zh", "pl", "fr"} {
		for _, kind := range paper.Kinds() {
			p := itemsPaper(kind)
			p.Location.Language = language
			p.Handover = paper.Handover{
				To: lost.Police, Recipient: "王小明 Łukasz", Organisation: "Polizeiinspektion 11", IDChecked: true,
				At: p.At, Signature: signed,
			}
			p.Destroyed = paper.Destroyed{Method: paper.Shredded, On: "2026-11-21", Witness: "Ελευθερία Weiß"}
			content := printPaper(t, p)
			if kind != paper.Safe {
				says(t, lost.DocumentKind(string(kind)+" "+language), content, "K7F-000", "K7F-005", "Hotel Zur Post")
				keepsMargins(t, content, 10)
			}
		}
	}
}

func TestALongRegisterHasPagesWithTotals(t *testing.T) {
	p := itemsPaper(paper.Register)
	p.Items = nil
	for n := range 400 {
		i := finds()[n%4]
		i.Reference = fmt.Sprintf("R%05d", n)
		i.Value = lost.Value{Amount: 1000, Currency: "EUR"}
		p.Items = append(p.Items, i)
	}
	content := printPaper(t, p)
	says(t, "register", content, "R00000", "R00399", "4.000,00")
	pages := strings.Split(strings.TrimRight(text(t, content), "\f"), "\f")
	for n, page := range pages {
		if want := fmt.Sprintf("Seite %d von %d", n+1, len(pages)); !strings.Contains(squeeze(page), squeeze(want)) {
			t.Errorf("page %d does not say %q", n+1, want)
		}
		count := strings.Count(page, "R0")
		if want := fmt.Sprintf("Diese Seite: Gegenstände: %d", count); !strings.Contains(squeeze(page), squeeze(want)) {
			t.Errorf("page %d does not say %q", n+1, want)
		}
	}
}

func TestTheSignatureLinesOfALongListAreOnTheLastPage(t *testing.T) {
	for count := range 60 {
		p := itemsPaper(paper.Protocol)
		p.Items = nil
		for range count {
			p.Items = append(p.Items, finds()[0])
		}
		content, err := pdf.New().Paper(p)
		if err != nil {
			t.Fatal(err)
		}
		pages := strings.Split(strings.TrimRight(text(t, content), "\f"), "\f")
		last := pages[len(pages)-1]
		if !strings.Contains(last, "Unterschrift") || strings.Count(strings.Join(pages, ""), "Empfangen von") > 1 {
			t.Fatalf("%d items: the last page says %q", count, last)
		}
		if count%20 == 19 {
			keepsMargins(t, content, 10)
		}
	}
}

func TestALabelForTheSafeDoesNotSayWhatIsInside(t *testing.T) {
	p := itemsPaper(paper.Safe)
	p.Items = p.Items[:1]
	content := printPaper(t, p)
	printed := says(t, "label", content, "K7F-000", "Hotel Zur Post", "Verschlossen", "Geöffnet")
	for _, telling := range []string{"iPhone", "Handy", "649", "F2LLD", "Zimmer"} {
		if strings.Contains(printed, telling) {
			t.Errorf("the label says %q", telling)
		}
	}
	if got := read(t, qrcode.NewQRCodeReader(), picture(t, content, dots)); got != (lost.Tag{
		Reference: "K7F-000",
	}).Address(tagBase) {
		t.Errorf("the code reads %q", got)
	}
}

func TestACertificateOfDestructionMasksNumbers(t *testing.T) {
	p := itemsPaper(paper.Destruction)
	printed := says(t, "certificate", printPaper(t, p), "Vernichtungsnachweis", "••••4567", "Zeuge", "Vernichtet am")
	if strings.Contains(squeeze(printed), "F2LLD") {
		t.Error("the certificate has a whole serial number")
	}
}
