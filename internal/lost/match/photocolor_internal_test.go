package match

import (
	"image"
	"image/color"
	"image/draw"
	"slices"
	"strings"
	"testing"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/media/photofact"
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

// photographed returns the colours that a photo of a thing shows.
func photographed(rgb [3]float64, light [3]float64) (names []string) {
	c := color.RGBA{A: 255}
	for n, channel := range []*uint8{&c.R, &c.G, &c.B} {
		*channel = uint8(min(255, rgb[n]*light[n]))
	}
	m := image.NewRGBA(image.Rect(0, 0, 60, 40))
	draw.Draw(m, m.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	for _, c := range photofact.Find(m).Colors {
		names = append(names, string(c))
	}
	return names
}

// TestTheRightColourOfAPhotoNeverCountsAgainstAMatch photographs things of every colour in five lights.
func TestTheRightColourOfAPhotoNeverCountsAgainstAMatch(t *testing.T) {
	value := func(colour string, photo ...string) float64 {
		request := Read(Subject{Description: strings.ReplaceAll(colour, "-", " ") + " ring"})
		return Compare(request, Read(Subject{Description: "ring", PhotoColors: photo}), Counts{"": 100}).Value
	}
	check := func(name string, photo ...string) {
		t.Helper()
		if without, with := value(name), value(name, photo...); with < without {
			t.Errorf("a %s ring whose photo shows %q has %.3f, and %.3f without the photo", name, photo, with, without)
		}
	}
	lights := map[string][3]float64{
		"day": {1, 1, 1}, "dim": {0.6, 0.6, 0.6}, "bright": {1.2, 1.2, 1.2}, "warm": {1.08, 1, 0.85},
		"cool": {0.9, 1, 1.1},
	}
	for name, rgb := range shades {
		for _, light := range lights {
			check(name, photographed(rgb, light)...)
		}
	}
	for _, c := range [][]string{
		{"gold", "yellow"}, {"gold", "brown"}, {"dark-blue", "black"}, {"navy", "black"}, {"burgundy", "brown"},
		{"burgundy", "purple"}, {"grey", "black"}, {"silver", "white"}, {"silver", "grey", "black"}, {"brown", "black"},
		{"dark-green", "black"}, {"white", "grey"}, {"cream", "white"}, {"black", "grey"}, {"rose-gold", "pink"},
		{"copper", "brown"}, {"colourful", "red"}, {"transparent", "grey"}, {"red", "red", "black", "white"},
		{"gold", "black", "yellow"}, {"teal", "blue"}, {"turquoise", "green"}, {"lilac", "pink"}, {"khaki", "green"},
	} {
		check(c[0], c[1:]...)
	}
	if without, other, named := value("red"), value("red", "blue"), Compare(Read(Subject{Description: "red ring"}),
		Read(Subject{Description: "blue ring"}), Counts{"": 100}).Value; other >= without || named >= other {
		t.Errorf("a red ring has %.3f, %.3f with a blue photo and %.3f if it is called blue", without, other, named)
	}
}

// TestEveryColourHasItsLooks checks the table of colours that a photo may show.
func TestEveryColourHasItsLooks(t *testing.T) {
	for name := range shades {
		if len(looks[name]) == 0 {
			t.Errorf("%s has no looks", name)
		}
	}
	for name, shown := range looks {
		if _, known := shades[name]; !known {
			t.Errorf("%s is no colour", name)
		}
		for _, c := range shown {
			if !slices.Contains(lost.Colors(), lost.Color(c)) {
				t.Errorf("%s: no photo shows %s", name, c)
			}
		}
	}
}
