package i18n_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/i18n"
)

func TestTheFirstSupportedPreferenceDecides(t *testing.T) {
	for _, tt := range []struct {
		preferences []string
		want        string
	}{
		{nil, "en"},
		{[]string{""}, "en"},
		{[]string{"de"}, "de"},
		{[]string{"DE-at"}, "de"},
		{[]string{"de_CH"}, "de"},
		{[]string{"gsw-CH"}, "de"},
		{[]string{"pt-BR"}, "pt"},
		{[]string{"zh-TW"}, "zh"},
		{[]string{"zh-Hant-HK"}, "zh"},
		{[]string{"cmn-Hans"}, "zh"},
		{[]string{"sv"}, "en"},
		{[]string{"sv", "fr"}, "fr"},
		{[]string{"", "", "ja-JP"}, "ja"},
		{[]string{"it", "pl"}, "it"},
		{[]string{"eng"}, "en"}, // not a supported tag, so it falls back to English
		{[]string{"deu", "nl"}, "nl"},
		{[]string{"de-CH,de;q=0.9,en;q=0.8"}, "de"},
		{[]string{"en;q=0.3, fr;q=0.8 ,nl;q=0.5"}, "fr"},
		{[]string{"en;q=0.8,fr;q=0.8"}, "en"},
		{[]string{"sv,nb;q=0.9,es;q=0.2"}, "es"},
		{[]string{"sv,nb;q=0.9", "it"}, "it"},
		{[]string{"de;q=0", "pl"}, "pl"},
		{[]string{"de;q=0,fr;q=0.001"}, "fr"},
		{[]string{"*", "pl"}, "pl"},
		{[]string{"de ; Q = 0.5 , nl ; q=0.4"}, "de"},
		{[]string{"de;q=nan,nl;q=0.1"}, "nl"},
		{[]string{"de;q=inf", "nl"}, "nl"},
		{[]string{"de;q=2", "nl"}, "nl"},
		{[]string{"de;q=-1", "nl"}, "nl"},
		{[]string{"de;level=1", "nl"}, "nl"},
	} {
		if got := i18n.Choose(tt.preferences...).Tag(); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.preferences, got, tt.want)
		}
	}
}

func TestEveryLanguageIsChosenByItsTagAndCreatedOnce(t *testing.T) {
	if want := strings.Fields("en de fr es it pt nl pl ja zh"); !slices.Equal(i18n.Tags(), want) {
		t.Errorf("languages %q, want %q", i18n.Tags(), want)
	}
	i18n.Tags()[0] = "xx" // changes a copy, not the original
	for _, tag := range i18n.Tags() {
		l := i18n.Choose(tag)
		if l.Tag() != tag || l.Dir() != "ltr" {
			t.Errorf("Choose(%q): got %s with direction %s", tag, l.Tag(), l.Dir())
		}
		if i18n.Choose("sv", tag+"-XX;q=0.1") != l {
			t.Errorf("%s was created twice", tag)
		}
	}
}

func TestHostileHeadersCostLittle(t *testing.T) {
	const size = 10_000
	i18n.Choose() // creates the languages, so that their allocations are not counted
	for name, header := range map[string]string{
		"commas":           strings.Repeat(",", size),
		"dashes":           strings.Repeat("-", size),
		"one long tag":     strings.Repeat("x", size),
		"subtags":          strings.Repeat("de-", size/3),
		"languages":        strings.Repeat("xx,", size/3),
		"long weight":      "de;q=" + strings.Repeat("9", size),
		"parameters":       "de" + strings.Repeat(";q=1", size/4),
		"binary":           strings.Repeat("\x00\xff", size/2),
		"two-byte letters": strings.Repeat("İ", size/2),
		"quotes and signs": strings.Repeat(`"'<>{}%=;,`, size/10),
	} {
		t.Run(name, func(t *testing.T) {
			if l := i18n.Choose(header, "nl"); l == nil || !slices.Contains([]string{"de", "nl"}, l.Tag()) {
				t.Errorf("the language is %v", l)
			}
			if n := testing.AllocsPerRun(10, func() { i18n.Choose(header) }); n > 50 {
				t.Errorf("%v allocations", n)
			}
		})
	}
	if got := i18n.Choose(strings.Repeat("xx,", size)+"de", "nl").Tag(); got != "nl" {
		t.Errorf("a header was read to its end: got %s, want nl", got)
	}
}

