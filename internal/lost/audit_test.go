package lost_test

import (
	"testing"
	"time"

	"homeward/internal/lost"
)

func TestAPeriodIsADayOrATime(t *testing.T) {
	for text, want := range map[string][2]string{
		"2026-11-14":                {"2026-11-14T00:00:00Z", "2026-11-15T00:00:00Z"},
		"2026-12-31":                {"2026-12-31T00:00:00Z", "2027-01-01T00:00:00Z"},
		"2026-11-14T08:30:00Z":      {"2026-11-14T08:30:00Z", "2026-11-14T08:30:00Z"},
		"2026-11-14T08:30:00+02:00": {"2026-11-14T06:30:00Z", "2026-11-14T06:30:00Z"},
		"":                          {}, "yesterday": {}, "2026-02-30": {}, "2026-11-14T08:30": {}, "14.11.2026": {},
	} {
		from, until, ok := lost.ParsePeriod(text)
		if !ok && want != [2]string{} || ok && want != [2]string{from.UTC().Format(time.RFC3339),
			until.UTC().Format(time.RFC3339)} {
			t.Errorf("%q: got %v to %v, %v", text, from, until, ok)
		}
	}
}

func TestAnIDHasItsKindAndLength(t *testing.T) {
	id := lost.NewID(lost.AuditID, time.Now())
	if !lost.IsID(lost.AuditID, id) {
		t.Errorf("%s is not recognized", id)
	}
	for _, text := range []string{"", "aud_", id[4:], id + "0", id[:len(id)-2], lost.NewID(lost.ItemID, time.Now()),
		"aud_" + "u" + id[5:]} {
		if lost.IsID(lost.AuditID, text) {
			t.Errorf("%s is taken for the id of an audit entry", text)
		}
	}
}

func TestTheFirstIDOfALaterTimeIsGreater(t *testing.T) {
	now := time.Now()
	for _, later := range []time.Time{now.AddDate(1, 0, 0), now.AddDate(1000, 0, 0), now.AddDate(7000, 0, 0)} {
		if first := lost.FirstID(lost.AuditID, later); first <= lost.NewID(lost.AuditID, now) {
			t.Errorf("the first id of %v is %s, which is not greater than one of today", later, first)
		}
	}
}
