package picture

// Items that people wear: clothes, glasses, jewellery and watches.

func glasses(p *pen, c palette) {
	p.line(c.dark, 7, "M112 138 C92 100 78 84 60 78")
	p.line(c.dark, 7, "M288 138 C308 100 322 84 340 78")
	for _, x := range []float64{150, 250} {
		p.oval(nrgba{R: 0xd6, G: 0xe6, B: 0xec, A: 150}, x, 160, 42, 37)
		p.path(gloss, shifted(x, "M-24 -16 L-6 -26 L-26 20 L-34 4 Z"))
		p.fill(c.main, [][]point{oval(x, 160, 46, 41), reversed(oval(x, 160, 39, 34))})
	}
	p.line(c.main, 7, "M192 150 C196 138 204 138 208 150")
	p.line(c.light, 2, "M118 136 C128 122 160 116 176 128 M224 128 C240 116 272 122 282 136")
}

func sunglasses(p *pen, c palette) {
	p.line(c.dark, 9, "M104 130 C88 98 76 82 58 76")
	p.line(c.dark, 9, "M296 130 C312 98 324 82 342 76")
	lens := "M-50 -32 C-20 -40 24 -38 46 -30 C52 0 40 38 4 40 C-36 42 -52 4 -50 -32 Z"
	p.path(c.main, shifted(148, lens))
	p.at(p.m.times(matrix{-1, 0, 0, 1, 400, 0})).path(c.main, shifted(148, lens))
	glass := "M-42 -26 C-18 -32 20 -31 39 -24 C43 2 32 31 4 33 C-28 34 -44 4 -42 -26 Z"
	for _, side := range []*pen{p, p.at(p.m.times(matrix{-1, 0, 0, 1, 400, 0}))} {
		side.path(ink(0x37, 0x3a, 0x44), shifted(148, glass))
	}
	p.path(gloss, "M116 140 L140 136 L122 176 L112 164 Z M258 140 L282 137 L262 180 L250 170 Z")
	p.path(c.main, "M188 130 C196 124 204 124 212 130 L212 142 C204 136 196 136 188 142 Z")
	p.oval(brass, 106, 136, 3.4, 3.4)
	p.oval(brass, 294, 136, 3.4, 3.4)
}

func scarf(p *pen, c palette) {
	band := mix(c.light, white, 0.45)
	p.path(c.dark, "M236 120 L286 132 L272 254 L222 246 Z")
	for n := range 9 {
		x := 223 + float64(n)*6
		p.line(c.dark, 2.6, shiftedBy(x, 247+float64(n)*0.9, "M0 0 L-2 16"))
	}
	p.path(band, "M228 196 L279 206 L277 220 L227 210 Z")
	p.path(band, "M226 222 L276 232 L275 240 L225 230 Z")
	p.path(c.main, "M120 110 C112 60 288 60 284 116 C280 160 130 162 120 110 Z")
	p.path(c.deep, "M158 106 C160 88 244 88 246 108 C240 124 166 124 158 106 Z")
	p.path(c.light, "M126 104 C134 74 190 68 232 74 C190 76 150 86 140 118 C132 114 128 110 126 104 Z")
	p.path(c.main, "M134 128 L190 136 L180 260 L120 252 Z")
	p.path(c.dark, "M174 134 L190 136 L180 260 L166 258 Z")
	p.path(band, "M127 196 L186 204 L185 218 L126 210 Z")
	p.path(band, "M124 222 L184 230 L183 238 L123 231 Z")
	for n := range 11 {
		x := 121 + float64(n)*5.8
		p.line(c.main, 2.6, shiftedBy(x, 253+float64(n)*0.75, "M0 0 L-2 16"))
	}
	p.path(c.dark, "M128 112 C160 140 230 148 262 134 C236 158 150 156 128 112 Z")
}

func beanie(p *pen, c palette) {
	p.oval(c.light, 200, 62, 34, 32)
	for _, at := range []point{{184, 50}, {214, 48}, {200, 70}, {218, 70}, {180, 72}} {
		p.oval(mix(c.light, white, 0.3), at.x, at.y, 9, 8)
	}
	p.path(c.main, "M106 196 C104 120 150 84 200 84 C250 84 296 120 294 196 Z")
	p.path(c.dark, "M252 102 C284 122 296 156 294 196 L262 196 C270 150 266 124 252 102 Z")
	for _, d := range []string{"M150 108 C134 132 130 164 130 192", "M180 92 C170 120 166 160 166 192",
		"M220 92 C230 120 234 160 234 192"} {
		p.line(c.dark, 2.4, d)
	}
	p.box(c.light, 98, 186, 204, 52, 16)
	for x := 112.0; x < 296; x += 14 {
		p.line(c.main, 3, shiftedBy(x, 194, "M0 0 L0 36"))
	}
	p.box(c.deep, 224, 200, 36, 22, 3)
}