func TestANumberInATextIsFormattedInItsLanguage(t *testing.T) {
	for tag, want := range map[string]string{
		"en": "7 1,234 12,345 -1,234,567",
		"de": "7 1.234 12.345 -1.234.567",
		"fr": "7 1\u202f234 12\u202f345 -1\u202f234\u202f567",
		"es": "7 1234 12.345 -1.234.567",
		"it": "7 1.234 12.345 -1.234.567",
		"pt": "7 1.234 12.345 -1.234.567",
		"nl": "7 1.234 12.345 -1.234.567",
		"pl": "7 1234 12\u00a0345 -1\u00a0234\u00a0567",
		"ja": "7 1,234 12,345 -1,234,567",
		"zh": "7 1,234 12,345 -1,234,567",
	} {
		var texts []string
		for _, n := range []int{7, 1234, 12345, -1234567} {
			texts = append(texts,
				strings.Trim(i18n.Choose(tag).Say("common.money.sign", "amount", n, "symbol", ""), "\u00a0"))
		}
		if got := strings.Join(texts, " "); got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
}

// named is a named string type, like many types in the domain.
type named string

func TestAnArgumentIsInsertedUnchanged(t *testing.T) {
	l := i18n.Choose("en")
	for _, tt := range []struct {
		a, b any
		want string
	}{
		{"<b>&</b>", `"x"`, `<b>&</b> and "x"`},
		{"{b}", "{a}", "{b} and {a}"}, // looks like a placeholder, but is not one
		{named("this"), int64(1000), "this and 1,000"},
		{time.March, 90 * time.Second, "March and 1m30s"},
		{"", "", " and "},
	} {
		if got := l.Say("common.list.and", "a", tt.a, "b", tt.b); got != tt.want {
			t.Errorf("%v and %v: %q, want %q", tt.a, tt.b, got, tt.want)
		}
	}
	if got := l.Say("common.list.and", "b", "2", "unused", 3, "a", "1"); got != "1 and 2" {
		t.Errorf("in another order, with an extra argument: %q", got)
	}
}

func TestAWrongCallPanics(t *testing.T) {
	l := i18n.Choose("de")
	for want, call := range map[string]func(){
		"guest.nothing":      func() { l.Say("guest.nothing") },
		"argument b":         func() { l.Say("common.list.and", "a", "1") },
		"names and values":   func() { l.Say("common.list.and", "a", "1", "b") },
		"neither a text nor": func() { l.Say("common.list.and", "a", "1", "b", 1.5) },
		"a <nil>, neither":   func() { l.Say("common.list.and", "a", "1", "b", nil) },
	} {
		t.Run(want, func(t *testing.T) {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("panicked with %q, want %q", got, want)
				}
			}()
			call()
		})
	}
}

func TestDatesAreInTheLanguagesOwnOrderAndCase(t *testing.T) {
	for _, tt := range []struct{ tag, date, dayMonth, first string }{
		{"en", "Friday 20 November 2026", "20 November", "Sunday 1 March 2026"},
		{"de", "Freitag, 20. November 2026", "20. November", "Sonntag, 1. März 2026"},
		{"fr", "vendredi 20 novembre 2026", "20 novembre", "dimanche 1er mars 2026"},
		{"es", "viernes, 20 de noviembre de 2026", "20 de noviembre", "domingo, 1 de marzo de 2026"},
		{"it", "venerdì 20 novembre 2026", "20 novembre", "domenica 1º marzo 2026"},
		{"pt", "sexta-feira, 20 de novembro de 2026", "20 de novembro", "domingo, 1º de março de 2026"},
		{"nl", "vrijdag 20 november 2026", "20 november", "zondag 1 maart 2026"},
		{"pl", "piątek, 20 listopada 2026", "20 listopada", "niedziela, 1 marca 2026"},
		{"ja", "2026年11月20日(金)", "11月20日", "2026年3月1日(日)"},
		{"zh", "2026年11月20日星期五", "11月20日", "2026年3月1日星期日"},
	} {
		l := i18n.Choose(tt.tag)
		if got := l.Date("2026-11-20"); got != tt.date {
			t.Errorf("%s: %q, want %q", tt.tag, got, tt.date)
		}
		if got := l.DayMonth("2026-11-20"); got != tt.dayMonth {
			t.Errorf("%s: %q, want %q", tt.tag, got, tt.dayMonth)
		}
		if got := l.Date("2026-03-01"); got != tt.first {
			t.Errorf("%s: %q, want %q", tt.tag, got, tt.first)
		}
	}
}

