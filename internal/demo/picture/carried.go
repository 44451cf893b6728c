package picture

// Items that people carry: bags, umbrellas, wallets, bottles, books and keys.

func umbrella(p *pen, c palette) {
	p = p.turned(38, 200, 150)
	p.line(darkSteel, 5, "M200 20 L200 40")
	p.line(leather, 11, "M200 232 L200 262 C200 286 238 286 238 262 L238 256")
	p.line(mix(leather, white, 0.25), 3, "M197 236 L197 262 C198 276 208 282 220 281")
	p.path(c.main, "M200 34 C214 80 226 150 222 224 C214 236 186 236 178 224 C174 150 186 80 200 34 Z")
	p.path(c.dark, "M200 34 C208 80 212 160 210 231 C222 230 224 224 222 224 C226 150 214 80 200 34 Z")
	p.path(c.light, "M199 44 C190 90 183 150 184 226 C188 229 192 230 194 231 C192 160 194 96 199 44 Z")
	p.box(c.deep, 177, 168, 46, 13, 5)
	p.oval(steel, 212, 174.5, 4, 4)
	p.path(c.deep, "M179 224 C188 232 212 232 221 224 L214 238 C208 242 192 242 186 238 Z")
}

func foldingUmbrella(p *pen, c palette) {
	p = p.turned(-62, 200, 150)
	p.line(black, 4, "M200 262 C176 280 184 296 204 290 C222 284 216 268 204 262")
	p.box(black, 184, 226, 32, 38, 9)
	p.box(mix(black, white, 0.2), 189, 230, 6, 30, 3)
	p.path(c.main, "M176 60 C180 48 220 48 224 60 L231 224 C222 234 178 234 169 224 Z")
	p.path(c.dark, "M206 52 C218 52 223 56 224 60 L231 224 C226 229 218 231 210 232 Z")
	p.path(c.light, "M182 58 L190 54 L184 230 C178 229 172 227 169 224 Z")
	p.line(c.deep, 2, "M198 56 L197 230")
	p.box(c.deep, 167, 132, 66, 15, 4)
	p.oval(steel, 220, 139.5, 4, 4)
	p.path(c.deep, "M178 60 C180 44 220 44 222 60 Z")
	p.box(darkSteel, 193, 32, 14, 14, 5)
}

func suitcase(p *pen, c palette) {
	p.line(darkSteel, 5, "M168 68 L168 30 L232 30 L232 68")
	p.box(black, 158, 24, 84, 11, 5)
	p.box(black, 134, 252, 24, 14, 6)
	p.box(black, 242, 252, 24, 14, 6)
	p.box(c.main, 118, 62, 164, 194, 20)
	p.box(c.dark, 256, 66, 26, 186, 14)
	for _, x := range []float64{140, 166, 192, 218, 244} {
		p.box(c.dark, x, 74, 6, 170, 3)
		p.box(c.light, x-5, 74, 3, 170, 1.5)
	}
	p.box(c.deep, 176, 58, 48, 9, 4)
	p.box(black, 268, 146, 15, 24, 5)
	p.box(white, 148, 196, 40, 24, 4)
	p.line(ink(0xb9, 0xb0, 0x9e), 2, "M154 204 L180 204 M154 211 L172 211")
	p.oval(gloss, 150, 92, 20, 12)
}

