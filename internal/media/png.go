package media

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// cleanPNG copies the chunks that are needed to draw the picture and drops the others, such as text, time and EXIF.
func cleanPNG(r *reader, w *writer) (pictureInfo, error) {
	if err := r.copyTo(w, int64(len(pngSignature))); err != nil {
		return pictureInfo{}, err
	}
	p := &pngCleaner{r: r, w: w}
	for !p.ended {
		if err := p.chunk(); err != nil {
			return p.facts, err
		}
	}
	return p.facts, nil
}

type pngCleaner struct {
	r     *reader
	w     *writer
	facts pictureInfo
	data  bool // an IDAT chunk was read
	ended bool

	profiled bool // a colour profile was copied

	depth, kind       byte // bits per sample, and the colour type
	interlaced, clear bool // clear means that some colours are transparent
}

// chunk copies or drops one chunk, which consists of a length, a name, a body and a checksum.
func (p *pngCleaner) chunk() error {
	var head [8]byte
	if err := p.r.fill(head[:]); err != nil {
		return err
	}
	n, name := int64(binary.BigEndian.Uint32(head[:])), string(head[4:])
	if (name == "IHDR") != (p.facts.width == 0) {
		return brokenFile("IHDR must be first")
	}
	switch name {
	case "IHDR":
		if err := p.header(n); err != nil {
			return err
		}
	case "acTL":
		p.facts.animated = true
	case "IDAT":
		if err := p.pixels(); err != nil {
			return err
		}
	case "IEND":
		p.ended = true
		if !p.data || n != 0 {
			return brokenFile("IEND too early")
		}
	case "tRNS":
		p.clear = true
	case "PLTE", "gAMA", "cHRM", "sRGB", "bKGD", "pHYs", "sBIT", "hIST", "fcTL", "fdAT", "cICP":
	case "iCCP":
		return p.profile(n)
	case "eXIf":
		return p.exif(n)
	default:
		if head[4]&0x20 == 0 {
			return errVariant // an unknown critical chunk
		}
		return p.r.skip(n + 4)
	}
	if longest, limited := pngSizes[name]; limited && n > longest {
		if name == "PLTE" {
			return brokenFile("PLTE too long")
		}
		return p.r.skip(n + 4)
	}
	return p.copy(head, n)
}

// pngSizes are the maximum lengths of the chunks whose content is not pixels. A longer one could contain anything, so
// it is dropped.
var pngSizes = map[string]int64{
	"acTL": 8, "tRNS": 256, "PLTE": 768, "gAMA": 4, "cHRM": 32, "sRGB": 1, "bKGD": 6, "pHYs": 9, "sBIT": 4,
	"hIST": 512, "fcTL": 26, "cICP": 4,
}

// profile copies a colour profile with a neutral name and without other text. It drops a profile that is broken or too
// large, and every profile but the first.
func (p *pngCleaner) profile(n int64) error {
	if n > profileLimit || p.data || p.profiled {
		return p.r.skip(n + 4)
	}
	b, err := p.r.head(n, n)
	if err != nil {
		return err
	}
	var want [4]byte
	if err := p.r.fill(want[:]); err != nil {
		return err
	}
	if binary.BigEndian.Uint32(want[:]) != crc32.Update(crc32.ChecksumIEEE([]byte("iCCP")), crc32.IEEETable, b) {
		return brokenFile("wrong chunk checksum")
	}
	_, compressed, found := bytes.Cut(b, []byte{0})
	if !found || len(compressed) == 0 || compressed[0] != 0 { // the method of compression
		return nil
	}
	cleaned := cleanProfile(inflateProfile(compressed[1:]))
	if cleaned == nil {
		return nil
	}
	p.profiled = true
	body := append([]byte("iCCP"+profileName+"\x00\x00"), deflateProfile(cleaned)...)
	p.w.put(binary.BigEndian.AppendUint32(nil, uint32(len(body)-4))...)
	p.w.put(body...)
	p.w.put(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(body))...)
	return nil
}

// header reads the dimensions and colour type from the IHDR chunk.
func (p *pngCleaner) header(n int64) error {
	if n != 13 {
		return brokenFile("invalid IHDR length")
	}
	b, err := p.r.Peek(13)
	if err != nil {
		return err
	}
	width, height := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	if width > 1<<31-1 || height > 1<<31-1 {
		return brokenFile("dimensions")
	}
	p.facts.width, p.facts.height = int(width), int(height)
	p.depth, p.kind, p.interlaced = b[8], b[9], b[12] != 0
	return checkSize(p.facts.width, p.facts.height)
}

// pixels is called for every chunk of encoded pixels. When the first one begins, all information about them is known.
func (p *pngCleaner) pixels() error {
	if p.data {
		return nil
	}
	p.data = true
	p.facts.memory, p.facts.rotationCopies = p.memory(), p.depth > 8
	return p.w.pixels()
}

// copy copies a chunk and verifies its checksum.
func (p *pngCleaner) copy(head [8]byte, n int64) error {
	sum := crc32.NewIEEE()
	_, _ = sum.Write(head[4:])
	p.w.put(head[:]...)
	if err := p.r.copyTo(io.MultiWriter(p.w, sum), n); err != nil {
		return err
	}
	var want [4]byte
	if err := p.r.fill(want[:]); err != nil {
		return err
	}
	if binary.BigEndian.Uint32(want[:]) != sum.Sum32() {
		return brokenFile("wrong chunk checksum")
	}
	p.w.put(want[:]...)
	return nil
}

// exif drops the chunk after reading the orientation from it.
func (p *pngCleaner) exif(n int64) error {
	b, err := p.r.head(exifLimit, n)
	if err != nil {
		return err
	}
	if p.facts.orientation == 0 {
		p.facts.orientation = orientation(b)
	}
	return p.r.skip(4)
}
