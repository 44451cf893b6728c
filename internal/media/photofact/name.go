package photofact

import "homeward/internal/lost"

// nameOf returns the name that people give a colour. The limits follow from surveys of colour names: people call a
// colour by its hue, unless it is nearly grey, and by its lightness where languages have words for dark orange (brown),
// pale red (pink) and pale brown (beige).
func nameOf(c lab) lost.Color {
	if c.chroma() < greyChroma(c) {
		switch {
		case c.l < 0.37:
			return lost.Black
		case c.l < 0.83:
			return lost.Grey
		}
		return lost.White
	}
	for _, h := range hues {
		if c.hue() < h.below {
			return h.name(c)
		}
	}
	return lost.Red
}

// greyChroma returns the chroma below which a colour counts as black, grey or white. In yellowish light, grey things
// look a little beige.
func greyChroma(c lab) float32 {
	switch {
	case c.l < 0.3:
		return 0.038
	case c.l > 0.8:
		return 0.035
	case c.l > 0.5 && c.hue() > 60 && c.hue() < 110:
		return 0.036
	}
	return 0.03
}

// hues lists ranges of hues in ascending order, from red over yellow, green and blue to red.
var hues = []struct {
	below float64
	name  func(c lab) lost.Color
}{
	{16, roseOrRed},
	{38, func(c lab) lost.Color {
		switch {
		case c.l > 0.68:
			return lost.Pink
		case c.chroma() < 0.07:
			return lost.Brown
		}
		return lost.Red
	}},
	{75, func(c lab) lost.Color {
		switch {
		case c.chroma() > 0.125 && c.l > 0.57:
			return lost.Orange
		case c.chroma() < 0.11 && c.l > 0.67:
			return lost.Beige
		}
		return lost.Brown
	}},
	{95, func(c lab) lost.Color {
		switch {
		case c.chroma() > 0.115 && c.l > 0.7:
			return lost.Yellow
		case c.l > 0.64:
			return lost.Beige
		}
		return lost.Brown
	}},
	{113, func(c lab) lost.Color {
		switch {
		case c.l <= 0.74:
			return lost.Green // olive
		case c.chroma() < 0.08:
			return lost.Beige
		}
		return lost.Yellow
	}},
	{172, func(lab) lost.Color { return lost.Green }},
	{212, func(lab) lost.Color { return lost.Turquoise }},
	{287, func(lab) lost.Color { return lost.Blue }},
	{333, func(lab) lost.Color { return lost.Purple }},
	{342, func(c lab) lost.Color {
		if c.l > 0.58 {
			return lost.Pink
		}
		return lost.Purple
	}},
	{360, func(c lab) lost.Color {
		if c.l < 0.42 {
			return lost.Purple // aubergine
		}
		return roseOrRed(c)
	}},
}

// roseOrRed returns the name of a colour between red and purple.
func roseOrRed(c lab) lost.Color {
	if c.l > 0.58 && (c.hue() > 180 || c.chroma() < 0.2) {
		return lost.Pink
	}
	return lost.Red
}
