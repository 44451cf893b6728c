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

// enough is the longer side, at least, that averaging leaves to the filter. With
// less to choose from the filter could not make lines sharp.
const enough = ThumbSide * 3 / 2

// Thumbnail makes the thumbnail of a picture in a store, at ThumbName, unless it
// is there. It may be called at any time and by several at once. An Unsupported
// error means that the picture cannot be decoded, or is Heavy, and trying again is
// no use; it costs nothing either.
func (l *Lab) Thumbnail(ctx context.Context, store Store, name string) error {
	done, err := l.begin(ctx, name)
	if err != nil {
		return err
	}
	defer done()
	if err := l.refusedBefore(name); err != nil {
		return err
	}
	if there, err := exists(ctx, store, ThumbName(name)); there || err != nil {
		return err
	}
	f, err := l.fetch(ctx, store, name)
	if err != nil {
		return err
	}
	defer func() { _ = closeTemp(f) }()
	var thumb bytes.Buffer
	if err := l.shrink(ctx, name, f, &thumb); err != nil {
		return l.giveUp(name, err)
	}
	at := ThumbName(name)
	if err := store.Put(ctx, at, bytes.NewReader(thumb.Bytes()), int64(thumb.Len()), ContentType(at)); err != nil {
		return err
	}
	// Had the picture been deleted meanwhile, nobody would ever delete the thumbnail.
	if there, err := exists(ctx, store, name); there || err != nil {
		return err
	}
	return store.Delete(ctx, at)
}

// begin waits until nobody else makes this picture's thumbnail.
func (l *Lab) begin(ctx context.Context, name string) (done func(), err error) {
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

// giveUp answers for a picture that could not be shrunk. Where the picture is the
// cause, it is remembered.
func (l *Lab) giveUp(name string, err error) error {
	if errors.Is(err, errHeavy) {
		err = lost.E(lost.Unsupported, "The picture takes too much memory to be made smaller.")
	} else {
		err = refusal("image", err)
	}
	if lost.CodeOf(err) == lost.Unsupported {
		l.refuse(name, err)
	}
	return err
}

// shrink writes the thumbnail of a fetched picture to w.
func (l *Lab) shrink(ctx context.Context, name string, f *os.File, w io.Writer) error {
	_, ext, _ := strings.Cut(name, ".")
	seen, err := survey(ext, f)
	if err != nil {
		return err
	}
	if seen.heavy() {
		return errHeavy
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return l.alone(ctx, seen.memory, func() error {
		mean, size, profile, err := averaged(ctx, ext, f)
		if err != nil {
			return err
		}
		giveBack(seen.memory) // the filter needs some megabytes too
		small := scale(mean, size)
		if ext == "jpg" {
			return encodeJPEG(w, small, thumbQuality, profile)
		}
		return png.Encode(w, small)
	})
}

// averaged decodes a file and gives a copy of moderate size, the size that its
// thumbnail shall have, and its colour profile. What was decoded is out of reach
// when it returns.
func averaged(ctx context.Context, ext string, f *os.File) (*image.RGBA, image.Point, []byte, error) {
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

// fetch copies a stored file to a temporary one, before its turn to be decoded, so
// that a slow network holds nobody up.
func (l *Lab) fetch(ctx context.Context, store Store, name string) (*os.File, error) {
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

// scale takes the second of two steps to a thumbnail, with a good filter. The
// first, averages of whole boxes of pixels, is fast and needs no memory.
func scale(mean *image.RGBA, size image.Point) *image.RGBA {
	if mean.Rect.Size() == size {
		return mean
	}
	small := image.NewRGBA(image.Rectangle{Max: size})
	draw.CatmullRom.Scale(small, small.Rect, mean, mean.Rect, draw.Src, nil)
	return small
}

// fit gives the largest size of the same shape within ThumbSide, never a larger one.
func fit(size image.Point) image.Point {
	long := max(size.X, size.Y)
	if long <= ThumbSide {
		return size
	}
	side := func(n int) int { return max(1, (n*ThumbSide+long/2)/long) }
	return image.Pt(side(size.X), side(size.Y))
}

// boxes is the number of boxes, across and down, of which average makes a pixel each.
func boxes(w, h int) (columns, lines int) {
	k := max(1, max(w, h)/enough)
	return max(1, w/k), max(1, h/k)
}

// average makes each box of about k by k pixels one. Where k does not divide a
// side, some boxes are a pixel wider; cutting the last would shift all of them.
func average(d decoded) *image.RGBA {
	w, h := d.canvas.Dx(), d.canvas.Dy()
	mean := image.NewRGBA(image.Rectangle{Max: image.Pt(boxes(w, h))})
	columns, lines := edges(w, mean.Rect.Dx()), edges(h, mean.Rect.Dy())
	band := image.NewRGBA(image.Rect(0, 0, w, (h+mean.Rect.Dy()-1)/mean.Rect.Dy())) // the lines of a box
	sums := make([]uint32, mean.Stride)
	for y := range mean.Rect.Dy() {
		n := lines[y+1] - lines[y]
		clear(band.Pix) // the picture may cover only a part of its canvas
		draw.Draw(band, image.Rect(0, 0, w, n), d.image, d.canvas.Min.Add(image.Pt(0, lines[y])), draw.Src)
		clear(sums)
		for line := range n {
			addLine(sums, band.Pix[line*band.Stride:], columns)
		}
		meanLine(mean.Pix[y*mean.Stride:], sums, columns, n)
	}
	return mean
}

// edges divides a side of so many pixels evenly into boxes.
func edges(pixels, boxes int) []int {
	at := make([]int, boxes+1)
	for i := range at {
		at[i] = i * pixels / boxes
	}
	return at
}

// addLine adds each pixel of a line to the sum of its box.
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
		s[0], s[1], s[2], s[3] = s[0]+r, s[1]+g, s[2]+b, s[3]+a
	}
}

// meanLine divides the sums by the number of pixels in each.
func meanLine(line []byte, sums []uint32, columns []int, lines int) {
	for i, sum := range sums {
		n := uint32((columns[i/4+1] - columns[i/4]) * lines)
		line[i] = byte((sum + n/2) / n)
	}
}
