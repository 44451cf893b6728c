package i18n

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/language"
)

// counting returns a language with a single text. Tests use it instead of the catalogs, which translators may change.
func counting(t *testing.T, tag, writtenIn, entry string) *Language {
	t.Helper()
	m, err := parseMessage(json.RawMessage(entry))
	if err != nil {
		t.Fatal(err)
	}
	written := &Language{
		tag: writtenIn, rules: language.MustParse(writtenIn), numbers: Choose(tag).numbers,
		messages: map[string]message{"guest.days": m},
	}
	if tag == writtenIn {
		return written
	}
	return &Language{tag: tag, rules: language.MustParse(tag), numbers: Choose(tag).numbers, english: written}
}

func TestAPluralTextHasTheFormOfItsNumber(t *testing.T) {
	for _, tt := range []struct{ tag, writtenIn, entry, numbers, want string }{
		{
			"en", "en", `{"one": "{n} day", "other": "{n} days"}`, "0 1 2 21 1000",
			"0 days, 1 day, 2 days, 21 days, 1,000 days",
		},
		{"fr", "fr", `{"one": "{n} jour", "other": "{n} jours"}`, "0 1 2", "0 jour, 1 jour, 2 jours"},
		{"pt", "pt", `{"one": "{n} dia", "other": "{n} dias"}`, "0 1 2", "0 dia, 1 dia, 2 dias"},
		{"pl", "pl", `{"one": "dzień", "few": "{n} dni (few)", "many": "{n} dni (many)"}`, "0 1 2 5 12 22 25 101 104",
			"0 dni (many), dzień, 2 dni (few), 5 dni (many), 12 dni (many), 22 dni (few), 25 dni (many), 101 dni " +
				"(many), 104 dni (few)"},
		{"ja", "ja", `{"other": "{n}日"}`, "0 1 2", "0日, 1日, 2日"},
		{"de", "de", `{"one": "{n} Tag", "other": "{n} Tage"}`, "-1 -2", "-1 Tag, -2 Tage"},
		{"pl", "en", `{"one": "{n} day", "other": "{n} days"}`, "1 2 5", "1 day, 2 days, 5 days"}, // untranslated
	} {
		l := counting(t, tt.tag, tt.writtenIn, tt.entry)
		var texts []string
		for _, digits := range strings.Fields(tt.numbers) {
			var n int
			if _, err := fmt.Sscan(digits, &n); err != nil {
				t.Fatal(err)
			}
			texts = append(texts, l.Say("guest.days", "n", n))
		}
		if got := strings.Join(texts, ", "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.tag, got, tt.want)
		}
	}
}

func TestAPluralTextNeedsItsNumber(t *testing.T) {
	l := counting(t, "en", "en", `{"one": "{n} day", "other": "{n} days"}`)
	half := counting(t, "pl", "pl", `{"one": "dzień"}`)
	for want, call := range map[string]func(){
		"argument n is missing": func() { l.Say("guest.days") },
		"not a whole number":    func() { l.Say("guest.days", "n", "3") },
		"has no form for 3":     func() { half.Say("guest.days", "n", 3) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("panicked with %q, want %q", got, want)
				}
			}()
			call()
		}()
	}
}

func TestAWrongEntryIsRefused(t *testing.T) {
	for _, entry := range []string{
		`1`, `["a"]`, `{"one": 1}`, `{"single": "x"}`, `"{"`, `"a } b"`, `"{A}"`, `"{a b}"`, `{"other": "{{n}}"}`,
	} {
		if m, err := parseMessage(json.RawMessage(entry)); err == nil {
			t.Errorf("%s was parsed as %v, want an error", entry, m)
		}
	}
}

func TestNumberFormatsNeedMatchingExamples(t *testing.T) {
	for _, tt := range [][2]string{{"1,234.5", "12345"}, {"1,234.5", "12.345,6"}, {"1.234,5", "12 345,6"}, {"", ""}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q were accepted", tt)
				}
			}()
			numbersLike(tt[0], tt[1])
		}()
	}
}

func TestANumberHasTheDecimalSeparatorOfTheLanguage(t *testing.T) {
	for _, tt := range []struct {
		tag    string
		n      float64
		places int
		want   string
	}{
		{"en", 0.4, -1, "0.4"}, {"en", 12345.5, -1, "12,345.5"}, {"en", 12, 1, "12.0"}, {"en", -0.25, -1, "-0.25"},
		{"de", 1234.56, 1, "1.234,6"}, {"de", 3, -1, "3"}, {"en", 0, 1, "0.0"}, {"en", 99.96, 1, "100.0"},
	} {
		if got := Choose(tt.tag).Decimal(tt.n, tt.places); got != tt.want {
			t.Errorf("%s: %v with %d places: got %q, want %q", tt.tag, tt.n, tt.places, got, tt.want)
		}
	}
}

func TestAScriptGetsATextAsItIsInTheCatalog(t *testing.T) {
	for entry, want := range map[string]string{
		`"No items"`:    "map[:No items]",
		`"{name}: {n}"`: "map[:{name}: {n}]",
		`{"one": "One day", "other": "{n} days"}`: "map[one:One day other:{n} days]",
	} {
		if got := fmt.Sprint(counting(t, "pl", "en", entry).Source("guest.days")); got != want {
			t.Errorf("%s: got %s, want %s", entry, got, want)
		}
	}
}
