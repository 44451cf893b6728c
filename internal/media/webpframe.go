package media

import (
	"bytes"
	"encoding/binary"
	"image"
	"io"

	"golang.org/x/image/webp"
)

// decodeWebP decodes a cleaned WebP. The library does not support animations, so their first frame is passed to it as
// a separate file. The returned rectangle is the canvas in the frame's coordinates.
func decodeWebP(r io.Reader) (image.Image, image.Rectangle, error) {
	in := newReader(r)
	head, err := in.Peek(30)
	if err == nil && string(head[12:16]) == "VP8X" && head[20]&webpAnimated != 0 {
		canvas := image.Rect(0, 0, webpUint24(head[24:])+1, webpUint24(head[27:])+1)
		return decodeFirstFrame(in, canvas)
	}
	img, err := webp.Decode(in)
	if err != nil {
		return nil, image.Rectangle{}, err
	}
	return img, img.Bounds(), nil
}

func decodeFirstFrame(in *reader, canvas image.Rectangle) (image.Image, image.Rectangle, error) {
	if err := in.skip(12); err != nil {
		return nil, canvas, err
	}
	for {
		var head [8]byte
		if err := in.fill(head[:]); err != nil {
			return nil, canvas, err
		}
		n := int64(binary.LittleEndian.Uint32(head[4:]))
		if string(head[:4]) == "ANMF" && n > webpFrameHead {
			return decodeFrame(in, n, canvas)
		}
		if err := in.skip(n + n&1); err != nil {
			return nil, canvas, err
		}
	}
}

// decodeFrame decodes a frame of n bytes.
func decodeFrame(in *reader, n int64, canvas image.Rectangle) (image.Image, image.Rectangle, error) {
	var head [webpFrameHead]byte
	if err := in.fill(head[:]); err != nil {
		return nil, canvas, err
	}
	n -= webpFrameHead
	first, err := in.Peek(4)
	if err != nil {
		return nil, canvas, err
	}
	var flags byte
	if string(first) == "ALPH" {
		flags = webpAlpha
	}
	// The frame's chunks are preceded by 4 bytes "WEBP" and 18 bytes VP8X.
	file := bytes.NewBufferString("RIFF")
	file.Write(webpUint32(4 + 18 + n))
	file.WriteString("WEBPVP8X\x0a\x00\x00\x00")
	file.Write([]byte{flags, 0, 0, 0})
	file.Write(head[6:12]) // the width and height have the same encoding in both headers
	img, err := webp.Decode(io.MultiReader(file, io.LimitReader(in, n)))
	if err != nil {
		return nil, canvas, err
	}
	// Positions are stored divided by two.
	return img, canvas.Sub(image.Pt(2*webpUint24(head[:]), 2*webpUint24(head[3:]))), nil
}
