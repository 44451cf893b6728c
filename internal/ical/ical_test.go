package ical_test

import (
	"strings"
	"testing"
	"time"

	"homeward/internal/ical"
	"homeward/internal/ical/icaltest"
)

func TestACalendarFollowsTheStandard(t *testing.T) {
	start := time.Date(2026, 11, 20, 10, 30, 0, 0, time.FixedZone("", 3600))
	title := strings.Repeat("Schirm „grün“, ", 12) + `a\b;c`
	event := ical.Event{
		UID: "item_1@homeward", Start: start, End: start.Add(30 * time.Minute), Created: start, Changed: start,
		Title: title, Description: "One\r\ntwo\nBEGIN:VEVENT", URL: "https://homeward.example/at/loc_1/items/item_1",
	}
	moved := event
	moved.UID, moved.Changed = "item_2@homeward", start.Add(200*time.Millisecond) // within the same second
	got := icaltest.MustParse(t, string(ical.Encode("Hotel; Adler", []ical.Event{event, moved})))
	if len(got) != 2 {
		t.Fatalf("got %d events, want 2", len(got))
	}
	for name, want := range map[string]string{
		"UID": "item_1@homeward", "DTSTART": "20261120T093000Z", "DTEND": "20261120T100000Z", "SUMMARY": title,
		"DESCRIPTION": "One\ntwo\nBEGIN:VEVENT", "LOCATION": "", "SEQUENCE": "0",
	} {
		if got[0][name] != want {
			t.Errorf("%s: got %q, want %q", name, got[0][name], want)
		}
	}
	if got[1].Sequence() <= got[0].Sequence() {
		t.Errorf("the number %d of a changed event is not greater than %d", got[1].Sequence(), got[0].Sequence())
	}
	icaltest.MustParse(t, string(ical.Encode("", nil)))
}

func TestAnEventTakesWholeDays(t *testing.T) {
	day := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	got := icaltest.MustParse(t, string(ical.Encode("", []ical.Event{{
		UID: "item_1@homeward", Start: day, End: day.AddDate(0, 0, 1), AllDay: true, Created: day, Title: "Pick-up",
		Changed: day.AddDate(100, 0, 0),
	}})))
	if len(got) != 1 || got[0]["DTSTART"] != "20261120" || got[0]["DTEND"] != "20261121" {
		t.Errorf("got %v", got)
	}
}

func TestTheParserIsStrict(t *testing.T) {
	valid := string(ical.Encode("Hotel", []ical.Event{{UID: "1", End: time.Unix(1, 0), Title: "a,b"}}))
	for from, to := range map[string]string{
		"\r\n": "\n", "UID:1\r\n": "", `a\,b`: "a,b", "VERSION:2.0": "VERSION:1.0", "SEQUENCE:0": "SEQUENCE:-1",
		"END:VEVENT\r\n": "", "SUMMARY:a": "SUMMARY:a\r\nSUMMARY:b", "SUMMARY:": "SUMMARY:" + strings.Repeat("a", 80),
		"DTEND:19700101T000001Z": "DTEND:tomorrow",
	} {
		if !strings.Contains(valid, from) {
			t.Fatalf("%q is not in %s", from, valid)
		}
		if _, err := icaltest.Parse(strings.ReplaceAll(valid, from, to)); err == nil {
			t.Errorf("the parser accepts %q instead of %q", to, from)
		}
	}
}
