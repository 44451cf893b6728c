package lost_test

import (
	"testing"

	"homeward/internal/lost"
)

// phoneSpellings lists spellings of numbers that people write into notes, by the number in E.164 format.
var phoneSpellings = []struct {
	number    string
	spellings []string
}{
	{"+4930901820", []string{ // Germany
		"+4930901820", "+49 30 901820",
		"+49 (0)30 901820", "+49 (0) 30 / 90 18 20", "+49(0)30-901820", "+49 030 901820",
		"0049(0)30 901820", "0049 30 901820", "0049-(0)30-90-18-20", "(0049) 30 901820", "(+49) 30 901820",
		"+(49) 30 901820", "+ 49 30 901820", "[+49] 30 901820", "49 30 901820", "49 (0)30 901820", "030 901820",
		"030/901820", "(030) 901820", "(030) - 90 18 20", "030 – 901820",
		"030—901820", "030‑901820", "030−901820",
		"030.90.18.20", "030\u00a0901820", "030\u202f90\u202f18\u202f20", "+49.30.901820", "+49/30/901820",
		"+\u202a49 30 901820", "+49\u200e 30\u202c901820", "٠٣٠ ٩٠١٨٢٠", "030\t901820",
		"030 · 901820", "+49 [0] 30 901820",
	}},
	{"+493012345", []string{"030 12345", "(030) 12345", "+49 (0)30 12345", "0049 30 123 45"}},
	{"+43664123456", []string{"+43 (0)664 123456", "0664/123456", "0664-12 34 56", "0043 664 12 34 56"}},
	{"+41442345678", []string{"+41 (0)44 234 56 78", "044 234 56 78", "0041 44 234 56 78", "044.234.56.78"}},
	{"+442079460018", []string{
		"+44 (0)20 7946 0018", "020 7946 0018", "(020) 7946 0018", "0044 (0) 20 7946 0018", "+44-20-7946-0018",
	}},
	{"+33142685300", []string{
		"+33 (0)1 42 68 53 00", "01 42 68 53 00", "01.42.68.53.00", "01-42-68-53-00", "0033 1 42 68 53 00",
		"+33 1 42 68 53 00",
	}},
	{"+390612345678", []string{ // Italy: the zero belongs to the number
		"+39 06 1234 5678", "06 12345678", "06/12345678", "0039 06 12345678", "+39 6 12345678",
	}},
	{"+34911234567", []string{"+34 911 234 567", "911 23 45 67", "0034 91 123 45 67", "911.234.567"}},
	{"+48221234567", []string{"+48 22 123-45-67", "22 123 45 67", "(22) 123-45-67",
		"0048 (22) 123 45 67", "022 1234567"}},
	{"+31201234567", []string{"+31 (0)20 123 4567", "020-1234567", "020 – 123 45 67", "0031(0)201234567"}},
	{"+12125551234", []string{ // the United States
		"+1 (212) 555-1234", "(212) 555-1234", "212.555.1234", "1-212-555-1234", "011 1 212 555 1234", "212 555 – 1234",
	}},
	{"+74951234567", []string{"8 (495) 123-45-67", "+7 495 123 45 67", "8-495-123-45-67", "007 495 1234567"}},
	{"+3612345678", []string{"06 1 234 5678", "+36 (1) 234-5678", "0036 1 234 5678", "(06-1) 234-5678"}},
	{"+81312345678", []string{"03-1234-5678", "０３－１２３４－５６７８", "+81 3 1234 5678", "03ー1234ー5678", "010 81 3 1234 5678",
		"（03）1234-5678"}},
	{"+61291234567", []string{"(02) 9123 4567", "+61 (0)2 9123 4567", "0011 61 2 9123 4567", "02 9123-4567"}},
	{"+97235551234", []string{"03-555-1234", "+972-3-555-1234", "+972 (0)3 555 1234", "00972 3 5551234"}},
}

func TestAPhoneNumberIsFoundInEverySpelling(t *testing.T) {
	n := 0
	for _, c := range phoneSpellings {
		for _, written := range c.spellings {
			n++
			text, want := "Room 12, tel. "+written+", call after 18:00.", "Room 12, tel. [removed], call after 18:00."
			if got := lost.RemoveNames(text, c.number); got != want {
				t.Errorf("RemoveNames(%q, %s) = %q, want %q", text, c.number, got, want)
			}
			text, want = "0171 5550199 "+written+"\n0171 5550199", "0171 5550199 [removed]\n0171 5550199"
			if got := lost.RemoveNames(text, c.number); got != want {
				t.Errorf("RemoveNames(%q, %s) = %q, want %q", text, c.number, got, want)
			}
		}
	}
	if n < 40 || len(phoneSpellings) < 10 {
		t.Errorf("%d spellings in %d countries", n, len(phoneSpellings))
	}
}

