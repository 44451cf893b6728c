package pdf_test

import (
	"fmt"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/lost/paper"
	"homeward/internal/pdf"
)

// script is a writing system with texts as people at a desk write them.
type script struct {
	language, location, address, city, country string
	thing, place, person, organisation         string
	long                                       string // a sentence that is repeated in long descriptions
}

// scripts lists the writing systems of which papers are checked.
var scripts = map[string]script{
	"latin": {
		"de", "Hotel Zur Post", "Hauptstraße 1", "München", "DE", "Schwarzer Herrenschirm mit Griff aus Kirschholz",
		"Zimmer 207, Kleiderschrank", "Łukasz Müller-Wolfeschlegelsteinhausenbergerdorff", "Polizeiinspektion 11",
		"Im Futter ist ein Etikett mit dem Namen Øystein Ångström, daneben eine Schließfachquittung. ",
	},
	"greek": {
		"en", "Ξενοδοχείο Ακρόπολις", "Λεωφόρος Βασιλίσσης Αμαλίας 12", "Αθήνα", "GR",
		"Μαύρη ομπρέλα με ξύλινη λαβή", "Δωμάτιο 207, ντουλάπα", "Ελευθερία Παπαδοπούλου",
		"Αστυνομικό Τμήμα Συντάγματος",
		"Στην επένδυση υπάρχει ετικέτα με το όνομα του ιδιοκτήτη και μια απόδειξη φύλαξης. ",
	},
	"cyrillic": {
		"pl", "Гостиница «Октябрьская»", "Лиговский проспект, 10", "Санкт-Петербург", "RU",
		"Чёрный зонт с деревянной ручкой", "Номер 207, шкаф для одежды", "Анна Щербакова-Достоевская",
		"Отдел полиции № 76", "На подкладке есть бирка с именем владельца и квитанция из камеры хранения. ",
	},
	"japanese": {
		"ja", "旅館さくら", "祇園町南側570番地", "京都市東山区", "JP", "黒い折りたたみ傘、木の持ち手", "207号室のクローゼット",
		"山田さくら", "東山警察署遺失物係", "裏地に持ち主の名前が書かれた札が付いていて、ロッカーの預かり証も入っていました。",
	},
	"chinese": {
		"zh", "北京饭店", "东长安街33号", "北京市东城区", "CN", "黑色折叠雨伞，木制手柄", "207号房间衣柜", "王小明",
		"建国门派出所", "内衬上有写着失主姓名的标签，里面还有一张寄存柜的收据。",
	},
}

// scriptItems returns finds with short texts, and with texts as long as they can be.
func (s script) scriptItems() []lost.Item {
	days := 90
	long := strings.Repeat(s.long, 1+400/len([]rune(s.long)))
	items := []lost.Item{
		{
			Description: s.thing, DiscoveryPlace: s.place, Category: lost.PhoneCategory, SerialNumber: "F2LLD1234567",
			Value: lost.Value{Amount: 64900, Currency: "EUR"}, StoragePlace: "3",
			Finder: lost.Finder{Name: s.person, Email: "anna@example.com", Phone: "+4989123456", ClaimsItem: true},
		},
		{
			Description: s.thing + ". " + long, DiscoveryPlace: strings.Repeat(s.place+" ", 6),
			Category: lost.PassportCategory, Brand: strings.Repeat(s.organisation, 3), Model: s.thing,
			SerialNumber: strings.Repeat("AE1234567-", 15), StoragePlace: strings.Repeat(s.place+" ", 4),
			Value:  lost.Value{Amount: 99999999900, Currency: "EUR"},
			Finder: lost.Finder{Name: strings.Repeat(s.person+" ", 4), Email: strings.Repeat("w", 60) + "@example.com"},
			Status: lost.Discard, Destination: lost.Police, Handover: lost.Handover{Name: s.organisation},
			ClosedAt: time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC),
		},
		{Description: strings.ReplaceAll(long, " ", ""), Category: lost.CardCategory, DiscoveryPlace: long},
	}
	for range 30 { // more than one page
		items = append(items, items[0])
	}
	for n := range items {
		i := &items[n]
		i.Reference, i.Source = fmt.Sprintf("K7F-%03d", n), lost.Found
		i.Terms = lost.Terms{TimeZone: "Europe/Berlin", StorageDuration: &days}
		i.DiscoveryDate = fmt.Sprintf("2026-11-%02d", 1+n%28)
		if i.Status == "" {
			i.Status = lost.Pending
		}
	}
	return items
}

