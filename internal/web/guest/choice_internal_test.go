package guest

import (
	"testing"
	"time"
)

func TestTheNextHalfHourIsThatOfTheClock(t *testing.T) {
	now := time.Date(2026, 11, 19, 10, 10, 0, 0, time.UTC)
	for zone, want := range map[string]string{
		"UTC": "10:30", "Europe/Berlin": "11:30", "Asia/Kathmandu": "16:00", "Asia/Kolkata": "16:00",
	} {
		place, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := nextHalfHour(now.In(place)).Format("15:04"); got != want {
			t.Errorf("%s: got %s, want %s", zone, got, want)
		}
	}
	if at := now.Truncate(time.Hour); !nextHalfHour(at).Equal(at) {
		t.Errorf("a full hour became %s", nextHalfHour(at))
	}
}
