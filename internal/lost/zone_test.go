package lost_test

import (
	"testing"
	"time"

	"homeward/internal/lost"
)

func TestZoneOfCountriesWithOneTimeZone(t *testing.T) {
	for country, want := range map[string]string{
		"DE": "Europe/Berlin", "JP": "Asia/Tokyo", "IE": "Europe/Dublin", "US": "", "AU": "", "": "", "XX": "",
	} {
		if got := lost.ZoneOf(country); got != want {
			t.Errorf("%s: %q, want %q", country, got, want)
		}
	}
	count := 0
	for _, country := range lost.Countries() {
		if name := lost.ZoneOf(country); name != "" {
			count++
			if _, err := time.LoadLocation(name); err != nil {
				t.Error(country, err)
			}
		}
	}
	if count < 150 {
		t.Errorf("only %d countries have a time zone, want at least 150", count)
	}
}
