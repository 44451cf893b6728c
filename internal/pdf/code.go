package pdf

import (
	"image/color"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/code128"
	"github.com/boombuler/barcode/qr"
)

// Modules are the units of which codes are made. A printer with 203 dots to the inch needs two of them for the thinnest that a hand scanner
// reads; thicker than widest reads no better.
const (
	thinnest = 0.24
	widest   = 0.5
)

// quiet is how many modules beside a Code 128, and around a QR code, are white.
const (
	quietBars = 10
	quietQR   = 4
)

// bars draws a Code 128 in the middle of a place, with its white margins within it, and tells whether it could: it has ASCII only, and needs
// room.
func (s *sheet) bars(b box, text string) bool {
	for _, r := range text {
		if r < ' ' || r > '~' {
			return false
		}
	}
	code, err := code128.Encode(text)
	if err != nil {
		return false
	}
	count := code.Bounds().Dx()
	module := min(b.w/float64(count+2*quietBars), widest)
	if module < thinnest {
		return false
	}
	x := b.x + (b.w-module*float64(count))/2
	for n := 0; n < count; n++ {
		end := n
		for end < count && dark(code, end, 0) {
			end++
		}
		if end > n {
			s.pdf.Rect(x+float64(n)*module, b.y, float64(end-n)*module, b.h, "F")
			n = end
		}
	}
	return true
}

// maxTracking bounds what a QR code is given of a tracking number, so that its modules stay large enough.
const maxTracking = 100

// codeText is what a label's QR code says.
func codeText(reference, tracking string) string {
	said := "HOMEWARD:" + reference
	if tracking != "" && len(tracking) <= maxTracking {
		said += ":" + tracking
	}
	return said
}

// square draws a QR code that fills a place, with its white margins within it. A text that is too long for one stays out: what our codes say is
// printed beside them as well.
func (s *sheet) square(x, y, size float64, text string) {
	const overlap = 0.02 // of one row and the next, so that no light shines between them
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return
	}
	count := code.Bounds().Dx()
	module := size / float64(count+2*quietQR)
	left, top := x+quietQR*module, y+quietQR*module
	for row := range count {
		for n := 0; n < count; n++ {
			end := n
			for end < count && dark(code, end, row) {
				end++
			}
			if end > n {
				s.pdf.Rect(left+float64(n)*module, top+float64(row)*module, float64(end-n)*module, module+overlap, "F")
				n = end
			}
		}
	}
}

func dark(code barcode.Barcode, x, y int) bool { return code.At(x, y) == color.Black }
