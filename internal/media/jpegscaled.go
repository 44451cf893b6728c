package media

import (
	"context"
	"encoding/binary"
	"errors"
	"image"
	"io"
	"runtime"
)

// errNotScaled is returned for a JPEG that decodeScaled does not decode. The standard decoder decides whether it is
// damaged.
var errNotScaled = errors.New("not decoded at a reduced size")

// jpegBlock is the number of pixels on each side of a block.
const jpegBlock = 8

// scaledJPEG decodes a baseline JPEG at a half, a quarter or an eighth of its size. From each block of 8 × 8
// frequencies, it uses only the lowest side × side, which are the frequencies of a block of side × side pixels. This
// takes less time and a fraction of the memory.
type scaledJPEG struct {
	bits   bitReader
	side   int // 4, 2 or 1
	at     [64]int8
	quant  [4][64]int32 // in the order in which frequencies are stored
	tables [2][4]*huffmanTable

	width, height int
	parts         []jpegPart
	restart       int // the number of units between two restart markers, or 0
	restarts      int
}

// jpegPart is a component: brightness or one of two colours.
type jpegPart struct {
	id, quant byte
	h, v      int // blocks in each unit
	stride    int
	pixels    []byte
	dc, ac    *huffmanTable
	previous  int32 // the mean of the previous block
}

// decodeScaled decodes a cleaned baseline JPEG so that each block becomes side × side pixels. It returns errNotScaled
// for every picture that is damaged or of another kind.
func decodeScaled(ctx context.Context, r io.Reader, side int) (_ image.Image, err error) {
	j := &scaledJPEG{bits: bitReader{r: r, buf: make([]byte, 0, bufferSize)}, side: side}
	for k, position := range zigzag {
		j.at[k] = -1
		if x, y := int(position)%jpegBlock, int(position)/jpegBlock; x < side && y < side {
			j.at[k] = int8(y*side + x)
		}
	}
	if err := j.segments(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, errNotScaled
	}
	return j.image()
}

// segments reads all segments.
func (j *scaledJPEG) segments(ctx context.Context) error {
	if j.bits.next() != 0xff || j.bits.next() != jpegSOI {
		return errNotScaled
	}
	for {
		if j.bits.next() != 0xff {
			return errNotScaled
		}
		marker := j.bits.next()
		body, err := j.body()
		if err != nil {
			return err
		}
		switch marker {
		case jpegSOF0, jpegSOF0 + 1:
			err = j.frame(body)
		case jpegDHT:
			err = j.huffman(body)
		case jpegDQT:
			err = j.quantization(body)
		case jpegDRI:
			if len(body) != 2 {
				return errNotScaled
			}
			j.restart = int(binary.BigEndian.Uint16(body))
		case jpegSOS:
			return j.scan(ctx, body)
		case jpegAPP0, jpegEXIF, jpegICC, jpegDCT:
		default:
			return errNotScaled
		}
		if err != nil {
			return err
		}
	}
}

// body reads the length and the content of a segment.
func (j *scaledJPEG) body() ([]byte, error) {
	n := int(j.bits.next())<<8 | int(j.bits.next())
	if n < 2 || j.bits.ended {
		return nil, errNotScaled
	}
	body := make([]byte, n-2)
	for i := range body {
		body[i] = j.bits.next()
	}
	if j.bits.ended {
		return nil, errNotScaled
	}
	return body, nil
}

func (j *scaledJPEG) frame(b []byte) error {
	if len(b) < 6 || b[0] != 8 || j.parts != nil || len(b) != 6+3*int(b[5]) {
		return errNotScaled
	}
	j.height, j.width = int(binary.BigEndian.Uint16(b[1:])), int(binary.BigEndian.Uint16(b[3:]))
	for p := b[6:]; len(p) > 0; p = p[3:] {
		part := jpegPart{id: p[0], h: int(p[1] >> 4), v: int(p[1] & 15), quant: p[2]}
		if len(b) == 6+3 {
			part.h, part.v = 1, 1 // the factors of a single component have no effect
		}
		j.parts = append(j.parts, part)
	}
	if _, ok := j.ratio(); !ok || checkSize(j.width, j.height) != nil {
		return errNotScaled
	}
	across, down := j.units()
	for i := range j.parts {
		p := &j.parts[i]
		if p.quant > 3 {
			return errNotScaled
		}
		p.stride = across * p.h * j.side
		p.pixels = make([]byte, p.stride*down*p.v*j.side)
	}
	return nil
}

