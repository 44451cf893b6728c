package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"strings"

	"golang.org/x/image/draw"

	"homeward/internal/lost"
)

// minAveraged is the minimum length in pixels of the longer side after averaging. With fewer pixels, the filter could
// not produce sharp lines.
const minAveraged = ThumbSide * 3 / 2

// Thumbnail makes the thumbnail of a stored picture and stores it as ThumbName, unless it exists. It is safe for
// concurrent use. An Unsupported error means that the picture cannot be decoded or is Heavy; retrying does not help,
// but is cheap.
func (l *Processor) Thumbnail(ctx context.Context, store Store, name string) error {
	done, err := l.lockThumbnail(ctx, name)
	if err != nil {
		return err
	}
	defer done()
	if err := l.previousRefusal(name); err != nil {
		return err
	}
	if found, err := exists(ctx, store, ThumbName(name)); found || err != nil {
		return err
	}
	f, err := l.fetch(ctx, store, name)
	if err != nil {
		return err
	}
	defer func() { _ = closeTemp(f) }()
	var thumb bytes.Buffer
	if err := l.shrink(ctx, name, f, &thumb); err != nil {
		return l.thumbnailError(name, err)
	}
	at := ThumbName(name)
	if err := store.Put(ctx, at, bytes.NewReader(thumb.Bytes()), int64(thumb.Len()), ContentType(at)); err != nil {
		return err
	}
	// If the picture was deleted in the meantime, delete the thumbnail too, because nothing else would.
	if found, err := exists(ctx, store, name); found || err != nil {
		return err
	}
	return store.Delete(ctx, at)
}

