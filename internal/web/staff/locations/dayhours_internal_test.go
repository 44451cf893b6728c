package locations

import (
	"strings"
	"testing"

	"homeward/internal/lost"
)

func TestHoursAreReadAsPeopleWriteThem(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"09:00–12:00, 13:00–18:00", "09:00–12:00 13:00–18:00"},
		{"9-12:30", "09:00–12:30"},
		{"9.30 - 18.00 Uhr", "09:30–18:00"},
		{"9 bis 18 Uhr", "09:00–18:00"},
		{"von 9 Uhr bis 18 Uhr", "09:00–18:00"},
		{"9:00 bis 12:00 und 14:00 bis 18:00", "09:00–12:00 14:00–18:00"},
		{"9h-18h", "09:00–18:00"},
		{"9h30 à 18h", "09:30–18:00"},
		{"de 9h à 12h et de 14h à 18h", "09:00–12:00 14:00–18:00"},
		{"9:00 a 14:00 y 16:00 a 20:00", "09:00–14:00 16:00–20:00"},
		{"dalle 9 alle 18", "09:00–18:00"},
		{"das 9h às 18h", "09:00–18:00"},
		{"9.00 tot 17.30 uur", "09:00–17:30"},
		{"od 9:00 do 17:00", "09:00–17:00"},
		{"9:00～18:00", "09:00–18:00"},
		{"９：００〜１８：００", "09:00–18:00"},
		{"9時ー18時半", "09:00–18:30"},
		{"9時から12時まで、13時30分から18時まで", "09:00–12:00 13:30–18:00"},
		{"9点至18点", "09:00–18:00"},
		{"9:00 - 0:00", "09:00–24:00"},
		{"00:00–24:00", "00:00–24:00"},
		{"9am–5pm", "09:00–17:00"},
		{"9:30 AM - 5:00 p.m.", "09:30–17:00"},
		{"9-5pm", "09:00–17:00"},
		{"1–5 pm", "13:00–17:00"},
		{"10am-12pm / 1pm-4:30pm", "10:00–12:00 13:00–16:30"},
		{"closed", ""},
		{" Geschlossen ", ""},
		{"Ruhetag", ""},
		{"FERMÉ", ""},
		{"定休日", ""},
		{"–", ""},
	} {
		var problems lost.Problems
		var got []string
		for _, w := range readDay(c.text, "openingHours.mon", &problems) {
			got = append(got, w.From+"–"+w.To)
		}
		if strings.Join(got, " ") != c.want || len(problems) > 0 {
			t.Errorf("%q: got %q and problems %v, want %q", c.text, got, problems, c.want)
		}
	}
}

func TestHoursThatAreNotClearAreRefused(t *testing.T) {
	for _, text := range []string{
		"all day", "9", "9–", "–18", "25–26", "18–9", "9–9", "9:75–18:00", "9:00–12:00–18:00", "closed 9–12",
		"9–12 oder 13–18", "5pm–9am", "mon 9–12", "9–12am",
	} {
		var problems lost.Problems
		if got := readDay(text, "openingHours.mon", &problems); len(problems) != 1 || len(got) > 0 {
			t.Errorf("%q: got %v and problems %v, want one problem", text, got, problems)
		}
	}
}
