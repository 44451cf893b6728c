package paper_test

import (
	"bytes"
	"image"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/paper"
	"homeward/internal/words"
)

func TestEveryPaperRendersOnItsSheetAndKeepsItsMargins(t *testing.T) {
	for name, kinds := range map[string][]lost.DocumentKind{
		"plain": lost.DocumentKinds(), "long": lost.DocumentKinds(), "letter": {lost.InvoicePaper, lost.SlipPaper}, "yen": {lost.InvoicePaper},
	} {
		o := abroad()[name]
		for _, kind := range kinds {
			t.Run(name+"/"+string(kind), func(t *testing.T) {
				t.Parallel()
				content, size, err := paper.New().Print(kind, o.s, o.c)
				if err != nil {
					t.Fatal(err)
				}
				want, width, height, margin := "A6", 105.0, 148.0, 4.8
				switch {
				case kind == lost.CustomsPaper:
					width, height = height, width
				case kind != lost.LabelPaper && name == "letter":
					want, width, height, margin = "Letter", 215.9, 279.4, 14.0
				case kind != lost.LabelPaper:
					want, width, height, margin = "A4", 210, 297, 14.0
				}
				if size != want {
					t.Errorf("the sheet is %s, want %s", size, want)
				}
				const coarse = 60
				shown := picture(t, content, coarse)
				if w, h := inMM(shown.Bounds().Dx(), coarse), inMM(shown.Bounds().Dy(), coarse); math.Abs(w-width) > 0.6 || math.Abs(h-height) > 0.6 {
					t.Errorf("the sheet is %.1f × %.1f mm, want %.1f × %.1f", w, h, width, height)
				}
				if x, y, found := ink(shown, inDots(margin, coarse)); found {
					t.Errorf("there is something at %.1f, %.1f mm, in the margin", inMM(x, coarse), inMM(y, coarse))
				}
			})
		}
	}
}

func inMM(n, dots int) float64        { return float64(n) * 25.4 / float64(dots) }
func inDots(mm float64, dots int) int { return int(mm * float64(dots) / 25.4) }

// ink finds something dark in the margin of a picture.
func ink(shown image.Image, margin int) (x, y int, found bool) {
	const dark = 0x9000 // a watermark is paler, and may be there
	b := shown.Bounds()
	inner := b.Inset(margin)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if image.Pt(x, y).In(inner) {
				x = inner.Max.X
			}
			if r, _, _, _ := shown.At(x, y).RGBA(); r < dark {
				return x, y, true
			}
		}
	}
	return 0, 0, false
}

func TestNamesAreFoundInEveryScript(t *testing.T) {
	for name, o := range abroad() {
		kinds := []lost.DocumentKind{lost.LabelPaper}
		if name == "mixed" || name == "japanese" {
			kinds = lost.DocumentKinds()
		}
		for _, kind := range kinds {
			t.Run(name+"/"+string(kind), func(t *testing.T) {
				t.Parallel()
				said := squeeze(text(t, o.print(t, kind)))
				for _, want := range []string{o.s.To.Name, o.s.To.Company, o.s.To.Address1, o.s.To.City, o.s.To.ZipCode, o.c.From.Name, o.c.Item.Reference} {
					if name == "hebrew" { // the reader has its own mind about which word of a line comes first
						want, _, _ = strings.Cut(want, " ")
					}
					if !strings.Contains(said, squeeze(want)) {
						t.Errorf("%q is not on it: %q", want, said)
					}
				}
				if strings.Contains(said, "□") {
					t.Errorf("it has a character that is not printed: %q", said)
				}
			})
		}
	}
}

// squeeze leaves out what depends on where a line ends.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \n\f\u00a0\u202f\u202a\u202b\u202c", r) {
			return -1
		}
		return r
	}, s)
}

func TestOurOwnWordsHaveTheirCharacters(t *testing.T) {
	for _, tag := range []string{"fr", "pl", "ja", "zh"} { // the others have none that these have not
		t.Run(tag, func(t *testing.T) {
			t.Parallel()
			o := abroad()["letter"]
			o.c.From.Language, o.c.Item.Language, o.s.PayBy = tag, tag, lost.PayTest
			l := words.Choose(tag)
			for kind, want := range map[lost.DocumentKind]string{
				lost.LabelPaper: strings.ToUpper(l.Country("CA")), lost.InvoicePaper: l.Say("paper.invoice.paid.test"), lost.SlipPaper: l.Say("paper.slip.hand"),
			} {
				if said := squeeze(text(t, o.print(t, kind))); !strings.Contains(said, squeeze(want)) || strings.Contains(said, "□") {
					t.Errorf("%s: want %q in %q, and no empty box", kind, want, said)
				}
			}
		})
	}
}

func TestTheSameShipmentHasTheSamePaper(t *testing.T) {
	o := abroad()["mixed"]
	var together paper.Printer
	for _, kind := range []lost.DocumentKind{lost.LabelPaper, lost.InvoicePaper} {
		want := o.print(t, kind)
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				if got, _, err := together.Print(kind, o.s, o.c); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s: not the same paper again (%v)", kind, err)
				}
			})
		}
		all.Wait()
		if !bytes.Equal(o.print(t, kind), want) {
			t.Errorf("%s: not the same paper later", kind)
		}
	}
}

func TestWhatNoFontHasIsAnEmptyBox(t *testing.T) {
	o := plain()
	o.s.To.Name = "A👨‍👩‍👧B\x00\u200e\x1b[31m\xff𠀋ก"
	if said := text(t, o.print(t, lost.LabelPaper)); !strings.Contains(said, "A□□□B[31m�□□") {
		t.Errorf("the label says %q", said)
	}
}

func TestAnUnknownKindOfPaperIsNotPrinted(t *testing.T) {
	o := plain()
	if _, _, err := new(paper.Printer).Print("poster", o.s, o.c); err == nil {
		t.Error("a poster was printed")
	}
}

func TestAPrinterKeepsNothing(t *testing.T) {
	o := abroad()["mixed"]
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // the first one empties pools into a place that the second empties
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	p := paper.New()
	o.print(t, lost.LabelPaper) // what is made once, words above all
	before := heap()
	if _, _, err := p.Print(lost.LabelPaper, o.s, o.c); err != nil {
		t.Fatal(err)
	}
	const little = 1 << 20
	if after := heap(); after > before+little {
		t.Errorf("%d kB are kept after printing", (after-before)>>10)
	}
	runtime.KeepAlive(p)
}

func BenchmarkLabel(b *testing.B) {
	for _, name := range []string{"plain", "mixed", "long"} {
		o := abroad()[name]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := paper.New().Print(lost.LabelPaper, o.s, o.c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
