package i18n_test

import (
	"slices"
	"strings"
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

func TestNamesAndAddressFieldsHaveTheOrderOfTheLanguage(t *testing.T) {
	for tag, want := range map[string]string{
		"de": "Hanako Yamada; owner.firstName owner.lastName email address1 address2 zipCode city state",
		"ja": "Hanako Yamada; owner.lastName owner.firstName email zipCode state city address1 address2",
		"zh": "Hanako Yamada; owner.lastName owner.firstName email state city address1 address2 zipCode",
	} {
		l := i18n.Choose(tag)
		fields := strings.Fields("owner.firstName owner.lastName email address1 address2 zipCode city state")
		i18n.ArrangeFields(l, fields, func(name string) string { return name })
		if got := l.FullName("Hanako", "Yamada") + "; " + strings.Join(fields, " "); got != want {
			t.Errorf("%s: got %s, want %s", tag, got, want)
		}
		if got := l.FullName("", "Yamada"); got != "Yamada" {
			t.Errorf("%s: got %q for a family name only", tag, got)
		}
	}
	for tag, want := range map[string]string{"de": "花子/花子 山田", "ja": "山田/山田 花子", "zh": "山田花子/山田花子"} {
		l := i18n.Choose(tag)
		if got := l.GreetingName("花子", "山田") + "/" + l.FullName("花子", "山田"); got != want {
			t.Errorf("%s: got %s, want %s", tag, got, want)
		}
	}
}

func TestPartsAreJoinedAsInTheLanguage(t *testing.T) {
	for tag, want := range map[string]string{"de": "a, b", "ja": "a、b", "zh": "a、b"} {
		if got := i18n.Choose(tag).Enumerate("a", "", "b"); got != want {
			t.Errorf("%s: got %q, want %q", tag, got, want)
		}
	}
}
