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
	"slices"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/media/photofact"
)

// Thumbnail makes the thumbnails of a stored picture in all sizes and stores them, unless they exist. It is safe for
// concurrent use. An Unsupported error means that the picture cannot be decoded or is Heavy; retrying does not help,
// but is cheap.
func (l *Processor) Thumbnail(ctx context.Context, store Store, name string) error {
	return l.makeThumbnails(ctx, store, name, ThumbSide, ThumbnailLane, nil)
}

// Verify decodes a stored picture that was received with Deferred set, makes its thumbnails and returns what it shows.
// If IsDamaged is true for the error, the picture cannot be displayed. It is decoded in the turn of its lane.
func (l *Processor) Verify(ctx context.Context, store Store, name string,
	lane Lane) (facts lost.PhotoFacts, err error) {
	err = l.makeThumbnails(ctx, store, name, ThumbSide, lane, &facts)
	return facts, err
}

// makeThumbnails makes and stores thumbnails, unless the one with the given side exists. If only a smaller one is
// missing, it is made from the largest. Otherwise all are made, and the largest is stored last. If facts is not nil,
// the picture is decoded even if it has thumbnails, and its facts are stored there.
func (l *Processor) makeThumbnails(ctx context.Context, store Store, name string, side int, lane Lane,
	facts *lost.PhotoFacts) error {
	done, err := l.lockThumbnail(ctx, name)
	if err != nil {
		return err
	}
	defer done()
	if err := l.previousRefusal(name); err != nil {
		return err
	}
	found, err := exists(ctx, store, thumbName(name, side))
	if err != nil || found && facts == nil {
		return err
	}
	from, sides := name, lost.ThumbnailSides()
	if side != ThumbSide {
		largest, err := exists(ctx, store, ThumbName(name))
		if err != nil {
			return err
		}
		if largest {
			from, sides = ThumbName(name), []int{side}
		}
	}
	f, err := l.fetch(ctx, store, from)
	if err != nil {
		return err
	}
	defer func() { _ = closeTemp(f) }()
	thumbs, err := l.shrink(ctx, from, f, sides, lane, facts)
	if err != nil {
		return l.thumbnailError(name, err)
	}
	if found {
		return nil
	}
	return storeThumbnails(ctx, store, name, thumbs)
}

// thumb is a thumbnail that was made.
type thumb struct {
	side    int
	content []byte
}

// storeThumbnails stores the thumbnails of a picture.
func storeThumbnails(ctx context.Context, store Store, name string, thumbs []thumb) error {
	for _, t := range thumbs {
		at, size := thumbName(name, t.side), int64(len(t.content))
		if err := store.Put(ctx, at, bytes.NewReader(t.content), size, ContentType(at)); err != nil {
			return err
		}
	}
	// If the picture was deleted in the meantime, delete the thumbnails too, because nothing else would.
	if found, err := exists(ctx, store, name); found || err != nil {
		return err
	}
	return deleteThumbnails(ctx, store, name)
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

// shrink decodes a fetched picture and returns its thumbnails with the given sides, in their order. It omits those that
// would be as large as the picture, except the last one. If facts is not nil, it also finds the facts of the picture.
func (l *Processor) shrink(ctx context.Context, name string, f *os.File, sides []int, lane Lane,
	facts *lost.PhotoFacts) (thumbs []thumb, err error) {
	_, ext, _ := strings.Cut(name, ".")
	info, err := readHeader(ext, f)
	if err != nil {
		return nil, err
	}
	if info.exceedsBudget() {
		return nil, errTooHeavy
	}
	largest := slices.Max(sides)
	sides = slices.DeleteFunc(slices.Clone(sides), func(side int) bool {
		return side >= max(info.width, info.height) && side != largest
	})
	r := reduction{ext: ext, file: f, info: info, lane: lane, sides: []int{largest}}
	if facts != nil {
		r.addFacts()
	}
	err = l.reduce(ctx, r, func(copies []*image.RGBA, profile []byte) error {
		if facts != nil {
			*facts = photofact.Find(upright(copies[len(copies)-1], info.orientation))
		}
		thumbs, err = encodeThumbnails(copies[0], info, ext, profile, sides)
		return err
	})
	return thumbs, err
}

// encodeThumbnails rotates a reduced picture upright and returns thumbnails with the given sides, which are in
// ascending order.
func encodeThumbnails(small *image.RGBA, info pictureInfo, ext string, profile []byte,
	sides []int) ([]thumb, error) {
	size := image.Pt(info.width, info.height)
	small = upright(small, info.orientation)
	if info.orientation >= 5 {
		size.X, size.Y = size.Y, size.X
	}
	thumbs := make([]thumb, len(sides))
	for i, side := range slices.Backward(sides) {
		if to := fit(size, side); to != small.Rect.Size() {
			small = resample(decoded{image: small, canvas: small.Rect}, to)
		}
		var b bytes.Buffer
		var err error
		if ext == "jpg" {
			err = encodeJPEG(&b, small, thumbQuality, profile)
		} else {
			err = png.Encode(&b, small)
		}
		if err != nil {
			return nil, err
		}
		thumbs[i] = thumb{side, b.Bytes()}
	}
	return thumbs, nil
}

// upright rotates a picture according to its orientation.
func upright(m *image.RGBA, orientation int) *image.RGBA {
	if orientation > 1 {
		m = orient(m, orientation).(*image.RGBA) //nolint:forcetypeassert // it keeps the type
	}
	return m
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
	n, err := io.Copy(f, ctxReader{ctx, stored.Content})
	if err == nil && n != stored.Size {
		err = io.ErrUnexpectedEOF // otherwise the picture would seem to be damaged
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = closeTemp(f)
		return nil, fmt.Errorf("fetch picture: %w", err)
	}
	return f, nil
}

// fit returns a thumbnail's size: the same aspect ratio, at most side, and never larger than the picture.
func fit(size image.Point, side int) image.Point {
	long := max(size.X, size.Y)
	if long <= side {
		return size
	}
	reduced := func(n int) int { return max(1, (n*side+long/2)/long) }
	return image.Pt(reduced(size.X), reduced(size.Y))
}