func TestEveryDayHasItsMonthAndWeekday(t *testing.T) {
	l := i18n.Choose("en")
	for day := time.Date(2027, 12, 25, 0, 0, 0, 0, time.UTC); day.Year() < 2029; day = day.AddDate(0, 0, 1) {
		if got, want := l.Date(day.Format(time.DateOnly)), day.Format("Monday 2 January 2006"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAnInvalidDayIsReturnedUnchanged(t *testing.T) {
	for _, day := range []string{"", "soon", "2026-02-30", "2026-11-20T10:00:00Z"} {
		if got := i18n.Choose("de").Date(day) + i18n.Choose("ja").DayMonth(day); got != day+day {
			t.Errorf("%q was formatted as %q", day, got)
		}
	}
}

func TestTimesUseTheTwentyFourHourClock(t *testing.T) {
	for _, tag := range i18n.Tags() {
		if got := i18n.Choose(tag).Time("14:30"); got != "14:30" {
			t.Errorf("%s: %q", tag, got)
		}
	}
}

func TestMoneyIsFormattedInTheLanguage(t *testing.T) {
	for tag, want := range map[string]string{
		"en": "€12.50 CHF_1,234.00 ¥500",
		"de": "12,50_€ 1.234,00_CHF 500_¥",
		"fr": "12,50_€ 1\u202f234,00_CHF 500_¥",
		"es": "12,50_€ 1234,00_CHF 500_¥",
		"it": "12,50_€ 1.234,00_CHF 500_¥",
		"pt": "€_12,50 CHF_1.234,00 ¥_500",
		"nl": "€_12,50 CHF_1.234,00 ¥_500",
		"pl": "12,50_€ 1234,00_CHF 500_¥",
		"ja": "€12.50 CHF_1,234.00 ¥500",
		"zh": "€12.50 CHF_1,234.00 JP¥500",
	} {
		l := i18n.Choose(tag)
		got := l.Money(1250, "EUR") + " " + l.Money(123400, "CHF") + " " + l.Money(500, "JPY")
		if want = strings.ReplaceAll(want, "_", "\u00a0"); got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
}

func TestMoneyHasTheDecimalsOfItsCurrency(t *testing.T) {
	en, pl := i18n.Choose("en"), i18n.Choose("pl")
	for got, want := range map[string]string{
		en.Money(0, "EUR"):                    "€0.00",
		en.Money(5, "EUR"):                    "€0.05",
		en.Money(-5, "EUR"):                   "-€0.05",
		en.Money(123456789, "USD"):            "$1,234,567.89",
		en.Money(1500, "KRW"):                 "KRW\u00a01,500",
		en.Money(1500, "KWD"):                 "KWD\u00a01.500",
		en.Money(7, "TND"):                    "TND\u00a00.007",
		en.Money(1250, "PLN"):                 "PLN\u00a012.50",
		pl.Money(1250, "PLN"):                 "12,50\u00a0zł",
		en.Money(-9223372036854775808, "JPY"): "-¥9,223,372,036,854,775,808",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestListsUseTheLanguagesConjunction(t *testing.T) {
	for tag, want := range map[string]string{
		"en": "a, b and c", "de": "a, b und c", "fr": "a, b et c", "es": "a, b y c", "it": "a, b e c",
		"pt": "a, b e c", "nl": "a, b en c", "pl": "a, b i c", "ja": "a、b、c", "zh": "a、b和c",
	} {
		if got := i18n.Choose(tag).List([]string{"a", "b", "c"}); got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
	l := i18n.Choose("en")
	for want, items := range map[string][]string{
		"": nil, "a": {"a"}, "a and b": {"a", "b"}, "{a}, {b} and {b}": {"{a}", "{b}", "{b}"},
	} {
		if got := l.List(items); got != want {
			t.Errorf("%q: %q, want %q", items, got, want)
		}
	}
}

func TestCountriesHaveTheirCurrentNames(t *testing.T) {
	for _, tt := range []struct{ tag, code, want string }{
		{"en", "DE", "Germany"}, {"de", "DE", "Deutschland"}, {"fr", "DE", "Allemagne"}, {"es", "DE", "Alemania"},
		{"it", "DE", "Germania"}, {"pt", "DE", "Alemanha"}, {"nl", "DE", "Duitsland"}, {"pl", "DE", "Niemcy"},
		{"ja", "DE", "ドイツ"}, {"zh", "DE", "德国"},
		{"en", "MK", "North Macedonia"}, {"en", "SZ", "Eswatini"}, {"pl", "MK", "Macedonia Północna"},
		{"en", "XX", "XX"}, {"en", "", ""}, {"en", "EU", "EU"}, {"en", "nowhere", "nowhere"},
	} {
		if got := i18n.Choose(tt.tag).Country(tt.code); got != tt.want {
			t.Errorf("%s in %s: %q, want %q", tt.code, tt.tag, got, tt.want)
		}
	}
}

func TestCountriesAreSortedAsReadersExpect(t *testing.T) {
	for tag, want := range map[string]string{
		"en": "AF AX AL", // in English, Å sorts like A
		"de": "EG AL AT CZ TR",
		"fr": "DE EG ES US",
		"es": "ES EE ET",
		"pl": "LU LV MT",             // Ł comes after L
		"ja": "IS AZ GH CV CA KE ZA", // a long vowel sorts as that vowel: ガーナ is カアナ
		"zh": "AL EG DK DE CN",
	} {
		codes := strings.Fields(want)
		slices.Sort(codes)
		before := slices.Clone(codes)
		var got []string
		for _, c := range i18n.Choose(tag).Countries(codes) {
			got = append(got, c.Code)
			if c.Name != i18n.Choose(tag).Country(c.Code) {
				t.Errorf("%s: %s is named %q", tag, c.Code, c.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q: %v", tag, got, want, i18n.Choose(tag).Countries(codes))
		}
		if !slices.Equal(codes, before) {
			t.Errorf("%s: the caller's codes were changed", tag)
		}
	}
}

func TestALanguageIsSafeForConcurrentUse(t *testing.T) {
	done := make(chan string)
	for range 8 {
		go func() {
			var all strings.Builder
			for _, tag := range i18n.Tags() {
				l := i18n.Choose(tag)
				fmt.Fprint(&all, l.Countries([]string{"PL", "DE", "JP"}), l.Date("2026-11-20"), l.Money(1250, "EUR"))
			}
			done <- all.String()
		}()
	}
	first := <-done
	for range 7 {
		if another := <-done; another != first {
			t.Errorf("different results: %q and %q", first, another)
		}
	}
}

func TestCountryOfABrowser(t *testing.T) {
	for header, want := range map[string]string{
		"de-AT,de;q=0.9,en;q=0.8": "AT", "ja,en-US;q=0.9": "JP", "pl": "PL", "en-GB": "GB", "en,de-DE": "", "en": "",
		"": "", "*": "", "de-XX;q=1": "", "fr-419": "", "x, y": "",
	} {
		if got := i18n.CountryOf(header); got != want {
			t.Errorf("CountryOf(%q): got %q, want %q", header, got, want)
		}
	}
}
