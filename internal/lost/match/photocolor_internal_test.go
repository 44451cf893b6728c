package match

import (
	"slices"
	"testing"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// TestTheColoursOfPhotosAreWordsOfTheDictionary checks that there is one vocabulary: a search finds an item by a colour
// that its photo has suggested, in every language.
func TestTheColoursOfPhotosAreWordsOfTheDictionary(t *testing.T) {
	d := searchTerms()
	for _, c := range lost.Colors() {
		name := string(c)
		if concept := d.concepts[name]; concept == nil || concept.class != Colour {
			t.Errorf("%s is not a colour of the dictionary", name)
		}
		if _, known := shades[name]; !known {
			t.Errorf("%s has no value", name)
		}
		for _, tag := range i18n.Tags() {
			word := i18n.Choose(tag).Say("frame.photo-color." + name)
			senses := d.known(string(AppendFolded(nil, word)))
			if !slices.ContainsFunc(senses, func(s sense) bool {
				return s.class == Colour && (s.name == name || generalNames[s.name] == name)
			}) {
				t.Errorf("in %s, %s does not mean %s", tag, word, name)
			}
		}
	}
}
