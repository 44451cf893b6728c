package i18n_test

import (
	"slices"
	"testing"

	"homeward/internal/i18n"
)

func TestAnAddressHasTheFormatOfItsCountry(t *testing.T) {
	for _, c := range []struct {
		language string
		address  i18n.Address
		want     []string
	}{
		{"en", i18n.Address{Name: "Anna", Line1: "Seestraße 1", ZipCode: "14467", City: "Potsdam", Country: "DE"},
			[]string{"Anna", "Seestraße 1", "14467 Potsdam", "Germany"}},
		{"de",
			i18n.Address{
				Company: "Acme", Line1: "1 Main St", Line2: "Floor 2", City: "New York", State: "NY", ZipCode: "10001",
				Country: "US",
			}, []string{"Acme", "1 Main St", "Floor 2", "New York, NY 10001", "Vereinigte Staaten"}},
		{"en", i18n.Address{City: "Hong Kong"}, []string{"Hong Kong"}},
		{"en", i18n.Address{}, nil},
	} {
		if got := i18n.Choose(c.language).Address(c.address); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.address, got, c.want)
		}
	}
}