func capWithPeak(p *pen, c palette) {
	p.path(c.deep, "M196 190 C250 178 318 190 346 214 C350 222 342 228 330 226 C290 214 240 212 196 220 Z")
	p.path(c.main, "M86 206 C80 120 130 78 190 78 C246 78 272 126 270 186 C230 198 150 218 86 206 Z")
	p.path(c.dark, "M222 86 C256 104 272 140 270 186 C258 190 246 192 234 195 C240 150 238 112 222 86 Z")
	p.path(c.light, "M100 188 C98 136 124 104 156 92 C130 116 122 150 122 192 Z")
	p.path(c.dark, "M196 192 C246 178 320 188 346 214 C300 196 240 198 196 208 Z")
	p.line(c.dark, 2, "M190 80 C172 110 166 160 170 202")
	p.oval(c.deep, 190, 78, 9, 5)
	p.oval(mix(c.light, white, 0.6), 206, 146, 20, 20)
	p.path(c.main, "M206 132 L210 142 L220 142 L212 149 L215 160 L206 153 L197 160 L200 149 L192 142 L202 142 Z")
}

func gloves(p *pen, c palette) {
	glove(p.at(p.m.times(moved(44, -4))).turned(16, 200, 150), palette{c.main, c.dark, c.deep, c.deep})
	glove(p.at(p.m.times(moved(-40, 6))).turned(-10, 200, 150), c)
}

func glove(p *pen, c palette) {
	p.path(c.main,
		"M166 226 L164 150 C150 146 138 128 132 114 C128 102 142 96 150 106 L168 128 L166 74 C166 60 184 60 185 74 "+
			"L187 118 L189 60 C190 46 207 46 208 60 L208 118 L214 68 C216 55 231 57 230 70 L227 124 L236 88 C240 76 "+
			"254 80 251 92 L240 160 L236 226 Z")
	p.path(c.dark, "M216 226 C226 190 228 150 227 124 L236 88 C240 76 254 80 251 92 L240 160 L236 226 Z")
	p.line(c.dark, 2, "M187 120 L189 140 M208 120 L207 140")
	p.box(c.light, 158, 216, 86, 44, 10)
	for x := 168.0; x < 240; x += 10 {
		p.line(c.main, 2.6, shiftedBy(x, 222, "M0 0 L0 32"))
	}
}

func jacket(p *pen, c palette) {
	p.path(c.dark, "M140 70 C112 84 98 130 92 214 L124 226 L146 140 Z")
	p.path(c.dark, "M260 70 C288 84 302 130 308 214 L276 226 L254 140 Z")
	p.path(c.main,
		"M152 56 L248 56 C264 62 274 74 276 92 L280 254 C256 264 144 264 120 254 L124 92 C126 74 136 62 152 56 Z")
	p.path(c.dark, "M204 70 L248 56 C264 62 274 74 276 92 L280 254 C258 262 228 263 204 262 Z")
	p.path(c.main, "M212 76 L246 66 C258 70 266 80 268 94 L271 246 C252 253 230 254 212 253 Z")
	p.path(mix(c.deep, black, 0.3), "M168 52 C184 72 216 72 232 52 C220 46 180 46 168 52 Z")
	p.path(c.light, "M166 50 L198 78 L182 104 L150 62 Z")
	p.path(c.light, "M234 50 L202 78 L218 104 L250 62 Z")
	p.line(steel, 3, "M200 84 L200 258")
	p.box(steel, 196, 112, 8, 14, 3)
	p.line(c.deep, 3, "M138 196 L168 186 M262 196 L232 186")
	p.box(c.deep, 88, 206, 36, 18, 6)
	p.box(c.deep, 276, 206, 36, 18, 6)
}

