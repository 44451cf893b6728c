package media_test

import (
	"bytes"
	"encoding/binary"
)

// The standard library writes neither progressive JPEGs nor JPEGs without subsampling. The JPEGs made here are plain
// grey and can have any size, because each block is just a few zero bits.

const baselineFrame, progressiveFrame = 0xc0, 0xc2

// progressive returns a progressive 4:2:0 JPEG with one scan.
func progressive(w, h int) []byte { return greyJPEG(progressiveFrame, w, h, 0x22, 0x11, 0x11) }

// fullColour returns a baseline 4:4:4 JPEG.
func fullColour(w, h int) []byte { return greyJPEG(baselineFrame, w, h, 0x11, 0x11, 0x11) }

// cmyk returns a JPEG with four components, as used for printing.
func cmyk(frame byte, w, h int, sampling ...byte) []byte {
	return insert(greyJPEG(frame, w, h, sampling...), 2, adobeSegment(2))
}

// adobeSegment returns an Adobe segment with the given colour transform; 0 means none.
func adobeSegment(transform byte) []byte {
	return segment(0xee, append([]byte("Adobe\x00\x64\x00\x00\x00\x00"), transform))
}

// greyJPEG returns a JPEG with one component for each pair of sampling factors.
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
	oneCode := append([]byte{1}, make([]byte, 16)...) // the only code is 0, which stands for the symbol 0
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