// ratio returns how the colours are sampled. It returns false for components that are not brightness and colours.
func (j *scaledJPEG) ratio() (image.YCbCrSubsampleRatio, bool) {
	if len(j.parts) == 1 {
		return 0, true
	}
	if len(j.parts) != 3 || j.parts[1].h*j.parts[1].v != 1 || j.parts[2].h*j.parts[2].v != 1 {
		return 0, false
	}
	ratios := map[[2]int]image.YCbCrSubsampleRatio{
		{1, 1}: image.YCbCrSubsampleRatio444, {1, 2}: image.YCbCrSubsampleRatio440,
		{2, 1}: image.YCbCrSubsampleRatio422, {2, 2}: image.YCbCrSubsampleRatio420,
		{4, 1}: image.YCbCrSubsampleRatio411, {4, 2}: image.YCbCrSubsampleRatio410,
	}
	ratio, ok := ratios[[2]int{j.parts[0].h, j.parts[0].v}]
	return ratio, ok
}

// units returns the number of units in a line and in a column. A unit has the blocks of all components for one area.
func (j *scaledJPEG) units() (across, down int) {
	w, h := jpegBlock*j.parts[0].h, jpegBlock*j.parts[0].v
	return (j.width + w - 1) / w, (j.height + h - 1) / h
}

func (j *scaledJPEG) quantization(b []byte) error {
	for len(b) > 0 {
		size, table := 1+int(b[0]>>4), b[0]&15
		if size > 2 || table > 3 || len(b) < 1+64*size {
			return errNotScaled
		}
		for k := range 64 {
			if size == 1 {
				j.quant[table][k] = int32(b[1+k])
			} else {
				j.quant[table][k] = int32(binary.BigEndian.Uint16(b[1+2*k:]))
			}
		}
		b = b[1+64*size:]
	}
	return nil
}

func (j *scaledJPEG) huffman(b []byte) error {
	for len(b) > 0 {
		class, n := b[0]>>4, b[0]&15
		if class > 1 || n > 3 || len(b) < 17 {
			return errNotScaled
		}
		t, used, err := newHuffmanTable(b[1:17], b[17:])
		if err != nil {
			return err
		}
		j.tables[class][n] = t
		b = b[17+used:]
	}
	return nil
}

// scan decodes the pixels. They must be in a single scan.
func (j *scaledJPEG) scan(ctx context.Context, b []byte) error {
	if len(j.parts) == 0 || len(b) != 4+2*len(j.parts) || int(b[0]) != len(j.parts) {
		return errNotScaled
	}
	for i := range j.parts {
		p := &j.parts[i]
		dc, ac := b[2+2*i]>>4, b[2+2*i]&15
		if b[1+2*i] != p.id || dc > 3 || ac > 3 {
			return errNotScaled
		}
		if p.dc, p.ac = j.tables[0][dc], j.tables[1][ac]; p.dc == nil || p.ac == nil {
			return errNotScaled
		}
	}
	across, down := j.units()
	for y := range down {
		runtime.Gosched() // requests do not wait for a whole picture
		if err := ctx.Err(); err != nil {
			return err
		}
		for x := range across {
			if n := y*across + x; j.restart > 0 && n > 0 && n%j.restart == 0 {
				if err := j.nextInterval(); err != nil {
					return err
				}
			}
			if err := j.unit(x, y); err != nil {
				return err
			}
		}
	}
	if marker, ok := j.bits.end(); !ok || marker != jpegEOI {
		return errNotScaled
	}
	return nil
}

// nextInterval reads a restart marker.
func (j *scaledJPEG) nextInterval() error {
	marker, ok := j.bits.end()
	if !ok || marker != jpegRST0+byte(j.restarts%8) {
		return errNotScaled
	}
	j.restarts++
	for i := range j.parts {
		j.parts[i].previous = 0
	}
	return nil
}

// unit decodes the blocks of one unit.
func (j *scaledJPEG) unit(x, y int) error {
	for i := range j.parts {
		p := &j.parts[i]
		for v := range p.v {
			for h := range p.h {
				if err := j.block(p, ((y*p.v+v)*p.stride+x*p.h+h)*j.side, j.side); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// image returns the decoded picture.
func (j *scaledJPEG) image() (image.Image, error) {
	w := (j.width*j.side + jpegBlock - 1) / jpegBlock
	h := (j.height*j.side + jpegBlock - 1) / jpegBlock
	r := image.Rect(0, 0, w, h)
	y := j.parts[0]
	if len(j.parts) == 1 {
		return &image.Gray{Pix: y.pixels, Stride: y.stride, Rect: r}, nil
	}
	ratio, _ := j.ratio()
	return &image.YCbCr{
		Y: y.pixels, Cb: j.parts[1].pixels, Cr: j.parts[2].pixels,
		YStride: y.stride, CStride: j.parts[1].stride, SubsampleRatio: ratio, Rect: r,
	}, nil
}