func shoe(p *pen, c palette) {
	p.path(white, "M74 206 L320 206 C334 206 336 232 322 236 L92 238 C72 238 68 212 74 206 Z")
	p.path(ink(0xd8, 0xd3, 0xc6), "M72 224 L330 222 C330 230 328 235 322 236 L92 238 C80 238 73 232 72 224 Z")
	p.path(c.main,
		"M80 112 C96 124 124 124 142 104 L152 98 C176 132 206 158 262 170 C304 178 322 190 322 210 L76 210 C70 176 "+
			"70 140 80 112 Z")
	p.path(c.dark, "M80 112 C84 116 90 119 98 120 C92 150 92 184 100 210 L76 210 C70 176 70 140 80 112 Z")
	p.path(c.light, "M262 170 C304 178 322 190 322 210 L268 210 C252 200 250 184 262 170 Z")
	p.path(c.deep, "M142 104 C128 122 104 126 84 114 L88 104 C104 110 124 106 136 96 Z")
	for n := range 4 {
		k := float64(n)
		p.line(white, 5, shiftedBy(164+k*21, 124+k*13, "M0 0 L-14 18"))
	}
	p.path(mix(c.light, white, 0.5), "M116 176 C150 190 186 180 216 166 C190 196 146 206 116 192 Z")
}

func watch(p *pen, c palette) {
	p.path(c.main, "M174 30 L226 30 L230 104 L170 104 Z")
	p.path(c.main, "M170 196 L230 196 L224 274 L176 274 Z")
	p.path(c.dark, "M212 30 L226 30 L230 104 L214 104 Z")
	p.path(c.dark, "M214 196 L230 196 L224 274 L211 274 Z")
	for _, y := range []float64{224, 238, 252} {
		p.oval(c.deep, 200, y, 3.4, 3.4)
	}
	p.box(darkSteel, 176, 22, 48, 12, 4)
	p.box(darkSteel, 256, 142, 13, 17, 3)
	p.oval(darkSteel, 201, 152, 60, 60)
	p.oval(steel, 200, 150, 60, 60)
	p.oval(white, 200, 150, 49, 49)
	for n := range 12 {
		p.turned(float64(n)*30, 200, 150).line(ink(0x6b, 0x6b, 0x6b), 2.4, "M200 106 L200 113")
	}
	p.line(black, 4, "M200 150 L200 122")
	p.line(black, 3, "M200 150 L224 162")
	p.line(ink(0xbf, 0x4a, 0x44), 1.6, "M200 150 L182 180")
	p.oval(black, 200, 150, 4, 4)
}

func ring(p *pen, c palette) {
	metal := brass
	if c.main == colours["silver"] || c.main == colours["white"] {
		metal, c = steel, paletteOf("light blue")
	}
	p.fill(mix(metal, black, 0.25), [][]point{oval(200, 182, 66, 62), reversed(oval(200, 182, 52, 49))})
	p.fill(metal, [][]point{oval(200, 179, 66, 62), reversed(oval(200, 182, 54, 50))})
	p.path(mix(metal, black, 0.2), "M172 124 L228 124 L214 140 L186 140 Z")
	p.path(c.main, "M162 86 L180 66 L220 66 L238 86 L200 134 Z")
	p.path(c.light, "M162 86 L180 66 L188 86 Z M212 86 L220 66 L238 86 Z")
	p.path(mix(c.light, white, 0.6), "M188 86 L180 66 L220 66 L212 86 Z")
	p.path(c.dark, "M212 86 L238 86 L200 134 Z")
	p.line(mix(metal, white, 0.5), 3, "M142 168 C146 150 156 138 168 130")
}

func necklace(p *pen, c palette) {
	metal := brass
	if c.main == colours["silver"] || c.main == colours["white"] {
		metal, c = steel, paletteOf("teal")
	}
	chain := outlines("M148 62 C60 70 70 190 200 196 C330 190 340 70 252 62")[0]
	for n, at := range chain {
		if n > 0 {
			middle := point{(at.x + chain[n-1].x) / 2, (at.y + chain[n-1].y) / 2}
			p.ring(mix(metal, black, 0.1), middle.x, middle.y, 4.6, 2.4)
		}
		p.ring(metal, at.x, at.y, 4.6, 2.6)
	}
	p.oval(metal, 200, 206, 8, 8)
	p.oval(mix(metal, black, 0.2), 200, 238, 25, 31)
	p.oval(metal, 200, 236, 25, 31)
	p.oval(c.main, 200, 236, 17, 23)
	p.oval(mix(c.light, white, 0.4), 194, 227, 5, 8)
}
