package phototest

import (
	"math/rand/v2"

	"homeward/internal/lost"
)

// shade is a colour that things have, and the names that people give it.
type shade struct {
	name   string
	hex    uint32
	colors []lost.Color
}

// jittered returns the shade as one of many similar things has it.
func (s shade) jittered(r *rand.Rand) rgb {
	c := linear(s.hex)
	bright := 0.88 + 0.24*r.Float64()
	for k := range c {
		c[k] *= bright * (0.96 + 0.08*r.Float64())
	}
	return c
}

// shades lists shades of fabric, plastic, leather and lacquer by the most frequent name of their colour. They are
// measured from what shops sell and from surveys of colour names, not from the values that the service knows.
var shades = [][]shade{
	{
		{"black", 0x141416, []lost.Color{lost.Black}}, {"soft black", 0x222224, []lost.Color{lost.Black}},
		{"leather black", 0x1b1917, []lost.Color{lost.Black}},
	},
	{
		{"grey", 0x87888a, []lost.Color{lost.Grey}}, {"stone grey", 0x74757a, []lost.Color{lost.Grey}},
		{"light grey", 0xb4b6b8, []lost.Color{lost.Grey}}, {"aluminium", 0xa6a9ad, []lost.Color{lost.Grey}},
		{"charcoal", 0x46484c, []lost.Color{lost.Grey, lost.Black}},
	},
	{
		{"white", 0xf2f2f0, []lost.Color{lost.White}}, {"paper white", 0xe9e8e4, []lost.Color{lost.White}},
	},
	{
		{"beige", 0xd2bb94, []lost.Color{lost.Beige}}, {"sand", 0xc9b08a, []lost.Color{lost.Beige}},
		{"camel", 0xb9945f, []lost.Color{lost.Beige, lost.Brown}},
	},
	{
		{"brown", 0x6b432a, []lost.Color{lost.Brown}}, {"chestnut", 0x7d4a2c, []lost.Color{lost.Brown}},
		{"dark brown", 0x4a3022, []lost.Color{lost.Brown}}, {"cognac", 0x965a30, []lost.Color{lost.Brown}},
	},
	{
		{"red", 0xb81f2a, []lost.Color{lost.Red}}, {"bright red", 0xd42a2c, []lost.Color{lost.Red}},
		{"dark red", 0x861a22, []lost.Color{lost.Red}}, {"bordeaux", 0x641c2a, []lost.Color{lost.Red}},
	},
	{
		{"orange", 0xea7a22, []lost.Color{lost.Orange}}, {"deep orange", 0xe0631e, []lost.Color{lost.Orange}},
		{"safety orange", 0xf98a2b, []lost.Color{lost.Orange}},
	},
	{
		{"yellow", 0xefcf2e, []lost.Color{lost.Yellow}}, {"lemon", 0xf2e04a, []lost.Color{lost.Yellow}},
		{"sunflower", 0xe9b92a, []lost.Color{lost.Yellow}},
	},
	{
		{"green", 0x2f8543, []lost.Color{lost.Green}}, {"forest", 0x23563a, []lost.Color{lost.Green}},
		{"grass", 0x5f9e3c, []lost.Color{lost.Green}}, {"olive", 0x5f6336, []lost.Color{lost.Green}},
		{"light green", 0x9fcf7c, []lost.Color{lost.Green}},
	},
	{
		{"turquoise", 0x3fbdb8, []lost.Color{lost.Turquoise}}, {"aqua", 0x62cfca, []lost.Color{lost.Turquoise}},
		{"teal", 0x1a7f83, []lost.Color{lost.Turquoise, lost.Green, lost.Blue}},
	},
	{
		{"blue", 0x2457ae, []lost.Color{lost.Blue}}, {"navy", 0x1f2d57, []lost.Color{lost.Blue}},
		{"denim", 0x47658c, []lost.Color{lost.Blue}}, {"sky", 0x86b7e0, []lost.Color{lost.Blue}},
		{"royal", 0x2f3fb0, []lost.Color{lost.Blue}},
	},
	{
		{"purple", 0x6a3a8c, []lost.Color{lost.Purple}}, {"violet", 0x7a4fb0, []lost.Color{lost.Purple}},
		{"lilac", 0xb49ad0, []lost.Color{lost.Purple}}, {"aubergine", 0x4c2450, []lost.Color{lost.Purple}},
	},
	{
		{"pink", 0xef94b4, []lost.Color{lost.Pink}}, {"rose", 0xe6a3b0, []lost.Color{lost.Pink}},
		{"hot pink", 0xe0559a, []lost.Color{lost.Pink}},
	},
}
