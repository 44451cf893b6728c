package lost_test

import (
	"testing"

	"homeward/internal/lost"
)

func TestAnOriginIsAWebsiteAsBrowsersSendIt(t *testing.T) {
	for in, want := range map[string]string{
		"https://hotel.example": "https://hotel.example", "https://Hotel.Example/": "https://hotel.example",
		"https://hotel.example:443": "https://hotel.example", "http://localhost:3000": "http://localhost:3000",
		"http://hotel.example:80": "http://hotel.example", "https://hotel.example:8443": "https://hotel.example:8443",
		"": "", "*": "", "null": "", "hotel.example": "", "https://*.example": "", "https://hotel.example/book": "",
		"https://u:p@hotel.example": "", "https://hotel.example?x": "", "ftp://hotel.example": "",
		"https://hotel.example#x": "", "https://": "",
		"https://Hôtel.example":        "https://xn--htel-vqa.example",
		"https://xn--htel-vqa.example": "https://xn--htel-vqa.example",
		"https://straße.example:443":   "https://xn--strae-oqa.example",
		"http://hôtel.example:81/":     "http://xn--htel-vqa.example:81",
		"https://١.example":            "", "https://[fe80::1%25ö]": "",
	} {
		if got, ok := lost.ParseOrigin(in); ok != (want != "") || got != want {
			t.Errorf("ParseOrigin(%q) = %q, %t, want %q", in, got, ok, want)
		}
	}
}