func (s script) paper(kind paper.Kind) paper.Paper {
	p := itemsPaper(kind)
	p.Items, p.By = s.scriptItems(), s.person
	p.Location.Name, p.Location.Address1, p.Location.City = s.location, s.address, s.city
	p.Location.Country, p.Location.Language = s.country, s.language
	p.Handover = paper.Handover{
		To: lost.Police, Recipient: s.person, Organisation: s.organisation, IDChecked: true, At: p.At,
	}
	p.Destroyed = paper.Destroyed{Method: paper.Shredded, On: "2026-11-21", Witness: s.person}
	return p
}

// checkPages checks that nothing is printed on the margins of any page, and returns the pages' texts in the order in
// which they were written, cell by cell.
func checkPages(t *testing.T, content []byte, margin float64) (pages []string) {
	t.Helper()
	const coarse = 60
	written := strings.TrimRight(string(poppler(t, content, "pdftotext", "-raw", "-", "-")), "\f")
	for n, page := range strings.Split(written, "\f") {
		pages = append(pages, squeeze(page))
		if x, y, found := ink(pictureOf(t, content, coarse, n+1), inDots(margin, coarse)); found {
			t.Errorf("page %d: the margin is not empty at %.1f, %.1f mm", n+1, inMM(x, coarse), inMM(y, coarse))
		}
	}
	return pages
}

// A list of finds contains the facts of each, also below a description that is as long as it can be.
func TestPapersContainLongTextsOfEveryScript(t *testing.T) {
	const certain = 150 // characters of a description
	for name, s := range scripts {
		for _, kind := range []paper.Kind{
			paper.Register, paper.List, paper.Protocol, paper.Destruction, paper.Auction,
		} {
			t.Run(name+" "+string(kind), func(t *testing.T) {
				t.Parallel()
				p, l := s.paper(kind), i18n.Choose(s.language)
				content, err := pdf.New().Paper(p)
				if err != nil {
					t.Fatal(err)
				}
				saveTag(t, "fit-"+string(kind)+"-"+name+".pdf", content)
				pages := checkPages(t, content, 10)
				wanted := []string{s.location, s.address, s.city, s.person}
				for _, i := range p.Items {
					start := []rune(i.Description)
					wanted = append(wanted, i.Reference, string(start[:min(len(start), certain)]),
						l.Say("common.category."+string(i.Category)))
				}
				if p.Kind == paper.Register {
					wanted = append(wanted, s.place, s.organisation, l.Say("paper.items.claims"), "@example.com")
				}
				for _, want := range wanted {
					if !strings.Contains(strings.Join(pages, ""), squeeze(want)) {
						t.Errorf("the paper does not say %q", want)
					}
				}
				if n := strings.Count(strings.Join(pages, ""), squeeze(l.Say("common.category.passport"))); n != 1 {
					t.Errorf("the category of the passport is there %d times", n)
				}
				if last := pages[len(pages)-1]; !strings.Contains(last, p.Items[len(p.Items)-1].Reference) {
					t.Errorf("the last page has no items: %q", last)
				}
			})
		}
	}
}

func TestLabelsForTheSafeFitInEveryScript(t *testing.T) {
	for name, s := range scripts {
		p := s.paper(paper.Safe)
		p.Items = p.Items[:3]
		content, err := pdf.New().Paper(p)
		if err != nil {
			t.Fatal(err)
		}
		pages := checkPages(t, content, 3)
		if len(pages) != len(p.Items) {
			t.Fatalf("%s: %d pages, want %d", name, len(pages), len(p.Items))
		}
		for n, page := range pages {
			if !strings.Contains(page, p.Items[n].Reference) || !strings.Contains(page, squeeze(s.location)) {
				t.Errorf("%s: page %d says %q", name, n+1, page)
			}
		}
	}
}

// BenchmarkALargeRegister prints as many finds as a register can have, with typical and with the longest texts. It
// reports the largest heap and the size of the document, in megabytes.
func BenchmarkALargeRegister(b *testing.B) {
	s := scripts["latin"]
	for name, one := range map[string]lost.Item{"typical": s.scriptItems()[0], "longest": s.scriptItems()[1]} {
		b.Run(name, func(b *testing.B) {
			p := s.paper(paper.Register)
			p.Items = nil
			for n := range paper.MaxRegister {
				one.Reference = fmt.Sprintf("R%05d", n)
				p.Items = append(p.Items, one)
			}
			heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
			most := uint64(0)
			done, ended := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(ended)
				for tick := time.NewTicker(5 * time.Millisecond); ; {
					select {
					case <-done:
						return
					case <-tick.C:
						metrics.Read(heap)
						most = max(most, heap[0].Value.Uint64())
					}
				}
			}()
			printer, size := pdf.New(), 0
			for b.Loop() {
				content, err := printer.Paper(p)
				if err != nil {
					b.Fatal(err)
				}
				size = len(content)
			}
			close(done)
			<-ended
			b.ReportMetric(float64(most)/1e6, "heap-MB")
			b.ReportMetric(float64(size)/1e6, "file-MB")
		})
	}
}
