package photofact

import "math"

// lab is a colour in OKLab, a colour space in which distances correspond to perception: lightness from 0 to 1, and two
// coordinates that are 0 for grey.
type lab struct{ l, a, b float32 }

// chroma returns how far a colour is from grey.
func (c lab) chroma() float32 { return float32(math.Hypot(float64(c.a), float64(c.b))) }

// hue returns the direction of a colour from grey, in degrees from 0 to 360.
func (c lab) hue() float64 {
	degrees := math.Atan2(float64(c.b), float64(c.a)) * 180 / math.Pi
	if degrees < 0 {
		degrees += 360
	}
	return degrees
}

// square returns the square of the distance of two colours. Lightness counts with a weight, because it differs between
// the lit and the shaded part of a thing.
func (c lab) square(d lab, weight float32) float32 {
	l, a, b := (c.l-d.l)*weight, c.a-d.a, c.b-d.b
	return l*l + a*a + b*b
}

// linearLight maps sRGB values to linear light.
var linearLight = func() (table [256]float32) {
	for n := range table {
		v := float64(n) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		table[n] = float32(v)
	}
	return table
}()

// toLab converts an sRGB colour.
func toLab(r, g, b uint8) lab { return linearToLab(linearLight[r], linearLight[g], linearLight[b]) }

func linearToLab(r, g, b float32) lab {
	l := cubeRoot(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := cubeRoot(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := cubeRoot(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return lab{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

func cubeRoot(v float32) float32 { return float32(math.Cbrt(float64(v))) }