func backpack(p *pen, c palette) {
	p.line(c.deep, 9, "M176 60 C176 30 224 30 224 60")
	p.line(c.dark, 16, "M128 110 C98 150 98 210 124 240")
	p.line(c.dark, 16, "M272 110 C302 150 302 210 276 240")
	p.path(c.main,
		"M124 120 C124 70 160 46 200 46 C240 46 276 70 276 120 L280 238 C280 254 270 262 256 262 L144 262 C130 262 "+
			"120 254 120 238 Z")
	p.path(c.dark,
		"M246 58 C264 68 276 90 276 120 L280 238 C280 254 270 262 256 262 L248 262 C262 200 262 120 246 58 Z")
	p.path(c.light, "M132 116 C134 86 152 64 178 56 C160 74 150 96 148 120 Z")
	p.line(c.deep, 3, "M136 138 C170 122 230 122 264 138")
	p.oval(brass, 170, 128, 4, 4)
	p.line(brass, 3, "M170 130 L168 144")
	p.path(c.light, "M142 172 L258 172 L260 236 C260 244 254 248 248 248 L152 248 C146 248 140 244 140 236 Z")
	p.path(c.dark, "M138 168 C138 160 262 160 262 168 L262 186 C230 202 170 202 138 186 Z")
	p.box(leather, 190, 186, 20, 28, 5)
	p.box(brass, 194, 200, 12, 6, 2)
}

func handbag(p *pen, c palette) {
	p.line(c.deep, 8, "M150 126 C150 28 250 28 250 126")
	p.line(c.dark, 4, "M153 120 C155 40 245 40 247 120")
	p.path(c.main,
		"M120 122 L280 122 C290 122 294 128 296 138 L308 236 C310 252 302 260 288 260 L112 260 C98 260 90 252 92 236 "+
			"L104 138 C106 128 110 122 120 122 Z")
	p.path(c.dark, "M104 236 L298 222 L308 236 C310 252 302 260 288 260 L112 260 C98 260 90 252 92 240 Z")
	p.path(c.light, "M116 128 L284 128 L280 136 L114 140 Z")
	p.path(c.dark, "M112 122 L288 122 L276 178 C250 196 150 196 124 178 Z")
	p.path(c.main, "M114 122 L286 122 L275 172 C250 189 150 189 125 172 Z")
	p.box(brass, 186, 172, 28, 22, 5)
	p.oval(mix(brass, black, 0.4), 200, 183, 4, 4)
	p.oval(brass, 150, 126, 6, 6)
	p.oval(brass, 250, 126, 6, 6)
}

func wallet(p *pen, c palette) {
	p.box(white, 138, 74, 112, 60, 5)
	p.box(ink(0x6d, 0x97, 0xb5), 126, 82, 112, 60, 5)
	p.box(ink(0x55, 0x7d, 0x9b), 126, 92, 112, 10, 0)
	p.box(c.deep, 98, 98, 208, 142, 12)
	p.box(c.main, 96, 94, 208, 140, 12)
	p.path(c.dark,
		"M96 204 C160 214 240 214 304 196 L304 222 C304 230 298 234 292 234 L108 234 C102 234 96 230 96 222 Z")
	p.line(c.light, 1.6, "M106 104 L294 104 M106 224 L294 224 M106 104 L106 224")
	p.path(c.dark, "M240 142 L304 142 L304 188 L240 188 C226 188 226 142 240 142 Z")
	p.path(c.light, "M242 146 L304 146 L304 150 L240 150 Z")
	p.oval(brass, 250, 165, 7, 7)
	p.oval(mix(brass, white, 0.5), 248, 163, 2.6, 2.6)
}

func passport(p *pen, c palette) {
	p = p.turned(-6, 200, 150)
	p.box(white, 130, 44, 148, 214, 7)
	p.box(ink(0xe2, 0xdc, 0xcd), 132, 48, 146, 208, 6)
	p.box(c.main, 124, 42, 148, 214, 8)
	p.box(c.dark, 124, 42, 12, 214, 6)
	p.line(brass, 3, "M164 70 L236 70")
	p.ring(brass, 200, 132, 32, 3.4)
	p.path(brass, "M200 106 L206 124 L225 124 L210 135 L216 153 L200 142 L184 153 L190 135 L175 124 L194 124 Z")
	p.line(brass, 3, "M160 192 L240 192 M174 204 L226 204")
	p.box(brass, 186, 222, 28, 16, 3)
	p.oval(c.main, 200, 230, 4, 4)
}