func TestOtherNumbersAreNotRemoved(t *testing.T) {
	for _, text := range []string{
		"+49 (0)30 901821", "0049 31 901820", "+43 (0)30 901820",
		"030 9018200", "1030 901820", "+49 30 9018201",
		"901820", "18 20", "2026-11-16 09:01:20", "EUR 9018.20", "+1 30 901820", "0043 30 901820",
		"reference 4930-9018-21", "(0)30",
	} {
		if got := lost.RemoveNames(text, "+4930901820"); got != text {
			t.Errorf("RemoveNames(%q) = %q", text, got)
		}
	}
}

func TestOnlyWholePhoneNumbersAreRemovedFromCodes(t *testing.T) {
	for _, c := range []struct {
		number string
		texts  []string
		want   string
	}{
		{"+12125551234", []string{
			"+12125551234", "+1 (212) 555-1234", "0012125551234", "1-212-555-1234", "212 555 1234", "12125551234",
		}, "[removed]"},
		{"+12125551234", []string{"5551234", "555-1234", "125551234", "A-5551234", "Shelf 555 1234", "2025551234"}, ""},
		{"+4930901820", []string{
			"+49 30 901820", "004930901820", "030 901820", "030/901820", "4930901820",
		}, "[removed]"},
		{"+4930901820", []string{"30901820", "930901820", "901820", "0901820", "54930901820"}, ""},
		{"+2908123", []string{"+290 8123", "00290 8123"}, "[removed]"},
		{"+2908123", []string{"2908123", "08123", "8123"}, ""},
	} {
		for _, text := range c.texts {
			want := c.want
			if want == "" {
				want = text
			}
			if got := lost.RemoveNamesFromCode(text, c.number); got != want {
				t.Errorf("RemoveNamesFromCode(%q, %s) = %q, want %q", text, c.number, got, want)
			}
		}
	}
}

func TestATypedPhoneNumberIsUnderstood(t *testing.T) {
	for _, c := range []struct {
		typed     string
		countries []string
		want      string
	}{
		{"+49 (0)30 901820", nil, "+4930901820"},
		{"0049(0)30 901820", nil, "+4930901820"},
		{"(+49) 30 – 90 18 20", nil, "+4930901820"},
		{"0049 30 901820", []string{"FR", "US"}, "+4930901820"},
		{"030 901820", []string{"DE"}, "+4930901820"},
		{"030 901820", []string{"DE", "AT"}, ""},
		{"030 901820", nil, ""},
		{"(212) 555-1234", []string{"US", "CA"}, "+12125551234"},
		{"8 (495) 123-45-67", []string{"RU"}, "+74951234567"},
		{"030 901820 or 0171 123", []string{"DE"}, ""},
		{"call 030 901820", []string{"DE"}, ""},
		{"12", []string{"DE"}, ""},
	} {
		if got, ok := lost.ParseTypedPhone(c.typed, c.countries); got != c.want || ok != (c.want != "") {
			t.Errorf("ParseTypedPhone(%q, %q) = %q, %t; want %q", c.typed, c.countries, got, ok, c.want)
		}
	}
}

func TestACompleteNationalNumberIsUnderstood(t *testing.T) {
	for _, c := range []struct{ country, number, want string }{
		{"DE", "030 901820", "+4930901820"},
		{"DE", "(0171) 123 45 67", "+491711234567"},
		{"DE", "+43 1 58858", "+43158858"},
		{"DE", "0043 1 58858", "+43158858"},
		{"DE", "30 901820", ""},    // the area code may be missing
		{"DE", "49 30 901820", ""}, // 49 may be the country or the beginning of a number
		{"DE", "0", ""},
		{"FR", "01 42 68 53 00", "+33142685300"},
		{"FR", "1 42 68 53 00", ""},
		{"FR", "01 42 68 53 0", ""},
		{"GB", "020 7946 0018", "+442079460018"},
		{"IT", "06 698 83712", "+390669883712"}, // the zero stays
		{"IT", "347 123 4567", "+393471234567"},
		{"IT", "39 06 69883712", ""},
		{"ES", "912 34 56 78", "+34912345678"},
		{"ES", "34 912 34 56 78", ""},
		{"PL", "22 123 45 67", "+48221234567"},
		{"DK", "32 12 34 56", "+4532123456"},
		{"HU", "06 1 234 5678", "+3612345678"},
		{"RU", "8 (495) 123-45-67", "+74951234567"},
		{"RU", "495 123-45-67", ""},
		{"US", "(212) 555-1234", "+12125551234"},
		{"US", "1-212-555-1234", "+12125551234"},
		{"US", "555-1234", ""},
		{"BR", "11 91234-5678", ""}, // this plan is not known
		{"", "030 901820", ""},
		{"XX", "030 901820", ""},
	} {
		if got, ok := lost.ParsePhoneIn(c.number, c.country); got != c.want || ok != (c.want != "") {
			t.Errorf("ParsePhoneIn(%q, %q) = %q, %t; want %q", c.number, c.country, got, ok, c.want)
		}
	}
}

func TestATrunkZeroDoesNotMakeAnotherNumber(t *testing.T) {
	if !lost.SameAddress("+49030901820", "+4930901820") || lost.SameAddress("+4930901820", "+4330901820") {
		t.Error("numbers with and without a trunk zero differ")
	}
}
