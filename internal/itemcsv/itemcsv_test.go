package itemcsv_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/i18n"
	"homeward/internal/itemcsv"
	"homeward/internal/lost"
)

var noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// read returns all rows of a file.
func read(t *testing.T, text string) ([]itemcsv.Row, *itemcsv.Reader) {
	t.Helper()
	r, err := itemcsv.NewReader([]byte(text), false)
	if err != nil {
		t.Fatal(err)
	}
	var rows []itemcsv.Row
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rows, r
		}
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
}

func item(p lost.ImportedItemPatch) (lost.Item, error) {
	return lost.NewImportedItem(lost.Location{Account: "acc_1", ID: "loc_1"}, p, lost.ByUser, noon)
}

func write(t *testing.T, mark bool, items ...lost.Item) string {
	t.Helper()
	var b bytes.Buffer
	w, err := itemcsv.NewWriter(&b, itemcsv.Options{ByteOrderMark: mark, FileURL: func(name string) string {
		return "https://homeward.example/files/" + name
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range items {
		if err := w.Write(i); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFilesOfOtherProgramsCanBeRead(t *testing.T) {
	for name, text := range map[string]string{
		"commas":             "description,color,owner.email\nUmbrella,black,anna@example.com\n",
		"semicolons":         "Description;Colour;Owner e-mail\r\nUmbrella;black;anna@example.com\r\n",
		"carriage returns":   "Description;Colour;Owner e-mail\rUmbrella;black;anna@example.com\r",
		"tabs":               "Item\tColor\tE-mail\nUmbrella\tblack\tanna@example.com\n",
		"explicit separator": "sep=;\nItem;Color;E-Mail\nUmbrella;black;anna@example.com\n",
		"a byte order mark":  "\ufeffdescription,color,email\nUmbrella,black,anna@example.com",
		"another order":      "mail,colour,what\nanna@example.com,black,Umbrella\n",
		"quotation marks": "\"description\",\"color\",\"email\"\n" +
			"\"Umbrella\",\"black\",\"anna@example.com\"\n",
		"empty rows": "description,color,email\n\n,,\nUmbrella,black,anna@example.com\n,,,\n",
		"short rows": "email,color,description,brand,model\nanna@example.com,black,Umbrella\n",
	} {
		rows, _ := read(t, text)
		if len(rows) != 1 {
			t.Errorf("%s: got %d rows", name, len(rows))
			continue
		}
		i, err := item(rows[0].Patch())
		if err != nil || i.Description != "Umbrella" || i.Color != "black" || i.Owner.Email != "anna@example.com" {
			t.Errorf("%s: %+v, %v", name, i, err)
		}
	}
}

func TestSpreadsheetFormatsAreAccepted(t *testing.T) {
	rows, _ := read(t,
		"description;date;status;pickupDate;pickupTime;weight;isDocument;closed\n"+
			"Hat;4.3.2026;pickup;2026/11/20;9:30;1,5;TRUE;Yes\n")
	i, err := item(rows[0].Patch())
	if err != nil {
		t.Fatal(err)
	}
	got := []any{
		i.DiscoveryDate, i.Status, i.Pickup.Date, i.Pickup.Time, *i.Shipping.Weight, *i.Shipping.IsDocument, i.ClosedAt,
	}
	if d := cmp.Diff([]any{"2026-03-04", lost.PickUp, "2026-11-20", "09:30", 1.5, true, noon}, got); d != "" {
		t.Error(d)
	}
}

func TestDestinationMustFitTheStatus(t *testing.T) {
	rows, _ := read(t, "description,status,destination,handed over,ID checked,kept until,hold\n"+
		"Hat,DONATE,Donated,,,31.1.2027,\n"+
		"Cap,PICKUP,,14.11.2026,yes,,police case 7\n"+
		"Bag,PICKUP,police,16.11.2026,,,\n"+
		"Key,PENDING,,soon,,,\n"+
		"Coat,PENDING,,,yes,,\n")
	hat, err := item(rows[0].Patch())
	if err != nil || hat.Destination != lost.Donated || hat.KeepUntil != "2027-01-31" {
		t.Errorf("%+v, %v", hat, err)
	}
	cap, err := item(rows[1].Patch())
	if want := (lost.Handover{At: noon.Add(-36 * time.Hour), IDChecked: true}); err != nil || cap.Handover != want ||
		cap.Hold != "police case 7" {
		t.Errorf("%+v, %v", cap, err)
	}
	for n, fields := range map[int][]string{
		2: {"handover.at", "destination"}, 3: {"handover.at"}, 4: {"handover.idChecked"},
	} {
		_, err := item(rows[n].Patch())
		var got []string
		for _, p := range lost.ProblemsOf(err) {
			got = append(got, p.Field)
		}
		if d := cmp.Diff(fields, got); d != "" {
			t.Errorf("row %d: %s", n, d)
		}
	}
}

func TestUnreadableFilesAreRefusedWithARemedy(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"empty":            {"", "must not be empty"},
		"no description":   {"brand,model\nKnirps,T.200\n", "with the heading description"},
		"Windows":          {"description\nSchl\xfcssel\n", "CSV UTF-8"},
		"UTF-16":           {"d\x00e\x00s\x00c\x00", "CSV UTF-8"},
		"duplicate column": {"description,colour,color\nHat,red,blue\n", "“colour” and “color” are the same"},
		"stray quote":      {"description\nHat\n24\" screen\n", "from line 3 on"},
		"too many columns": {"description" + strings.Repeat(",x", 200) + "\n", "at most 200 columns"},
		"too large":        {"description\n" + strings.Repeat("x", itemcsv.MaxBytes), "at most 10 MB"},
		"too many rows":    {"description\n" + strings.Repeat("x\n", itemcsv.MaxRows+1), "at most 50000 rows"},
	} {
		err := drain(test.text)
		if p := lost.ProblemsOf(err); len(p) != 1 || p[0].Field != "file" ||
			!strings.Contains(p[0].Message, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// To read a line that consists of separators, a CSV reader needs more than ten times the size of the line in memory.
func TestLineOfSeparatorsIsRefusedEarly(t *testing.T) {
	for name, text := range map[string]string{
		"in the headings": strings.Repeat(",", itemcsv.MaxBytes),
		"in a row":        "description\nHat\n" + strings.Repeat(",", itemcsv.MaxBytes-20) + "\n",
		"after a quotation mark": "description\n\"Hat\n\"\"" + strings.Repeat(",", 1000) + "\"" + strings.Repeat(",",
			itemcsv.MaxBytes-1030) + "\n",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := drain(text)
		runtime.ReadMemStats(&after)
		if p := lost.ProblemsOf(err); len(p) != 1 || p[0].Code != "too-many-columns" {
			t.Errorf("%s: %v", name, err)
		}
		// the content itself is copied once here
		if allocated := (after.TotalAlloc - before.TotalAlloc) >> 20; allocated > itemcsv.MaxBytes>>20+5 {
			t.Errorf("%s: %d MB were allocated", name, allocated)
		}
	}
	if err := drain("description,brand\n\"Hat, " + strings.Repeat("red, ", 300) + "\",Mayser\n"); err != nil {
		t.Errorf("text with commas: %v", err)
	}
}

// drain reads a file until its end or the first error.
func drain(text string) error {
	r, err := itemcsv.NewReader([]byte(text), false)
	for err == nil {
		_, err = r.Next()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func TestRowProblemsNameLineColumnAndValue(t *testing.T) {
	rows, r := read(t, "Item,Found on,Guest e-mail,owner.phone,State,weight,closed,source,Shoe size\n"+
		"\"Two\nlines\",2026-11-15,,,,,,,\n"+
		",32.13.2026,anna,123,lost,heavy,perhaps,request,42\n"+
		"Hat,,,,,,,,,more\n")
	if d := cmp.Diff([]string{"Shoe size"}, r.Unknown); d != "" {
		t.Error(d)
	}
	if len(rows) != 3 || rows[0].Line != 2 || rows[1].Line != 4 || rows[2].Line != 5 {
		t.Fatalf("%+v", rows)
	}
	var got []string
	for _, row := range rows[1:] {
		_, err := item(row.Patch())
		for _, p := range r.Problems(row, err) {
			got = append(got, fmt.Sprintf("%d %s: %s", p.Line, p.Column, p.Message))
		}
	}
	want := []string{
		"4 closed: “perhaps”: must be yes or no",
		"4 weight: “heavy” is not a number; use the format 1.5",
		"4 source: “request”: must be found, because requests cannot be imported; remove the row",
		"4 Item: is required",
		"4 Found on: “32.13.2026” is not a valid date; use the format 2026-11-15",
		"4 Guest e-mail: the text is not a valid e-mail address; use the format anna@example.com",
		"4 owner.phone: the text is not a phone number with a country code; use the format +49 30 901820",
		"4 State: “lost”: must be one of \"PENDING\", \"INFO COMPLETED\", \"FEE PAID\", \"SHIPPED\", \"DELIVERED\", " +
			"\"DISCARD\", \"PICKUP\", \"DONATE\"",
		"5 : has more fields than headings: put text that contains the separator in quotation marks",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestMetadataMustBeAJSONObjectOfTexts(t *testing.T) {
	for _, text := range []string{"room 312", `["room"]`, `{"room": 312}`, `{"room": "312"`} {
		rows, r := read(t, "description,metadata\nHat,\""+strings.ReplaceAll(text, `"`, `""`)+"\"\n")
		_, err := item(rows[0].Patch())
		if got := r.Problems(rows[0], err)[0].Message; !strings.HasSuffix(got,
			`: must be a JSON object of texts, such as {"booking": "HH-4711"}`) {
			t.Errorf("%s: got message %s", text, got)
		}
		if p := lost.ProblemsOf(err); len(p) != 1 || p[0].Field != "metadata" || p[0].Code != "wrong-type" {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

func TestOnlyExistingLanguagesAreImported(t *testing.T) {
	rows, _ := read(t, "description,language\nHat,xx\nHat,german\nHat,pt-BR\nHat,gsw\n")
	for n, row := range rows {
		_, err := item(row.Patch())
		p := lost.ProblemsOf(err)
		if n < 2 && (len(p) != 1 || p[0].Code != "invalid-language") || n >= 2 && err != nil {
			t.Errorf("%s: got error %v", row.Cells["language"], err)
		}
	}
}

func TestLineBreaksInCellsOfAFileWithCarriageReturns(t *testing.T) {
	rows, _ := read(t, "sep=;\rdescription;notes\rHat;\"a\nb\"\rCap;c\r")
	if len(rows) != 2 || rows[0].Cells["notes"] != "a\nb" || rows[1].Cells["notes"] != "c" {
		t.Errorf("got %+v", rows)
	}
}

func TestWeightMustBeANumber(t *testing.T) {
	rows, r := read(t, "description,weight\nHat,NaN\nHat,inf\nHat,1e999\n")
	for _, row := range rows {
		if _, err := item(row.Patch()); len(r.Problems(row, err)) != 1 || lost.ProblemsOf(err)[0].Code != "wrong-type" {
			t.Errorf("%v: got error %v", row.Cells, err)
		}
	}
}

func TestNoCellIsAFormula(t *testing.T) {
	for _, text := range []string{"=1+1", "+49", "-1", "@SUM(A1)", "'=1", "＝1", "''+x"} {
		i, err := item(lost.ImportedItemPatch{Item: lost.ItemPatch{Description: lost.Set(text)}})
		if err != nil {
			t.Fatal(err)
		}
		file := write(t, false, i)
		if !strings.Contains(file, ",'"+text+",") {
			t.Errorf("%q is written as %s", text, file)
		}
		rows, _ := read(t, file)
		if got := rows[0].Cells["description"]; got != text {
			t.Errorf("%q is read back as %q", text, got)
		}
	}
}

// TestNoCellIsAFormulaWithAnotherSeparator splits files as a program does that expects the other separator: quotation
// marks count only at the start of a cell.
func TestNoCellIsAFormulaWithAnotherSeparator(t *testing.T) {
	for _, text := range []string{
		"a;=1+1", "a,=1+1", "a; =1+1;b", "a,\u00a0'@x,b", "a\n-1+1", "a\r\n\r\n=1;b", "a;;+1", "\n=1", "x,;\t=1",
		"';'=1;''=2",
	} {
		i, err := item(lost.ImportedItemPatch{
			Item: lost.ItemPatch{Description: lost.Set("x" + text), Notes: lost.Set(text)},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, tag := range append(i18n.Tags(), "") {
			file := writeIn(t, tag, i)
			for _, separators := range []string{",\n", ";\n", ",;\n"} {
				cells := strings.FieldsFunc(file, func(r rune) bool { return strings.ContainsRune(separators, r) })
				for _, cell := range cells {
					if cell = strings.Trim(cell, "\" "); cell != "" && strings.ContainsAny(cell[:1], "=+-@\t") {
						t.Errorf("%q in %q has the cell %q", text, tag, cell)
					}
				}
			}
			rows, _ := read(t, file)
			want := strings.NewReplacer("\r\n", "\n").Replace(i.Notes)
			if got := rows[0].Cells["notes"]; got != strings.TrimSpace(want) {
				t.Errorf("%q in %q is read back as %q", text, tag, got)
			}
		}
	}
}

// writeIn returns a file in a language, with the API's headings.
func writeIn(t *testing.T, tag string, i lost.Item) string {
	t.Helper()
	var b strings.Builder
	w, err := itemcsv.NewWriter(&b, itemcsv.Options{Language: tag})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(i), w.Flush()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTheSeparatorIsTheOneThatExcelExpects(t *testing.T) {
	weight := 1.5
	i := lost.Item{Description: "Hat", Shipping: lost.Shipping{Weight: &weight}}
	for tag, want := range map[string][2]string{
		"": {",", "1.5"}, "en": {",", "1.5"}, "ja": {",", "1.5"}, "zh": {",", "1.5"},
		"de": {";", "1,5"}, "fr": {";", "1,5"}, "es": {";", "1,5"}, "it": {";", "1,5"}, "pt": {";", "1,5"},
		"nl": {";", "1,5"}, "pl": {";", "1,5"},
	} {
		file := writeIn(t, tag, i)
		if !strings.HasPrefix(file, "reference"+want[0]+"status") || !strings.Contains(file, want[0]+want[1]+want[0]) {
			t.Errorf("%q: got %s", tag, file)
		}
	}
}

func TestByteOrderMarkForExcel(t *testing.T) {
	if file := write(t, true); !strings.HasPrefix(file, "\xef\xbb\xbfreference,status,description,") {
		t.Errorf("%q", file)
	}
}

func TestReferenceIsKeptOrAddedToTheNotes(t *testing.T) {
	rows, _ := read(t, "description,reference,notes\nHat,k7f3qd,\nCap,A-1234,Old\n")
	hat, _ := item(rows[0].Patch())
	cap, _ := item(rows[1].Patch())
	if hat.Reference != "K7F-3QD" || hat.Notes != "" || cap.Reference == "A-1234" ||
		cap.Notes != "Old\nFormer reference: A-1234" {
		t.Errorf("%q %q; %q %q", hat.Reference, hat.Notes, cap.Reference, cap.Notes)
	}
}

// anyText returns a random text that is difficult to store in a file.
func anyText(r *rand.Rand, lines bool) string {
	signs := []string{"a", "Ü", "😀", `"`, "'", ",", ";", "=", "+", "-", "@", " ", "é", "#", "sep=", "0"}
	if lines {
		signs = append(signs, "\n", "\r\n", "\r", "\t")
	}
	var b strings.Builder
	for range r.IntN(12) {
		b.WriteString(signs[r.IntN(len(signs))])
	}
	return b.String()
}

// anyItem returns a random item.
func anyItem(r *rand.Rand) lost.Item {
	some := func(values ...string) lost.Field[string] {
		if r.IntN(2) == 0 {
			return lost.Field[string]{}
		}
		return lost.Set(values[r.IntN(len(values))])
	}
	status := lost.Statuses()[r.IntN(len(lost.Statuses()))]
	p := lost.ImportedItemPatch{
		Item: lost.ItemPatch{
			Description: lost.Set("x" + anyText(r, true)), DiscoveryPlace: lost.Set(anyText(r, false)),
			DiscoveryDate: some("2026-11-15", "0001-01-01"),
			Brand:         lost.Set(anyText(r, false)), Model: lost.Set(anyText(r, false)),
			Color: lost.Set(anyText(r, false)), StoragePlace: lost.Set(anyText(r, false)),
			Notes: lost.Set(anyText(r, true)), ImageURL: some("https://a.example/b,c.jpg"), Language: some("pt-BR"),
			Owner: lost.Set(lost.OwnerPatch{
				FirstName: lost.Set(anyText(r, false)), LastName: lost.Set(anyText(r, false)),
				Email: some("anna@example.com"), Phone: some("+4930901820"),
			}),
		},
		Move:           lost.MovePatch{Status: lost.Set(string(status))},
		TrackingNumber: lost.Set(anyText(r, false)),
	}
	if r.IntN(2) == 0 {
		p.Item.Shipping = lost.Set(lost.ShippingPatch{
			Weight: lost.Set(r.Float64() + 0.001), WeightUnit: some("lb"), BoxType: some("shoe"),
			IsDocument: lost.Set(r.IntN(2) == 0), NotShipped: lost.Set(anyText(r, false)),
		})
	}
	if status == lost.PickUp {
		p.Move.PickupDate, p.Move.PickupTime, p.Move.Closed = some("2026-12-01"), some("09:30"),
			lost.Set(r.IntN(2) == 0)
	}
	p.Item.ExternalID = lost.Set(anyText(r, false))
	p.Item.Category, p.Item.SerialNumber = some("umbrella", "phone"), some("C39-7741X")
	p.Value = some("649.00 EUR", "1 JPY")
	p.Item.Finder = lost.Set(lost.FinderPatch{
		Name: some("Marta Nowak"), Email: some("marta@example.com"), Phone: some("+4930901821"),
		WantsReward: lost.Set(r.IntN(2) == 0), ClaimsItem: lost.Set(r.IntN(2) == 0),
	})
	if r.IntN(2) == 0 {
		p.Item.Metadata = lost.Set(lost.MetadataPatch{
			"room": lost.Set(anyText(r, true)), "=key": lost.Set(anyText(r, false)),
		})
	}
	p.Item.Hold, p.Item.KeepUntil = lost.Set(anyText(r, false)), some("2027-01-31", "2020-02-29")
	if to := lost.Destinations()[r.IntN(len(lost.Destinations()))]; to.Status() == status {
		p.Destination = lost.Set(string(to))
	}
	if r.IntN(2) == 0 {
		p.HandedOver, p.IDChecked = lost.Set("2026-11-14T09:30:00.123Z"), lost.Set(r.IntN(2) == 0)
	}
	i, err := item(p)
	if err != nil {
		panic(err)
	}
	return i
}

func TestWrittenFilesCanBeReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		i := anyItem(r)
		first := write(t, false, i)
		rows, reader := read(t, first)
		if len(rows) != 1 || len(reader.Unknown) > 0 {
			t.Fatalf("got %d rows, unknown headings %q from %q", len(rows), reader.Unknown, first)
		}
		again, err := item(rows[0].Patch())
		if err != nil {
			t.Fatalf("%v, of %q", err, first)
		}
		again.ID = i.ID
		if d := cmp.Diff(first, write(t, false, again)); d != "" {
			t.Fatal(d)
		}
	}
}

// FuzzRead checks that whatever the reader accepts can be written and read again.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"description,color\nUmbrella,black\n", "sep=;\ndescription;date\n\"a\"\"b\";1.2.2026\n",
		"\ufeffitem\tstatus\n'=x\tPICKUP\n",
		"description,weight,closed\nx,1e400,yes\n", "description\n\"open", "description,reference\nHat,K7F-3QD\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := itemcsv.NewReader([]byte(text), false)
		if err != nil {
			return
		}
		for range 100 {
			row, err := r.Next()
			if err != nil {
				return
			}
			i, err := item(row.Patch())
			if err != nil {
				continue
			}
			first := write(t, false, i)
			rows, _ := read(t, first)
			again, err := item(rows[0].Patch())
			if err != nil {
				t.Fatalf("%v: %q became %q", err, text, first)
			}
			again.ID = i.ID
			if d := cmp.Diff(first, write(t, false, again)); d != "" {
				t.Fatalf("%q: %s", text, d)
			}
		}
	})
}

func TestValuesInEveryLanguageAreReadAgain(t *testing.T) {
	for _, tag := range i18n.Tags() {
		for _, status := range lost.Statuses() {
			file := writeIn(t, tag,
				lost.Item{Description: "Umbrella", Source: lost.Found, Status: status, Destination: lost.Police})
			if strings.Contains(file, string(status)) {
				t.Errorf("%s: the file has the API's name %s", tag, status)
			}
			r, err := itemcsv.NewReader([]byte(file), false)
			if err != nil {
				t.Fatal(err)
			}
			row, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			p := row.Patch()
			if p.Move.Status.Value != string(status) || p.Destination.Value != string(lost.Police) ||
				p.Item.Problems != nil {
				t.Errorf("%s %s: read status %q, destination %q, problems %v", tag, status, p.Move.Status.Value,
					p.Destination.Value, p.Item.Problems)
			}
		}
	}
}

// A spreadsheet can add up amounts below zero, but still evaluates nothing.
func TestATableGuardsFormulasButNotNumbers(t *testing.T) {
	var b strings.Builder
	table, err := itemcsv.NewTable(&b, "Amount", "Text")
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range []string{"-15.00", "-7", "-1+2", "-15.00\n=1", "-1e9", "+1", "=1"} {
		if err := table.Row(cell); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	want := "Amount,Text\n-15.00\n-7\n'-1+2\n\"'-15.00\n'=1\"\n'-1e9\n'+1\n'=1\n"
	if got := b.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