func book(p *pen, c palette) {
	p = p.turned(-10, 200, 150)
	p.path(c.deep, "M116 56 L262 56 L282 70 L282 256 L136 256 L116 242 Z")
	p.path(ink(0xf3, 0xec, 0xdb), "M262 58 L278 70 L278 252 L262 240 Z")
	p.line(ink(0xd8, 0xcf, 0xba), 1.4, "M267 64 L267 242 M272 68 L272 246")
	p.path(ink(0xe8, 0xe0, 0xcc), "M120 242 L262 242 L278 253 L138 253 Z")
	p.box(c.main, 114, 52, 150, 190, 4)
	p.box(c.dark, 114, 52, 16, 190, 4)
	p.box(mix(c.light, white, 0.55), 148, 84, 96, 62, 3)
	p.line(c.dark, 4, "M160 102 L232 102 M168 116 L224 116")
	p.line(c.dark, 2.4, "M178 130 L214 130")
	p.oval(c.light, 196, 190, 20, 20)
	p.path(c.dark, "M184 202 L196 174 L208 202 Z")
	p.path(ink(0xc0, 0x55, 0x4c), "M236 242 L248 242 L248 272 L242 265 L236 272 Z")
}

func bottle(p *pen, c palette) {
	p = p.turned(12, 200, 150)
	p.box(black, 182, 26, 36, 32, 7)
	p.line(black, 6, "M188 30 C188 8 212 8 212 30")
	p.box(steel, 178, 56, 44, 12, 3)
	p.path(c.main,
		"M178 66 L222 66 C222 84 246 88 246 112 L246 254 C246 266 238 270 228 270 L172 270 C162 270 154 266 154 254 "+
			"L154 112 C154 88 178 84 178 66 Z")
	p.path(c.dark,
		"M222 66 C222 84 246 88 246 112 L246 254 C246 266 238 270 228 270 L220 270 C228 262 228 250 228 240 L228 116 "+
			"C228 92 210 84 210 66 Z")
	p.path(c.light, "M166 108 C168 98 174 94 180 90 C176 100 174 106 174 116 L174 240 L164 244 Z")
	p.path(c.deep, "M154 236 L246 236 L246 254 C246 266 238 270 228 270 L172 270 C162 270 154 266 154 254 Z")
	p.path(mix(c.light, white, 0.6),
		"M200 138 C214 158 220 168 220 178 C220 190 211 198 200 198 "+
			"C189 198 180 190 180 178 C180 168 186 158 200 138 Z")
}

func keys(p *pen, c palette) {
	p.ring(darkSteel, 186, 92, 36, 7)
	p.ring(steel, 186, 91, 36, 3)
	key(p.turned(24, 186, 120), steel)
	key(p.turned(-14, 186, 120), brass)
	p.line(darkSteel, 4, "M214 112 L240 138")
	p = p.turned(-40, 240, 138)
	p.box(c.deep, 214, 137, 56, 92, 16)
	p.box(c.main, 212, 134, 56, 92, 16)
	p.box(c.light, 218, 142, 7, 70, 3.5)
	p.oval(darkSteel, 240, 148, 6, 6)
	p.oval(c.deep, 240, 148, 3, 3)
	p.box(mix(c.light, white, 0.6), 230, 168, 28, 42, 5)
	p.line(c.dark, 3, "M236 180 L252 180 M236 190 L248 190")
}

// key draws one key that hangs from a ring at 186, 120.
func key(p *pen, metal rgba) {
	dark := mix(metal, black, 0.25)
	p.oval(dark, 187, 150, 27, 27)
	p.oval(metal, 186, 148, 27, 27)
	p.oval(dark, 186, 134, 9, 7)
	p.box(dark, 181, 172, 14, 86, 3)
	p.box(metal, 179, 170, 14, 86, 3)
	p.path(metal, "M193 206 L207 206 L207 218 L200 218 L200 226 L210 226 L210 240 L193 240 Z")
	p.line(dark, 2, "M186 182 L186 246")
}
