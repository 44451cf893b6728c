package pdf_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/pdf"
)

// carrierLabel returns a file like those of carriers: its objects are in a compressed stream, and its pages inherit
// their size.
func carrierLabel(text string) []byte {
	objects := []struct {
		number int
		text   string
	}{
		{1, "<</Type/Catalog/Pages 2 0 R>>"},
		{2, "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 288 432]/Resources<</Font<</F1 5 0 R>>>>>>"},
		{3, "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Annots[<</Dest[3 0 R/Fit]>>]>>"},
		{5, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Note(a \\) b (c) 7 0 R)>>"},
	}
	var head, body strings.Builder
	for _, o := range objects {
		fmt.Fprintf(&head, "%d %d ", o.number, body.Len())
		body.WriteString(o.text + " ")
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write([]byte(head.String() + body.String()))
	_ = z.Close()
	content := "BT /F1 12 Tf (" + text + ") Tj ET"
	return fmt.Appendf(nil, "%%PDF-1.5\n4 0 obj\n<</Length 8 0 R>>stream\n%s\nendstream\nendobj\n8 0 obj %d endobj\n"+
		"9 0 obj\n<</Type/ObjStm/N %d/First %d/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream\nendobj\n"+
		"startxref\n0\n%%%%EOF", content, len(content), len(objects), head.Len(), packed.Len(), packed.Bytes())
}

func join(t *testing.T, files ...[]byte) []byte {
	t.Helper()
	joined, position, err := pdf.New().Join(files)
	if err != nil {
		t.Fatalf("file %d: %v", position, err)
	}
	return joined
}

func TestLabelsOfSeveralProgramsAreJoined(t *testing.T) {
	joined := join(t, carrierLabel("FIRST"), plain().print(t, lost.LabelPaper), carrierLabel("THIRD"))
	again := join(t, joined, joined) // what was joined can be read again
	for file, want := range map[*[]byte]int{&joined: 3, &again: 6} {
		text := string(*file)
		n := strings.Count(text, "/Type /Page ")
		if n != want || !strings.Contains(text, fmt.Sprintf("/Count %d ", n)) {
			t.Errorf("the file has %d pages, want %d", n, want)
		}
		if n := strings.Count(text, "/MediaBox [ 0 0 288 432 ]"); n != want/3*2 {
			t.Errorf("%d pages have the size of the carrier's label, want %d", n, want/3*2)
		}
		if strings.Contains(text, "Annots") || !strings.Contains(text, `(a \) b (c) 7 0 R)`) {
			t.Error("the file contains links to other pages, or lacks a text")
		}
		shown := squeeze(string(poppler(t, *file, "pdftotext", "-raw", "-", "-")))
		first, own, third := strings.Index(shown, "FIRST"), strings.Index(shown, "Anna"), strings.Index(shown, "THIRD")
		if strings.Count(shown, "FIRST") != want/3 || first < 0 || own < first || third < own {
			t.Errorf("another program reads %q", shown)
		}
	}
}

func TestAFileThatCannotBeJoinedIsNamed(t *testing.T) {
	tree := func(kids string) string {
		return "%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj 2 0 obj <</Type/Pages/Kids[" + kids +
			"]>> endobj 3 0 obj <</Type/Page>> endobj"
	}
	for what, file := range map[string]string{
		"nothing": "", "another format": "<html>", "no objects": "%PDF-1.4\n%%EOF",
		"a circle of pages": tree("2 0 R 2 0 R"), "no page": tree(""),
		"many pages":   tree(strings.Repeat("3 0 R ", 100)),
		"deep nesting": "%PDF-1.4\n1 0 obj " + strings.Repeat("[", 1000),
		"encryption":   string(carrierLabel("x")) + "trailer <</Encrypt 10 0 R>>",
		"half a file":  string(carrierLabel("x")[:150]), "an open text": "%PDF-1.4\n1 0 obj (abc",
	} {
		_, position, err := pdf.New().Join([][]byte{carrierLabel("good"), []byte(file)})
		if err == nil || position != 1 {
			t.Errorf("%s: got position %d, %v, want an error at 1", what, position, err)
		}
	}
}

func FuzzJoin(f *testing.F) {
	f.Add(carrierLabel("text"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if joined, _, err := pdf.New().Join([][]byte{file}); err == nil {
			join(t, joined)
		}
	})
}
