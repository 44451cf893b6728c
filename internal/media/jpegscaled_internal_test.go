package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"testing"
)

// smooth returns a picture with gradients and soft shapes, in which neighbouring pixels differ little.
func smooth(r image.Rectangle, ratio image.YCbCrSubsampleRatio) *image.YCbCr {
	m := image.NewYCbCr(r, ratio)
	for y := range r.Dy() {
		for x := range r.Dx() {
			m.Y[m.YOffset(x, y)] = byte(40 + x/2 + y/3)
			m.Cb[m.COffset(x, y)] = byte(115 + y/10)
			m.Cr[m.COffset(x, y)] = byte(145 - x/8)
		}
	}
	return m
}

// jpegOf encodes a picture.
func jpegOf(t testing.TB, m image.Image, quality int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: quality}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAScaledJPEGIsTheMeanOfItsPixels(t *testing.T) {
	for _, size := range []image.Point{{64, 64}, {161, 95}, {7, 5}, {1, 1}, {16, 300}, {33, 17}} {
		r := image.Rectangle{Max: size}
		grey := image.NewGray(r)
		for i := range grey.Pix {
			grey.Pix[i] = byte(30 + 150*i/len(grey.Pix))
		}
		for name, m := range map[string]image.Image{"colour": smooth(r, image.YCbCrSubsampleRatio420), "grey": grey} {
			for _, quality := range []int{95, 60} {
				data := jpegOf(t, m, quality)
				full, err := jpeg.Decode(bytes.NewReader(data))
				if err != nil {
					t.Fatal(err)
				}
				for _, side := range []int{1, 2, 4} {
					got, err := decodeScaled(t.Context(), bytes.NewReader(data), side)
					if err != nil {
						t.Fatalf("%s %v at %d/8: %v", name, size, side, err)
					}
					about := fmt.Sprintf("%s %v, quality %d, at %d/8", name, size, quality, side)
					compareToMean(t, about, full, got, side)
				}
			}
		}
	}
}

// compareToMean checks each scaled pixel whose area is wholly in the picture. A scaled pixel has a little more contrast
// than the mean.
func compareToMean(t *testing.T, name string, full, got image.Image, side int) {
	t.Helper()
	k := 8 / side
	size := full.Bounds().Size()
	want := image.Pt((size.X+k-1)/k, (size.Y+k-1)/k)
	if got.Bounds().Size() != want {
		t.Fatalf("%s: the size is %v, want %v", name, got.Bounds().Size(), want)
	}
	for y := range size.Y / k {
		for x := range size.X / k {
			var sums [3]int
			for i := range k * k {
				c := color.RGBAModel.Convert(full.At(x*k+i%k, y*k+i/k)).(color.RGBA)
				sums[0], sums[1], sums[2] = sums[0]+int(c.R), sums[1]+int(c.G), sums[2]+int(c.B)
			}
			c := color.RGBAModel.Convert(got.At(x, y)).(color.RGBA)
			for i, v := range []int{int(c.R), int(c.G), int(c.B)} {
				if d := v - sums[i]/(k*k); d < -9 || d > 9 {
					t.Fatalf("%s: the pixel %d, %d is %v, the mean is %v", name, x, y, c, sums[i]/(k*k))
				}
			}
		}
	}
}

// withRestarts returns a grey JPEG of flat blocks with a restart marker after every second block. Each block's
// brightness differs from that of the one before.
func withRestarts(blocks int) []byte {
	b := []byte{0xff, jpegSOI, 0xff, jpegDQT, 0, 67, 0}
	for range 64 {
		b = append(b, 8)
	}
	b = append(b, 0xff, jpegSOF0, 0, 11, 8, 0, 8)
	b = binary.BigEndian.AppendUint16(b, uint16(8*blocks))
	b = append(b, 1, 1, 0x11, 0)
	// The code 0 stands for a difference of 5 bits, or for the end of a block.
	b = append(b, 0xff, jpegDHT, 0, 20, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5)
	b = append(b, 0xff, jpegDHT, 0, 20, 0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	b = append(b, 0xff, jpegDRI, 0, 4, 0, 2, 0xff, jpegSOS, 0, 8, 1, 1, 0, 0, 63, 0)
	for i := range blocks / 2 {
		if i > 0 {
			b = append(b, 0xff, jpegRST0+byte((i-1)%8))
		}
		// Two blocks of 7 bits: 0, five bits of the difference (+16, then +31), 0. Two bits fill the byte.
		b = append(b, 0b0100000_0, 0b111110_11)
	}
	return append(b, 0xff, jpegEOI)
}

func TestAScaledJPEGMayHaveRestartMarkers(t *testing.T) {
	data := withRestarts(40)
	full, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, side := range []int{1, 2, 4} {
		got, err := decodeScaled(t.Context(), bytes.NewReader(data), side)
		if err != nil {
			t.Fatal(err)
		}
		for block := range 40 {
			want, have := full.At(8*block, 0), got.At(side*block, 0)
			if want != have {
				t.Fatalf("at %d/8, block %d is %v, want %v", side, block, have, want)
			}
		}
	}
	missing := bytes.Replace(data, []byte{0xff, jpegRST0 + 1}, nil, 1)
	if _, err := decodeScaled(t.Context(), bytes.NewReader(missing), 1); !errors.Is(err, errNotScaled) {
		t.Errorf("with a missing marker: %v", err)
	}
}

// TestADamagedJPEGIsNotScaled changes each byte of a picture. What the standard decoder rejects must not be scaled.
func TestADamagedJPEGIsNotScaled(t *testing.T) {
	data := jpegOf(t, smooth(image.Rect(0, 0, 80, 48), image.YCbCrSubsampleRatio420), 80)
	for at := range data {
		for _, change := range []byte{0x01, 0x80, 0xff} {
			broken := bytes.Clone(data)
			broken[at] ^= change
			_, want := jpeg.Decode(bytes.NewReader(broken))
			_, got := decodeScaledJPEG(t.Context(), bytes.NewReader(broken), pictureInfo{}, 2)
			if want != nil && got == nil {
				t.Errorf("byte %d ^ %#x was scaled: %v", at, change, want)
			}
		}
	}
	for n := range data {
		if _, err := decodeScaled(t.Context(), bytes.NewReader(data[:n]), 1); !errors.Is(err, errNotScaled) {
			t.Fatalf("%d of %d bytes: %v", n, len(data), err)
		}
	}
}

func TestResampledPixelsAreMeans(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 5, 3))
	for i := range m.Pix {
		m.Pix[i] = byte(10 * (i / 4))
	}
	small := resample(decoded{image: m, canvas: m.Rect, size: m.Rect.Size()}, image.Pt(2, 1))
	// Each new pixel covers 2.5 × 3 old ones; those in the middle column count half for both.
	left := (0 + 10 + 20/2 + 50 + 60 + 70/2 + 100 + 110 + 120/2) / 7.5
	right := (20./2 + 30 + 40 + 70./2 + 80 + 90 + 120./2 + 130 + 140) / 7.5
	for i, want := range []float64{left, right} {
		if got := float64(small.Pix[4*i]); got < want-0.51 || got > want+0.51 {
			t.Errorf("pixel %d is %v, want %v", i, got, want)
		}
	}
	white := image.NewUniform(color.White)
	whole := resample(decoded{image: white, canvas: image.Rect(0, 0, 1999, 1333)}, image.Pt(640, 427))
	for i, v := range whole.Pix {
		if v != 255 {
			t.Fatalf("byte %d of a white picture is %d", i, v)
		}
	}
}
