package photofact

import (
	"image"
	"runtime"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/oned"
	"github.com/makiuchi-d/gozxing/qrcode"

	"homeward/internal/lost"
)

const (
	// maxLines is about the number of lines of a picture in which bar codes are searched, in each direction.
	maxLines = 120
	// minEdges is the minimum number of edges between black and white in a line with a bar code.
	minEdges = 40
	// minReadings is how many lines must have the same bar code. In a single line, grain is sometimes read as one, and
	// parts of longer codes are read as an EAN-8.
	minReadings     = 2
	minReadingsEAN8 = 4
	// maxCenters is the maximum number of possible corners of QR codes in a picture. The time to choose among them is
	// proportional to the third power of their number, and somebody could draw thousands.
	maxCenters = 200
)

// findCodes returns the codes in a picture. Their texts are untrusted.
func findCodes(m *image.RGBA) []lost.PhotoCode {
	g := newGrey(m)
	s := &codeSearch{readings: map[lost.PhotoCode]int{}}
	s.findQRCodes(g)
	runtime.Gosched() // requests do not wait for all steps
	s.findBarCodes(g)
	runtime.Gosched()
	s.findBarCodes(g.transposed())
	return s.found
}

// codeSearch collects codes, in the order in which they are found.
type codeSearch struct {
	found    []lost.PhotoCode
	readings map[lost.PhotoCode]int // the number of lines that have a bar code
}

// add adds a code once, unless it is not one that may be kept.
func (s *codeSearch) add(format lost.CodeFormat, text string, minimum int) {
	c, ok := lost.NewPhotoCode(format, text)
	if !ok {
		return
	}
	s.readings[c]++
	if s.readings[c] == minimum && len(s.found) < lost.MaxPhotoCodes {
		s.found = append(s.found, c)
	}
}

// grey is a picture in shades of grey.
type grey struct {
	w, h int
	pix  []byte
}

func newGrey(m *image.RGBA) grey {
	g := grey{m.Rect.Dx(), m.Rect.Dy(), make([]byte, m.Rect.Dx()*m.Rect.Dy())}
	for y := range g.h {
		line := m.Pix[y*m.Stride:]
		for x := range g.w {
			p := line[4*x : 4*x+4]
			white := 255 - uint32(p[3]) // behind a transparent picture
			g.pix[y*g.w+x] = byte((uint32(p[0])+2*uint32(p[1])+uint32(p[2]))/4 + white)
		}
	}
	return g
}

// transposed returns the picture with lines and columns exchanged.
func (g grey) transposed() grey {
	t := grey{g.h, g.w, make([]byte, len(g.pix))}
	for y := range g.h {
		for x := range g.w {
			t.pix[x*g.h+y] = g.pix[y*g.w+x]
		}
	}
	return t
}

// source returns the picture in the library's form, which shares the pixels.
func (g grey) source() (gozxing.LuminanceSource, error) {
	return gozxing.NewPlanarYUVLuminanceSource(g.pix, g.w, g.h, 0, 0, g.w, g.h, false)
}

// clear makes an area white.
func (g grey) clear(area image.Rectangle) {
	area = area.Intersect(image.Rect(0, 0, g.w, g.h))
	for y := area.Min.Y; y < area.Max.Y; y++ {
		line := g.pix[y*g.w+area.Min.X : y*g.w+area.Max.X]
		for x := range line {
			line[x] = 255
		}
	}
}

// findQRCodes finds QR codes. It makes each one white to find the next.
func (s *codeSearch) findQRCodes(g grey) {
	for range lost.MaxPhotoCodes {
		result := readQRCode(g)
		if result == nil {
			return
		}
		s.add(lost.QRCode, result.GetText(), 1)
		area := image.Rectangle{}
		for _, p := range result.GetResultPoints() {
			const around = 30 // pixels; the points are inside of the corners
			x, y := int(p.GetX()), int(p.GetY())
			area = area.Union(image.Rect(x-around, y-around, x+around, y+around))
		}
		g.clear(area)
	}
}

// readQRCode returns a QR code in a picture, or nil. Because the picture is untrusted, a panic in the library counts as
// no code.
func readQRCode(g grey) (result *gozxing.Result) {
	defer func() {
		if recover() != nil {
			result = nil
		}
	}()
	source, err := g.source()
	if err != nil {
		return nil
	}
	bitmap, err := gozxing.NewBinaryBitmap(gozxing.NewHybridBinarizer(source))
	if err != nil {
		return nil
	}
	centers := 0
	count := func(gozxing.ResultPoint) {
		if centers++; centers > maxCenters {
			panic("too many possible corners")
		}
	}
	hints := map[gozxing.DecodeHintType]any{
		gozxing.DecodeHintType_NEED_RESULT_POINT_CALLBACK: gozxing.ResultPointCallback(count),
	}
	result, err = qrcode.NewQRCodeReader().Decode(bitmap, hints)
	if err != nil {
		return nil
	}
	return result
}

// barCodeFormats maps the formats of bar codes. Formats without check digits, such as Codabar and ITF, are left out,
// because grain is often read as one.
var barCodeFormats = map[gozxing.BarcodeFormat]lost.CodeFormat{
	gozxing.BarcodeFormat_EAN_13:   lost.EAN13,
	gozxing.BarcodeFormat_EAN_8:    lost.EAN8,
	gozxing.BarcodeFormat_UPC_A:    lost.UPCA,
	gozxing.BarcodeFormat_CODE_128: lost.Code128,
	gozxing.BarcodeFormat_CODE_39:  lost.Code39,
}

// findBarCodes finds bar codes along the lines of a picture, in both directions.
func (s *codeSearch) findBarCodes(g grey) {
	defer func() { _ = recover() }() // a panic in the library counts as no code
	source, err := g.source()
	if err != nil {
		return
	}
	products := map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_POSSIBLE_FORMATS: []gozxing.BarcodeFormat{
		gozxing.BarcodeFormat_EAN_13, gozxing.BarcodeFormat_UPC_A, gozxing.BarcodeFormat_EAN_8,
	}}
	lines := gozxing.NewGlobalHistgramBinarizer(source)
	var readers []oned.RowDecoder
	for _, r := range []gozxing.Reader{
		oned.NewMultiFormatUPCEANReader(products), oned.NewCode128Reader(), oned.NewCode39Reader(),
	} {
		if decoder, is := r.(oned.RowDecoder); is {
			readers = append(readers, decoder)
		}
	}
	row := gozxing.NewBitArray(g.w)
	step := max(1, g.h/maxLines)
	for y := step / 2; y < g.h && len(s.found) < lost.MaxPhotoCodes; y += step {
		if row, err = lines.GetBlackRow(y, row); err != nil || edges(row) < minEdges {
			continue
		}
		for range 2 {
			for _, r := range readers {
				if result, err := r.DecodeRow(y, row, products); err == nil {
					s.addBarCode(result)
				}
			}
			row.Reverse()
		}
	}
}

func (s *codeSearch) addBarCode(result *gozxing.Result) {
	minimum := minReadings
	format, known := barCodeFormats[result.GetBarcodeFormat()]
	if format == lost.EAN8 {
		minimum = minReadingsEAN8
	}
	if known {
		s.add(format, result.GetText(), minimum)
	}
}

// edges counts the edges between black and white in a line.
func edges(row *gozxing.BitArray) (n int) {
	for at := 0; at < row.GetSize(); n++ {
		if at = row.GetNextSet(at); at < row.GetSize() {
			n++
			at = row.GetNextUnset(at)
		}
	}
	return n
}
