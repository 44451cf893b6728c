package match

import (
	"maps"
	"math"
	"slices"
)

// shades maps the colours of the dictionary to red, green and blue values. Colours that are not in the map
// (colourful, transparent) have no similar colours.
var shades = map[string][3]float64{
	"black": {0, 0, 0}, "charcoal": {54, 60, 66}, "grey": {128, 128, 128}, "light-grey": {195, 195, 195},
	"silver": {185, 187, 192}, "white": {255, 255, 255},
	"cream": {250, 243, 220}, "beige": {222, 205, 170}, "tan": {200, 160, 110}, "brown": {115, 72, 36},
	"dark-brown": {62, 40, 24}, "cognac": {150, 85, 40},
	"navy": {19, 23, 52}, "dark-blue": {18, 28, 76}, "blue": {30, 80, 190}, "light-blue": {140, 190, 235},
	"turquoise": {50, 190, 190}, "teal": {0, 110, 115},
	"green": {35, 135, 60}, "dark-green": {15, 70, 40}, "light-green": {150, 215, 130}, "mint": {170, 230, 200},
	"olive": {95, 100, 45}, "khaki": {150, 145, 100},
	"yellow": {245, 215, 40}, "mustard": {205, 160, 35}, "gold": {205, 170, 80}, "rose-gold": {220, 170, 155},
	"orange": {240, 130, 30}, "coral": {250, 125, 105}, "salmon": {245, 160, 140},
	"red": {200, 30, 35}, "burgundy": {110, 20, 45}, "copper": {175, 105, 65}, "bronze": {135, 100, 55},
	"pink": {245, 150, 185}, "fuchsia": {215, 35, 130},
	"purple": {115, 45, 140}, "lilac": {190, 160, 215}, "dark-red": {130, 15, 25}, "anthracite": {50, 54, 60},
	"light-brown": {170, 125, 80}, "light-pink": {250, 205, 215},
}

// nearness returns the similarity of two colours, from 1 for equal colours to 0 for colours that people do not
// confuse.
func nearness(a, b string) float64 {
	if a == b {
		return 1
	}
	from, known := labShades[a]
	to, both := labShades[b]
	if !known || !both {
		return 0
	}
	const unlike = 48  // CIELAB distance from which people do not confuse colours
	const named = 0.75 // minimum nearness of a shade and its general name
	near := max(0, 1-labDistance(from, to)/unlike)
	if generalNames[a] == b || generalNames[b] == a {
		near = max(near, named)
	}
	return near
}

// generalNames maps shades to less precise names.
var generalNames = map[string]string{
	"navy": "blue", "dark-blue": "blue", "light-blue": "blue", "turquoise": "blue", "teal": "green",
	"dark-green": "green", "light-green": "green", "mint": "green", "olive": "green",
	"burgundy": "red", "dark-red": "red", "coral": "red", "silver": "grey", "charcoal": "grey", "anthracite": "grey",
	"light-grey": "grey", "dark-brown": "brown", "light-brown": "brown", "cognac": "brown",
	"tan": "brown", "copper": "brown", "bronze": "brown", "cream": "white", "khaki": "beige", "mustard": "yellow",
	"rose-gold": "gold", "salmon": "pink", "light-pink": "pink", "fuchsia": "pink", "lilac": "purple",
}

// labShades maps the colours of the dictionary to CIELAB values.
var labShades = func() map[string][3]float64 {
	all := make(map[string][3]float64, len(shades))
	for name, rgb := range shades {
		all[name] = toLab(rgb)
	}
	return all
}()

func labDistance(a, b [3]float64) float64 {
	return math.Hypot(math.Hypot((a[0]-b[0])*0.8, a[1]-b[1]), a[2]-b[2])
}

// toLab converts a colour to CIELAB, where distance corresponds to perception.
func toLab(rgb [3]float64) [3]float64 {
	var linear [3]float64
	for i, v := range rgb {
		if v /= 255; v <= 0.04045 {
			linear[i] = v / 12.92
		} else {
			linear[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	r, g, b := linear[0], linear[1], linear[2]
	x, y, z := labCurve((0.4124*r+0.3576*g+0.1805*b)/0.9505), labCurve(0.2126*r+0.7152*g+0.0722*b),
		labCurve((0.0193*r+0.1192*g+0.9505*b)/1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func labCurve(t float64) float64 {
	if t > 0.008856 {
		return math.Cbrt(t)
	}
	return 7.787*t + 16.0/116
}

// ownColours returns the colours of a subject, except those whose word the other subject uses with another meaning.
// For example, viola is purple in Italian, but an instrument in English. The function says reports whether the other
// subject uses the word.
func (p Profile) ownColours(other Profile, says func(name string, p Profile) bool) map[string]bool {
	own := p.colours
	for name := range p.colours {
		if !other.colours[name] && says(name, p) {
			own = maps.Clone(own)
			delete(own, name)
		}
	}
	return own
}

func compareColours(e *Evidence, request, found map[string]bool) {
	if len(request) == 0 || len(found) == 0 {
		return
	}
	sum, best := 0.0, 0.0
	for _, theirs := range slices.Sorted(maps.Keys(found)) { // sorted, so that the sum is always the same
		near := 0.0
		for mine := range request {
			near = max(near, nearness(mine, theirs))
		}
		sum, best = sum+near, max(best, near)
	}
	e[sameColour] = (best + sum/float64(len(found))) / 2
	if best < 0.25 {
		e[otherColour] = 1 - 4*best
	}
	e[strayColour] = min(maxColourDistance(request, found), maxColourDistance(found, request))
}

// maxColourDistance returns the largest distance between a colour in one set and its most similar colour in the
// other.
func maxColourDistance(one, other map[string]bool) (most float64) {
	for a := range one {
		near := 0.0
		for b := range other {
			near = max(near, nearness(a, b))
		}
		const same = 0.8 // minimum nearness of colours that count as the same
		most = max(most, (same-near)/same)
	}
	return most
}
