package i18n_test

import (
	"errors"
	"testing"

	"homeward/internal/i18n"
)

func TestAmountsAreReadAsPeopleWriteThem(t *testing.T) {
	for _, c := range []struct {
		tag, text, currency string
		want                int64
		err                 error
	}{
		{"en", "12.50", "EUR", 1250, nil},
		{"en", "12,50", "EUR", 1250, nil},
		{"de", "12.5", "EUR", 1250, nil},
		{"de", "12,50", "EUR", 1250, nil},
		{"de", "1.234,50", "EUR", 123450, nil},
		{"en", "1.234,50", "EUR", 123450, nil},
		{"en", "1,234.5", "EUR", 123450, nil},
		{"fr", "1\u202f234,50", "EUR", 123450, nil},
		{"de", "1'234.50", "CHF", 123450, nil},
		{"en", " 7 ", "EUR", 700, nil},
		{"en", "1,234,567", "EUR", 123456700, nil},
		{"en", "1,234", "EUR", 0, i18n.ErrAmbiguous},
		{"de", "1.234", "EUR", 0, i18n.ErrAmbiguous},
		{"de", "1,234", "EUR", 0, i18n.ErrAmbiguous},
		{"ja", "1,234", "JPY", 1234, nil},
		{"de", "1.234", "JPY", 1234, nil},
		{"en", "1.234", "KWD", 1234, nil},
		{"de", "1.234", "KWD", 0, i18n.ErrAmbiguous},
		{"de", "1,234", "KWD", 1234, nil},
		{"de", "0.234", "KWD", 234, nil},
		{"en", "0,5", "KWD", 500, nil},
		{"en", "1.5", "JPY", 0, i18n.ErrNotNumber},
		{"en", "12.505", "EUR", 0, i18n.ErrAmbiguous},
		{"en", "1,23,456", "EUR", 0, i18n.ErrNotNumber},
		{"en", "12 50", "EUR", 0, i18n.ErrNotNumber},
		{"en", "-5", "EUR", 0, i18n.ErrNotNumber},
		{"en", "", "EUR", 0, i18n.ErrNotNumber},
		{"en", ".50", "EUR", 0, i18n.ErrNotNumber},
		{"en", "1.234,567", "EUR", 0, i18n.ErrNotNumber},
		{"en", "1e3", "EUR", 0, i18n.ErrNotNumber},
		{"en", "99999999999999999999", "EUR", 0, i18n.ErrNotNumber},
	} {
		got, err := i18n.Choose(c.tag).ParseAmount(c.text, c.currency)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s %q %s: got %d, %v; want %d, %v", c.tag, c.text, c.currency, got, err, c.want, c.err)
		}
	}
}

func TestAmountsOfAFormAreReadBack(t *testing.T) {
	for _, tag := range i18n.Tags() {
		l := i18n.Choose(tag)
		for _, currency := range []string{"EUR", "JPY", "KWD"} {
			for _, minor := range []int64{0, 5, 690, 1234, 123456, 123456789} {
				text := l.FormAmount(minor, currency)
				if got, err := l.ParseAmount(text, currency); got != minor || err != nil {
					t.Errorf("%s: %d %s is written as %q and read as %d, %v", tag, minor, currency, text, got, err)
				}
			}
		}
	}
	if got := i18n.Choose("de").FormAmount(123450, "EUR"); got != "1234,50" {
		t.Errorf("got %s", got)
	}
}
