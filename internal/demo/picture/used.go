package picture

// Items that people use and play with: devices and soft toys.

// screen is the colour of a screen that is switched off.
var screen = rgba{R: 0x33, G: 0x38, B: 0x42, A: 255}

func phone(p *pen, c palette) {
	p = p.turned(9, 200, 150)
	p.box(c.dark, 137, 32, 130, 240, 24)
	p.box(c.main, 134, 30, 130, 240, 24)
	p.box(mix(black, c.deep, 0.2), 140, 36, 118, 228, 19)
	p.path(ink(0x3d, 0x56, 0x6b),
		"M140 60 L258 60 L258 245 C258 257 250 264 239 264 L159 264 C148 264 140 257 140 245 Z")
	p.path(ink(0x4f, 0x6f, 0x84),
		"M140 190 C170 160 200 214 258 168 L258 245 C258 257 250 264 239 264 L159 264 C148 264 140 257 140 245 Z")
	p.path(ink(0x7a, 0x9b, 0xa2),
		"M140 226 C180 196 214 244 258 212 L258 245 C258 257 250 264 239 264 L159 264 C148 264 140 257 140 245 Z")
	p.box(black, 178, 42, 42, 11, 5.5)
	p.line(white, 4, "M172 92 L226 92")
	p.line(mix(white, screen, 0.4), 3, "M184 106 L214 106")
	p.path(gloss, "M204 36 L239 36 C251 36 258 44 258 55 L258 120 Z")
	p.box(c.dark, 264, 96, 4, 34, 2)
}

func tablet(p *pen, c palette) {
	p = p.turned(-5, 200, 150)
	p.box(c.dark, 92, 58, 222, 192, 16)
	p.box(c.main, 90, 55, 222, 192, 16)
	p.box(black, 98, 63, 206, 176, 8)
	p.box(ink(0xe9, 0xe4, 0xd6), 106, 71, 190, 160, 3)
	p.box(ink(0x9b, 0xb5, 0xa8), 116, 82, 78, 62, 3)
	p.path(ink(0x6f, 0x93, 0x85), "M116 144 L142 112 L160 130 L174 116 L194 144 Z")
	for n, y := range []float64{88, 100, 112, 124, 136} {
		p.line(ink(0xb5, 0xad, 0x9c), 3.4,
			shiftedBy(206, y, []string{"M0 0 L78 0", "M0 0 L70 0", "M0 0 L76 0", "M0 0 L62 0", "M0 0 L48 0"}[n]))
	}
	for _, y := range []float64{160, 172, 184, 196, 208} {
		p.line(ink(0xc4, 0xbd, 0xad), 3.4, shiftedBy(116, y, "M0 0 L166 0"))
	}
	p.path(gloss, "M220 63 L296 63 C300 63 304 67 304 71 L304 190 Z")
}

func laptop(p *pen, c palette) {
	p.box(c.dark, 104, 50, 192, 138, 10)
	p.box(c.main, 102, 48, 192, 138, 10)
	p.box(black, 110, 56, 176, 120, 4)
	p.path(ink(0x41, 0x5d, 0x6d), "M114 60 L282 60 L282 172 L114 172 Z")
	p.path(ink(0x56, 0x7d, 0x88), "M114 150 C150 116 190 160 224 132 C250 112 266 124 282 118 L282 172 L114 172 Z")
	p.oval(ink(0xe6, 0xc2, 0x7a), 242, 90, 13, 13)
	p.path(c.light, "M98 188 L302 188 L332 240 L68 240 Z")
	p.path(c.dark, "M68 240 L332 240 C332 250 328 254 320 254 L80 254 C72 254 68 250 68 240 Z")
	p.path(c.deep, "M112 194 L288 194 L300 218 L100 218 Z")
	for _, d := range []string{"M108 202 L292 202", "M104 210 L296 210"} {
		p.line(c.main, 1.6, d)
	}
	p.path(c.main, "M166 223 L234 223 L239 236 L161 236 Z")
	p.path(gloss, "M210 56 L286 56 L286 150 Z")
}

