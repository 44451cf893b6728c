package match

import (
	"maps"
	"math"
	"slices"
)

// shades are the colours that the dictionary knows, as red, green and blue. What is not here (colourful, transparent)
// is only ever the same or not said.
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

// nearness is how alike two colours are, from 1 for the same to 0 for any two that nobody confuses.
func nearness(a, b string) float64 {
	if a == b {
		return 1
	}
	from, known := sights[a]
	to, both := sights[b]
	if !known || !both {
		return 0
	}
	const unlike, named = 48, 0.75 // apart in the space that the eye sees in; what goes by the same name
	near := max(0, 1-apartness(from, to)/unlike)
	if broadly[a] == b || broadly[b] == a {
		near = max(near, named)
	}
	return near
}

// broadly are the names that people give to shades who care less.
var broadly = map[string]string{
	"navy": "blue", "dark-blue": "blue", "light-blue": "blue", "turquoise": "blue", "teal": "green",
	"dark-green": "green", "light-green": "green", "mint": "green", "olive": "green",
	"burgundy": "red", "dark-red": "red", "coral": "red", "silver": "grey", "charcoal": "grey", "anthracite": "grey",
	"light-grey": "grey", "dark-brown": "brown", "light-brown": "brown", "cognac": "brown",
	"tan": "brown", "copper": "brown", "bronze": "brown", "cream": "white", "khaki": "beige", "mustard": "yellow",
	"rose-gold": "gold", "salmon": "pink", "light-pink": "pink", "fuchsia": "pink", "lilac": "purple",
}

// sights are the shades as the eye sees them.
var sights = func() map[string][3]float64 {
	all := make(map[string][3]float64, len(shades))
	for name, rgb := range shades {
		all[name] = seen(rgb)
	}
	return all
}()

func apartness(a, b [3]float64) float64 {
	return math.Hypot(math.Hypot((a[0]-b[0])*0.8, a[1]-b[1]), a[2]-b[2])
}

// seen returns a colour its place in CIELAB, where distance is what the eye sees.
func seen(rgb [3]float64) [3]float64 {
	var linear [3]float64
	for i, v := range rgb {
		if v /= 255; v <= 0.04045 {
			linear[i] = v / 12.92
		} else {
			linear[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	r, g, b := linear[0], linear[1], linear[2]
	x, y, z := cube((0.4124*r+0.3576*g+0.1805*b)/0.9505), cube(0.2126*r+0.7152*g+0.0722*b),
		cube((0.0193*r+0.1192*g+0.9505*b)/1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func cube(t float64) float64 {
	if t > 0.008856 {
		return math.Cbrt(t)
	}
	return 7.787*t + 16.0/116
}

// ownColours are those of a subject that another does not take for something else: viola is purple in Italian.
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

func compareColours(e *evidence, request, found map[string]bool) {
	if len(request) == 0 || len(found) == 0 {
		return
	}
	sum, best := 0.0, 0.0
	for _, theirs := range slices.Sorted(maps.Keys(found)) { // in one order, in which they always add up to the same
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
	e[strayColour] = min(stray(request, found), stray(found, request))
}

// stray is how far the colour of one that the other comes least near to is from it.
func stray(one, other map[string]bool) (most float64) {
	for a := range one {
		near := 0.0
		for b := range other {
			near = max(near, nearness(a, b))
		}
		const same = 0.8 // from here on
		most = max(most, (same-near)/same)
	}
	return most
}
