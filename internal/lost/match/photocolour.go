package match

import (
	"maps"
	"slices"
)

// looks lists, for each colour that people name, the other colours that a photo of such a thing may show. Light and
// reflections change colours, dark shades look black, and a photo has names for few colours: gold looks yellow or
// brown.
var looks = map[string][]string{
	"black":       {"grey", "blue", "brown"},
	"charcoal":    {"black", "grey", "blue"},
	"anthracite":  {"black", "grey", "blue"},
	"grey":        {"black", "white", "beige", "blue"},
	"light-grey":  {"grey", "white", "beige"},
	"silver":      {"grey", "white", "beige", "black", "blue"},
	"white":       {"grey", "beige"},
	"cream":       {"white", "beige", "yellow", "grey"},
	"beige":       {"white", "brown", "grey", "yellow", "orange"},
	"tan":         {"brown", "beige", "orange", "yellow"},
	"brown":       {"black", "beige", "orange", "red", "grey"},
	"light-brown": {"brown", "beige", "orange", "yellow"},
	"dark-brown":  {"brown", "black", "red", "grey"},
	"cognac":      {"brown", "orange", "red"},
	"navy":        {"blue", "black", "purple", "grey"},
	"dark-blue":   {"blue", "black", "purple", "grey"},
	"blue":        {"turquoise", "purple", "black", "grey"},
	"light-blue":  {"blue", "turquoise", "grey", "white"},
	"turquoise":   {"blue", "green"},
	"teal":        {"green", "blue", "turquoise", "black", "grey"},
	"green":       {"turquoise", "black", "yellow", "grey"},
	"dark-green":  {"green", "black", "grey", "turquoise", "brown"},
	"light-green": {"green", "yellow", "turquoise"},
	"mint":        {"green", "turquoise", "blue", "white"},
	"olive":       {"green", "brown", "grey", "yellow", "black", "beige"},
	"khaki":       {"beige", "green", "brown", "grey", "yellow"},
	"yellow":      {"orange", "beige", "green"},
	"mustard":     {"yellow", "brown", "orange", "beige", "green"},
	"gold":        {"yellow", "brown", "beige", "orange", "green"},
	"rose-gold":   {"pink", "orange", "beige", "brown"},
	"orange":      {"red", "yellow", "brown"},
	"coral":       {"orange", "pink", "red"},
	"salmon":      {"pink", "orange", "beige", "brown"},
	"red":         {"orange", "pink", "brown", "purple"},
	"dark-red":    {"red", "brown", "purple", "black"},
	"burgundy":    {"red", "purple", "brown", "black", "pink"},
	"copper":      {"brown", "orange", "red", "pink"},
	"bronze":      {"brown", "yellow", "orange", "beige", "grey", "green"},
	"pink":        {"red", "purple", "orange", "beige"},
	"light-pink":  {"pink", "white", "beige"},
	"fuchsia":     {"pink", "purple", "red"},
	"purple":      {"blue", "pink", "black", "red", "brown"},
	"lilac":       {"purple", "pink", "blue", "grey", "white"},
}

// photoNearness returns how well a colour that people name fits one that a photo shows, from 0 to 1. For a colour that
// is not in looks, such as transparent, a photo says nothing.
func photoNearness(named, shown string) float64 {
	const confused = 0.6
	switch {
	case named == shown, generalNames[named] == shown, generalNames[shown] == named:
		return 1
	case slices.Contains(looks[named], shown), slices.Contains(looks[named], generalNames[shown]):
		return confused
	}
	return 0
}

// comparePhotoColours compares the colours that people name with those of photos, or those of photos with each other.
// If they differ, that is weak evidence. A photo never shows that a thing lacks a colour.
func comparePhotoColours(e *Evidence, request map[string]bool, mine []string, found map[string]bool, theirs []string) {
	named, shown := slices.Sorted(maps.Keys(request)), theirs
	switch {
	case len(mine) > 0 && len(theirs) > 0:
		named = mine
	case len(mine) > 0:
		named, shown = slices.Sorted(maps.Keys(found)), mine
	}
	if len(named) == 0 || len(shown) == 0 {
		return
	}
	const different = 0.5 // half as much as if people had named different colours
	sum, best, known := 0.0, 0.0, true
	for _, s := range shown {
		near := 0.0
		for _, n := range named {
			near = max(near, photoNearness(n, s))
			known = known && looks[n] != nil
		}
		sum, best = sum+near, max(best, near)
	}
	e[sameColour] = (best + sum/float64(len(shown))) / 2
	if best == 0 && known {
		e[otherColour] = different
	}
}