func headphones(p *pen, c palette) {
	p.line(c.dark, 17, "M104 176 C92 20 308 20 296 176")
	p.line(c.main, 12, "M104 174 C94 24 306 24 296 174")
	p.line(c.light, 3, "M118 112 C140 52 230 44 264 78")
	for _, side := range []*pen{p, p.at(p.m.times(matrix{-1, 0, 0, 1, 400, 0}))} {
		side.box(darkSteel, 96, 140, 15, 40, 6)
		side.box(c.deep, 104, 154, 46, 98, 22)
		side.box(c.main, 78, 148, 50, 108, 25)
		side.box(c.light, 86, 162, 8, 76, 4)
		side.box(c.dark, 112, 156, 16, 92, 8)
	}
}

func earbuds(p *pen, c palette) {
	p.box(c.dark, 90, 84, 138, 150, 46)
	p.box(c.main, 87, 80, 138, 150, 46)
	p.box(c.dark, 87, 128, 138, 5, 0)
	p.box(c.light, 100, 146, 8, 52, 4)
	p.box(c.deep, 142, 124, 28, 12, 5)
	p.oval(ink(0x6f, 0xb0, 0x86), 156, 156, 4, 4)
	earbud(p.turned(14, 270, 120))
	earbud(p.at(p.m.times(moved(6, 86))).turned(-64, 270, 120))
}

// earbud draws one earbud around 270, 120.
func earbud(p *pen) {
	shade := ink(0xd9, 0xd6, 0xcc)
	p.box(shade, 269, 116, 15, 56, 7)
	p.box(white, 266, 114, 15, 56, 7)
	p.oval(shade, 264, 112, 24, 22)
	p.oval(white, 262, 109, 24, 22)
	p.turned(-24, 250, 114).oval(darkSteel, 244, 114, 8, 12)
	p.turned(-24, 250, 114).oval(screen, 242, 114, 4, 8)
	p.box(steel, 268, 162, 11, 7, 3)
}

func camera(p *pen, c palette) {
	p.line(leather, 9, "M98 122 C52 60 130 26 200 44")
	p.line(leather, 9, "M302 122 C348 60 270 26 200 44")
	p.path(c.deep, "M164 88 L178 62 L226 62 L240 88 Z")
	p.box(c.deep, 108, 78, 36, 16, 5)
	p.box(c.dark, 90, 88, 224, 160, 18)
	p.box(c.main, 88, 85, 224, 160, 18)
	p.box(steel, 88, 85, 224, 34, 15)
	p.box(steel, 88, 104, 224, 16, 0)
	p.box(c.light, 88, 120, 224, 3, 0)
	p.oval(ink(0xbf, 0x4a, 0x44), 286, 102, 6, 6)
	p.box(screen, 184, 92, 34, 18, 4)
	p.oval(black, 201, 176, 62, 62)
	p.oval(darkSteel, 200, 174, 62, 62)
	p.oval(black, 200, 174, 53, 53)
	p.oval(ink(0x2f, 0x44, 0x58), 200, 174, 38, 38)
	p.oval(ink(0x4a, 0x6d, 0x86), 200, 174, 24, 24)
	p.oval(ink(0x22, 0x2c, 0x38), 200, 174, 11, 11)
	p.oval(gloss, 184, 156, 15, 11)
}

func cable(p *pen, c palette) {
	p.line(c.main, 7,
		"M150 206 C90 190 76 110 142 84 C214 58 288 110 258 172 C232 222 142 200 152 140 C162 92 246 92 250 142 C252 "+
			"190 226 214 268 236")
	p.line(c.light, 2, "M148 203 C92 186 80 112 143 87 C180 74 220 82 242 104")
	p.box(c.dark, 82, 180, 70, 60, 12)
	p.box(c.main, 80, 177, 70, 60, 12)
	p.box(c.light, 86, 184, 6, 44, 3)
	p.box(steel, 62, 190, 20, 8, 2)
	p.box(steel, 62, 214, 20, 8, 2)
	p = p.turned(28, 268, 236)
	p.box(c.main, 262, 226, 34, 20, 5)
	p.box(steel, 294, 230, 20, 12, 3)
}

