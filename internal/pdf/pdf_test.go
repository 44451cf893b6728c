package pdf_test

import (
	"bytes"
	"image"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/pdf"
)

func TestEveryDocumentHasItsSizeAndNamesInEveryScript(t *testing.T) {
	for name, kinds := range map[string][]lost.DocumentKind{
		"mixed": {lost.LabelPaper, lost.SlipPaper, lost.CustomsPaper}, "long": lost.DocumentKinds(),
		"letter": {lost.SlipPaper}, "hebrew": {lost.LabelPaper},
	} {
		o := abroad()[name]
		for _, kind := range kinds {
			t.Run(name+"/"+string(kind), func(t *testing.T) {
				t.Parallel()
				content, size, err := pdf.New().Print(kind, o.s, o.c)
				if err != nil {
					t.Fatal(err)
				}
				const most = 100_000
				if len(content) > most {
					t.Errorf("got %d bytes, want at most %d", len(content), most)
				}
				want := "A6"
				width := 105.0
				height := 148.0
				margin := 4.8
				switch {
				case kind == lost.CustomsPaper:
					width, height = height, width
				case kind != lost.LabelPaper && name == "letter":
					want = "Letter"
					width = 215.9
					height = 279.4
					margin = 14.0
				case kind != lost.LabelPaper:
					want = "A4"
					width = 210
					height = 297
					margin = 14.0
				}
				if size != want {
					t.Errorf("the page is %s, want %s", size, want)
				}
				if w, h := keepsMargins(t, content, margin); math.Abs(w-width) > 0.6 || math.Abs(h-height) > 0.6 {
					t.Errorf("the page is %.1f × %.1f mm, want %.1f × %.1f", w, h, width, height)
				}
				o.names(t, content, name == "hebrew")
			})
		}
	}
}

// keepsMargins checks that the margins of a page are empty, and returns its size.
func keepsMargins(t *testing.T, content []byte, margin float64) (width, height float64) {
	t.Helper()
	const coarse = 60
	shown := picture(t, content, coarse)
	if x, y, found := ink(shown, inDots(margin, coarse)); found {
		t.Errorf("the margin is not empty at %.1f, %.1f mm", inMM(x, coarse), inMM(y, coarse))
	}
	return inMM(shown.Bounds().Dx(), coarse), inMM(shown.Bounds().Dy(), coarse)
}

// names checks that a document contains the names and addresses of sender and recipient, with every character. For
// right-to-left scripts it ignores the order of words, in which PDF readers differ.
func (o order) names(t *testing.T, content []byte, rightToLeft bool) {
	t.Helper()
	printed := squeeze(text(t, content))
	to := o.s.To
	for _, want := range []string{
		to.Name, to.Company, to.Address1, to.Address2, to.City, to.ZipCode, to.Phone, o.c.From.Name, o.c.Item.Reference,
	} {
		if rightToLeft {
			want, _, _ = strings.Cut(want, " ")
		}
		if !strings.Contains(printed, squeeze(want)) {
			t.Errorf("%q is missing: %q", want, printed)
		}
	}
	if strings.Contains(printed, "□") {
		t.Errorf("a character is missing: %q", printed)
	}
}

func inMM(n, dots int) float64        { return float64(n) * 25.4 / float64(dots) }
func inDots(mm float64, dots int) int { return int(mm * float64(dots) / 25.4) }

// ink finds a dark point in the margin of a picture. It returns false if there is none.
func ink(shown *image.Gray, margin int) (x, y int, found bool) {
	const dark = 0x90 // a watermark is paler and may be in the margin
	b := shown.Bounds()
	inner := b.Inset(margin)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if image.Pt(x, y).In(inner) {
				x = inner.Max.X
			}
			if shown.GrayAt(x, y).Y < dark {
				return x, y, true
			}
		}
	}
	return 0, 0, false
}

// squeeze removes white space, because it depends on where lines end.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \n\f\u00a0\u202f\u202a\u202b\u202c", r) {
			return -1
		}
		return r
	}, s)
}

func TestTheFontsHaveAllCharactersOfTheCatalogs(t *testing.T) {
	setIn := pdf.Setter()
	for _, tag := range i18n.Tags() {
		catalog, err := os.ReadFile(filepath.Join("..", "i18n", "catalog", tag, "paper.json"))
		if err != nil {
			t.Fatal(err)
		}
		l := i18n.Choose(tag)
		printed := string(catalog) + l.Date("2026-11-20")
		for _, country := range lost.Countries() {
			printed += l.Country(country)
		}
		for printed != "" { // in pieces that are short enough for one text
			const most = 2000
			part := printed[:min(most, len(printed))]
			for !utf8.ValidString(part) {
				part = part[:len(part)-1]
			}
			printed = printed[len(part):]
			if lines := strings.Join(setIn(part, 10, 1000, 1000).Lines, ""); strings.Contains(lines, "□") {
				t.Errorf("%s: a character is missing in %q", tag, lines)
			}
		}
	}
}

func TestTheSameShipmentGivesTheSameDocument(t *testing.T) {
	o := abroad()["hebrew"]
	want := o.print(t, lost.LabelPaper)
	var together pdf.Printer
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			if got, _, err := together.Print(lost.LabelPaper, o.s, o.c); err != nil || !bytes.Equal(got, want) {
				t.Errorf("the second document differs (%v)", err)
			}
		})
	}
	all.Wait()
}

func TestACharacterThatNoFontHasIsAnEmptyBox(t *testing.T) {
	o := plain()
	o.s.To.Name = "A👨‍👩‍👧B\x00\u200e\x1b[31m\xff𠀋ก"
	if printed := text(t, o.print(t, lost.LabelPaper)); !strings.Contains(printed, "A□□□B[31m�□□") {
		t.Errorf("the label says %q", printed)
	}
}

func TestAnUnknownKindOfDocumentIsRefused(t *testing.T) {
	o := plain()
	if _, _, err := new(pdf.Printer).Print("poster", o.s, o.c); err == nil {
		t.Error("an unknown document was printed")
	}
}

func TestAPrinterReleasesItsMemory(t *testing.T) {
	o := abroad()["mixed"]
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // the first run fills pools that the second empties
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	p := pdf.New()
	plain().print(t, lost.LabelPaper) // allocates what is allocated only once, such as catalogs
	before := heap()
	if _, _, err := p.Print(lost.LabelPaper, o.s, o.c); err != nil {
		t.Fatal(err)
	}
	const little = 1 << 20
	if after := heap(); after > before+little {
		t.Errorf("%d kB are still in use after printing", (after-before)>>10)
	}
	runtime.KeepAlive(p)
}

func BenchmarkLabel(b *testing.B) {
	for _, name := range []string{"plain", "mixed", "long"} {
		o := abroad()[name]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := pdf.New().Print(lost.LabelPaper, o.s, o.c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
