package media

import "io"

// zigzag is the position in a block of each stored frequency.
var zigzag = [64]uint8{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
}

// lookupBits is the length of the codes that are found in one step.
const lookupBits = 9

// huffmanTable is a table of codes with up to 16 bits.
type huffmanTable struct {
	lookup [1 << lookupBits]uint16 // length and value of the code that the bits begin with; 0 if it is longer
	values [256]byte
	first  [17]int32 // the smallest code of each length
	limit  [17]int32 // one more than the largest
	index  [17]int32 // the position in values of the smallest
}

// newHuffmanTable returns a table with a number of codes of each length, and how many values it used.
func newHuffmanTable(counts, values []byte) (t *huffmanTable, used int, err error) {
	t = &huffmanTable{}
	code := int32(0)
	for n := 1; n <= 16; n++ {
		count := int(counts[n-1])
		if used+count > min(len(values), len(t.values)) || code+int32(count) > 1<<n {
			return nil, 0, errNotScaled
		}
		t.first[n], t.limit[n], t.index[n] = code, code+int32(count), int32(used)
		for range count {
			t.values[used] = values[used]
			if n <= lookupBits {
				from := code << (lookupBits - n)
				for i := range int32(1) << (lookupBits - n) {
					t.lookup[from+i] = uint16(n)<<8 | uint16(values[used])
				}
			}
			code++
			used++
		}
		code <<= 1
	}
	return t, used, nil
}

// bitReader reads the bits of a scan, and the bytes of other segments.
type bitReader struct {
	r     io.Reader
	buf   []byte
	pos   int
	ended bool // a byte after the end was read

	bits   uint64 // the next bits, from the top
	n      int    // how many
	beyond int    // how many of them are after the end of the data
	marker byte   // the marker that ended the data, or 0
}

// next returns the next byte of the file, or 0 after its end.
func (b *bitReader) next() byte {
	if b.pos == len(b.buf) {
		n, err := io.ReadFull(b.r, b.buf[:cap(b.buf)])
		b.buf, b.pos = b.buf[:n], 0
		if err != nil && n == 0 {
			b.ended = true
			return 0
		}
	}
	b.pos++
	return b.buf[b.pos-1]
}

// fill reads bits until there are more than 56. After the end of the data, it adds zeros.
func (b *bitReader) fill() {
	for b.n <= 56 {
		var next byte
		if b.marker == 0 {
			if next = b.next(); next == 0xff {
				b.escape(&next)
			}
			if b.ended {
				b.marker = 0xff // no marker at all
			}
		}
		if b.marker != 0 {
			b.beyond += 8
		}
		b.bits |= uint64(next) << (56 - b.n)
		b.n += 8
	}
}

// escape reads what follows a byte 0xff: a zero, if it belongs to the data, or a marker.
func (b *bitReader) escape(next *byte) {
	follows := b.next()
	for follows == 0xff && !b.ended {
		follows = b.next()
	}
	if follows != 0 {
		*next, b.marker = 0, follows
	}
}

// end returns the marker after the data. It returns false if the data did not end where it should.
func (b *bitReader) end() (marker byte, ok bool) {
	if b.n-b.beyond >= 8 || b.n < b.beyond {
		return 0, false
	}
	marker = b.marker
	if marker == 0 {
		if b.next() != 0xff {
			return 0, false
		}
		for marker = b.next(); marker == 0xff && !b.ended; {
			marker = b.next()
		}
	}
	b.bits, b.n = 0, 0
	b.beyond, b.marker = 0, 0
	return marker, !b.ended
}

// skip drops n bits.
func (b *bitReader) skip(n int) {
	b.bits <<= n
	b.n -= n
}

// decode reads a code and returns its value.
func (b *bitReader) decode(t *huffmanTable) (byte, bool) {
	if found := t.lookup[b.bits>>(64-lookupBits)]; found != 0 {
		b.skip(int(found >> 8))
		return byte(found), true
	}
	for n := lookupBits + 1; n <= 16; n++ {
		code := int32(b.bits >> (64 - n))
		if code < t.limit[n] {
			if code < t.first[n] {
				return 0, false
			}
			b.skip(n)
			return t.values[t.index[n]+code-t.first[n]], true
		}
	}
	return 0, false
}

// number reads a number of n bits. Half of the numbers are negative.
func (b *bitReader) number(n int) int32 {
	v := int32(b.bits >> (64 - n))
	b.skip(n)
	if v < 1<<n>>1 {
		v += -1<<n + 1
	}
	return v
}

// block decodes a block and writes its pixels at a position of the component.
func (j *scaledJPEG) block(p *jpegPart, at, side int) error {
	var f [16]int32 // the lowest frequencies
	b, quant := &j.bits, &j.quant[p.quant]
	b.fill()
	size, ok := b.decode(p.dc)
	if !ok || size > 11 {
		return errNotScaled
	}
	p.previous += b.number(int(size))
	f[0] = p.previous * quant[0]
	for k := 1; k < 64; k++ {
		if b.n < 32 { // a code and its number have at most 31 bits
			b.fill()
		}
		code, ok := b.decode(p.ac)
		run, size := int(code>>4), int(code&15)
		switch {
		case !ok:
			return errNotScaled
		case size > 0:
			if k += run; k > 63 {
				return errNotScaled
			}
			if to := j.at[k]; to >= 0 {
				f[to] = b.number(size) * quant[k]
			} else {
				b.skip(size)
			}
		case run == 15:
			k += run
		default:
			k = 64 // the rest is zero
		}
	}
	if b.n < b.beyond {
		return errNotScaled
	}
	writeBlock(p.pixels[at:], p.stride, &f, side)
	return nil
}

// writeBlock computes the pixels of a block from its lowest side × side frequencies.
func writeBlock(to []byte, stride int, f *[16]int32, side int) {
	switch side {
	case 1:
		to[0] = clampPixel((f[0] + 4) >> 3)
	case 2:
		a, b := f[0]+f[1], f[0]-f[1]
		c, d := f[2]+f[3], f[2]-f[3]
		to[0], to[1] = clampPixel((a+c+4)>>3), clampPixel((b+d+4)>>3)
		to[stride], to[stride+1] = clampPixel((a-c+4)>>3), clampPixel((b-d+4)>>3)
	default:
		for y := 0; y < 16; y += 4 {
			line := inverse4(f[y], f[y+1], f[y+2], f[y+3], 1<<6)
			for x, v := range line {
				f[y+x] = v >> 7
			}
		}
		for x := range 4 {
			column := inverse4(f[x], f[4+x], f[8+x], f[12+x], 1<<17)
			to[x], to[stride+x] = clampPixel(column[0]>>18), clampPixel(column[1]>>18)
			to[2*stride+x], to[3*stride+x] = clampPixel(column[2]>>18), clampPixel(column[3]>>18)
		}
	}
}

// inverse4 returns the values that four frequencies represent: an inverse DCT of length 4, times 4096, plus a number
// for rounding.
func inverse4(a, b, c, d, round int32) [4]int32 {
	const (
		cos1 = 2676 // cos(π/8) / √2
		cos3 = 1108 // cos(3π/8) / √2
	)
	even0, even1 := (a+c)<<11+round, (a-c)<<11+round
	odd0, odd1 := cos1*b+cos3*d, cos3*b-cos1*d
	return [4]int32{even0 + odd0, even1 + odd1, even1 - odd1, even0 - odd0}
}

// clampPixel returns a pixel from its difference to the mean brightness.
func clampPixel(v int32) byte {
	if v += 128; v>>8 != 0 {
		if v < 0 {
			return 0
		}
		return 255
	}
	return byte(v)
}
