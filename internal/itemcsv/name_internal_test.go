package itemcsv

import "testing"

func TestNamesAreSplit(t *testing.T) {
	for text, want := range map[string][2]string{
		"Anna Meier": {"Anna", "Meier"}, "Meier, Anna Maria": {"Anna Maria", "Meier"}, "Meier": {"", "Meier"},
		"Anna  Maria Meier": {"Anna Maria", "Meier"}, "Jan van der Berg": {"Jan", "van der Berg"},
		"山田 花子": {"花子", "山田"}, "王小明": {"", "王小明"}, "Anna & Paul Meier": {"", "Anna & Paul Meier"},
		"Meier,": {"", "Meier"}, ", Anna": {"Anna", ""}, "": {"", ""},
	} {
		if first, last := splitName(text); first != want[0] || last != want[1] {
			t.Errorf("%q: got first name %q and last name %q", text, first, last)
		}
	}
}
