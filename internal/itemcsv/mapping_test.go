package itemcsv_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/itemcsv"
	"homeward/internal/lost"
)

// mapped reads a file with one column of dates and returns the dates.
func mapped(t *testing.T, order lost.DateOrder, dates ...string) (got []string, all itemcsv.Dates) {
	t.Helper()
	file := "What,When\n"
	for _, date := range dates {
		file += "Hat,\"" + date + "\"\n"
	}
	headings, r, err := itemcsv.Headings([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	m := lost.ImportMapping{Headings: headings, Fields: []string{"description", "discoveryDate"}, Dates: order}
	err = itemcsv.EachRow(r, func(row itemcsv.Row) error {
		all.Add(row, m.Fields)
		got = append(got, itemcsv.Map(row, m, noon).Cells["discoveryDate"])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, all
}

func TestLocalDatesAreRead(t *testing.T) {
	for _, c := range []struct {
		text  string
		order lost.DateOrder
		want  string
	}{
		{"31.12.2026", "", "2026-12-31"},
		{"3. 4. 2026", "", "2026-04-03"},
		{"3. 4.2026", "", "2026-04-03"},
		{"3. 4.26", "", "2026-04-03"}, // 4.26 is not a time
		{"3. 4. 26", "", "2026-04-03"},
		{"03. 04.26 14.30", "", "2026-04-03"},
		{"3.\u00a04.\u202f2026", "", "2026-04-03"},
		{"31.12.26", "", "2026-12-31"},
		{"3.4.2026", lost.MonthFirst, "2026-04-03"}, // with points, the day is always first
		{"12/31/2026", "", "2026-12-31"},
		{"31/12/2026", "", "2026-12-31"},
		{"31-12-2026", "", "2026-12-31"},
		{"12/31/2026 14:30", "", "2026-12-31"},
		{"12/31/2026 2:30 PM", "", "2026-12-31"},
		{"2026年12月31日", "", "2026-12-31"},
		{"2026-12-31 14:30", "", "2026-12-31"},
		{"2026/1/5 0:00", "", "2026-01-05"},
		{"2026年1月5日", lost.MonthFirst, "2026-01-05"},
		{"2026-12-31", lost.DayFirst, "2026-12-31"},
		{"3/4/2026", lost.DayFirst, "2026-04-03"},
		{"03/04/2026", lost.MonthFirst, "2026-03-04"},
		{"3/4/2026", "", "3/4/2026"}, // ambiguous
		{"31/12/2026", lost.MonthFirst, "31/12/2026"},
		{"32.12.2026", "", "32.12.2026"},
		{"1/2-2026", lost.DayFirst, "1/2-2026"},
		{"yesterday", lost.DayFirst, "yesterday"},
		{"5. November 2026", "", "2026-11-05"},
		{"5 de noviembre de 2026", "", "2026-11-05"},
		{"1er août 2026", "", "2026-08-01"},
		{"5 listopada 2026", "", "2026-11-05"},
		{"November 5, 2026", "", "2026-11-05"},
		{"Nov 5 2026", "", "2026-11-05"},
		{"令和8年11月5日", "", "2026-11-05"},
		{"令和元年5月1日", "", "2019-05-01"},
		{"5. Brumaire 2026", "", "5. Brumaire 2026"},
	} {
		if got, _ := mapped(t, c.order, c.text); got[0] != c.want {
			t.Errorf("%q with order %q: got %q, want %q", c.text, c.order, got[0], c.want)
		}
	}
}

func TestTheOrderOfDatesIsFoundInTheFile(t *testing.T) {
	for _, c := range []struct {
		dates     []string
		order     lost.DateOrder
		ambiguous bool
	}{
		{[]string{"3/4/2026", "25/4/2026"}, lost.DayFirst, false},
		{[]string{"3/4/2026", "4/25/2026"}, lost.MonthFirst, false},
		{[]string{"3/4/2026", "5/6/2026"}, "", true},
		{[]string{"25/4/2026", "4/25/2026", "3/4/2026"}, "", true},
		{[]string{"4/4/2026", "3.4.2026", "2026-04-03", "", "soon"}, "", false},
	} {
		_, dates := mapped(t, "", c.dates...)
		if dates.Order() != c.order || dates.Ambiguous() != c.ambiguous {
			t.Errorf("%q: got order %q, ambiguous %t", c.dates, dates.Order(), dates.Ambiguous())
		}
	}
}

func TestHeadingsAreGuessedOnce(t *testing.T) {
	got := itemcsv.Guess([]string{"Gegenstand", "ITEM", "Farbe", "owner.email", "Schuhgröße", "E-Mail", ""},
		map[string]string{"Gegenstand": "description", "farbe": "color"}, false)
	if d := cmp.Diff([]string{"description", "", "color", "owner.email", "", "", ""}, got); d != "" {
		t.Error(d)
	}
}

func TestHeadingsThatDifferInCaseAreAlwaysGuessedAlike(t *testing.T) {
	known := map[string]string{"Data": "discoveryDate", "DATA": "pickupDate", "data": "keepUntil", "da-ta": "notes"}
	want := []string{"discoveryDate", "notes", "keepUntil", "pickupDate"}
	for range 50 {
		got := itemcsv.Guess([]string{"Data", "da-ta", "data", "Da ta"}, known, false)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	}
}

// TestDatesOfAllFieldsAreRead checks that every date that can be imported may be written as in a spreadsheet.
func TestDatesOfAllFieldsAreRead(t *testing.T) {
	headings, r, err := itemcsv.Headings([]byte("A,B,C,D\n31/12/2026,31/12/2026,31/12/2026,31/12/2026\n"))
	if err != nil {
		t.Fatal(err)
	}
	m := lost.ImportMapping{
		Headings: headings, Fields: []string{"discoveryDate", "pickupDate", "keepUntil", "handover.at"},
	}
	row, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	for field, date := range itemcsv.Map(row, m, noon).Cells {
		if date != "2026-12-31" {
			t.Errorf("%s: got %s", field, date)
		}
	}
}

func TestAYearWithTwoDigitsIsNotInTheFuture(t *testing.T) {
	got, _ := mapped(t, lost.DayFirst, "31/12/99", "4.3.27", "4.3.26", "1/2/00")
	if d := cmp.Diff([]string{"1999-12-31", "1927-03-04", "2026-03-04", "2000-02-01"}, got); d != "" {
		t.Error(d)
	}
	_, r, err := itemcsv.Headings([]byte("Keep,Handed over\n4.3.27,4.3.27\n"))
	if err != nil {
		t.Fatal(err)
	}
	row, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	cells := itemcsv.Map(row, lost.ImportMapping{Fields: []string{"keepUntil", "handover.at"}}, noon).Cells
	if d := cmp.Diff(map[string]string{"keepUntil": "2027-03-04", "handover.at": "1927-03-04"}, cells); d != "" {
		t.Error(d)
	}
}

func TestAFullNameIsSplit(t *testing.T) {
	headings, r, err := itemcsv.Headings([]byte("What,Full name\nHat,Anna Meier\n"))
	if err != nil {
		t.Fatal(err)
	}
	m := lost.ImportMapping{Headings: headings, Fields: itemcsv.Guess(headings, nil, false)}
	row, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	row = itemcsv.Map(row, m, noon)
	want := map[string]string{"description": "Hat", "owner.firstName": "Anna", "owner.lastName": "Meier"}
	if d := cmp.Diff(want, row.Cells); d != "" {
		t.Error(d)
	}
	got := itemcsv.Guess([]string{"Guest", "Full name"}, nil, false)
	if d := cmp.Diff([]string{"owner.lastName", ""}, got); d != "" {
		t.Error(d)
	}
	var p lost.Problems
	p.Add("owner.firstName", "too-long", "must have at most 200 characters")
	if got := itemcsv.MappedProblems(m, row, p.Err())[0].Column; got != "Full name" {
		t.Errorf("a problem is in the column %q", got)
	}
}
