package pdf_test

import (
	"bytes"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/makiuchi-d/gozxing/qrcode"

	"homeward/internal/lost"
	"homeward/internal/pdf"
)

const tagBase = "https://lost-and-found.hotel-zur-post.example"

// tagJob returns tags for items and storage places with long and short texts.
func tagJob(on lost.TagPaper, skip int) lost.TagJob {
	long := strings.TrimSpace(strings.Repeat("Black umbrella with a wooden handle and a silver ring, found under the "+
		"third table by the window. ", 20))
	j := lost.TagJob{Paper: on, Skip: skip, Language: "de", At: time.Date(2026, 11, 14, 9, 0, 0, 0, time.UTC)}
	for n, text := range []string{"Schwarzer Regenschirm", long, "赤い傘、駅の近くで見つかった", strings.Repeat("W", 300)} {
		reference := []string{"K7F-3QD", "WWW-WWW", "ACD-EFG", "346-79A"}[n]
		j.Faces = append(j.Faces, lost.TagFace{
			Code: lost.Tag{Reference: reference}.Address(tagBase), Reference: reference, Text: text,
			Found: []string{"2026-11-14", "2026-11-11", "", "2026-01-01"}[n], Location: "Hotel Zur Post, München",
		})
	}
	for _, place := range []string{"Regal 4", "Keller, Schrank neben der Heizung / Fach B 12", "倉庫 3階"} {
		j.Faces = append(j.Faces,
			lost.TagFace{
				Code:  lost.Tag{LocationID: "loc_06p2xkr0a1b2c3d4e5f6g7h8jk", Place: place}.Address(tagBase),
				Place: place, Location: "Hotel Zur Post, München",
			})
	}
	return j
}

// tagSizes holds the manufacturer's specification of each label paper: the size of the page, and the position and
// size of the labels.
var tagSizes = map[lost.TagPaper]struct{ width, height, left, top, stepX, stepY, wide, high float64 }{
	lost.SmallRoll:   {62, 29, 0, 0, 0, 0, 62, 29},
	lost.LargeRoll:   {101.6, 152.4, 0, 0, 0, 0, 101.6, 152.4},
	lost.A4Sheet:     {210, 297, 0, 0.5, 70, 37, 70, 37},
	lost.LetterSheet: {215.9, 279.4, 4.76, 12.7, 69.85, 25.4, 66.68, 25.4},
}

// TestEveryTagIsOnItsLabelAndMachineReadable renders every tag at the resolution of a label printer
// and reads its code.
func TestEveryTagIsOnItsLabelAndMachineReadable(t *testing.T) {
	for _, on := range lost.TagPapers() {
		t.Run(string(on), func(t *testing.T) {
			t.Parallel()
			perPage, size, skip := on.PerPage(), tagSizes[on], 0
			if perPage > 1 {
				skip = perPage - 3 // fills the end of the first page and continues on the next
			}
			j := tagJob(on, skip)
			content, err := pdf.New().PrintTags(j)
			if err != nil {
				t.Fatal(err)
			}
			saveTag(t, "tags-"+string(on)+".pdf", content)
			pages := 1 + (len(j.Faces)+skip-1)/perPage
			var shown *image.Gray
			last := -1
			for n, face := range j.Faces {
				page, at := (n+skip)/perPage, (n+skip)%perPage
				if page != last {
					shown, last = pictureOf(t, content, dots, page+1), page
				}
				if w, h := inMM(shown.Bounds().Dx(), dots),
					inMM(shown.Bounds().Dy(), dots); math.Abs(w-size.width) > 0.3 || math.Abs(h-size.height) > 0.3 {
					t.Fatalf("the page is %.1f × %.1f mm", w, h)
				}
				label := part(shown, size.left+float64(at%3)*size.stepX, size.top+float64(at/3)*size.stepY, size.wide,
					size.high)
				if got := read(t, qrcode.NewQRCodeReader(), label); got != face.Code {
					t.Errorf("tag %d reads %q, want %q", n, got, face.Code)
				}
			}
			printed := strings.Split(text(t, content), "\f")
			if got := len(printed) - 1; got != pages {
				t.Fatalf("%d pages, want %d", got, pages)
			}
			for n, face := range j.Faces {
				if page := (n + skip) / perPage; !strings.Contains(squeeze(printed[page]), squeeze(face.Reference)) {
					t.Errorf("page %d does not say %q: %q", page+1, face.Reference, printed[page])
				}
			}
			again, err := pdf.New().PrintTags(j)
			if err != nil || !bytes.Equal(content, again) {
				t.Errorf("the second document differs (%v)", err)
			}
		})
	}
}

