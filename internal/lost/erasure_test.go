package lost_test

import (
	"testing"

	"homeward/internal/lost"
)

// Only the names and addresses of the person are removed, not other words that look like them or contain them.
func TestRemoveNamesRemovesOnlyThePerson(t *testing.T) {
	black := lost.Owner{FirstName: "Tom", LastName: "Black"}.Names()
	for _, c := range []struct {
		text  string
		names []string
		want  string
	}{
		{"Ask LI@hotel.com.", []string{"li@hotel.com"}, "Ask [removed]."},
		{"ali@hotel.com, a.li@hotel.com, li@hotel.com.au", []string{"li@hotel.com"},
			"ali@hotel.com, a.li@hotel.com, li@hotel.com.au"},
		{"<li@hotel.com>,li@hotel.com", []string{"li@hotel.com"}, "<[removed]>,[removed]"},
		{`{"why": "gone\nli@hotel.com"}`, []string{"li@hotel.com"}, `{"why": "gone\n[removed]"}`},
		{"Ask åSA@Example.SE, not ÅSA@example.se", []string{"åsa@example.se"}, "Ask [removed], not ÅSA@example.se"},
		{"Ask ju\u0308RGEN@Example.com, j\u00fcrgen@example.com", []string{"ju\u0308rgen@example.com"},
			"Ask [removed], [removed]"},
		{"Ask anna@bu\u0308cher.example", []string{"anna@b\u00fccher.example"}, "Ask [removed]"},
		{"Ask jurgen@example.com", []string{"j\u00fcrgen@example.com"}, "Ask jurgen@example.com"},
		{"Ask karl@example.com, \u212aarl@example.com", []string{"\u212aarl@example.com"},
			"Ask karl@example.com, [removed]"},
		{"Tel.+43123456, +4312345678", []string{"+43123456"}, "Tel.[removed], +4312345678"},
		{"Black umbrella", black, "Black umbrella"},
		{"Tommy Hilfiger jacket, Blackberry", black, "Tommy Hilfiger jacket, Blackberry"},
		{"Leather wallet. Black.", black, "Leather wallet. Black."},
		{"The umbrella of Tom", black, "The umbrella of [removed]"},
		{"Tom's umbrella, black", black, "[removed]'s umbrella, black"},
		{"Umbrella of Mr. Black", black, "Umbrella of Mr. [removed]"},
		{"Tom Black, BLACK, TOM and black tom", black, "[removed], [removed] and [removed]"},
		{"Kowalska rang. Kowalskaja", []string{"Kowalska"}, "[removed] rang. Kowalskaja"},
		{"Kesslers Koffer, Zimmer 12", []string{"Kessler"}, "[removed] Koffer, Zimmer 12"},
		{"佐々木さんの傘", []string{"佐々木"}, "[removed]さんの傘"},
		{"黑色外套 欧阳伟明的", lost.Owner{FirstName: "伟明", LastName: "欧阳"}.Names(), "黑色外套 [removed]的"},
		{"mail k8@post.example.Please call", []string{"k8@post.example"}, "mail [removed].Please call"},
		{"k8@post.example.csv", []string{"k8@post.example"}, "[removed].csv"},
		{"phone (030) 90187654 / +49-30-901 876 54, 0049 30 90187655", []string{"+493090187654"},
			"phone [removed] / [removed], 0049 30 90187655"},
		{"Li's hat", []string{"Li"}, "Li's hat"},
	} {
		if got := lost.RemoveNames(c.text, c.names...); got != c.want {
			t.Errorf("RemoveNames(%q, %q) = %q, want %q", c.text, c.names, got, c.want)
		}
	}
}