func teddy(p *pen, c palette) {
	snout := mix(c.light, white, 0.45)
	for _, side := range []*pen{p, p.at(p.m.times(matrix{-1, 0, 0, 1, 400, 0}))} {
		side.turned(28, 150, 190).oval(c.dark, 138, 190, 22, 42)
		side.oval(c.dark, 158, 248, 34, 26)
		side.oval(snout, 152, 252, 18, 15)
		side.oval(c.main, 148, 62, 27, 27)
		side.oval(snout, 149, 64, 15, 15)
	}
	p.oval(c.main, 200, 206, 58, 60)
	p.oval(snout, 200, 214, 34, 38)
	p.oval(c.main, 200, 104, 68, 60)
	p.oval(c.light, 176, 76, 26, 16)
	p.oval(snout, 200, 124, 31, 25)
	p.oval(black, 200, 114, 11, 8)
	p.line(black, 2.6, "M200 120 L200 130 C200 138 188 138 186 132 M200 130 C200 138 212 138 214 132")
	p.oval(black, 174, 98, 6.5, 7.5)
	p.oval(black, 226, 98, 6.5, 7.5)
	p.oval(white, 176, 95.5, 2, 2)
	p.oval(white, 228, 95.5, 2, 2)
	p.path(ink(0xbf, 0x4a, 0x44),
		"M200 168 L168 152 C160 160 160 180 168 188 Z M200 168 L232 152 C240 160 240 180 232 188 Z")
	p.oval(ink(0x9c, 0x37, 0x35), 200, 169, 9, 10)
}

func plushRabbit(p *pen, c palette) {
	inner := ink(0xe3, 0xb2, 0xb0)
	belly := mix(c.light, white, 0.5)
	p.turned(-12, 176, 80).oval(c.main, 172, 62, 18, 54)
	p.turned(-12, 176, 80).oval(inner, 172, 66, 9, 40)
	p.turned(26, 226, 86).oval(c.main, 232, 64, 18, 54)
	p.turned(26, 226, 86).oval(inner, 232, 68, 9, 40)
	for _, side := range []*pen{p, p.at(p.m.times(matrix{-1, 0, 0, 1, 400, 0}))} {
		side.turned(30, 150, 200).oval(c.dark, 142, 204, 17, 34)
		side.oval(c.dark, 160, 254, 32, 20)
	}
	p.oval(c.main, 200, 212, 50, 52)
	p.oval(belly, 200, 220, 30, 34)
	p.oval(c.main, 200, 134, 54, 48)
	p.oval(belly, 186, 150, 18, 14)
	p.oval(belly, 214, 150, 18, 14)
	p.path(inner, "M192 136 L208 136 L200 145 Z")
	p.oval(black, 178, 124, 5.6, 6.6)
	p.oval(black, 222, 124, 5.6, 6.6)
	p.oval(white, 180, 122, 1.8, 1.8)
	p.oval(white, 224, 122, 1.8, 1.8)
	p.line(c.deep, 1.6, "M168 150 L146 146 M168 155 L148 158 M232 150 L254 146 M232 155 L252 158")
	p.path(ink(0x5b, 0x8f, 0xb5), "M156 176 C180 190 220 190 244 176 L246 188 C220 202 180 202 154 188 Z")
}

func toyCar(p *pen, c palette) {
	p.path(c.main,
		"M66 176 C68 158 92 152 120 148 C138 112 160 96 208 96 C254 96 276 118 294 148 C320 152 334 160 336 182 L336 "+
			"210 C336 218 330 222 322 222 L80 222 C70 222 64 218 64 208 Z")
	p.path(c.dark, "M64 194 L336 194 L336 210 C336 218 330 222 322 222 L80 222 C70 222 64 218 64 208 Z")
	p.path(ink(0xcf, 0xe0, 0xe6),
		"M142 146 C154 120 170 110 196 109 L196 146 Z M208 109 C244 109 260 122 274 146 L208 146 Z")
	p.path(gloss, "M222 109 L240 113 L218 146 L208 146 Z")
	p.line(c.dark, 2.6, "M202 108 L202 194")
	p.line(c.light, 4, "M124 154 L290 154")
	p.box(steel, 214, 164, 20, 6, 3)
	p.oval(ink(0xf0, 0xd4, 0x84), 328, 178, 9, 11)
	p.oval(ink(0xbf, 0x4a, 0x44), 70, 182, 7, 9)
	for _, x := range []float64{124, 276} {
		p.oval(black, x, 222, 33, 33)
		p.oval(ink(0x45, 0x45, 0x4a), x, 222, 25, 25)
		p.oval(steel, x, 222, 15, 15)
		p.oval(darkSteel, x, 222, 5, 5)
	}
}