// TestATagStaysInsideItsLabel checks that the border of a label is empty, because printers cannot print up to the
// edge, and no text may reach the next label.
func TestATagStaysInsideItsLabel(t *testing.T) {
	for on, margin := range map[lost.TagPaper]float64{
		lost.SmallRoll: 1.6, lost.LargeRoll: 4.8, lost.A4Sheet: 4.2, lost.LetterSheet: 1.4,
	} {
		for _, n := range []int{1, 3, 5} { // the tags with the longest texts
			j := tagJob(on, 0)
			j.Faces = j.Faces[n : n+1]
			content, err := pdf.New().PrintTags(j)
			if err != nil {
				t.Fatal(err)
			}
			size, shown := tagSizes[on], picture(t, content, dots)
			free := image.Rect(inDots(size.left+margin, dots), inDots(size.top+margin, dots),
				inDots(size.left+size.wide-margin, dots)+1, inDots(size.top+size.high-margin, dots)+1)
			for y := range shown.Rect.Dy() {
				for x := range shown.Rect.Dx() {
					if !image.Pt(x, y).In(free) && shown.GrayAt(x, y).Y < 0x90 {
						t.Fatalf("%s, tag %d: the border is not empty at %.1f, %.1f mm", on, n, inMM(x, dots),
							inMM(y, dots))
					}
				}
			}
		}
	}
}

func TestTheLongestCodeStaysReadable(t *testing.T) {
	for _, on := range lost.TagPapers() {
		j := lost.TagJob{
			Paper: on,
			Faces: []lost.TagFace{{
				Code: tagBase + "/t/place/" + strings.Repeat("x", lost.MaxTagCode-len(tagBase)-9), Place: "Shelf",
			}},
		}
		content, err := pdf.New().PrintTags(j)
		if err != nil {
			t.Fatal(err)
		}
		size := tagSizes[on]
		if got := read(t, qrcode.NewQRCodeReader(),
			part(picture(t, content, 2*dots), 2*size.left, 2*size.top, 2*size.wide,
				2*size.high)); got != j.Faces[0].Code {
			t.Errorf("%s: the code reads %q", on, got)
		}
	}
}

func TestAStockTakeListsEverythingOutOfPlace(t *testing.T) {
	r := lost.StockTakeReport{
		Location: lost.Location{ID: "loc_1", Name: "Hotel Zur Post", TimeZone: "Europe/Berlin", Country: "DE"},
		Count: lost.StockTake{
			LocationID: "loc_1", Place: "Shelf 4", StartedBy: "Ann", ClosedBy: "Bob",
			CreatedAt: time.Date(2026, 11, 14, 23, 30, 0, 0, time.UTC),
			ClosedAt:  time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC),
			Totals:    lost.StockTakeTotals{Expected: 90, Found: 10, Missing: 80, Elsewhere: 2, Gone: 1},
		},
	}
	for n := range 80 {
		r.Lines = append(r.Lines,
			lost.StockTakeLine{
				Reference: fmt.Sprintf("AAA-%03d", n), Description: "Umbrella", LocationID: "loc_1", KeptAt: "Shelf 4",
				Finding: lost.Absent,
			})
	}
	r.Lines = append(r.Lines,
		lost.StockTakeLine{
			Reference: "K7F-3QD", Description: "Red scarf", LocationID: "loc_1", KeptAt: "Shelf 9",
			Finding: lost.Elsewhere,
		},
		lost.StockTakeLine{Reference: "ACD-EFG", LocationID: "loc_2", Finding: lost.Elsewhere},
		lost.StockTakeLine{Reference: "CCC-CCC", Finding: lost.NotInStock},
		lost.StockTakeLine{Reference: "SEE-NNN", Description: "Seen", Finding: lost.Seen})
	content, err := pdf.New().PrintStockTake(r)
	if err != nil {
		t.Fatal(err)
	}
	saveTag(t, "count.pdf", content)
	printed := squeeze(text(t, content))
	for _, want := range []string{
		"Stock-take: Shelf 4", "Hotel Zur Post", "Sunday 15 November 2026, 00:30 by Ann", "10:00 by Bob",
		"Expected 90 · found 10 · missing 80", "AAA-000", "AAA-079",
		"Found here, expected elsewhere", "Red scarf · expected at Shelf 9", "belongs to another location", "deleted",
	} {
		if !strings.Contains(printed, squeeze(want)) {
			t.Errorf("the document does not contain %q", want)
		}
	}
	if strings.Contains(printed, "SEE-NNN") {
		t.Error("an item in its place is listed")
	}
	if pages := strings.Count(text(t, content), "\f"); pages != 3 {
		t.Errorf("got %d pages, want 3", pages)
	}
}

// saveTag saves a PDF in the folder set by HOMEWARD_TEST_SCREENSHOTS.
func saveTag(t *testing.T, name string, content []byte) {
	t.Helper()
	folder := os.Getenv("HOMEWARD_TEST_SCREENSHOTS")
	if folder == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
		t.Fatal(err)
	}
}
