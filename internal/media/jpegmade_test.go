package media_test

import (
	"bytes"
	"encoding/binary"
)

// The standard library writes no progressive JPEG and none with all its colours.
// These are plain grey, and as large as one likes: each block is a few zero bits.

// progressive is a progressive JPEG of one scan, 4:2:0.
func progressive(w, h int) []byte {
	blocks := ((w + 15) / 16) * ((h + 15) / 16) * 6
	return greyJPEG(0xc2, w, h, 0x22, []byte{0, 0, 0}, blocks)
}

// fullColour is a baseline JPEG, 4:4:4.
func fullColour(w, h int) []byte {
	blocks := ((w + 7) / 8) * ((h + 7) / 8) * 3
	return greyJPEG(0xc0, w, h, 0x11, []byte{0, 63, 0}, 2*blocks)
}

func greyJPEG(frame byte, w, h int, sampling byte, spectrum []byte, bits int) []byte {
	size := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16([]byte{8}, uint16(h)), uint16(w))
	oneCode := append([]byte{1}, make([]byte, 16)...) // the code 0 is the symbol 0, and nothing else
	return bytes.Join([][]byte{
		{0xff, 0xd8},
		segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)),
		segment(frame, append(size, 3, 1, sampling, 0, 2, 0x11, 0, 3, 0x11, 0)),
		segment(0xc4, append([]byte{0x00}, oneCode...)),
		segment(0xc4, append([]byte{0x10}, oneCode...)),
		segment(0xda, append([]byte{3, 1, 0, 2, 0, 3, 0}, spectrum...)),
		make([]byte, (bits+7)/8),
		{0xff, 0xd9},
	}, nil)
}
