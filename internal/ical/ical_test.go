package ical_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"homeward/internal/ical"
)

func TestACalendarFollowsTheStandard(t *testing.T) {
	start := time.Date(2026, 11, 20, 10, 30, 0, 0, time.FixedZone("", 3600))
	title := strings.Repeat("Schirm „grün“, ", 12) + `a\b;c`
	got := string(ical.Encode("Hotel; Adler", []ical.Event{{
		UID: "item_1@homeward", Start: start, End: start.Add(30 * time.Minute), Changed: start, Title: title,
		Description: "One\r\ntwo\nBEGIN:VEVENT",
	}}))
	for line := range strings.SplitSeq(strings.TrimSuffix(got, "\r\n"), "\r\n") {
		if len(line) > 75 || strings.ContainsAny(line, "\r\n") || !utf8.ValidString(line) {
			t.Errorf("bad line %q", line)
		}
	}
	whole := strings.ReplaceAll(got, "\r\n ", "")
	for _, want := range []string{
		"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n", "X-WR-CALNAME:Hotel\\; Adler\r\n", "UID:item_1@homeward\r\n",
		"DTSTART:20261120T093000Z\r\nDTEND:20261120T100000Z\r\n", `DESCRIPTION:One\ntwo\nBEGIN:VEVENT` + "\r\n",
		"SUMMARY:" + strings.Repeat(`Schirm „grün“\, `, 12) + `a\\b\;c` + "\r\n", "END:VEVENT\r\nEND:VCALENDAR\r\n",
	} {
		if !strings.Contains(whole, want) {
			t.Errorf("%q is missing in %s", want, whole)
		}
	}
	if strings.Count(whole, "\r\nBEGIN:VEVENT") != 1 || strings.Contains(whole, "LOCATION") {
		t.Errorf("got %s", whole)
	}
}
