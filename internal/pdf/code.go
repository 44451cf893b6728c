package pdf

import (
	"image/color"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/code128"
	"github.com/boombuler/barcode/qr"
)

// Modules are the smallest elements of bar codes. At 203 dots per inch, a handheld scanner needs modules of at least
// two dots. Modules wider than widest are not easier to read.
const (
	thinnest = 0.24
	widest   = 0.5
)

// quietBars and quietQR are the widths of the white margins around a Code 128 bar code and a QR code, in modules.
const (
	quietBars = 10
	quietQR   = 4
)

// bars draws a Code 128 bar code with its white margins in the middle of a box. It returns false and draws nothing if
// the text is not ASCII or the box is too small.
func (s *page) bars(b box, text string) bool {
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

// maxTracking is the longest tracking number in a QR code. The modules of a code with more text would be too small.
const maxTracking = 100

// codeText returns the text of a label's QR code.
func codeText(reference, tracking string) string {
	text := "HOMEWARD:" + reference
	if tracking != "" && len(tracking) <= maxTracking {
		text += ":" + tracking
	}
	return text
}

// square draws a QR code, including its white margins, that fills a square. If the text is too long, it draws
// nothing. The document still contains the text in readable form.
func (s *page) square(x, y, size float64, text string) {
	const overlap = 0.02 // between rows, so that no white line shows between them
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