// lockThumbnail waits until no other goroutine is making this picture's thumbnail. The caller must call done
// afterwards.
func (l *Processor) lockThumbnail(ctx context.Context, name string) (done func(), err error) {
	for {
		l.mu.Lock()
		wait, busy := l.making[name]
		if !busy {
			mine := make(chan struct{})
			l.making[name] = mine
			l.mu.Unlock()
			return func() {
				l.mu.Lock()
				delete(l.making, name)
				l.mu.Unlock()
				close(mine)
			}, nil
		}
		l.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// thumbnailError converts an error from shrink to one that can be shown to the user. It remembers errors caused by
// the picture.
func (l *Processor) thumbnailError(name string, err error) error {
	if errors.Is(err, errTooHeavy) {
		err = lost.E(lost.Unsupported, "This picture is too large for a thumbnail.")
	} else {
		err = refusal("image", err)
	}
	if lost.CodeOf(err) == lost.Unsupported {
		l.rememberRefusal(name, err)
	}
	return err
}

// shrink writes the thumbnail of a fetched picture to w.
func (l *Processor) shrink(ctx context.Context, name string, f *os.File, w io.Writer) error {
	_, ext, _ := strings.Cut(name, ".")
	info, err := readHeader(ext, f)
	if err != nil {
		return err
	}
	if info.exceedsBudget() {
		return errTooHeavy
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return l.inTurn(ctx, ThumbnailLane, info.thumbnailMemory(), func() error {
		mean, size, profile, err := decodeAveraged(ctx, ext, f)
		if err != nil {
			return err
		}
		releaseMemory(info.memory) // the filter needs a few megabytes too
		small := scale(mean, size)
		if ext == "jpg" {
			return encodeJPEG(w, small, thumbQuality, profile)
		}
		return png.Encode(w, small)
	})
}

// decodeAveraged decodes a file and returns a smaller copy, the thumbnail's size, and the colour profile. The
// full-size picture can be garbage-collected afterwards.
func decodeAveraged(ctx context.Context, ext string, f *os.File) (*image.RGBA, image.Point, []byte, error) {
	d, err := decode(ctx, ext, f)
	if err != nil {
		return nil, image.Point{}, nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, image.Point{}, nil, err
	}
	profile, err := profileOf(ext, d.image, f)
	if err != nil {
		return nil, image.Point{}, nil, err
	}
	size := d.canvas.Size()
	return average(d), fit(size), profile, nil
}

// fetch copies a stored file to a temporary file before decoding, so that a slow network does not block other
// decoding.
func (l *Processor) fetch(ctx context.Context, store Store, name string) (*os.File, error) {
	stored, err := store.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = stored.Close() }()
	f, err := l.newTemp()
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(f, ctxReader{ctx, stored.Content})
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = closeTemp(f)
		return nil, fmt.Errorf("fetch picture: %w", err)
	}
	return f, nil
}

// scale is the second step in making a thumbnail and uses a high-quality filter. The first step averages boxes of
// pixels, which is fast and needs little memory.
func scale(mean *image.RGBA, size image.Point) *image.RGBA {
	if mean.Rect.Size() == size {
		return mean
	}
	small := image.NewRGBA(image.Rectangle{Max: size})
	draw.CatmullRom.Scale(small, small.Rect, mean, mean.Rect, draw.Src, nil)
	return small
}

// fit returns a thumbnail's size: the same aspect ratio, at most ThumbSide, and never larger than the picture.
func fit(size image.Point) image.Point {
	long := max(size.X, size.Y)
	if long <= ThumbSide {
		return size
	}
	side := func(n int) int { return max(1, (n*ThumbSide+long/2)/long) }
	return image.Pt(side(size.X), side(size.Y))
}

// boxes returns the number of columns and lines of boxes; average turns each box into one pixel.
func boxes(w, h int) (columns, lines int) {
	k := max(1, max(w, h)/minAveraged)
	return max(1, w/k), max(1, h/k)
}

// average turns each box of about k × k pixels into one pixel. If k does not divide a side evenly, some boxes are one
// pixel wider; a smaller last box would shift the picture.
func average(d decoded) *image.RGBA {
	w, h := d.canvas.Dx(), d.canvas.Dy()
	mean := image.NewRGBA(image.Rectangle{Max: image.Pt(boxes(w, h))})
	columns, lines := edges(w, mean.Rect.Dx()), edges(h, mean.Rect.Dy())
	band := image.NewRGBA(image.Rect(0, 0, w, (h+mean.Rect.Dy()-1)/mean.Rect.Dy())) // the lines in one row of boxes
	sums := make([]uint32, mean.Stride)
	for y := range mean.Rect.Dy() {
		n := lines[y+1] - lines[y]
		clear(band.Pix) // the picture may cover only part of its canvas
		draw.Draw(band, image.Rect(0, 0, w, n), d.image, d.canvas.Min.Add(image.Pt(0, lines[y])), draw.Src)
		clear(sums)
		for line := range n {
			addLine(sums, band.Pix[line*band.Stride:], columns)
		}
		meanLine(mean.Pix[y*mean.Stride:], sums, columns, n)
	}
	return mean
}

// edges divides a side evenly into boxes and returns their edges.
func edges(pixels, boxes int) []int {
	at := make([]int, boxes+1)
	for i := range at {
		at[i] = i * pixels / boxes
	}
	return at
}

// addLine adds each pixel in a line to the sum of its box.
func addLine(sums []uint32, line []byte, columns []int) {
	for i := range len(columns) - 1 {
		var r, g, b, a uint32
		for box := line[4*columns[i] : 4*columns[i+1]]; len(box) >= 4; box = box[4:] {
			r += uint32(box[0])
			g += uint32(box[1])
			b += uint32(box[2])
			a += uint32(box[3])
		}
		s := sums[4*i : 4*i+4]
		s[0] += r
		s[1] += g
		s[2] += b
		s[3] += a
	}
}

// meanLine divides each box's sum by the number of its pixels.
func meanLine(line []byte, sums []uint32, columns []int, lines int) {
	for i, sum := range sums {
		n := uint32((columns[i/4+1] - columns[i/4]) * lines)
		line[i] = byte((sum + n/2) / n)
	}
}
