package i18n

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/collate"
)

func sortNames(tag string, names ...string) []string {
	return SortByName(Choose(tag), names, func(name string) string { return name })
}

func TestNamesAreSortedAsInADictionaryOfTheLanguage(t *testing.T) {
	for _, c := range []struct {
		tag  string
		want []string
	}{
		{"de", []string{"Adler", "Ärmel", "Arnold", "Łódź", "Müller", "Mulm", "Straße", "Strasse 2", "Zoo"}},
		{"pl", []string{"Cebula", "Cis", "Ćma", "Lublin", "Lwów", "Łódź", "Łuków", "Mława", "Zoo", "Źródło", "Żary"}},
		{"es", []string{"Nube", "Nuñez", "Ñandú", "Ópera", "Oro"}},
		{"ja", []string{"Hotel", "アネックス", "かっこう", "がっこう", "カッター", "さくら", "サクラ", "ラーメン", "ラウンジ", "東京"}},
		{"zh", []string{"北京", "广州", "上海", "深圳"}},
	} {
		names := slices.Clone(c.want)
		slices.Reverse(names)
		if got := sortNames(c.tag, names...); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %s, want %s", c.tag, got, c.want)
		}
	}
}

// The order of all categories and countries, and of names with unusual letters, is compared with that of
// x/text/collate. Chinese words are left out: only collate knows the sounds of all characters.
func TestNamesAreSortedAsUnicodeDefines(t *testing.T) {
	names := strings.Fields("Zoo Adler adler ADLER Äther Ärmel Arm Ölmühle Ofen Übersee Ufer Straße Strasse Strassen " +
		"Łódź Lublin Lwów Żary Źródło Zamość Świdnica Sopot Ąbc Azot Óbidos Opole Ñandú Nube Nizza Étage Etüde " +
		"Ørsted Oslo Œuvre Odeur Æther " +
		"かっこう がっこう カッコウ ガッコウ さくら サクラ ざくろ あいす アイスクリーム ｱﾈｯｸｽ きよう きょう " +
		"ハハ パパ ババ ヴィラ ウィーン ラーメン ラアメソ")
	for _, tag := range tags {
		l := Choose(tag)
		list := slices.Clone(names)
		for key := range l.messages {
			if strings.HasPrefix(key, "common.category.") && tag != "zh" {
				list = append(list, l.Say(key))
			}
		}
		for _, code := range l.orderedCountries() {
			if tag != "zh" {
				list = append(list, l.Country(code))
			}
		}
		order := collate.New(l.rules)
		want := slices.Clone(list)
		slices.SortFunc(want, func(a, b string) int {
			return cmp.Or(order.CompareString(spellOut(a), spellOut(b)), cmp.Compare(a, b))
		})
		for n, got := range sortNames(tag, list...) {
			if got != want[n] {
				t.Errorf("%s: got %s in place %d, want %s", tag, got, n, want[n])
			}
		}
	}
}
