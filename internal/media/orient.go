package media

import (
	"image"
	"image/draw"
)

// orient rotates a picture upright, according to its EXIF orientation. It works in place, plane by plane, because a
// copy would double the memory use, and a large photo already needs most of the budget.
func orient(img image.Image, orientation int) image.Image {
	o := orientation
	size := img.Bounds().Size()
	r := image.Rectangle{Max: size}
	if o >= 5 {
		r.Max = image.Pt(size.Y, size.X)
	}
	switch m := img.(type) {
	case *image.YCbCr:
		if ratio, ok := orientedRatio(m.SubsampleRatio, o); ok {
			orientYCbCr(m, size, o)
			m.Rect, m.SubsampleRatio = r, ratio
			return m
		}
	case *image.Gray:
		m.Pix, m.Stride = orientPlane(m.Pix, m.Stride, size, 1, o)
		m.Rect = r
		return m
	case *image.Paletted:
		m.Pix, m.Stride = orientPlane(m.Pix, m.Stride, size, 1, o)
		m.Rect = r
		return m
	case *image.NRGBA:
		m.Pix, m.Stride = orientPlane(m.Pix, m.Stride, size, 4, o)
		m.Rect = r
		return m
	case *image.RGBA:
		m.Pix, m.Stride = orientPlane(m.Pix, m.Stride, size, 4, o)
		m.Rect = r
		return m
	}
	// The remaining types are rare: 16 bits per channel, CMYK or unusual subsampling. They are converted first. YCbCr
	// and CMYK become RGBA, which the JPEG encoder handles fast; for other types it allocates memory for each pixel.
	switch img.(type) {
	case *image.YCbCr, *image.CMYK:
		flat := image.NewRGBA(image.Rectangle{Max: size})
		draw.Draw(flat, flat.Rect, img, img.Bounds().Min, draw.Src)
		return orient(flat, o)
	}
	flat := image.NewNRGBA(image.Rectangle{Max: size})
	draw.Draw(flat, flat.Rect, img, img.Bounds().Min, draw.Src)
	return orient(flat, o)
}

// orientedRatio returns the subsampling ratio after the rotation, and false for the few ratios that have no rotated
// counterpart.
func orientedRatio(ratio image.YCbCrSubsampleRatio, o int) (image.YCbCrSubsampleRatio, bool) {
	switch {
	case o < 5, ratio == image.YCbCrSubsampleRatio444, ratio == image.YCbCrSubsampleRatio420:
		return ratio, true
	case ratio == image.YCbCrSubsampleRatio422:
		return image.YCbCrSubsampleRatio440, true
	case ratio == image.YCbCrSubsampleRatio440:
		return image.YCbCrSubsampleRatio422, true
	}
	return ratio, false
}

// orientYCbCr rotates the three planes.
func orientYCbCr(m *image.YCbCr, size image.Point, o int) {
	colours := colourSize(size, m.SubsampleRatio)
	stride := m.CStride
	m.Y, m.YStride = orientPlane(m.Y, m.YStride, size, 1, o)
	m.Cb, m.CStride = orientPlane(m.Cb, stride, colours, 1, o)
	m.Cr, _ = orientPlane(m.Cr, stride, colours, 1, o)
}

// colourSize returns the size of a colour plane, for a picture whose origin is 0, 0.
func colourSize(size image.Point, ratio image.YCbCrSubsampleRatio) image.Point {
	var x, y int
	switch ratio {
	case image.YCbCrSubsampleRatio422:
		x, y = 2, 1
	case image.YCbCrSubsampleRatio420:
		x, y = 2, 2
	case image.YCbCrSubsampleRatio440:
		x, y = 1, 2
	case image.YCbCrSubsampleRatio411:
		x, y = 4, 1
	case image.YCbCrSubsampleRatio410:
		x, y = 4, 2
	default:
		x, y = 1, 1
	}
	return image.Pt((size.X+x-1)/x, (size.Y+y-1)/y)
}

// orientPlane rotates a plane with n bytes per pixel and returns it without gaps between its lines. Every orientation
// is a combination of transposing, mirroring left to right and flipping top to bottom, in this order.
func orientPlane(pix []byte, stride int, size image.Point, n, o int) (turned []byte, newStride int) {
	w, h := size.X, size.Y
	pix = closeGaps(pix, stride, w*n, h)
	if o >= 5 {
		if n == 1 {
			transpose(pix, w, h)
		} else {
			transposeWide(pix, w, h, n)
		}
		w, h = h, w
	}
	if o == 2 || o == 3 || o == 6 || o == 7 {
		mirror(pix, w, h, n)
	}
	if o == 3 || o == 4 || o == 7 || o == 8 {
		flip(pix, w*n, h)
	}
	return pix, w * n
}

// closeGaps removes the gaps between lines and returns the shortened plane.
func closeGaps(pix []byte, stride, line, h int) []byte {
	for y := 1; y < h && stride != line; y++ {
		copy(pix[y*line:(y+1)*line], pix[y*stride:])
	}
	return pix[:line*h]
}

// transpose swaps lines and columns in place. It follows the cycles of the permutation: each pixel moves to its new
// position and displaces the next one, until the cycle is closed. One bit per pixel marks those that have moved.
func transpose(pix []byte, w, h int) {
	moved := make([]uint64, len(pix)/64+1)
	for start := range pix {
		if moved[start>>6]&(1<<(start&63)) != 0 {
			continue
		}
		for i, v := start, pix[start]; ; {
			i = i%w*h + i/w
			pix[i], v = v, pix[i]
			moved[i>>6] |= 1 << (i & 63)
			if i == start {
				break
			}
		}
	}
}

// transposeWide is transpose for pixels of up to eight bytes.
func transposeWide(pix []byte, w, h, n int) {
	moved := make([]uint64, w*h/64+1)
	var held, next [8]byte
	for start := range w * h {
		if moved[start>>6]&(1<<(start&63)) != 0 {
			continue
		}
		copy(held[:n], pix[start*n:])
		for i := start; ; {
			i = i%w*h + i/w
			p := pix[i*n : i*n+n]
			copy(next[:n], p)
			copy(p, held[:n])
			held = next
			moved[i>>6] |= 1 << (i & 63)
			if i == start {
				break
			}
		}
	}
}

// mirror swaps left and right.
func mirror(pix []byte, w, h, n int) {
	for y := range h {
		line := pix[y*w*n : (y+1)*w*n]
		for l, r := 0, (w-1)*n; l < r; l, r = l+n, r-n {
			for b := range n {
				line[l+b], line[r+b] = line[r+b], line[l+b]
			}
		}
	}
}

// flip swaps top and bottom.
func flip(pix []byte, line, h int) {
	held := make([]byte, line)
	for top, bottom := 0, h-1; top < bottom; top, bottom = top+1, bottom-1 {
		a, b := pix[top*line:(top+1)*line], pix[bottom*line:(bottom+1)*line]
		copy(held, a)
		copy(a, b)
		copy(b, held)
	}
}
