package lost_test

import (
	"strings"
	"testing"

	"homeward/internal/lost"
)

func TestPhoneNumbersAreInternationalAndStoredAsE164(t *testing.T) {
	for in, want := range map[string]string{
		"+49 30 901820":            "+4930901820",
		"+49 (0)30 901820":         "+4930901820",
		"+44 (0) 20":               "", // too short
		"+1 (415) 555-2671":        "+14155552671",
		"+1.415.555.2671":          "+14155552671",
		"+39 06 698":               "+3906698",
		"+48\u00a022\u00a01234567": "+48221234567",
		"+123456789012345":         "+123456789012345",
		"+1234567890123456":        "", // 16 digits
		"+123456":                  "", // 6 digits
		"0049 30 901820":           "+4930901820",
		"00 49 (0)30/901820":       "+4930901820",
		"+0049 30 901820":          "",
		"00":                       "",
		"00999 1234567":            "", // no such country code
		"030 901820":               "",
		"+999 1234567":             "", // no such country code
		"+210 1234567":             "",
		"+0 1234567":               "",
		"+49 30 90182O":            "",
		"+49 30 901820 ext 5":      "",
		"++49 30 901820":           "",
		"+":                        "",
		"":                         "",
	} {
		got, ok := lost.ParsePhone(in)
		if ok != (want != "") || ok && got != want {
			t.Errorf("ParsePhone(%q) = %q, %v; want %q", in, got, ok, want)
		}
	}
}

func TestEMailAddressesAreBareAndHaveAFullDomain(t *testing.T) {
	for in, want := range map[string]bool{
		"anna@example.com":                       true,
		"a.b+c@sub.example.co.uk":                true,
		"jürgen@müller.example":                  true,
		"o'neil@example.com":                     true,
		"anna@example":                           false,
		"anna@localhost":                         true,
		"Anna <anna@example.com>":                false,
		"anna@example.com, b@example.com":        false,
		"anna@@example.com":                      false,
		"anna@-example.com":                      false,
		"anna@example..com":                      false,
		"a\u200b@example.com":                    false,
		"anna@127.0.0.1":                         false,
		"anna@exam_ple.com":                      false,
		"anna@[127.0.0.1]":                       false,
		`"a b"@example.com`:                      false,
		"anna@example.com\r\nBcc: x@y.example":   false,
		"@example.com":                           false,
		"anna":                                   false,
		"":                                       false,
		strings.Repeat("a", 65) + "@example.com": false,
		"a@" + strings.Repeat("b.", 130) + "com": false,
	} {
		if _, ok := lost.ParseEmail(in); ok != want {
			t.Errorf("ParseEmail(%q) = %v, want %v", in, ok, want)
		}
	}
}

func TestCountriesAreISOCodesInAnyCase(t *testing.T) {
	known := 0
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			if _, ok := lost.ParseCountry(string(a) + string(b)); ok {
				known++
			}
		}
	}
	if known != 249 {
		t.Errorf("got %d countries, want 249", known)
	}
	for in, want := range map[string]string{
		"DE": "DE", "de": "DE", "gB": "GB", "UK": "", "SU": "", "UN": "", "XX": "", "D": "", "DEU": "", "": "",
		"D ": "", " D": "", "ıt": "", "ßs": "",
	} {
		got, ok := lost.ParseCountry(in)
		if ok != (want != "") || ok && got != want {
			t.Errorf("ParseCountry(%q) = %q, %v; want %q", in, got, ok, want)
		}
	}
}

func TestDatesExist(t *testing.T) {
	for in, want := range map[string]bool{
		"2026-11-15": true, "2024-02-29": true, "2023-02-29": false, "2026-13-01": false, "2026-00-10": false,
		"2026-1-5":   false,
		"0000-01-01": false, "9999-12-31": true, "15.11.2026": false, "2026-11-15T00:00:00Z": false, "": false,
		"10000-01-01": false,
	} {
		if _, ok := lost.ParseDate(in); ok != want {
			t.Errorf("ParseDate(%q) = %v, want %v", in, ok, want)
		}
	}
}

func TestURLsHaveAHost(t *testing.T) {
	for in, want := range map[string]bool{
		"https://example.com": true, "http://example.com:8080/x?y=z#f": true, "https://münchen.example/ä": true,
		"http://localhost:3000": true, "http://10.0.0.1/": true,
		"http://[::1]:80/": true, "http://.": false, "http://-": false, "http://x..de": false,
		"http://x.de:99999/": false, "http://x.de:0/": false, "http://": false,
		"ftp://example.com": false, "example.com": false, "//example.com": false, "https://exa mple.com": false,
		"javascript:alert(1)": false, "https://a\u200b.de": false,
	} {
		_, err := lost.NewLocation("acc_1", lost.LocationPatch{Name: lost.Set("x"), Website: lost.Set(in)}, noon)
		if (err == nil) != want {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestTimeZonesAreIANANames(t *testing.T) {
	for in, want := range map[string]bool{
		"Europe/Berlin": true, "UTC": true, "America/Argentina/Buenos_Aires": true, "localtime": false, "Local": false,
		"posixrules": false, "Factory": false,
		"posix/Europe/Berlin": false, "right/Europe/Berlin": false, "Mars/Olympus": false, "../etc/passwd": false,
	} {
		_, err := lost.NewLocation("acc_1", lost.LocationPatch{Name: lost.Set("x"), TimeZone: lost.Set(in)}, noon)
		if (err == nil) != want {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestInvisibleNamesAreRejected(t *testing.T) {
	for _, name := range []string{"", "  ", "\u200b", "\ufeff \u2060"} {
		if _, err := lost.NewLocation("acc_1", lost.LocationPatch{Name: lost.Set(name)}, noon); err == nil {
			t.Errorf("%q was accepted as a name", name)
		}
	}
}
