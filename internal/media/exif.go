package media

import (
	"bytes"
	"encoding/binary"
)

// exifLimit is the maximum number of bytes of an EXIF block that are parsed. A JPEG cannot contain a larger block, and
// the orientation is near the beginning.
const exifLimit = 64 << 10

const (
	orientationTag = 0x0112
	shortType      = 3
)

// exifPrefix begins an EXIF block in a JPEG.
const exifPrefix = "Exif\x00\x00"

// orientationBlock returns an EXIF block with a single directory, in which the orientation is the only entry.
func orientationBlock(orientation int) []byte {
	return append([]byte(exifPrefix+"MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01"),
		0, byte(orientation), 0, 0, 0, 0, 0, 0)
}

// orientation returns the orientation (1 to 8) in an EXIF block, with or without the prefix "Exif". It returns 0 if
// the block contains none. The block is untrusted: every offset is checked, and no offset is followed twice.
func orientation(block []byte) int {
	tiff := bytes.TrimPrefix(block, []byte(exifPrefix))
	if len(tiff) < 8 {
		return 0
	}
	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 0
	}
	at := uint64(order.Uint32(tiff[4:]))
	if at+2 > uint64(len(tiff)) {
		return 0
	}
	count := int(order.Uint16(tiff[at:]))
	return orientationEntry(order, tiff[at+2:], count)
}

// orientationEntry returns the orientation in a directory. Each entry has 12 bytes: tag, type, count and value.
func orientationEntry(order binary.ByteOrder, entries []byte, count int) int {
	for ; count > 0 && len(entries) >= 12; count-- {
		e := entries[:12]
		entries = entries[12:]
		if order.Uint16(e) != orientationTag {
			continue
		}
		value := int(order.Uint16(e[8:]))
		if order.Uint16(e[2:]) != shortType || order.Uint32(e[4:]) != 1 || value < 1 || value > 8 {
			return 0
		}
		return value
	}
	return 0
}
