package media

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"io"
)

// JPEG markers: the byte that follows 0xff.
const (
	jpegSOF0 = 0xc0 // baseline
	jpegSOF2 = 0xc2 // progressive
	jpegDHT  = 0xc4
	jpegRST0 = 0xd0
	jpegRST7 = 0xd7
	jpegSOI  = 0xd8
	jpegEOI  = 0xd9
	jpegSOS  = 0xda
	jpegDQT  = 0xdb
	jpegDRI  = 0xdd
	jpegAPP0 = 0xe0
	jpegEXIF = 0xe1 // APP1
	jpegICC  = 0xe2 // APP2
	jpegDCT  = 0xee // APP14, which contains the colour encoding
	jpegAPPn = 0xef
	jpegJPGn = 0xfd
	jpegCOM  = 0xfe
)

const (
	// iccLimit is the size in bytes of the largest colour profile that is copied to a re-encoded picture or
	// thumbnail.
	iccLimit = 64 << 10

	// maxScans is the maximum number of scans in a progressive picture. Cameras and tools use about ten. A small file
	// with thousands of scans would keep a decoder busy for hours.
	maxScans = 64
)

// jpegCleaner copies a JPEG segment by segment.
type jpegCleaner struct {
	r     *reader
	w     *writer
	facts pictureInfo
	scans int

	progressive bool
	parts       []byte // the components in the frame header, three bytes each
	isJFIF      bool
	plain       bool // the Adobe segment says that colours are not transformed

	profile jpegProfile
}

func cleanJPEG(r *reader, w *writer) (pictureInfo, error) {
	j := &jpegCleaner{r: r, w: w}
	if err := r.skip(2); err != nil {
		return pictureInfo{}, err
	}
	w.put(0xff, jpegSOI)
	marker, err := j.marker()
	for err == nil && marker != jpegEOI {
		marker, err = j.segment(marker)
	}
	if err == nil && j.scans == 0 {
		err = brokenFile("no picture before the end")
	}
	w.put(0xff, jpegEOI)
	return j.facts, err
}

// marker reads the next marker. It may be preceded by any number of 0xff bytes.
func (j *jpegCleaner) marker() (byte, error) {
	b, err := j.r.ReadByte()
	if err == nil && b != 0xff {
		return 0, brokenFile("no marker after a segment")
	}
	for err == nil && b == 0xff {
		b, err = j.r.ReadByte()
	}
	return b, err
}

// segment copies or drops the segment that follows a marker, and returns the next marker.
func (j *jpegCleaner) segment(marker byte) (byte, error) {
	var length [2]byte
	if err := j.r.fill(length[:]); err != nil {
		return 0, err
	}
	n := int64(binary.BigEndian.Uint16(length[:])) - 2
	if n < 0 {
		return 0, brokenFile("invalid segment length")
	}
	if marker == jpegSOS {
		return j.scan(n)
	}
	if err := j.body(marker, n); err != nil {
		return 0, err
	}
	return j.marker()
}

func (j *jpegCleaner) body(marker byte, n int64) error {
	switch {
	case marker >= jpegSOF0 && marker <= jpegSOF2:
		return j.frame(marker, n)
	case marker == jpegDRI && n != 2:
		return brokenFile("invalid segment length")
	case marker == jpegDHT, marker == jpegDQT, marker == jpegDRI:
		return j.copy(marker, n)
	case j.scans > 0 && (marker == jpegAPP0 || marker == jpegDCT || marker == jpegICC || marker == jpegEXIF):
		return j.r.skip(n) // these segments have no effect after the pixels begin
	case marker == jpegAPP0:
		return j.jfif(n)
	case marker == jpegEXIF:
		return j.exif(n)
	case marker == jpegICC:
		return j.icc(n)
	case marker == jpegDCT:
		return j.adobe(n)
	case marker > jpegAPP0 && marker <= jpegAPPn, marker > jpegAPPn && marker <= jpegJPGn, marker == jpegCOM:
		return j.r.skip(n)
	case marker > jpegSOF2 && marker < jpegRST0:
		return errVariant // lossless, hierarchical or arithmetic JPEG, which browsers do not display
	}
	return brokenFile("unknown segment")
}

// copy copies a segment of n bytes.
func (j *jpegCleaner) copy(marker byte, n int64) error {
	j.w.put(0xff, marker, byte((n+2)>>8), byte(n+2))
	return j.r.copyTo(j.w, n)
}

// frame reads the dimensions from a frame header.
func (j *jpegCleaner) frame(marker byte, n int64) error {
	if j.facts.width != 0 || n < 6 {
		return brokenFile("frame header")
	}
	p, err := j.r.Peek(6)
	if err != nil {
		return err
	}
	if p[0] != 8 {
		return errVariant // 12 bits per sample
	}
	height, width := int(binary.BigEndian.Uint16(p[1:])), int(binary.BigEndian.Uint16(p[3:]))
	if parts := int64(p[5]); parts == 0 || n != 6+3*parts {
		return brokenFile("frame header")
	}
	if err := checkSize(width, height); err != nil {
		return err
	}
	if p, err = j.r.Peek(int(n)); err != nil {
		return err
	}
	j.facts.width, j.facts.height = width, height
	j.progressive, j.parts = marker == jpegSOF2, bytes.Clone(p[6:])
	return j.copy(marker, n)
}

