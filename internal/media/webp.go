package media

import (
	"encoding/binary"
	"image"
)

// Flags in a VP8X chunk. The other flags indicate metadata or are reserved.
const (
	webpAnimated = 0x02
	webpAlpha    = 0x10
	webpProfile  = 0x20
)

// webpFrameHead is the length of the header before a frame's chunks. It contains the position, size and duration.
const webpFrameHead = 16

// webpCleaner copies a WebP chunk by chunk.
type webpCleaner struct {
	r       *reader
	w       *writer
	facts   pictureInfo
	canvas  bool  // the file begins with a VP8X chunk
	flags   byte  // the corrected flags of the VP8X chunk
	flagsAt int64 // the offset at which the flags were written
	frames  int
	alpha   bool // an ALPH chunk preceded the pixels
}

// cleanWebP copies the chunks that are needed to draw the picture, and drops EXIF, XMP and unknown chunks.
func cleanWebP(r *reader, w *writer) (pictureInfo, error) {
	var head [12]byte
	if err := r.fill(head[:]); err != nil {
		return pictureInfo{}, err
	}
	w.put(head[:]...)
	size := int64(binary.LittleEndian.Uint32(head[4:]))
	p := &webpCleaner{r: r, w: w}
	if err := p.chunks(size-4, p.chunk); err != nil {
		return p.facts, err
	}
	if p.frames == 0 {
		return pictureInfo{}, brokenFile("no picture")
	}
	if p.canvas {
		if err := w.patch(p.flagsAt, []byte{p.flags}); err != nil {
			return pictureInfo{}, err
		}
	}
	return p.facts, w.patch(4, webpUint32(w.at-8))
}

func webpUint32(n int64) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }

// webpUint24 reads a three-byte number. Dimensions are stored as one less than their value.
func webpUint24(p []byte) int { return int(p[0]) | int(p[1])<<8 | int(p[2])<<16 }

// chunks reads the header of every chunk in a container, and calls each with the chunk's name and length. each must
// read the chunk's n bytes and the byte that pads an odd length. left is the size of the container in bytes.
func (p *webpCleaner) chunks(left int64, each func(name string, n int64) error) error {
	for left > 0 {
		var head [8]byte
		if err := p.r.fill(head[:]); err != nil {
			return err
		}
		n := int64(binary.LittleEndian.Uint32(head[4:]))
		left -= 8 + n + n&1
		if left < 0 {
			return brokenFile("chunk longer than its container")
		}
		if err := each(string(head[:4]), n); err != nil {
			return err
		}
	}
	if left < 0 {
		return brokenFile("size")
	}
	return nil
}

// chunk copies or drops a top-level chunk.
func (p *webpCleaner) chunk(name string, n int64) error {
	switch {
	case name == "VP8X":
		return p.header(n)
	case name == "VP8 ", name == "VP8L":
		return p.still(name, n)
	case name == "EXIF":
		return p.exif(n)
	case !p.canvas:
		return p.r.skip(n + n&1) // valid only after a VP8X chunk
	case name == "ICCP":
		return p.profile(n)
	case name == "ALPH":
		p.alpha = true
		return p.copy(name, n)
	case name == "ANIM":
		if n != 6 {
			return brokenFile("ANIM")
		}
		return p.copy(name, n)
	case name == "ANMF":
		return p.frame(n)
	}
	return p.r.skip(n + n&1)
}

// profile copies a colour profile with a neutral name and without other text. It drops a profile that is broken or too
// large, and every profile but the first.
func (p *webpCleaner) profile(n int64) error {
	if n > profileLimit || p.frames > 0 || p.flags&webpProfile != 0 {
		return p.r.skip(n + n&1)
	}
	b, err := p.r.head(n, n+n&1)
	if err != nil {
		return err
	}
	cleaned := cleanProfile(b)
	if cleaned == nil {
		return nil
	}
	p.flags |= webpProfile
	p.w.put([]byte("ICCP")...)
	p.w.put(webpUint32(int64(len(cleaned)))...) // the length is even, so no padding is needed
	p.w.put(cleaned...)
	return nil
}

// copy copies a chunk unchanged.
func (p *webpCleaner) copy(name string, n int64) error {
	_, _ = p.w.Write([]byte(name))
	_, _ = p.w.Write(webpUint32(n))
	return p.r.copyTo(p.w, n+n&1)
}

