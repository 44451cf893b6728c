package app_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
)

// tinyWebP is a one-pixel picture, encoded in Base64.
const tinyWebP = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="

// picture returns a small picture in the given file type.
func picture(kind string) []byte {
	m := image.NewPaletted(image.Rect(0, 0, 40, 30), color.Palette{color.White, color.Black})
	for i := range m.Pix {
		m.Pix[i] = byte(i % 2)
	}
	var b bytes.Buffer
	switch kind {
	case "jpeg":
		_ = jpeg.Encode(&b, m, nil) // writing to memory cannot fail
	case "png":
		_ = png.Encode(&b, m)
	case "gif":
		_ = gif.Encode(&b, m, nil)
	case "webp":
		data, _ := base64.StdEncoding.DecodeString(tinyWebP)
		return data
	default:
		return []byte("This is a text, whatever its name says.\n")
	}
	return b.Bytes()
}

// padded returns a picture of exactly size bytes, padded with invisible data.
func padded(kind string, size int) []byte {
	data := picture(kind)
	missing := size - len(data)
	switch kind {
	case "png": // a private chunk before the last one
		body := append([]byte("prVt"), make([]byte, missing-12)...)
		chunk := binary.BigEndian.AppendUint32(nil, uint32(missing-12))
		chunk = append(chunk, body...)
		chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(body))
		end := len(data) - 12
		return append(append(bytes.Clone(data[:end]), chunk...), data[end:]...)
	case "jpeg": // comments of at most 64 KiB each, after the first marker
		var comments []byte
		for missing > 0 {
			n := min(missing, 65000)
			if rest := missing - n; rest > 0 && rest < 4 {
				n -= 4
			}
			comments = append(comments, 0xff, 0xfe, byte((n-2)>>8), byte(n-2))
			comments = append(comments, make([]byte, n-4)...)
			missing -= n
		}
		return append(append(bytes.Clone(data[:2]), comments...), data[2:]...)
	}
	return append(data, strings.Repeat("x", missing)...)
}

// fixCRC corrects the checksum of a PNG's header.
func fixCRC(data []byte) []byte {
	binary.BigEndian.PutUint32(data[29:33], crc32.ChecksumIEEE(data[12:29]))
	return data
}
