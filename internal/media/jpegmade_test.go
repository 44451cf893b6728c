package media_test

import (
	"bytes"
	"encoding/binary"
)

// The standard library writes no progressive JPEG and none with all its colours.
// These are plain grey, and as large as one likes: each block is a few zero bits.

const baselineFrame, progressiveFrame = 0xc0, 0xc2

// progressive is a progressive JPEG of one scan, 4:2:0.
func progressive(w, h int) []byte { return greyJPEG(progressiveFrame, w, h, 0x22, 0x11, 0x11) }

// fullColour is a baseline JPEG, 4:4:4.
func fullColour(w, h int) []byte { return greyJPEG(baselineFrame, w, h, 0x11, 0x11, 0x11) }

// inks is a JPEG of four components, as printers have them.
func inks(frame byte, w, h int, sampling ...byte) []byte {
	return insert(greyJPEG(frame, w, h, sampling...), 2, adobeSegment(2))
}

// adobeSegment says how colours were transformed: 0 is not at all.
func adobeSegment(transform byte) []byte {
	return segment(0xee, append([]byte("Adobe\x00\x64\x00\x00\x00\x00"), transform))
}

// greyJPEG makes one of a component for each pair of sampling factors.
func greyJPEG(frame byte, w, h int, sampling ...byte) []byte {
	across, down := 8*int(sampling[0]>>4), 8*int(sampling[0]&15)
	if len(sampling) == 1 {
		across, down = 8, 8
	}
	parts, scan, bits := []byte{byte(len(sampling))}, []byte{byte(len(sampling))}, 0
	for i, s := range sampling {
		parts = append(parts, byte(i+1), s, 0)
		scan = append(scan, byte(i+1), 0)
		bits += int(s>>4) * int(s&15)
	}
	bits *= ((w + across - 1) / across) * ((h + down - 1) / down)
	if frame == progressiveFrame {
		scan = append(scan, 0, 0, 0)
	} else {
		scan, bits = append(scan, 0, 63, 0), 2*bits
	}
	size := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16([]byte{8}, uint16(h)), uint16(w))
	oneCode := append([]byte{1}, make([]byte, 16)...) // the code 0 is the symbol 0, and nothing else
	return bytes.Join([][]byte{
		{0xff, 0xd8},
		segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)),
		segment(frame, append(size, parts...)),
		segment(0xc4, append([]byte{0x00}, oneCode...)),
		segment(0xc4, append([]byte{0x10}, oneCode...)),
		segment(0xda, scan),
		make([]byte, (bits+7)/8),
		{0xff, 0xd9},
	}, nil)
}