// header reads the canvas from a VP8X chunk. The flags are corrected at the end of the file.
func (p *webpCleaner) header(n int64) error {
	if n != 10 || p.canvas || p.frames > 0 {
		return brokenFile("VP8X")
	}
	b, err := p.r.Peek(10)
	if err != nil {
		return err
	}
	p.canvas = true
	p.flags, p.flagsAt = b[0]&(webpAnimated|webpAlpha), p.w.at+8
	p.facts.animated = b[0]&webpAnimated != 0
	p.facts.width, p.facts.height = webpUint24(b[4:])+1, webpUint24(b[7:])+1
	if err := checkSize(p.facts.width, p.facts.height); err != nil {
		return err
	}
	return p.copy("VP8X", n)
}

// still copies the picture in a file without animation. The picture must have the same size as the canvas; otherwise
// a small canvas could hide a huge picture.
func (p *webpCleaner) still(name string, n int64) error {
	width, height, err := p.pixels(name, n)
	if err != nil {
		return err
	}
	if p.canvas && (width != p.facts.width || height != p.facts.height) {
		return brokenFile("picture and canvas differ in size")
	}
	if p.frames > 0 || p.facts.animated {
		return brokenFile("more than one picture")
	}
	p.frames++
	p.facts.width, p.facts.height = width, height
	if err := p.first(name, width, height, n); err != nil {
		return err
	}
	return p.copy(name, n)
}

// first records the memory needed to decode the first picture, where its pixels begin.
func (p *webpCleaner) first(name string, width, height int, n int64) error {
	p.facts.memory = webpMemory(name, width, height, n, p.alpha)
	p.facts.rotationCopies = name == "VP8 "
	return p.w.pixels()
}

// pixels reads the dimensions at the beginning of the encoded pixels.
func (p *webpCleaner) pixels(name string, n int64) (width, height int, err error) {
	if n < 10 {
		return 0, 0, brokenFile("picture too short")
	}
	b, err := p.r.Peek(10)
	if err != nil {
		return 0, 0, err
	}
	switch {
	case name == "VP8 " && b[0]&1 == 0 && string(b[3:6]) == "\x9d\x01\x2a":
		width = int(binary.LittleEndian.Uint16(b[6:]) & 0x3fff)
		height = int(binary.LittleEndian.Uint16(b[8:]) & 0x3fff)
	case name == "VP8L" && b[0] == 0x2f:
		bits := binary.LittleEndian.Uint32(b[1:])
		width, height = int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1
	default:
		return 0, 0, brokenFile("invalid picture header")
	}
	return width, height, checkSize(width, height)
}

// frame copies a frame of an animation: its header, then its chunks.
func (p *webpCleaner) frame(n int64) error {
	if n < webpFrameHead || !p.facts.animated {
		return brokenFile("frame")
	}
	head, err := p.r.Peek(webpFrameHead)
	if err != nil {
		return err
	}
	size := image.Pt(webpUint24(head[6:])+1, webpUint24(head[9:])+1)
	start := p.w.at
	_, _ = p.w.Write([]byte("ANMF\x00\x00\x00\x00"))
	if err := p.r.copyTo(p.w, webpFrameHead); err != nil {
		return err
	}
	p.frames++
	p.alpha = false
	drawn := false
	err = p.chunks(n+n&1-webpFrameHead, func(name string, n int64) error {
		switch name {
		case "VP8 ", "VP8L":
			drawn = true
			return p.framePixels(name, n, size)
		case "ALPH":
			p.alpha = true
			return p.copy(name, n)
		}
		return p.r.skip(n + n&1)
	})
	if err != nil {
		return err
	}
	if !drawn {
		return brokenFile("frame without picture")
	}
	return p.w.patch(start+4, webpUint32(p.w.at-start-8))
}

// framePixels copies the picture in a frame. The picture must have the same size as the frame; otherwise a small
// picture could claim transparency of any size.
func (p *webpCleaner) framePixels(name string, n int64, size image.Point) error {
	width, height, err := p.pixels(name, n)
	if err != nil {
		return err
	}
	if size != image.Pt(width, height) {
		return brokenFile("picture and frame differ in size")
	}
	if p.frames == 1 {
		if err := p.first(name, width, height, n); err != nil {
			return err
		}
	}
	return p.copy(name, n)
}

// exif drops the chunk after reading the orientation from it.
func (p *webpCleaner) exif(n int64) error {
	b, err := p.r.head(exifLimit, n)
	if err != nil {
		return err
	}
	if p.facts.orientation == 0 {
		p.facts.orientation = orientation(b)
	}
	return p.r.skip(n & 1)
}