// jfif copies the JFIF header without the embedded thumbnail.
func (j *jpegCleaner) jfif(n int64) error {
	p, err := j.r.head(12, n)
	if err != nil || len(p) < 12 || !bytes.HasPrefix(p, []byte("JFIF\x00")) {
		return err
	}
	j.isJFIF = true
	j.w.put(0xff, jpegAPP0, 0, 16)
	j.w.put(p...)
	j.w.put(0, 0)
	return nil
}

// exif drops an EXIF block, but takes the orientation from the first block that contains one. If the orientation is to
// be kept, it writes a block with nothing else.
func (j *jpegCleaner) exif(n int64) error {
	p, err := j.r.head(exifLimit, n)
	if err != nil || j.facts.orientation != 0 || !bytes.HasPrefix(p, []byte(exifPrefix)) {
		return err
	}
	j.facts.orientation = orientation(p)
	if j.w.keepOrientation && j.facts.orientation > 1 {
		j.facts.keepsOrientation = true
		block := orientationBlock(j.facts.orientation)
		j.w.put(0xff, jpegEXIF, 0, byte(len(block)+2))
		j.w.put(block...)
	}
	return nil
}

// adobe copies the twelve bytes that decoders need to show the correct colours.
func (j *jpegCleaner) adobe(n int64) error {
	p, err := j.r.head(12, n)
	if err != nil || len(p) < 12 || !bytes.HasPrefix(p, []byte("Adobe")) {
		return err
	}
	j.plain = p[11] == 0
	j.w.put(0xff, jpegDCT, 0, 14)
	j.w.put(p...)
	return nil
}

// scan copies a scan's header and pixels, and returns the marker that follows them.
func (j *jpegCleaner) scan(n int64) (byte, error) {
	j.scans++
	if j.facts.width == 0 || j.scans > maxScans {
		return 0, brokenFile("a scan without a frame, or too many scans")
	}
	if j.scans == 1 {
		j.facts.memory = j.memory()
		j.facts.scalable = !j.progressive && (len(j.parts) == 3 || len(j.parts) == 3*3 && !j.rgb())
		j.facts.rotationCopies = len(j.parts) == 4*3 || j.parts[1]>>4 == 4
		if err := j.w.pixels(); err != nil {
			return 0, err
		}
	}
	if err := j.copy(jpegSOS, n); err != nil {
		return 0, err
	}
	return j.pixels()
}

// pixels copies the pixels of a scan and returns the marker that follows them.
func (j *jpegCleaner) pixels() (byte, error) {
	for {
		if _, err := j.r.Peek(1); err != nil {
			return 0, err
		}
		p, err := j.r.Peek(j.r.Buffered())
		if err != nil {
			return 0, err
		}
		if n := pixelBytes(p); n > 0 {
			_, _ = j.w.Write(p[:n])
			if _, err := j.r.Discard(n); err != nil {
				return 0, err
			}
			continue
		}
		// The bytes begin with 0xff, and what follows is not known yet, is another 0xff, or is a marker.
		b := byte(0xff)
		for err == nil && b == 0xff {
			b, err = j.r.ReadByte()
		}
		if err != nil || !inPixels(b) {
			return b, err
		}
		j.w.put(0xff, b)
	}
}

// pixelBytes returns how many bytes at the beginning of p certainly belong to the pixels.
func pixelBytes(p []byte) (n int) {
	for {
		next := bytes.IndexByte(p[n:], 0xff)
		if next < 0 {
			return len(p)
		}
		n += next
		if n+1 >= len(p) || !inPixels(p[n+1]) {
			return n
		}
		n += 2
	}
}

// inPixels reports whether a byte after 0xff belongs to the pixels: an escaped 0xff or a restart marker.
func inPixels(b byte) bool { return b == 0 || b >= jpegRST0 && b <= jpegRST7 }

// colourProfile returns the colour profile segments of a cleaned JPEG. It returns nil if there are none or if they
// are larger than iccLimit.
func colourProfile(r *reader) ([]byte, error) {
	var profile []byte
	if err := r.skip(2); err != nil {
		return nil, err
	}
	for {
		head, err := r.Peek(4)
		if err != nil {
			return nil, err
		}
		marker, n := head[1], int64(binary.BigEndian.Uint16(head[2:]))+2
		switch {
		case marker == jpegSOS:
			return profile, nil
		case marker != jpegICC:
			err = r.skip(n)
		case int64(len(profile))+n > iccLimit:
			return nil, nil
		default:
			at := len(profile)
			profile = append(profile, make([]byte, n)...)
			err = r.fill(profile[at:])
		}
		if err != nil {
			return nil, err
		}
	}
}

// encodeJPEG writes a picture with the original's colour profile.
func encodeJPEG(w io.Writer, img image.Image, quality int, profile []byte) error {
	if _, err := w.Write(append([]byte{0xff, jpegSOI}, profile...)); err != nil {
		return err
	}
	return jpeg.Encode(&skipWriter{w: w, skip: 2}, img, &jpeg.Options{Quality: quality})
}

// skipWriter drops the first bytes written to it: the encoder's start marker, which was already written before the
// profile.
type skipWriter struct {
	w    io.Writer
	skip int
}

func (s *skipWriter) Write(p []byte) (int, error) {
	cut := min(s.skip, len(p))
	s.skip -= cut
	n, err := s.w.Write(p[cut:])
	return n + cut, err
}
